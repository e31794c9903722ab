//! The answer of a server that gives tokens.
//!
//! Source: `distribution/distribution:docs/content/spec/auth/token.md`, `oauth.md`.

use std::time::Duration;

use serde::Deserialize;

use crate::secret::Secret;

/// Tokens live at least that long, whatever their server says.
const SHORTEST_LIFE: Duration = Duration::from_secs(60);

/// A token for a registry.
#[derive(Debug)]
pub struct Token {
    pub(crate) value: Secret,
    /// How long it is good.
    pub life: Duration,
}

/// Why an answer gives no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It is something else.
    #[error("the answer is not the JSON of a token")]
    NotJson,
    /// The token is absent or empty.
    #[error("the answer holds no token")]
    Missing,
}

/// The fields of the answer: `access_token` is the name in OAuth 2.0.
#[derive(Deserialize)]
struct Fields {
    token: Option<String>,
    access_token: Option<String>,
    expires_in: Option<u64>,
}

impl Token {
    /// Reads the body of an answer.
    ///
    /// # Errors
    /// [`TokenError`]
    pub fn read(body: &[u8]) -> Result<Self, TokenError> {
        let fields: Fields = serde_json::from_slice(body).map_err(|_| TokenError::NotJson)?;
        let value = fields.token.or(fields.access_token).filter(|token| !token.is_empty());
        let life = Duration::from_secs(fields.expires_in.unwrap_or(0)).max(SHORTEST_LIFE);
        Ok(Self { value: Secret::new(value.ok_or(TokenError::Missing)?), life })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        let read = |text: &str| {
            let token = Token::read(text.as_bytes())?;
            Ok((token.value.reveal().to_owned(), token.life.as_secs()))
        };
        for (text, expected) in [
            (r#"{"token": "a", "access_token": "b", "expires_in": 300}"#, Ok(("a", 300))),
            (r#"{"access_token": "b", "expires_in": 5}"#, Ok(("b", 60))),
            (r#"{"token": "", "access_token": "b"}"#, Err(TokenError::Missing)),
            ("{}", Err(TokenError::Missing)),
            (r#"{"token": "a", "expires_in": -1}"#, Err(TokenError::NotJson)),
            ("<html>", Err(TokenError::NotJson)),
        ] {
            let expected = expected.map(|(value, life): (&str, u64)| (value.to_owned(), life));
            assert_eq!(read(text), expected, "{text}");
        }
    }
}

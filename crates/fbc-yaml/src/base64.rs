//! Base64 as Go's standard encoding reads it: padded, line breaks anywhere, and no check that the
//! unused bits of the last character are zero.

use std::borrow::Cow;

use base64::alphabet;
use base64::engine::{DecodePaddingMode, Engine, GeneralPurpose, GeneralPurposeConfig};

const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

/// Text that is no base64. The message is Go's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal base64 data at input byte {0}")]
pub struct Base64Error(
    /// The offset of the first byte that cannot stand where it stands.
    pub usize,
);

/// Decodes a text.
///
/// # Errors
/// [`Base64Error`] at the first byte that is outside the alphabet or breaks the padding.
pub fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    let text = if memchr::memchr2(b'\r', b'\n', text.as_bytes()).is_some() {
        Cow::Owned(text.replace(['\r', '\n'], ""))
    } else {
        Cow::Borrowed(text)
    };
    ENGINE.decode(text.as_bytes()).map_err(|error| {
        Base64Error(match error {
            base64::DecodeError::InvalidByte(offset, _)
            | base64::DecodeError::InvalidLastSymbol { offset, .. } => offset,
            _ => text.trim_end_matches('=').len(),
        })
    })
}

/// Encodes bytes with padding, on one line.
pub fn encode(bytes: &[u8]) -> String {
    ENGINE.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_like_go() {
        assert_eq!(decode(""), Ok(vec![]));
        assert_eq!(decode("aGk="), Ok(b"hi".to_vec()));
        assert_eq!(decode("aG\r\nk=\n"), Ok(b"hi".to_vec()));
        assert_eq!(decode("aGl="), Ok(b"hi".to_vec()), "unused bits are ignored");
        for text in ["aGk", "aGk==", "a", "=", "aGk*", "aG k"] {
            assert!(decode(text).is_err(), "{text}");
        }
        assert_eq!(
            decode("!aGk=").map_err(|e| e.to_string()),
            Err("illegal base64 data at input byte 0".into())
        );
        assert_eq!(encode(b"hi"), "aGk=");
    }
}

//! What a registry answers: bodies up to a limit, its own words about an error, and why there is no answer.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;

use crate::authorities::in_words;
use crate::error::{Answer, Problem};
use crate::pace;

/// Reads a body up to a limit, which is [`Problem::TooLarge`], and in some time, else it is [`Problem::Slow`]; one that
/// breaks off is [`Problem::Unreachable`].
pub(crate) async fn read_limited(
    mut response: Response,
    limit: u64,
    whole: Duration,
) -> std::result::Result<Bytes, Problem> {
    let read = async {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(connection_problem)? {
            body.extend_from_slice(&chunk);
            if body.len() as u64 > limit {
                return Err(Problem::TooLarge { limit, is_setting: false });
            }
        }
        Ok(body.into())
    };
    pace::within(whole, read).await
}

/// The error body of the distribution protocol, as far as it is one.
pub(crate) fn answer_of(status: u16, body: &[u8]) -> Answer {
    let value: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let first = value.get("errors").and_then(|errors| errors.get(0)).unwrap_or(&value);
    let text = |key: &str| {
        let text = first.get(key)?.as_str()?;
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(500).collect();
        Some(line).filter(|line| !line.trim().is_empty())
    };
    Answer { status, code: text("code"), message: text("message").or_else(|| text("details")) }
}

/// What a broken connection means.
pub(crate) fn connection_problem(error: reqwest::Error) -> Problem {
    let is_connect = error.is_connect();
    let error = error.without_url();
    match tls_error(&error) {
        Some(rustls::Error::InvalidCertificate(reason)) => {
            let unknown_authority = matches!(reason, rustls::CertificateError::UnknownIssuer);
            Problem::Certificate { text: in_words(reason), unknown_authority }
        }
        Some(rustls::Error::InvalidMessage(reason)) => Problem::NotHttps(format!("{reason:?}")),
        _ => {
            let mut innermost: &dyn std::error::Error = &error;
            while let Some(cause) = innermost.source() {
                innermost = cause;
            }
            Problem::Unreachable { text: innermost.to_string(), attempts: 1, connected: !is_connect }
        }
    }
}

/// The TLS error among the causes. An I/O error hides the error that it wraps from the chain of causes.
fn tls_error<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e rustls::Error> {
    if let Some(found) = error.downcast_ref::<rustls::Error>() {
        return Some(found);
    }
    match error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
        Some(wrapped) => tls_error(wrapped),
        None => tls_error(error.source()?),
    }
}

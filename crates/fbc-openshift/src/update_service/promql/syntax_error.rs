//! Texts that are not PromQL.

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SyntaxError(pub(super) String);

/// Refuses a text.
pub(super) fn refuse<T>(message: impl Into<String>) -> Result<T, SyntaxError> {
    Err(SyntaxError(message.into()))
}

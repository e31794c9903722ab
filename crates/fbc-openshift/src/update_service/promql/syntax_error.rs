//! Texts that are not PromQL, or that are not read.

/// The bytes of a query, of a series, or of the value of a label. Longer ones are not parsed.
pub const MOST_BYTES: usize = 16 << 10;
/// The operators and opening brackets of a query: an expression nests no deeper than it has some.
pub const MOST_OPERATORS: usize = 200;

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SyntaxError {
    /// It is not PromQL, or cannot be evaluated.
    #[error("{0}")]
    Text(String),
    /// It is too large to be read.
    #[error("the query {0}")]
    Excess(Excess),
}

/// A text that is larger than any that somebody writes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    /// It has too many bytes.
    #[error("is longer than {} KiB", MOST_BYTES >> 10)]
    Bytes,
    /// It may nest too deeply.
    #[error("has more than {MOST_OPERATORS} operators and brackets")]
    Operators,
    /// It may take too much time and memory.
    #[error("has regular expressions that are too large")]
    Patterns,
}

/// Refuses a text.
pub(super) fn refuse<T>(message: impl Into<String>) -> Result<T, SyntaxError> {
    Err(SyntaxError::Text(message.into()))
}

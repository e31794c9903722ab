//! Why a look at an object failed, in the words of the real program.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

/// What a controller says of a look that failed; it shows in conditions, events and the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookError(String);

impl fmt::Display for LookError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for LookError {}

impl Deref for LookError {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for LookError {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<String> for LookError {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for LookError {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<LookError> for String {
    fn from(error: LookError) -> Self {
        error.0
    }
}

/// Fails with these words.
pub(crate) fn fail<T>(text: impl Into<LookError>) -> Result<T, LookError> {
    Err(text.into())
}

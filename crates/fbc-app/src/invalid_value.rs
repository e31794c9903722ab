//! A text that does not have the form that is asked for: a value of a flag, or a field of what the program wrote itself.

/// What is wrong with a text; whoever parses it says whose it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidValue(String);

impl From<String> for InvalidValue {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for InvalidValue {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

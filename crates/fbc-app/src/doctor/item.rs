//! One line of a report: what is found, or what is wrong and what to do.

use fbc_model::confined_tree::leads_out;
use fbc_source::{Error, Parts};

use crate::settings::FOLLOW_LINKS;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It is found and can be used.
    Good,
    /// Nothing is wrong, but it may explain what other commands do.
    Note,
    /// It works, and should not stay so.
    Warning,
    /// A command that needs it fails.
    Error,
}

impl Level {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// How bad it is.
    pub level: Level,
    /// What is found or wrong.
    pub text: String,
    /// What to do next.
    pub help: Option<String>,
}

impl Item {
    fn new(level: Level, text: impl Into<String>) -> Self {
        Self { level, text: text.into(), help: None }
    }

    /// Something that is found and can be used.
    pub fn good(text: impl Into<String>) -> Self {
        Self::new(Level::Good, text)
    }

    /// Something that may explain what other commands do.
    pub fn note(text: impl Into<String>) -> Self {
        Self::new(Level::Note, text)
    }

    /// Something that should not stay so, and what to do.
    pub fn warning(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..Self::new(Level::Warning, text) }
    }

    /// Something that makes a command fail, and what to do.
    pub fn error(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..Self::new(Level::Error, text) }
    }
}

/// What another command would fail with.
impl From<Error> for Item {
    fn from(error: Error) -> Self {
        let error = if leads_out(&error.message_and_details()) { error.help(FOLLOW_LINKS) } else { error };
        let Parts { message, details, help, .. } = error.into_parts();
        let text = details.iter().fold(message, |line, detail| format!("{line}; {}", detail.trim()));
        Self { level: Level::Error, text, help: (!help.is_empty()).then(|| help.join("; ")) }
    }
}

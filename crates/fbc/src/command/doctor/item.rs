//! One line of a report: what is found, or what is wrong and what to do.

use anstyle::{AnsiColor, Style};

use crate::failure::{ERROR, Failure, WARNING};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
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
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    pub(super) fn style(self) -> Style {
        match self {
            Self::Good => AnsiColor::Green.on_default(),
            Self::Note => Style::new(),
            Self::Warning => WARNING,
            Self::Error => ERROR,
        }
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) level: Level,
    /// What is found or wrong.
    pub(super) text: String,
    /// What to do next.
    pub(super) help: Option<String>,
}

impl Item {
    fn new(level: Level, text: impl Into<String>) -> Self {
        Self { level, text: text.into(), help: None }
    }

    pub(super) fn good(text: impl Into<String>) -> Self {
        Self::new(Level::Good, text)
    }

    pub(super) fn note(text: impl Into<String>) -> Self {
        Self::new(Level::Note, text)
    }

    pub(super) fn warning(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..Self::new(Level::Warning, text) }
    }

    pub(super) fn error(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..Self::new(Level::Error, text) }
    }
}

/// What goes wrong with what a reference names.
impl From<fbc_source::Error> for Item {
    fn from(error: fbc_source::Error) -> Self {
        Failure::from(error).into()
    }
}

/// What another command would fail with.
impl From<Failure> for Item {
    fn from(failure: Failure) -> Self {
        let (text, help) = failure.into_parts();
        Self { level: Level::Error, text, help }
    }
}

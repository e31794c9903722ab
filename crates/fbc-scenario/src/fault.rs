//! What is wrong with a scenario, and where it stands.

use std::fmt;

use fbc_model::closest::spelt_alike;

/// A place in a file: line and column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// Something that is wrong with a scenario or with a file that it names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ScenarioFault {
    /// The file, as users know it.
    pub file: String,
    /// Where in the file.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What is allowed, or what to do.
    pub help: Option<String>,
}

impl fmt::Display for ScenarioFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column } = self.place;
        write!(formatter, "{}:{line}:{column}: {}", self.file, self.message)
    }
}

/// The known word that was most likely meant.
pub(super) fn meant<'w>(word: &str, known: &[&'w str]) -> Option<&'w str> {
    spelt_alike(word, known.iter().copied(), |candidate| Some((word.len().max(candidate.len()) / 3).max(1)))
}

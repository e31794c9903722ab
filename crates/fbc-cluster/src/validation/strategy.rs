//! What a write of a whole object of a kind means, beyond what it says.
//!
//! Source: `kubernetes/kubernetes:pkg/registry/*/*/strategy.go` (`PrepareForUpdate`, `AllowCreateOnUpdate`,
//! `AllowUnconditionalUpdate`).

/// What the generation of an object counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Counts {
    /// Changes of what is wanted.
    #[default]
    Wishes,
    /// The same, and changes of annotations.
    Annotations,
    /// The same, and changes of labels.
    Labels,
    /// Nothing: it stays what it was.
    Nothing,
}

/// The strategy of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Strategy {
    /// Fields that writes of a whole object leave as they are, besides the status.
    pub keeps: Vec<Vec<&'static str>>,
    /// What the generation counts, where there is one.
    pub counts: Counts,
    /// A replacement must say which version it replaces.
    pub versioned: bool,
    /// A replacement of what is not there makes it.
    pub puts_create: bool,
}

impl Strategy {
    /// The strategy of every kind that a definition brings.
    ///
    /// Source: `kubernetes/apiextensions-apiserver:pkg/registry/customresource/strategy.go`.
    pub fn of_custom_kinds() -> Self {
        Self { versioned: true, ..Self::default() }
    }

    /// Reads the last column of the table of kinds; nothing if a word is not known.
    pub(super) fn read(words: &'static str) -> Option<Self> {
        let mut strategy = Self::default();
        for word in words.split(',') {
            match word.split_once('=').unwrap_or((word, "")) {
                ("plain", "") => {}
                ("versioned", "") => strategy.versioned = true,
                ("puts-create", "") => strategy.puts_create = true,
                ("keeps", field) => strategy.keeps.push(field.split('.').collect()),
                ("counts", "annotations") => strategy.counts = Counts::Annotations,
                ("counts", "labels") => strategy.counts = Counts::Labels,
                ("counts", "nothing") => strategy.counts = Counts::Nothing,
                _ => return None,
            }
        }
        Some(strategy)
    }
}

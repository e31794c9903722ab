//! One surface over both range grammars, for callers that are told which one to use.
//!
//! Nothing is decided here: every method hands on to [`crate::masterminds`] or [`crate::blang`].

use std::fmt;
use std::str::FromStr;

use crate::blang;
use crate::explain::Explanation;
use crate::masterminds::{Constraint, ConstraintError, MastermindsVersion};
use crate::version::Version;
use crate::version_set::VersionSet;

/// A range grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// `spec.source.catalog.version` of a ClusterExtension.
    Masterminds,
    /// `skipRange`, and `versionRange` of `olm.package.required`.
    Blang,
}

/// Whose behaviour counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// The current code of the reference implementations.
    #[default]
    Latest,
    /// OpenShift Container Platform 4.19.
    Ocp419,
}

/// A name that is none of those it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} \"{name}\", expected {expected}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    expected: &'static str,
}

/// A range of either grammar.
#[derive(Clone, Debug)]
pub enum Range {
    /// A Masterminds constraint.
    Masterminds(Constraint),
    /// A blang range.
    Blang(blang::Range),
}

/// Why a text is not a range, in the words of the grammar's library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// Not a Masterminds constraint.
    #[error(transparent)]
    Masterminds(#[from] ConstraintError),
    /// Not a blang range.
    #[error(transparent)]
    Blang(#[from] blang::RangeError),
}

impl Target {
    /// The version of the Masterminds library that the target uses.
    #[must_use]
    pub fn masterminds(self) -> MastermindsVersion {
        match self {
            Self::Latest => MastermindsVersion::V3_5_0,
            Self::Ocp419 => MastermindsVersion::V3_3_1,
        }
    }
}

impl Range {
    /// Parses a range. The target only matters for Masterminds; all use the same version of blang.
    ///
    /// # Errors
    ///
    /// The refusal of the grammar's library.
    pub fn parse(grammar: Grammar, target: Target, text: &str) -> Result<Self, RangeError> {
        Ok(match grammar {
            Grammar::Masterminds => Self::Masterminds(Constraint::parse(target.masterminds(), text)?),
            Grammar::Blang => Self::Blang(blang::Range::parse(text)?),
        })
    }

    /// The grammar of the range.
    #[must_use]
    pub fn grammar(&self) -> Grammar {
        match self {
            Self::Masterminds(_) => Grammar::Masterminds,
            Self::Blang(_) => Grammar::Blang,
        }
    }

    /// The range as written.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Masterminds(constraint) => constraint.text(),
            Self::Blang(range) => range.text(),
        }
    }

    /// Whether a version is in the range. Build metadata does not count.
    #[must_use]
    pub fn matches(&self, version: &Version) -> bool {
        match self {
            Self::Masterminds(constraint) => constraint.matches(version),
            Self::Blang(range) => range.matches(version),
        }
    }

    /// The versions in the range.
    #[must_use]
    pub fn intervals(&self) -> VersionSet {
        match self {
            Self::Masterminds(constraint) => constraint.intervals(),
            Self::Blang(range) => range.intervals(),
        }
    }

    /// The range in words, with notes on its traps.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        match self {
            Self::Masterminds(constraint) => constraint.explain(),
            Self::Blang(range) => range.explain(),
        }
    }
}

/// The range as written.
impl fmt::Display for Range {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text())
    }
}

impl FromStr for Grammar {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "masterminds" => Ok(Self::Masterminds),
            "blang" => Ok(Self::Blang),
            _ => {
                Err(UnknownName { what: "grammar", name: name.to_owned(), expected: "masterminds or blang" })
            }
        }
    }
}

impl fmt::Display for Grammar {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Masterminds => "masterminds",
            Self::Blang => "blang",
        })
    }
}

impl FromStr for Target {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "latest" => Ok(Self::Latest),
            "ocp-4.19" => Ok(Self::Ocp419),
            _ => Err(UnknownName { what: "target", name: name.to_owned(), expected: "latest or ocp-4.19" }),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Latest => "latest",
            Self::Ocp419 => "ocp-4.19",
        })
    }
}

#[cfg(test)]
#[path = "range_tests.rs"]
mod tests;

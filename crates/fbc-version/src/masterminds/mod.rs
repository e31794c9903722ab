//! The constraint grammar of `Masterminds/semver` 3: `spec.source.catalog.version` of a ClusterExtension.
//!
//! Two versions of the library are in use and differ: see [`MastermindsVersion`]. This module decides what a
//! constraint means to the library; whether the API server lets it through is [`admitted`], a separate question.

mod admission;
mod comparator;
mod explain;
mod hyphen;
mod lexer;

use std::fmt;

use fbc_go::text::quote;

use crate::version::Version;
use crate::version_set::VersionSet;

pub use admission::{MAXIMUM_ADMITTED_LENGTH, admitted};
use comparator::{Comparator, Wildcard};
use lexer::{Cursor, Operator};

/// The longest constraint that 3.5.0 parses, in bytes.
const MAXIMUM_CONSTRAINT_LENGTH: usize = 512;
/// The greatest number of alternatives that 3.5.0 parses.
const MAXIMUM_GROUPS: usize = 32;

/// A version of the library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MastermindsVersion {
    /// As in OpenShift 4.19: a prerelease must be asked for by every comparator, numbers have no leading zeros,
    /// and there are no limits.
    V3_3_1,
    /// As in current operator-controller: a prerelease must be asked for by one comparator of a group, leading
    /// zeros are ignored, and length and number of groups are limited.
    #[default]
    V3_5_0,
}

/// A parsed constraint: groups, one of which must match.
#[derive(Clone, Debug)]
pub struct Constraint {
    library: MastermindsVersion,
    text: String,
    /// Whether hyphen ranges were rewritten.
    has_hyphen_range: bool,
    groups: Vec<Group>,
}

/// Comparators that must all hold.
#[derive(Clone, Debug)]
struct Group {
    text: String,
    comparators: Vec<Comparator>,
}

/// Why a text is not a constraint. The texts are those of the library, in the wording of its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstraintError {
    /// A group does not have the form of a constraint.
    Improper {
        /// The group, after hyphen ranges are rewritten.
        group: String,
        /// Which wording applies.
        library: MastermindsVersion,
    },
    /// The form is right, but a version is not: numbers too large, leading zeros where they are not allowed.
    Parser {
        /// Which wording applies.
        library: MastermindsVersion,
    },
    /// More than 512 bytes (3.5.0 only).
    TooLong,
    /// More than 32 groups (3.5.0 only).
    TooManyGroups,
}

impl fmt::Display for ConstraintError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Improper { group, library: MastermindsVersion::V3_3_1 } => {
                write!(formatter, "improper constraint: {group}")
            }
            Self::Improper { group, library: MastermindsVersion::V3_5_0 } => {
                write!(formatter, "improper constraint: {}", quote(group))
            }
            Self::Parser { library: MastermindsVersion::V3_3_1 } => {
                formatter.write_str("constraint Parser Error")
            }
            Self::Parser { library: MastermindsVersion::V3_5_0 } => {
                formatter.write_str("constraint parser error")
            }
            Self::TooLong => {
                write!(formatter, "constraint string is too long (max {MAXIMUM_CONSTRAINT_LENGTH} bytes)")
            }
            Self::TooManyGroups => write!(formatter, "too many constraint groups (max {MAXIMUM_GROUPS})"),
        }
    }
}

impl std::error::Error for ConstraintError {}

impl Constraint {
    /// Parses a constraint.
    ///
    /// Source of the behaviour: `Masterminds/semver:constraints.go`, function `NewConstraint`.
    ///
    /// # Errors
    ///
    /// The first group at fault, from left to right, after the limits. See [`ConstraintError`].
    pub fn parse(library: MastermindsVersion, text: &str) -> Result<Self, ConstraintError> {
        let is_limited = library == MastermindsVersion::V3_5_0;
        if is_limited && text.len() > MAXIMUM_CONSTRAINT_LENGTH {
            return Err(ConstraintError::TooLong);
        }
        let rewritten = hyphen::rewrite(text);
        if is_limited && rewritten.split("||").count() > MAXIMUM_GROUPS {
            return Err(ConstraintError::TooManyGroups);
        }
        let groups =
            rewritten.split("||").map(|group| parse_group(library, group)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { library, text: text.to_owned(), has_hyphen_range: rewritten != text, groups })
    }

    /// Whether a version satisfies the constraint. Build metadata does not count.
    #[must_use]
    pub fn matches(&self, version: &Version) -> bool {
        self.groups.iter().any(|group| {
            let admits_all = !version.is_prerelease()
                || (self.library == MastermindsVersion::V3_5_0 && group.mentions_prerelease());
            group.comparators.iter().all(|comparator| {
                (admits_all || self.admits_prerelease(comparator)) && comparator.matches(version)
            })
        })
    }

    /// The versions that satisfy the constraint.
    #[must_use]
    pub fn intervals(&self) -> VersionSet {
        VersionSet::union_all(self.groups.iter().map(|group| self.group_intervals(group)))
    }

    /// The constraint as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The version of the library whose rules apply.
    #[must_use]
    pub fn library(&self) -> MastermindsVersion {
        self.library
    }

    fn group_intervals(&self, group: &Group) -> VersionSet {
        let sets = group.comparators.iter().map(|comparator| {
            let set = comparator.intervals();
            let is_admitted = match self.library {
                MastermindsVersion::V3_5_0 => group.mentions_prerelease(),
                MastermindsVersion::V3_3_1 => self.admits_prerelease(comparator),
            };
            if is_admitted { set } else { set.without_prereleases() }
        });
        VersionSet::intersection_all(sets)
    }

    /// Whether a comparator lets prereleases through by itself.
    fn admits_prerelease(&self, comparator: &Comparator) -> bool {
        // `!=` with a whole version is the one operator of 3.3.1 that does not ask.
        let never_asks = comparator.operator == Operator::NotEqual && comparator.wildcard == Wildcard::None;
        comparator.base.is_prerelease() || (self.library == MastermindsVersion::V3_3_1 && never_asks)
    }
}

impl Group {
    fn mentions_prerelease(&self) -> bool {
        self.comparators.iter().any(|comparator| comparator.base.is_prerelease())
    }
}

/// The constraint as written.
impl fmt::Display for Constraint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// Parses one group. Its form is checked to the end before any version in it is, as in the reference.
fn parse_group(library: MastermindsVersion, group: &str) -> Result<Group, ConstraintError> {
    let improper = || ConstraintError::Improper { group: group.to_owned(), library };
    let mut parts = Vec::new();
    let mut cursor = Cursor::new(group);
    cursor.take_space();
    loop {
        let start = cursor.position();
        let operator = cursor.take_operator().ok_or_else(improper)?;
        let version = cursor.take_version().ok_or_else(improper)?;
        let written = group.get(start..cursor.position()).unwrap_or_default();
        parts.push((operator, version, written));
        let mut is_separated = cursor.take_space();
        if cursor.is_at_end() {
            break;
        }
        if cursor.take(",") {
            is_separated = true;
            cursor.take_space();
        }
        if !is_separated {
            return Err(improper());
        }
    }
    let comparators = parts
        .into_iter()
        .map(|(operator, version, written)| {
            let text = written.split_ascii_whitespace().collect();
            Comparator::new(library, operator, version, text).ok_or(ConstraintError::Parser { library })
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Group { text: group.trim().to_owned(), comparators })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

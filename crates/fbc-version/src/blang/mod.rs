//! The range grammar of `blang/semver` 4.0.0: `skipRange`, and `versionRange` of `olm.package.required`.
//!
//! Prereleases are ordinary versions here. The grammar has oddities that surprise people; they are kept, since a
//! range means what the reference makes of it, and [`Range::explain`] says so. This module must not repair a range.

mod explain;
mod tokens;

use std::cmp::Ordering;
use std::fmt;
use std::ops::Bound;

use fbc_go::text::quote;

use crate::interval::{Interval, IntervalSet};
use crate::version::{Version, VersionError};
use crate::version_set::VersionSet;

/// A parsed range: alternatives, one of which must match.
///
/// Catalogs have ranges of hundreds of alternatives, so nothing is kept that the text says as well.
#[derive(Clone, Debug)]
pub struct Range {
    text: String,
    /// The comparators of all alternatives, one alternative behind the other.
    comparators: Vec<Comparator>,
    /// Where each alternative ends.
    ends: Vec<usize>,
}

/// Comparators that must all hold.
#[derive(Clone, Copy, Debug)]
struct Alternative<'r>(&'r [Comparator]);

#[derive(Clone, Debug)]
struct Comparator {
    operator: Operator,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

/// Why a text is not a range. The texts are those of `blang/semver:range.go`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// The first token is `||`.
    #[error("First element in range is '||'")]
    LeadingOr,
    /// Nothing follows the last `||`, or there are no tokens at all.
    #[error("Last element in range is '||'")]
    TrailingOr,
    /// Nothing stands between two `||`. The reference takes this for a range, and crashes when it asks about a version that no
    /// alternative before matches.
    #[error("Nothing stands between two '||', over which the library crashes")]
    EmptyAlternative,
    /// A token holds no digit, after expansion of wildcards.
    #[error("Could not get version from string: {}", quote(.0))]
    NoVersion(
        /// The token.
        String,
    ),
    /// What stands before the version is not an operator.
    #[error(
        "Could not parse Range {}: Could not parse comparator {} in {}",
        quote(.token), quote(.operator), quote(&format!("{operator}{version}"))
    )]
    Operator {
        /// The token after expansion of wildcards.
        token: String,
        /// What stands before the version.
        operator: String,
        /// The rest of the token.
        version: String,
    },
    /// The version of a token is not a version.
    #[error(
        "Could not parse Range {}: Could not parse version {} in {}: {reason}",
        quote(.token), quote(.version), quote(&format!("{operator}{version}"))
    )]
    Version {
        /// The token after expansion of wildcards.
        token: String,
        /// What stands before the version.
        operator: String,
        /// The rest of the token.
        version: String,
        /// What is wrong with it.
        reason: VersionError,
    },
}

impl Range {
    /// Parses a range.
    ///
    /// Source of the behaviour: `blang/semver:range.go`, function `ParseRange`.
    ///
    /// # Errors
    ///
    /// The first violation in the order in which the reference looks: `||`, wildcards, then tokens; and what the reference
    /// crashes over.
    pub fn parse(text: &str) -> Result<Self, RangeError> {
        let tokens = tokens::tokenize(text);
        if tokens.kept.first().is_some_and(|token| token == "||") {
            return Err(RangeError::LeadingOr);
        }
        if tokens.kept.last().is_none_or(|token| token == "||") {
            return Err(RangeError::TrailingOr);
        }
        let mut expanded = Vec::with_capacity(tokens.kept.len());
        let mut ends = Vec::new();
        for group in tokens.groups() {
            for token in group {
                tokens::expand_wildcard(token, &mut expanded)?;
            }
            ends.push(expanded.len());
        }
        let comparators = expanded.iter().map(|token| parse_comparator(token)).collect::<Result<_, _>>()?;
        let range = Self { text: text.to_owned(), comparators, ends };
        let has_gap = range.alternatives().any(|alternative| alternative.0.is_empty());
        if has_gap { Err(RangeError::EmptyAlternative) } else { Ok(range) }
    }

    fn alternatives(&self) -> impl Iterator<Item = Alternative<'_>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let bounds = starts.zip(self.ends.iter().copied());
        bounds.map(|(start, end)| Alternative(self.comparators.get(start..end).unwrap_or_default()))
    }

    /// Whether a version is in the range. Build metadata does not count.
    #[must_use]
    pub fn matches(&self, version: &Version) -> bool {
        self.alternatives().any(|alternative| alternative.matches(version))
    }

    /// The versions in the range. Always exact.
    #[must_use]
    pub fn intervals(&self) -> VersionSet {
        VersionSet::union_all(self.alternatives().map(|alternative| alternative.intervals()))
    }

    /// The range as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Alternative<'_> {
    fn matches(self, version: &Version) -> bool {
        self.0.iter().all(|comparator| comparator.matches(version))
    }

    fn intervals(self) -> VersionSet {
        if self.0.is_empty() {
            return VersionSet::uniform(IntervalSet::default());
        }
        VersionSet::uniform(IntervalSet::intersection_all(self.0.iter().map(Comparator::intervals)))
    }
}

impl Comparator {
    fn matches(&self, version: &Version) -> bool {
        let order = version.compare_precedence(&self.version);
        match self.operator {
            Operator::Equal => order == Ordering::Equal,
            Operator::NotEqual => order != Ordering::Equal,
            Operator::Greater => order == Ordering::Greater,
            Operator::GreaterOrEqual => order != Ordering::Less,
            Operator::Less => order == Ordering::Less,
            Operator::LessOrEqual => order != Ordering::Greater,
        }
    }

    fn intervals(&self) -> IntervalSet {
        let version = self.version.clone().without_build();
        let (lower, upper) = match self.operator {
            Operator::Equal => return Interval::exactly(version).into(),
            Operator::NotEqual => return IntervalSet::from(Interval::exactly(version)).complement(),
            Operator::Greater => (Bound::Excluded(version), Bound::Unbounded),
            Operator::GreaterOrEqual => (Bound::Included(version), Bound::Unbounded),
            Operator::Less => (Bound::Unbounded, Bound::Excluded(version)),
            Operator::LessOrEqual => (Bound::Unbounded, Bound::Included(version)),
        };
        Interval::new(lower, upper).into()
    }
}

/// The range as written.
impl fmt::Display for Range {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

fn parse_comparator(token: &str) -> Result<Comparator, RangeError> {
    let Some((operator_text, version)) = tokens::split_operator(token) else {
        return Err(RangeError::NoVersion(token.to_owned()));
    };
    let written = || (token.to_owned(), operator_text.to_owned(), version.to_owned());
    let operator = match operator_text {
        "" | "=" | "==" => Operator::Equal,
        "!" | "!=" => Operator::NotEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        _ => {
            let (token, operator, version) = written();
            return Err(RangeError::Operator { token, operator, version });
        }
    };
    let version = Version::parse(version).map_err(|reason| {
        let (token, operator, version) = written();
        RangeError::Version { token, operator, version, reason }
    })?;
    Ok(Comparator { operator, version })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

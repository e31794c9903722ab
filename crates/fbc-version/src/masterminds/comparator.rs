//! One comparator of a Masterminds constraint: its base version, its wildcard, and what it matches.
//!
//! The rule is stated twice on purpose: [`Comparator::matches`] asks as the reference does, and
//! [`Comparator::intervals`] says the same as intervals; tests hold them against each other. Whether prereleases
//! are looked at is decided by the group, not here. Source of the behaviour: `Masterminds/semver:constraints.go`.

use std::cmp::Ordering;
use std::ops::Bound;

use super::MastermindsVersion;
use super::lexer::{Operator, VersionText};
use crate::cut::{next_major, next_minor, next_patch};
use crate::interval::{Interval, IntervalSet};
use crate::version::{Identifier, Version, has_leading_zero};
use crate::version_set::VersionSet;

/// The longest version that 3.5.0 parses, in bytes.
const MAXIMUM_VERSION_LENGTH: usize = 256;

/// An operator and a version.
#[derive(Clone, Debug)]
pub(super) struct Comparator {
    pub(super) operator: Operator,
    /// The version, with zeros where there is a wildcard.
    pub(super) base: Version,
    pub(super) wildcard: Wildcard,
    /// What [`super::explain`] wants to know about the text.
    pub(super) written: Written,
}

/// The first segment that is absent or a wildcard. All later segments are then ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wildcard {
    None,
    Major,
    Minor,
    Patch,
}

/// Traces of the text that do not matter for matching.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// The operator and the version, without white space between them.
    pub(super) text: String,
    pub(super) has_build: bool,
    pub(super) has_leading_zeroes: bool,
    /// A segment after the wildcard that is a number, and ignored.
    pub(super) has_ignored_segment: bool,
}

impl Comparator {
    /// Makes a comparator. `None` where the reference says `constraint parser error`.
    pub(super) fn new(
        library: MastermindsVersion,
        operator: Operator,
        version: VersionText<'_>,
        text: String,
    ) -> Option<Self> {
        let is_wild = |segment: Option<&str>| segment.is_none_or(|text| matches!(text, "x" | "X" | "*"));
        let (wildcard, numbers) = if is_wild(Some(version.major)) {
            (Wildcard::Major, ["0", "0", "0"])
        } else if is_wild(version.minor) {
            (Wildcard::Minor, [version.major, "0", "0"])
        } else if is_wild(version.patch) {
            (Wildcard::Patch, [version.major, version.minor?, "0"])
        } else {
            (Wildcard::None, [version.major, version.minor?, version.patch?])
        };
        if library == MastermindsVersion::V3_5_0 {
            // The reference puts the version together again, and without a wildcard as it was written.
            let separator = usize::from(!version.prerelease.is_empty());
            let length = match wildcard {
                Wildcard::None => version.whole.len(),
                _ => {
                    numbers.iter().map(|number| number.len()).sum::<usize>()
                        + 2
                        + separator
                        + version.prerelease.len()
                }
            };
            if length > MAXIMUM_VERSION_LENGTH {
                return None;
            }
        }
        let has_leading_zeroes = numbers.iter().any(|number| has_leading_zero(number));
        if has_leading_zeroes && library == MastermindsVersion::V3_3_1 {
            return None;
        }
        let [major, minor, patch] = numbers.map(parse_number);
        let prerelease = parse_prerelease(version.prerelease)?;
        let ignored = match wildcard {
            Wildcard::Major => [version.minor, version.patch],
            Wildcard::Minor => [version.patch, None],
            Wildcard::Patch | Wildcard::None => [None, None],
        };
        Some(Self {
            operator,
            base: Version::new(major?, minor?, patch?).with_prerelease(prerelease),
            wildcard,
            written: Written {
                text,
                has_build: !version.build.is_empty(),
                has_leading_zeroes,
                has_ignored_segment: ignored.into_iter().any(|segment| !is_wild(segment)),
            },
        })
    }

    /// Whether a version satisfies the comparator, prereleases being admitted.
    pub(super) fn matches(&self, version: &Version) -> bool {
        let base = &self.base;
        let order = version.compare_precedence(base);
        let same_major = version.major() == base.major();
        let same_minor = same_major && version.minor() == base.minor();
        match (self.operator, self.wildcard) {
            (Operator::Equal, Wildcard::None) => order == Ordering::Equal,
            (Operator::Equal | Operator::Tilde, _) => {
                order != Ordering::Less
                    && match self.wildcard {
                        Wildcard::Minor => same_major,
                        Wildcard::Patch => same_minor,
                        Wildcard::None | Wildcard::Major => {
                            same_minor || base.core() == Version::new(0, 0, 0)
                        }
                    }
            }
            (Operator::NotEqual, Wildcard::None | Wildcard::Major) => order != Ordering::Equal,
            (Operator::NotEqual, Wildcard::Minor) => !same_major,
            (Operator::NotEqual, Wildcard::Patch) => !same_minor || version.prerelease() != base.prerelease(),
            (Operator::Greater, Wildcard::None | Wildcard::Major) => order == Ordering::Greater,
            (Operator::Greater, Wildcard::Minor) => version.major() > base.major(),
            (Operator::Greater, Wildcard::Patch) => {
                (version.major(), version.minor()) > (base.major(), base.minor())
            }
            (Operator::Less, _) => order == Ordering::Less,
            (Operator::GreaterOrEqual, _) => order != Ordering::Less,
            (Operator::LessOrEqual, Wildcard::None) => order != Ordering::Greater,
            (Operator::LessOrEqual, Wildcard::Minor) => version.major() <= base.major(),
            (Operator::LessOrEqual, Wildcard::Major | Wildcard::Patch) => {
                (version.major(), version.minor()) <= (base.major(), base.minor())
            }
            (Operator::Caret, _) => {
                order != Ordering::Less
                    && if base.major() > 0 || self.wildcard == Wildcard::Minor {
                        same_major
                    } else if base.minor() > 0 || self.wildcard == Wildcard::Patch {
                        same_minor
                    } else {
                        same_minor && version.patch() == base.patch()
                    }
            }
        }
    }

    /// The versions that satisfy the comparator, prereleases being admitted.
    pub(super) fn intervals(&self) -> VersionSet {
        let base = &self.base;
        let from_base = Bound::Included(base.clone());
        let until = |next: Option<Version>| next.map_or(Bound::Unbounded, Bound::Excluded);
        let from = |next: Option<Version>| match next {
            Some(version) => Interval::new(Bound::Included(version), Bound::Unbounded).into(),
            None => IntervalSet::empty(),
        };
        let all_of_minor = || Interval::new(Bound::Included(base.core()), until(next_minor(base)));
        let set = match (self.operator, self.wildcard) {
            (Operator::Equal, Wildcard::None) => Interval::exactly(base.clone()).into(),
            (Operator::Equal | Operator::Tilde, _) => {
                let upper = match self.wildcard {
                    Wildcard::Minor => until(next_major(base)),
                    Wildcard::None | Wildcard::Major if base.core() == Version::new(0, 0, 0) => {
                        Bound::Unbounded
                    }
                    _ => until(next_minor(base)),
                };
                Interval::new(from_base, upper).into()
            }
            (Operator::NotEqual, Wildcard::None | Wildcard::Major) => {
                IntervalSet::from(Interval::exactly(base.clone())).complement()
            }
            (Operator::NotEqual, Wildcard::Minor) => {
                let first = first_with_same_numbers(base);
                IntervalSet::from(Interval::new(Bound::Included(first), until(next_major(base)))).complement()
            }
            (Operator::NotEqual, Wildcard::Patch) if base.is_prerelease() => {
                // Leaves out one prerelease of every patch version: not an interval.
                return VersionSet { exact: false, ..VersionSet::uniform(IntervalSet::all()) };
            }
            (Operator::NotEqual, Wildcard::Patch) => {
                // Leaves out the release versions only.
                return VersionSet {
                    releases: IntervalSet::from(all_of_minor()).complement().releases(),
                    prereleases: IntervalSet::all(),
                    exact: true,
                };
            }
            (Operator::Greater, Wildcard::None | Wildcard::Major) => {
                Interval::new(Bound::Excluded(base.clone()), Bound::Unbounded).into()
            }
            (Operator::Greater, Wildcard::Minor) => from(next_major(base)),
            (Operator::Greater, Wildcard::Patch) => from(next_minor(base)),
            (Operator::Less, _) => Interval::new(Bound::Unbounded, Bound::Excluded(base.clone())).into(),
            (Operator::GreaterOrEqual, _) => Interval::new(from_base, Bound::Unbounded).into(),
            (Operator::LessOrEqual, Wildcard::None) => {
                Interval::new(Bound::Unbounded, Bound::Included(base.clone())).into()
            }
            (Operator::LessOrEqual, Wildcard::Minor) => {
                Interval::new(Bound::Unbounded, until(next_major(base))).into()
            }
            (Operator::LessOrEqual, Wildcard::Major | Wildcard::Patch) => {
                Interval::new(Bound::Unbounded, until(next_minor(base))).into()
            }
            (Operator::Caret, _) => {
                let next = if base.major() > 0 || self.wildcard == Wildcard::Minor {
                    next_major(base)
                } else if base.minor() > 0 || self.wildcard == Wildcard::Patch {
                    next_minor(base)
                } else {
                    next_patch(base)
                };
                Interval::new(from_base, until(next)).into()
            }
        };
        VersionSet::uniform(set)
    }
}

/// `x.y.z-0`.
fn first_with_same_numbers(version: &Version) -> Version {
    version.core().with_prerelease(vec![Identifier::Numeric(0)])
}

fn parse_number(text: &str) -> Option<u64> {
    // What is not a number here is a wildcard in the wrong place, such as `1x`, or an accidental `|`.
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Parses a prerelease that has the right characters already. `None` for a number with leading zeros. Numbers
/// above [`u64::MAX`] are fine and count as text.
fn parse_prerelease(text: &str) -> Option<Vec<Identifier>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    text.split('.')
        .map(|identifier| match parse_number(identifier) {
            _ if identifier.bytes().all(|byte| byte.is_ascii_digit()) && has_leading_zero(identifier) => None,
            Some(number) => Some(Identifier::Numeric(number)),
            None => Some(Identifier::AlphaNumeric(identifier.to_owned())),
        })
        .collect()
}

//! Places between versions in precedence order, and the arithmetic of successors.
//!
//! The one home of overflow: beyond `18446744073709551615.18446744073709551615.18446744073709551615` there is no
//! version, and nothing here wraps around.

use std::cmp::Ordering;
use std::ops::Bound;

use crate::version::{Identifier, Version};

/// A place between two neighbouring versions, or at either end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cut<'a> {
    Start,
    Before(&'a Version),
    After(&'a Version),
    End,
}

impl<'a> Cut<'a> {
    pub(crate) fn lower(bound: &'a Bound<Version>) -> Self {
        match bound {
            Bound::Included(version) => Self::Before(version),
            Bound::Excluded(version) => Self::After(version),
            Bound::Unbounded => Self::Start,
        }
    }

    pub(crate) fn upper(bound: &'a Bound<Version>) -> Self {
        match bound {
            Bound::Included(version) => Self::After(version),
            Bound::Excluded(version) => Self::Before(version),
            Bound::Unbounded => Self::End,
        }
    }

    /// Compares places. Two descriptions of one place are equal: after `1.2.3` is before `1.2.4-0`.
    pub(crate) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Start, Self::Start) | (Self::End, Self::End) => Ordering::Equal,
            (Self::Start, Self::Before(version)) if is_first(version) => Ordering::Equal,
            (Self::Before(version), Self::Start) if is_first(version) => Ordering::Equal,
            (Self::After(version), Self::End) if is_last(version) => Ordering::Equal,
            (Self::End, Self::After(version)) if is_last(version) => Ordering::Equal,
            (Self::Start, _) | (_, Self::End) => Ordering::Less,
            (_, Self::Start) | (Self::End, _) => Ordering::Greater,
            (Self::Before(left), Self::Before(right)) | (Self::After(left), Self::After(right)) => {
                left.compare_precedence(right)
            }
            (Self::Before(left), Self::After(right)) => compare_before_with_after(left, right),
            (Self::After(left), Self::Before(right)) => compare_before_with_after(right, left).reverse(),
        }
    }

    /// The first release version after the place.
    pub(crate) fn first_release(self) -> Option<Version> {
        match self {
            Self::Start => Some(Version::new(0, 0, 0)),
            Self::Before(version) => Some(version.core()),
            Self::After(version) if version.is_prerelease() => Some(version.core()),
            Self::After(version) => next_patch(version).map(|next| next.core()),
            Self::End => None,
        }
    }

    /// The first prerelease version after the place.
    pub(crate) fn first_prerelease(self) -> Option<Version> {
        match self {
            Self::Start => Some(first_of(0, 0, 0)),
            Self::Before(version) if version.is_prerelease() => Some(version.clone()),
            Self::After(version) if version.is_prerelease() => {
                let mut prerelease = version.prerelease().to_vec();
                prerelease.push(Identifier::Numeric(0));
                Some(version.core().with_prerelease(prerelease))
            }
            Self::Before(version) | Self::After(version) => next_patch(version),
            Self::End => None,
        }
    }
}

/// `x.y.z-0`, the first of all versions with these numbers.
fn first_of(major: u64, minor: u64, patch: u64) -> Version {
    Version::new(major, minor, patch).with_prerelease(vec![Identifier::Numeric(0)])
}

/// The first version after all versions with the numbers of `version`, prereleases included.
pub(crate) fn next_patch(version: &Version) -> Option<Version> {
    match version.patch().checked_add(1) {
        Some(patch) => Some(first_of(version.major(), version.minor(), patch)),
        None => next_minor(version),
    }
}

/// The first version after all versions with the major and minor number of `version`.
pub(crate) fn next_minor(version: &Version) -> Option<Version> {
    match version.minor().checked_add(1) {
        Some(minor) => Some(first_of(version.major(), minor, 0)),
        None => next_major(version),
    }
}

/// The first version after all versions with the major number of `version`.
pub(crate) fn next_major(version: &Version) -> Option<Version> {
    version.major().checked_add(1).map(|major| first_of(major, 0, 0))
}

fn is_first(version: &Version) -> bool {
    (version.major(), version.minor(), version.patch()) == (0, 0, 0)
        && matches!(version.prerelease(), [Identifier::Numeric(0)])
}

fn is_last(version: &Version) -> bool {
    (version.major(), version.minor(), version.patch()) == (u64::MAX, u64::MAX, u64::MAX)
        && !version.is_prerelease()
}

fn compare_before_with_after(before: &Version, after: &Version) -> Ordering {
    match before.compare_precedence(after) {
        Ordering::Greater if is_successor(before, after) => Ordering::Equal,
        Ordering::Greater => Ordering::Greater,
        _ => Ordering::Less,
    }
}

/// Whether no version lies between `predecessor` and `version`, which is the greater of the two.
fn is_successor(version: &Version, predecessor: &Version) -> bool {
    match version.prerelease() {
        [Identifier::Numeric(0)] if !predecessor.is_prerelease() => {
            next_patch(predecessor).is_some_and(|next| next.compare_precedence(version).is_eq())
        }
        [identifiers @ .., Identifier::Numeric(0)] => {
            identifiers == predecessor.prerelease() && version.core() == predecessor.core()
        }
        _ => false,
    }
}

//! What a range matches: one interval set for release versions, one for prerelease versions.
//!
//! Masterminds constraints match a prerelease only when the constraint asks for prereleases. That rule cannot be
//! said with intervals over all versions, since release versions and prereleases alternate in precedence order;
//! with two sets it can. This module must not know how a grammar decides.

use std::fmt;

use crate::interval::IntervalSet;
use crate::version::Version;

/// The versions that a range, or one of its alternatives, matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionSet {
    /// A release version matches when it is in this set. The bounds are release versions.
    pub releases: IntervalSet,
    /// A prerelease version matches when it is in this set.
    pub prereleases: IntervalSet,
    /// Whether both sets are exact. When not, `prereleases` also holds prereleases that do not match: this
    /// happens for one form only, `!=1.2.x-rc.1` of Masterminds, which excludes `1.2.z-rc.1` for every `z`.
    pub exact: bool,
}

/// How prereleases fare in a [`VersionSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrereleaseRule {
    /// No prerelease matches.
    Excluded,
    /// Prereleases match within the same intervals as release versions.
    Included,
    /// Prereleases match within intervals of their own.
    Separate,
}

impl VersionSet {
    /// A set in which prereleases are treated like any version.
    #[must_use]
    pub fn uniform(set: IntervalSet) -> Self {
        Self { releases: set.releases(), prereleases: set, exact: true }
    }

    /// The set without versions.
    #[must_use]
    pub fn empty() -> Self {
        Self::uniform(IntervalSet::empty())
    }

    /// Whether a version is in the set. Only a claim when [`VersionSet::exact`].
    #[must_use]
    pub fn contains(&self, version: &Version) -> bool {
        if version.is_prerelease() {
            self.prereleases.contains(version)
        } else {
            self.releases.contains(version)
        }
    }

    /// Whether no version at all is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.releases.is_empty() && !self.prereleases.has_prerelease()
    }

    /// The union of many sets.
    #[must_use]
    pub fn union_all(sets: impl IntoIterator<Item = Self>) -> Self {
        let (releases, prereleases, exact) = split(sets);
        Self {
            releases: IntervalSet::union_all(releases).releases(),
            prereleases: IntervalSet::union_all(prereleases),
            exact,
        }
    }

    /// The intersection of many sets; all versions when there are none.
    #[must_use]
    pub fn intersection_all(sets: impl IntoIterator<Item = Self>) -> Self {
        let (releases, prereleases, exact) = split(sets);
        let prereleases = IntervalSet::intersection_all(prereleases);
        Self {
            releases: IntervalSet::intersection_all(releases).releases(),
            // Without prereleases there is nothing left to be inexact about.
            exact: exact || !prereleases.has_prerelease(),
            prereleases,
        }
    }

    /// The same set without prereleases.
    #[must_use]
    pub fn without_prereleases(self) -> Self {
        Self { prereleases: IntervalSet::empty(), exact: true, ..self }
    }

    /// How prereleases fare.
    #[must_use]
    pub fn prerelease_rule(&self) -> PrereleaseRule {
        if !self.prereleases.has_prerelease() {
            PrereleaseRule::Excluded
        } else if self.prereleases.releases() == self.releases {
            PrereleaseRule::Included
        } else {
            PrereleaseRule::Separate
        }
    }
}

fn split(sets: impl IntoIterator<Item = VersionSet>) -> (Vec<IntervalSet>, Vec<IntervalSet>, bool) {
    let (mut releases, mut prereleases, mut exact) = (Vec::new(), Vec::new(), true);
    for set in sets {
        releases.push(set.releases);
        prereleases.push(set.prereleases);
        exact &= set.exact;
    }
    (releases, prereleases, exact)
}

/// `[1.2.0, 2.0.0)`; with ` (releases only)` when that is so; both sets when they differ.
impl fmt::Display for VersionSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.prerelease_rule() {
            PrereleaseRule::Excluded if self.releases.is_empty() => formatter.write_str("∅"),
            PrereleaseRule::Excluded => write!(formatter, "{} (releases only)", self.releases),
            PrereleaseRule::Included => self.prereleases.fmt(formatter),
            PrereleaseRule::Separate => {
                write!(formatter, "{} (releases), {} (prereleases)", self.releases, self.prereleases)
            }
        }
    }
}

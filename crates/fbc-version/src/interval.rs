//! Exact sets of versions as intervals in precedence order.
//!
//! Every version has an immediate successor in precedence order (`1.2.3` is followed by `1.2.4-0`, `1.0.0-rc` by
//! `1.0.0-rc.0`), so emptiness, union and equality are exact here, not approximations. This module knows nothing
//! of grammars, and nothing of rules that treat prereleases specially: see [`crate::version_set`].

use std::cmp::Ordering;
use std::fmt;
use std::ops::Bound;

use crate::cut::Cut;
use crate::version::Version;

/// The versions between two bounds, in precedence order. Build metadata does not count.
#[derive(Clone, Debug)]
pub struct Interval {
    /// Where it begins.
    pub lower: Bound<Version>,
    /// Where it ends.
    pub upper: Bound<Version>,
}

impl Interval {
    /// All versions between two bounds.
    #[must_use]
    pub fn new(lower: Bound<Version>, upper: Bound<Version>) -> Self {
        Self { lower, upper }
    }

    /// All versions.
    #[must_use]
    pub fn all() -> Self {
        Self::new(Bound::Unbounded, Bound::Unbounded)
    }

    /// The versions equal to `version` by precedence.
    #[must_use]
    pub fn exactly(version: Version) -> Self {
        Self::new(Bound::Included(version.clone()), Bound::Included(version))
    }

    /// Whether no version lies between the bounds.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        Cut::lower(&self.lower).compare(Cut::upper(&self.upper)) != Ordering::Less
    }

    /// Whether a version lies between the bounds.
    #[must_use]
    pub fn contains(&self, version: &Version) -> bool {
        let above = match &self.lower {
            Bound::Included(lower) => version.compare_precedence(lower).is_ge(),
            Bound::Excluded(lower) => version.compare_precedence(lower).is_gt(),
            Bound::Unbounded => true,
        };
        above && !self.ends_before(version)
    }

    /// The only version, when the interval was made of one version.
    #[must_use]
    pub fn single(&self) -> Option<&Version> {
        match (&self.lower, &self.upper) {
            (Bound::Included(lower), Bound::Included(upper)) if lower.compare_precedence(upper).is_eq() => {
                Some(lower)
            }
            _ => None,
        }
    }

    /// Whether a prerelease version lies between the bounds.
    #[must_use]
    pub fn has_prerelease(&self) -> bool {
        Cut::lower(&self.lower)
            .first_prerelease()
            .is_some_and(|first| Cut::Before(&first).compare(Cut::upper(&self.upper)) == Ordering::Less)
    }

    fn ends_before(&self, version: &Version) -> bool {
        match &self.upper {
            Bound::Included(upper) => version.compare_precedence(upper).is_gt(),
            Bound::Excluded(upper) => version.compare_precedence(upper).is_ge(),
            Bound::Unbounded => false,
        }
    }

    /// The interval that holds the same release versions, with release versions as bounds; `None` when it holds
    /// no release version.
    fn releases(&self) -> Option<Self> {
        let lower = match &self.lower {
            Bound::Included(version) | Bound::Excluded(version) if version.is_prerelease() => {
                Bound::Included(version.core())
            }
            other => other.clone(),
        };
        // Among release versions, from 0.0.0 means from the start: one form for it.
        let lower = match lower {
            Bound::Included(version) if version == Version::new(0, 0, 0) => Bound::Unbounded,
            other => other,
        };
        let upper = match &self.upper {
            Bound::Included(version) | Bound::Excluded(version) if version.is_prerelease() => {
                Bound::Excluded(version.core())
            }
            other => other.clone(),
        };
        let first = Cut::lower(&lower).first_release()?;
        (Cut::Before(&first).compare(Cut::upper(&upper)) == Ordering::Less).then_some(Self { lower, upper })
    }
}

/// `[1.2.0, 2.0.0)`, `(1.2.3, ∞)`, `(-∞, 1.0.0]`.
impl fmt::Display for Interval {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.lower {
            Bound::Included(version) => write!(formatter, "[{version}, ")?,
            Bound::Excluded(version) => write!(formatter, "({version}, ")?,
            Bound::Unbounded => formatter.write_str("(-∞, ")?,
        }
        match &self.upper {
            Bound::Included(version) => write!(formatter, "{version}]"),
            Bound::Excluded(version) => write!(formatter, "{version})"),
            Bound::Unbounded => formatter.write_str("∞)"),
        }
    }
}

/// A set of versions: disjoint intervals in ascending order, none empty, none touching the next.
#[derive(Clone, Debug, Default)]
pub struct IntervalSet {
    intervals: Vec<Interval>,
}

impl IntervalSet {
    /// The set without versions.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// The set of all versions.
    #[must_use]
    pub fn all() -> Self {
        Interval::all().into()
    }

    /// The union of any intervals, in any order. Takes `n log n` steps.
    #[must_use]
    pub fn from_intervals(intervals: impl IntoIterator<Item = Interval>) -> Self {
        let mut parts: Vec<Interval> =
            intervals.into_iter().filter(|interval| !interval.is_empty()).collect();
        parts.sort_by(|left, right| Cut::lower(&left.lower).compare(Cut::lower(&right.lower)));
        let mut merged: Vec<Interval> = Vec::with_capacity(parts.len());
        for part in parts {
            match merged.last_mut() {
                Some(last)
                    if Cut::lower(&part.lower).compare(Cut::upper(&last.upper)) != Ordering::Greater =>
                {
                    if Cut::upper(&part.upper).compare(Cut::upper(&last.upper)) == Ordering::Greater {
                        last.upper = part.upper;
                    }
                }
                _ => merged.push(part),
            }
        }
        Self { intervals: merged }
    }

    /// The union of many sets.
    #[must_use]
    pub fn union_all(sets: impl IntoIterator<Item = Self>) -> Self {
        Self::from_intervals(sets.into_iter().flat_map(|set| set.intervals))
    }

    /// The intersection of many sets; all versions when there are none.
    ///
    /// By way of the complements, because pairwise intersection would take quadratic time for a hostile range
    /// that excludes many single versions.
    #[must_use]
    pub fn intersection_all(sets: impl IntoIterator<Item = Self>) -> Self {
        Self::union_all(sets.into_iter().map(|set| set.complement())).complement()
    }

    /// The versions in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::union_all([self.clone(), other.clone()])
    }

    /// The versions in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self::intersection_all([self.clone(), other.clone()])
    }

    /// The versions that are not in the set.
    #[must_use]
    pub fn complement(&self) -> Self {
        let mut gaps = Vec::with_capacity(self.intervals.len() + 1);
        let mut lower = Bound::Unbounded;
        for interval in &self.intervals {
            gaps.push(Interval::new(lower, opposite(&interval.lower)));
            lower = opposite(&interval.upper);
        }
        // After an interval without end there is no gap; before one without beginning the gap is empty.
        if !matches!(self.intervals.last(), Some(Interval { upper: Bound::Unbounded, .. })) {
            gaps.push(Interval::new(lower, Bound::Unbounded));
        }
        if matches!(self.intervals.first(), Some(Interval { lower: Bound::Unbounded, .. })) {
            gaps.remove(0);
        }
        gaps.retain(|gap| !gap.is_empty());
        Self { intervals: gaps }
    }

    /// Whether a version is in the set. Takes logarithmic time.
    #[must_use]
    pub fn contains(&self, version: &Version) -> bool {
        let index = self.intervals.partition_point(|interval| interval.ends_before(version));
        self.intervals.get(index).is_some_and(|interval| interval.contains(version))
    }

    /// Whether no version is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// Whether a prerelease version is in the set.
    #[must_use]
    pub fn has_prerelease(&self) -> bool {
        self.intervals.iter().any(Interval::has_prerelease)
    }

    /// The intervals, ascending.
    #[must_use]
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// The set reduced to its release versions: bounds are release versions, and intervals that hold
    /// prereleases only are gone. It may still contain prereleases between its bounds.
    #[must_use]
    pub fn releases(&self) -> Self {
        Self::from_intervals(self.intervals.iter().filter_map(Interval::releases))
    }
}

/// Sets are equal when they hold the same versions, whatever their bounds look like.
impl PartialEq for IntervalSet {
    fn eq(&self, other: &Self) -> bool {
        self.intervals.len() == other.intervals.len()
            && self.intervals.iter().zip(&other.intervals).all(|(left, right)| {
                Cut::lower(&left.lower).compare(Cut::lower(&right.lower)).is_eq()
                    && Cut::upper(&left.upper).compare(Cut::upper(&right.upper)).is_eq()
            })
    }
}

impl Eq for IntervalSet {}

impl From<Interval> for IntervalSet {
    fn from(interval: Interval) -> Self {
        Self::from_intervals([interval])
    }
}

/// `[1.0.0, 2.0.0) ∪ [3.0.0, ∞)`, or `∅`.
impl fmt::Display for IntervalSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return formatter.write_str("∅");
        }
        for (index, interval) in self.intervals.iter().enumerate() {
            if index > 0 {
                formatter.write_str(" ∪ ")?;
            }
            interval.fmt(formatter)?;
        }
        Ok(())
    }
}

fn opposite(bound: &Bound<Version>) -> Bound<Version> {
    match bound {
        Bound::Included(version) => Bound::Excluded(version.clone()),
        Bound::Excluded(version) => Bound::Included(version.clone()),
        Bound::Unbounded => Bound::Unbounded,
    }
}

#[cfg(test)]
#[path = "interval_tests.rs"]
mod tests;

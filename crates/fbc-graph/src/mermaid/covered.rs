//! Which entries of a channel a range covers, without asking every entry.

use std::cmp::Ordering;
use std::ops::Bound;

use fbc_go::sort;
use fbc_version::Version;
use fbc_version::blang::{Range, RangeError};

use super::unknown_version;

/// The entries of a channel by version.
pub(super) struct CoveredEntries<'v> {
    /// The version of each entry; nothing where it is unknown.
    versions: Vec<Option<&'v Version>>,
    unknown: Version,
    /// Entries by ascending version.
    ascending: Vec<usize>,
    /// Entries by descending version; of equal versions in the order that Go's sort gives them.
    descending: Vec<usize>,
}

impl<'v> CoveredEntries<'v> {
    pub(super) fn new(versions: impl Iterator<Item = Option<&'v Version>>) -> Self {
        let versions: Vec<Option<&Version>> = versions.collect();
        let mut entries =
            Self { unknown: unknown_version(), ascending: Vec::new(), descending: Vec::new(), versions };
        let mut descending: Vec<usize> = (0..entries.versions.len()).collect();
        sort::sort(&mut descending, |&a, &b| {
            entries.version(a).compare_precedence(entries.version(b)) == Ordering::Greater
        });
        entries.ascending = descending.iter().rev().copied().collect();
        entries.descending = descending;
        entries
    }

    pub(super) fn descending(&self) -> &[usize] {
        &self.descending
    }

    /// The entries that a range covers, in the order of the channel.
    pub(super) fn in_range(&self, range: &str) -> Result<Vec<usize>, RangeError> {
        // All versions of a blang range are in its `prereleases`, released ones too.
        let covered = Range::parse(range)?.intervals().prereleases;
        let mut entries = Vec::new();
        for interval in covered.intervals() {
            let first = match &interval.lower {
                Bound::Included(lower) => self.count(|version| version.compare_precedence(lower).is_lt()),
                Bound::Excluded(lower) => self.count(|version| version.compare_precedence(lower).is_le()),
                Bound::Unbounded => 0,
            };
            let end = match &interval.upper {
                Bound::Included(upper) => self.count(|version| version.compare_precedence(upper).is_le()),
                Bound::Excluded(upper) => self.count(|version| version.compare_precedence(upper).is_lt()),
                Bound::Unbounded => self.ascending.len(),
            };
            entries.extend_from_slice(self.ascending.get(first..end).unwrap_or_default());
        }
        entries.sort_unstable();
        Ok(entries)
    }

    /// The number of entries at the lower end for which something holds.
    fn count(&self, holds: impl Fn(&Version) -> bool) -> usize {
        self.ascending.partition_point(|&entry| holds(self.version(entry)))
    }

    fn version(&self, entry: usize) -> &Version {
        self.versions.get(entry).copied().flatten().unwrap_or(&self.unknown)
    }
}

//! Who gets to the head of a channel, in both meanings of the upgrade graph, before and after filtering.
//!
//! Edges are `replaces`, `skips` and `skipRange` in both. OLM v0 does not upgrade to an entry that another
//! skips; OLM v1 always goes to the highest version that takes the installed one.

use std::collections::HashMap;
use std::ops::Bound;

use fbc_model::{Channel, ChannelEntry};
use fbc_version::{Version, blang};

use super::changes::ChannelChange;
use super::channel::entries_of;
use crate::channel::ChannelAnalysis;

/// What becomes of a channel of which only some entries stay.
pub(super) fn change(channel: &Channel, versions: &[Option<Version>], kept: &[bool]) -> ChannelChange {
    let entries = channel.entries();
    let installed = Installed::new(entries, versions);
    let everything = vec![true; entries.len()];
    let (old, new) = (Ways::find(&installed, &everything), Ways::find(&installed, kept));
    let lost = |before: &[bool], after: &[bool]| {
        let ways = entries.iter().zip(before.iter().zip(after));
        ways.filter(|(_, (before, after))| **before && !**after)
            .map(|(entry, _)| entry.name.clone())
            .collect()
    };
    let removed = entries.iter().zip(kept).filter(|(_, kept)| !**kept);
    let name = |entry: Option<usize>| Some(entries.get(entry?)?.name.clone());
    ChannelChange {
        package: channel.package.clone(),
        channel: channel.name.clone(),
        removed: removed.map(|(entry, _)| entry.name.clone()).collect(),
        stuck_v0: lost(&old.v0, &new.v0),
        stuck_v1: lost(&old.v1, &new.v1),
        head: name(old.head).zip(name(new.head)).filter(|(old, new)| old != new),
    }
}

/// All versions that may be installed, whether their entries stay or not.
struct Installed<'c> {
    entries: &'c [ChannelEntry],
    by_name: HashMap<&'c str, usize>,
    versions: &'c [Option<Version>],
    /// Entries with a version, lowest first.
    ascending: Vec<usize>,
    /// The versions that the `skipRange` of each entry covers, as places in `ascending`.
    covered: Vec<Vec<std::ops::Range<usize>>>,
}

impl<'c> Installed<'c> {
    fn new(entries: &'c [ChannelEntry], versions: &'c [Option<Version>]) -> Self {
        let mut by_name = HashMap::with_capacity(entries.len());
        for (number, entry) in entries.iter().enumerate() {
            by_name.entry(entry.name.as_str()).or_insert(number);
        }
        let mut known: Vec<(&Version, usize)> = versions
            .iter()
            .enumerate()
            .filter_map(|(number, version)| Some((version.as_ref()?, number)))
            .collect();
        known.sort_by(|a, b| a.0.compare_precedence(b.0));
        let covered = entries.iter().map(|entry| places(&known, &entry.skip_range)).collect();
        let ascending = known.into_iter().map(|(_, number)| number).collect();
        Self { entries, by_name, versions, ascending, covered }
    }

    /// Whoever an entry names: what it replaces and skips.
    fn named(&self, entry: usize) -> impl Iterator<Item = usize> {
        let entry = self.entries.get(entry);
        let names = entry.into_iter().flat_map(|entry| std::iter::once(&entry.replaces).chain(&entry.skips));
        names.filter(|name| !name.is_empty()).filter_map(|name| self.by_name.get(name.as_str()).copied())
    }

    /// Whether the version of an entry is above that of another. One without a version is below all.
    fn is_above(&self, upper: usize, lower: usize) -> bool {
        let version = |entry: usize| self.versions.get(entry).and_then(Option::as_ref);
        match (version(upper), version(lower)) {
            (Some(upper), Some(lower)) => upper.compare_precedence(lower).is_gt(),
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}

/// The places of the versions in a range; none of a range that cannot be read.
fn places(known: &[(&Version, usize)], range: &str) -> Vec<std::ops::Range<usize>> {
    let Ok(range) = blang::Range::parse(range) else { return Vec::new() };
    let count = |holds: &dyn Fn(&Version) -> bool| known.partition_point(|(version, _)| holds(version));
    // All versions of a blang range are in its `prereleases`, released ones too.
    let set = range.intervals().prereleases;
    let place = |interval: &fbc_version::Interval| {
        let start = match &interval.lower {
            Bound::Included(lower) => count(&|version| version.compare_precedence(lower).is_lt()),
            Bound::Excluded(lower) => count(&|version| version.compare_precedence(lower).is_le()),
            Bound::Unbounded => 0,
        };
        let end = match &interval.upper {
            Bound::Included(upper) => count(&|version| version.compare_precedence(upper).is_le()),
            Bound::Excluded(upper) => count(&|version| version.compare_precedence(upper).is_lt()),
            Bound::Unbounded => known.len(),
        };
        start..end
    };
    set.intervals().iter().map(place).filter(|places| !places.is_empty()).collect()
}

/// Places that can be taken once each; what is taken is passed over quickly.
struct Untaken {
    /// For each place the next that may be untaken; itself if it is.
    next: Vec<usize>,
}

impl Untaken {
    fn new(count: usize) -> Self {
        Self { next: (0..=count).collect() }
    }

    /// The first untaken place from here on.
    fn find(&mut self, from: usize) -> usize {
        let mut place = from;
        while let Some(&next) = self.next.get(place).filter(|next| **next != place) {
            // Halve the way for whoever comes next.
            let after = self.next.get(next).copied().unwrap_or(next);
            self.next.get_mut(place).into_iter().for_each(|next| *next = after);
            place = after;
        }
        place
    }

    fn take(&mut self, places: &std::ops::Range<usize>) -> Vec<usize> {
        let mut taken = Vec::new();
        let mut place = self.find(places.start);
        while place < places.end {
            taken.push(place);
            self.next.get_mut(place).into_iter().for_each(|next| *next = place + 1);
            place = self.find(place);
        }
        taken
    }
}

/// For each installed version whether a way leads to the head.
struct Ways {
    head: Option<usize>,
    v0: Vec<bool>,
    v1: Vec<bool>,
}

impl Ways {
    fn find(installed: &Installed<'_>, kept: &[bool]) -> Self {
        let left: Vec<usize> = (0..kept.len()).filter(|&entry| is_set(kept, entry)).collect();
        let analysis = ChannelAnalysis::from_entries(&entries_of(installed.entries, kept));
        let original = |entry: usize| left.get(entry).copied();
        let head = analysis.head().and_then(original);
        let mut is_skipped = vec![false; kept.len()];
        for (number, _) in analysis.skipped_by.iter().enumerate().filter(|(_, by)| by.is_some()) {
            original(number).into_iter().for_each(|entry| set(&mut is_skipped, entry));
        }
        Self { head, v0: v0(installed, kept, head, &is_skipped), v1: v1(installed, &left, head) }
    }
}

/// From the head backwards over every edge, but not beyond what is skipped.
fn v0(installed: &Installed<'_>, kept: &[bool], head: Option<usize>, is_skipped: &[bool]) -> Vec<bool> {
    let mut leads = vec![false; kept.len()];
    let mut untaken = Untaken::new(installed.ascending.len());
    let mut open: Vec<usize> = head.into_iter().collect();
    open.iter().for_each(|&head| set(&mut leads, head));
    while let Some(target) = open.pop() {
        let covered = installed.covered.get(target).into_iter().flatten();
        let places = covered.flat_map(|places| untaken.take(places));
        let in_range: Vec<usize> =
            places.filter_map(|place| installed.ascending.get(place).copied()).collect();
        for source in installed.named(target).chain(in_range) {
            if !is_set(&leads, source) {
                set(&mut leads, source);
                if is_set(kept, source) && !is_set(is_skipped, source) {
                    open.push(source);
                }
            }
        }
    }
    leads
}

/// Each version goes to the highest that takes it, until it is at the head or nothing takes it.
fn v1(installed: &Installed<'_>, left: &[usize], head: Option<usize>) -> Vec<bool> {
    let count = installed.entries.len();
    let mut next: Vec<Option<usize>> = vec![None; count];
    let mut untaken = Untaken::new(installed.ascending.len());
    let mut is_left = vec![false; count];
    left.iter().for_each(|&entry| set(&mut is_left, entry));
    for &target in installed.ascending.iter().rev().filter(|&&entry| is_set(&is_left, entry)) {
        let below = installed.ascending.partition_point(|&entry| installed.is_above(target, entry));
        let covered = installed.covered.get(target).into_iter().flatten();
        let places = covered.flat_map(|places| untaken.take(&(places.start..places.end.min(below))));
        let in_range: Vec<usize> =
            places.filter_map(|place| installed.ascending.get(place).copied()).collect();
        for source in
            installed.named(target).filter(|&source| installed.is_above(target, source)).chain(in_range)
        {
            next.get_mut(source).into_iter().for_each(|next| {
                next.get_or_insert(target);
            });
        }
    }
    let mut leads = vec![false; count];
    head.into_iter().for_each(|head| set(&mut leads, head));
    let without_version =
        (0..count).filter(|&entry| installed.versions.get(entry).is_none_or(Option::is_none));
    for entry in installed.ascending.iter().rev().copied().chain(without_version) {
        let goes_to = next.get(entry).copied().flatten();
        if goes_to.is_some_and(|target| is_set(&leads, target)) {
            set(&mut leads, entry);
        }
    }
    leads
}

fn is_set(flags: &[bool], index: usize) -> bool {
    flags.get(index).copied().unwrap_or_default()
}

fn set(flags: &mut [bool], index: usize) {
    if let Some(flag) = flags.get_mut(index) {
        *flag = true;
    }
}

//! Which update an installed version gets in a channel, and whether its updates lead to the head.
//!
//! This is all the reachability that a comparison needs, behind one function ([`updates`]). It takes time
//! linear in the edges; ranges cost a search among the versions instead of a look at each.

use std::collections::{HashMap, HashSet};
use std::ops::{Bound, Range};

use fbc_graph::ChannelAnalysis;
use fbc_model::ChannelEntry;
use fbc_version::VersionRelease;
use fbc_version::blang;
use fbc_version::interval::Interval;

/// Whose understanding of the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// OLM v0: updates lead to entries on the replaces chain of the channel; of those that replace, skip
    /// or cover the installed version, the one nearest to the head.
    V0,
    /// OLM v1: updates lead to any entry of a higher version that replaces, skips or covers the installed
    /// one; the highest of them. The head is the highest version.
    V1,
}

impl Meaning {
    /// Both.
    pub const ALL: [Self; 2] = [Self::V0, Self::V1];

    /// `v0` or `v1`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::V0 => "v0",
            Self::V1 => "v1",
        }
    }
}

/// What an installed version can expect of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update<'a> {
    /// The bundle that it is updated to next; nothing if it stays.
    pub next: Option<&'a str>,
    /// Whether it is the head of the channel, or updates lead there one after another.
    pub reaches_head: bool,
}

/// The updates of installed bundles in a channel, by name: of all its entries and of the others that are
/// named. Versions that are not known match no range, and have no place in OLM v1.
///
/// Source of the behaviour: `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver`
/// and `operator-framework/operator-controller:internal/operator-controller/resolve/catalog.go`.
#[must_use]
pub fn updates<'a>(
    meaning: Meaning,
    entries: &'a [ChannelEntry],
    installed: impl IntoIterator<Item = &'a str>,
    versions: &HashMap<&'a str, VersionRelease>,
) -> HashMap<&'a str, Update<'a>> {
    let mut search = Search::new(entries, installed, versions);
    match meaning {
        Meaning::V0 => search.rank_by_chain(entries),
        Meaning::V1 => search.rank_by_version(entries),
    }
    search.run();
    search.answer()
}

/// An installed bundle.
struct Installed<'a> {
    name: &'a str,
    version: Option<&'a VersionRelease>,
    /// Candidates from this rank on are no update for it.
    end: usize,
    /// The rank of the candidate that it is updated to.
    next: Option<usize>,
}

struct Search<'a, 'v> {
    installed: Vec<Installed<'v>>,
    by_name: HashMap<&'a str, usize>,
    /// The installed bundles that have a version, by version.
    by_version: Vec<usize>,
    /// The entries that are updated to, the most wanted first. The place in this list is the rank.
    candidates: Vec<&'a ChannelEntry>,
    /// The names of the installed bundles, in the same order.
    names: Vec<&'a str>,
    /// Whether candidates rank by version: then all of the highest version are heads.
    is_by_version: bool,
}

impl<'a, 'v> Search<'a, 'v>
where
    'a: 'v,
{
    fn new(
        entries: &'a [ChannelEntry],
        others: impl IntoIterator<Item = &'a str>,
        versions: &'v HashMap<&'a str, VersionRelease>,
    ) -> Self {
        let mut by_name = HashMap::with_capacity(entries.len());
        let mut installed = Vec::with_capacity(entries.len());
        let mut names = Vec::with_capacity(entries.len());
        for name in entries.iter().map(|entry| entry.name.as_str()).chain(others) {
            by_name.entry(name).or_insert_with(|| {
                installed.push(Installed { name, version: versions.get(name), end: usize::MAX, next: None });
                names.push(name);
                installed.len() - 1
            });
        }
        let mut by_version: Vec<usize> =
            (0..installed.len()).filter(|&at| version_of(&installed, at).is_some()).collect();
        by_version.sort_by(|&a, &b| match (version_of(&installed, a), version_of(&installed, b)) {
            (Some(a), Some(b)) => a.compare_precedence(b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
        Self { installed, by_name, by_version, candidates: Vec::new(), names, is_by_version: false }
    }

    fn rank_by_chain(&mut self, entries: &'a [ChannelEntry]) {
        let chain = ChannelAnalysis::from_entries(entries).chain;
        self.candidates = chain.iter().filter_map(|&entry| entries.get(entry)).collect();
        for (rank, candidate) in self.candidates.iter().enumerate() {
            if let Some(entry) =
                self.by_name.get(candidate.name.as_str()).and_then(|&at| self.installed.get_mut(at))
            {
                entry.end = rank;
            }
        }
    }

    fn rank_by_version(&mut self, entries: &'a [ChannelEntry]) {
        let mut seen = HashSet::new();
        let mut candidates: Vec<(&VersionRelease, &ChannelEntry)> = entries
            .iter()
            .filter(|entry| seen.insert(entry.name.as_str()))
            .filter_map(|entry| {
                let at = *self.by_name.get(entry.name.as_str())?;
                Some((version_of(&self.installed, at)?, entry))
            })
            .collect();
        candidates.sort_by(|(a, first), (b, second)| {
            b.compare_precedence(a).then_with(|| first.name.cmp(&second.name))
        });
        for entry in &mut self.installed {
            if let Some(version) = entry.version {
                entry.end = candidates
                    .partition_point(|(candidate, _)| candidate.compare_precedence(version).is_gt());
            }
        }
        self.candidates = candidates.into_iter().map(|(_, entry)| entry).collect();
        self.is_by_version = true;
    }

    /// Goes through the candidates, the most wanted first: each takes whom nobody has taken before.
    fn run(&mut self) {
        let mut free = FreePlaces::new(self.by_version.len());
        let mut seen_ranges = HashSet::new();
        for (rank, candidate) in self.candidates.iter().copied().enumerate() {
            let named = candidate.skips.iter().chain([&candidate.replaces]).filter(|name| !name.is_empty());
            for name in named {
                if let Some(entry) =
                    self.by_name.get(name.as_str()).and_then(|&at| self.installed.get_mut(at))
                {
                    entry.offer(rank);
                }
            }
            // Whom an equal range before this one did not get, this one cannot get either.
            if candidate.skip_range.is_empty() || !seen_ranges.insert(candidate.skip_range.as_str()) {
                continue;
            }
            let Ok(range) = blang::Range::parse(&candidate.skip_range) else { continue };
            for interval in range.intervals().prereleases.intervals() {
                free.take(self.places(interval), |place| {
                    let at = self.by_version.get(place).copied();
                    if let Some(entry) = at.and_then(|at| self.installed.get_mut(at)) {
                        entry.offer(rank);
                    }
                });
            }
        }
    }

    /// The versions in an interval, as places in the order by version.
    fn places(&self, interval: &Interval) -> Range<usize> {
        let below = |bound: &fbc_version::Version, included: bool| {
            self.by_version.partition_point(|&at| {
                version_of(&self.installed, at).is_some_and(|version| {
                    let order = version.version.compare_precedence(bound);
                    if included { order.is_le() } else { order.is_lt() }
                })
            })
        };
        let start = match &interval.lower {
            Bound::Included(bound) => below(bound, false),
            Bound::Excluded(bound) => below(bound, true),
            Bound::Unbounded => 0,
        };
        let end = match &interval.upper {
            Bound::Included(bound) => below(bound, true),
            Bound::Excluded(bound) => below(bound, false),
            Bound::Unbounded => self.by_version.len(),
        };
        start..end.max(start)
    }

    fn answer(self) -> HashMap<&'a str, Update<'a>> {
        // An update always leads to a candidate of a lower rank, so one pass settles all.
        let mut reaches: Vec<bool> = Vec::with_capacity(self.candidates.len());
        for (rank, candidate) in self.candidates.iter().enumerate() {
            let entry = self.by_name.get(candidate.name.as_str()).and_then(|&at| self.installed.get(at));
            let is_head = rank == 0 || self.is_by_version && entry.is_some_and(|entry| entry.end == 0);
            let next = entry.and_then(|entry| entry.next);
            reaches.push(is_head || next.and_then(|next| reaches.get(next).copied()).unwrap_or_default());
        }
        let is_entry: HashMap<&str, usize> = self
            .candidates
            .iter()
            .enumerate()
            .map(|(rank, candidate)| (candidate.name.as_str(), rank))
            .collect();
        let update = |entry: &Installed<'_>| {
            let own = is_entry.get(entry.name).and_then(|&rank| reaches.get(rank)).copied();
            let through = entry.next.and_then(|next| reaches.get(next)).copied();
            Update {
                next: entry.next.and_then(|next| self.candidates.get(next)).map(|entry| entry.name.as_str()),
                reaches_head: own.or(through).unwrap_or_default(),
            }
        };
        self.names.iter().zip(&self.installed).map(|(name, entry)| (*name, update(entry))).collect()
    }
}

impl Installed<'_> {
    fn offer(&mut self, rank: usize) {
        if rank < self.end {
            self.next.get_or_insert(rank);
        }
    }
}

fn version_of<'v>(installed: &[Installed<'v>], at: usize) -> Option<&'v VersionRelease> {
    installed.get(at).and_then(|entry| entry.version)
}

/// Places that nobody has taken; finding the next free one takes next to no time.
struct FreePlaces {
    /// For each place itself or one further up, towards the first free one.
    next: Vec<usize>,
}

impl FreePlaces {
    fn new(count: usize) -> Self {
        Self { next: (0..=count).collect() }
    }

    /// Takes all free places of a range.
    fn take(&mut self, range: Range<usize>, mut taken: impl FnMut(usize)) {
        let mut place = self.first_free(range.start);
        while place < range.end {
            taken(place);
            if let Some(next) = self.next.get_mut(place) {
                *next = place + 1;
            }
            place = self.first_free(place + 1);
        }
    }

    fn first_free(&mut self, from: usize) -> usize {
        let mut place = from;
        while let Some(&next) = self.next.get(place)
            && next != place
        {
            // Shorten the way for those who come after.
            let further = self.next.get(next).copied().unwrap_or(next);
            if let Some(here) = self.next.get_mut(place) {
                *here = further;
            }
            place = next;
        }
        place
    }
}

#[cfg(test)]
#[path = "updates_tests.rs"]
mod tests;

//! What opm makes of the entries of a channel: its head, its replaces chain, and who is stranded.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/model/model.go`. Only
//! `replaces` and `skips` count; `skipRange` is not an edge here. Entries are named by their index in the
//! channel. Of entries with one name the first counts: opm refuses the others before it gets here.

use std::collections::HashMap;

use fbc_model::ChannelEntry;

/// What is known of a channel after the walk from its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelAnalysis {
    /// The entries that no entry replaces or skips, in the order of the channel. A sound channel has
    /// exactly one.
    pub heads: Vec<usize>,
    /// The entries on the replaces chain, from the head down; none unless there is one head.
    pub chain: Vec<usize>,
    /// What ended the chain.
    pub end: ChainEnd,
    /// The entries that are neither on the chain nor skipped, in the order of the channel; none unless
    /// there is one head and no cycle.
    pub stranded: Vec<usize>,
    /// For each entry the first entry that skips it.
    pub skipped_by: Vec<Option<usize>>,
}

/// What ended a replaces chain, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainEnd {
    /// The channel has no entries.
    NoEntries,
    /// Every entry is replaced or skipped by one.
    NoHead,
    /// Several entries are replaced or skipped by none.
    SeveralHeads,
    /// The last entry of the chain replaces nothing.
    Nothing,
    /// The last entry of the chain replaces a name that is not an entry of the channel.
    Outside,
    /// The last entry of the chain replaces an entry that is skipped: the walk stops before it, so
    /// what lies below is reached only where it is skipped too.
    Skipped {
        /// The skipped entry.
        entry: usize,
        /// The first entry that skips it.
        by: usize,
    },
    /// The last entry of the chain replaces one further up.
    Cycle {
        /// The place in the chain of the entry that is reached again.
        start: usize,
    },
}

impl ChannelAnalysis {
    /// Looks over the entries of a channel in time linear in their edges.
    #[must_use]
    pub fn from_entries(entries: &[ChannelEntry]) -> Self {
        let index = EntryIndex::from_entries(entries);
        let (has_incoming, skipped_by) = incoming(entries, &index);
        let heads: Vec<usize> =
            index.first_entries().filter(|&entry| !is_set(&has_incoming, entry)).collect();
        let mut analysis =
            Self { heads, chain: Vec::new(), end: ChainEnd::NoEntries, stranded: Vec::new(), skipped_by };
        match *analysis.heads.as_slice() {
            [head] => analysis.walk(entries, &index, head),
            [] if entries.is_empty() => {}
            [] => analysis.end = ChainEnd::NoHead,
            _ => analysis.end = ChainEnd::SeveralHeads,
        }
        analysis
    }

    /// The head, if there is exactly one.
    #[must_use]
    pub fn head(&self) -> Option<usize> {
        match *self.heads.as_slice() {
            [head] => Some(head),
            _ => None,
        }
    }

    /// The entries of the cycle, beginning with the one that is reached again; none without a cycle.
    #[must_use]
    pub fn cycle(&self) -> &[usize] {
        match self.end {
            ChainEnd::Cycle { start } => self.chain.get(start..).unwrap_or_default(),
            _ => &[],
        }
    }

    fn walk(&mut self, entries: &[ChannelEntry], index: &EntryIndex<'_>, head: usize) {
        let mut place_in_chain: Vec<Option<usize>> = vec![None; entries.len()];
        let mut current = head;
        self.end = loop {
            if let Some(place) = place_in_chain.get_mut(current) {
                *place = Some(self.chain.len());
            }
            self.chain.push(current);
            let Some(entry) = entries.get(current) else { break ChainEnd::Nothing };
            let Some(next) = index.find(&entry.replaces) else {
                break if entry.replaces.is_empty() { ChainEnd::Nothing } else { ChainEnd::Outside };
            };
            // Skipped is asked before visited, as opm does: an entry that replaces what it skips makes
            // no cycle.
            if let Some(by) = self.skipped_by.get(next).copied().flatten() {
                break ChainEnd::Skipped { entry: next, by };
            }
            if let Some(start) = place_in_chain.get(next).copied().flatten() {
                break ChainEnd::Cycle { start };
            }
            current = next;
        };
        if matches!(self.end, ChainEnd::Cycle { .. }) {
            return;
        }
        self.stranded = index
            .first_entries()
            .filter(|&entry| {
                place_in_chain.get(entry).copied().flatten().is_none()
                    && self.skipped_by.get(entry).copied().flatten().is_none()
            })
            .collect();
    }
}

/// Entries by name.
struct EntryIndex<'c> {
    by_name: HashMap<&'c str, usize>,
    /// Whether an entry is the first of its name.
    is_first: Vec<bool>,
}

impl<'c> EntryIndex<'c> {
    fn from_entries(entries: &'c [ChannelEntry]) -> Self {
        let mut by_name = HashMap::with_capacity(entries.len());
        let is_first = entries
            .iter()
            .enumerate()
            .map(|(number, entry)| *by_name.entry(entry.name.as_str()).or_insert(number) == number)
            .collect();
        Self { by_name, is_first }
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    fn first_entries(&self) -> impl Iterator<Item = usize> {
        self.is_first.iter().enumerate().filter(|(_, is_first)| **is_first).map(|(entry, _)| entry)
    }
}

/// Which entries something refers to, and who skips them. An entry may refer to itself.
fn incoming(entries: &[ChannelEntry], index: &EntryIndex<'_>) -> (Vec<bool>, Vec<Option<usize>>) {
    let mut has_incoming = vec![false; entries.len()];
    let mut skipped_by = vec![None; entries.len()];
    let mut refer = |target: usize| {
        if let Some(flag) = has_incoming.get_mut(target) {
            *flag = true;
        }
    };
    for number in index.first_entries() {
        let Some(entry) = entries.get(number) else { continue };
        // An empty `replaces` refers to nothing, an empty item of `skips` to an entry without a name.
        if !entry.replaces.is_empty() {
            index.find(&entry.replaces).into_iter().for_each(&mut refer);
        }
        for target in entry.skips.iter().filter_map(|name| index.find(name)) {
            refer(target);
            if let Some(by) = skipped_by.get_mut(target) {
                by.get_or_insert(number);
            }
        }
    }
    (has_incoming, skipped_by)
}

fn is_set(flags: &[bool], index: usize) -> bool {
    flags.get(index).copied().unwrap_or_default()
}

#[cfg(test)]
#[path = "channel_tests.rs"]
mod tests;

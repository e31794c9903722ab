//! The shortest way from what is installed to a bundle, over the edges that OLM v1 follows.

use std::collections::{HashMap, VecDeque};
use std::ops::Bound;

use fbc_version::Version;

use crate::filters::{Installed, KeptChannels};
use crate::index::{IndexedBundle, PackageIndex};

/// The bundles on the shortest way from what is installed to the goal, the goal last; nothing if there is no
/// way. Only entries of the channels that are kept count, and no way leads over a bundle that is never installed
/// because it declares a dependency.
///
/// The search goes backwards, so that the range of an entry is looked up among the versions instead of
/// compared with each: it takes `n log n` steps for `n` bundles and edges.
pub(crate) fn shortest<'c>(
    package: &'c PackageIndex,
    installed: &Installed<'_>,
    kept: &KeptChannels,
    goal: &'c IndexedBundle,
) -> Option<Vec<&'c IndexedBundle>> {
    let bundles = package.bundles();
    // What is installed is a place of its own, behind the bundles: it may be in no catalog.
    let start = bundles.len();
    let goal = bundles.iter().position(|bundle| std::ptr::eq(bundle, goal))?;
    let mut unvisited = Unvisited::new(bundles, installed);
    let mut next: Vec<Option<usize>> = vec![None; start + 1];
    let mut waiting = VecDeque::from([goal]);
    unvisited.remove(goal);
    for (place, _) in bundles.iter().enumerate().filter(|(_, bundle)| bundle.dependency().is_some()) {
        unvisited.remove(place);
    }
    while let Some(place) = waiting.pop_front() {
        let Some(bundle) = bundles.get(place) else { break };
        for entry in package.entries_of(bundle).filter(|entry| kept.keep(entry)) {
            let names = std::iter::once(&entry.blob.replaces).chain(&entry.blob.skips);
            let mut before: Vec<usize> = names.flat_map(|name| unvisited.take_name(name)).collect();
            if let Some(Ok(range)) = &entry.skip_range {
                for interval in range.intervals().prereleases.intervals() {
                    unvisited.take_versions(&interval.lower, &interval.upper, &mut before);
                }
            }
            for found in before {
                if let Some(slot) = next.get_mut(found) {
                    *slot = Some(place);
                }
                waiting.push_back(found);
            }
        }
        if next.get(start).copied().flatten().is_some() {
            break;
        }
    }
    let mut way = Vec::new();
    let mut place = start;
    while let Some(step) = next.get(place).copied().flatten() {
        way.extend(bundles.get(step));
        place = step;
    }
    (!way.is_empty()).then_some(way)
}

/// The places that the search has not come to.
struct Unvisited<'c> {
    is_visited: Vec<bool>,
    by_name: HashMap<&'c str, Vec<usize>>,
    /// Places by ascending version.
    by_version: Vec<(&'c Version, usize)>,
    /// For each position in `by_version` one at or behind it that may be unvisited.
    skip: Vec<usize>,
}

impl<'c> Unvisited<'c> {
    fn new(bundles: &'c [IndexedBundle], installed: &'c Installed<'_>) -> Self {
        let named = bundles.iter().map(|bundle| (bundle.blob.name.as_str(), bundle.semantic_version()));
        let places = named.chain([(installed.name, Some(&installed.full))]);
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut by_version = Vec::new();
        for (place, (name, version)) in places.enumerate() {
            by_name.entry(name).or_default().push(place);
            by_version.extend(version.map(|version| (version, place)));
        }
        by_version.sort_by(|(left, _), (right, _)| left.compare_precedence(right));
        let skip = (0..=by_version.len()).collect();
        Self { is_visited: vec![false; bundles.len() + 1], by_name, by_version, skip }
    }

    /// Marks a place; true if it was unvisited.
    fn remove(&mut self, place: usize) -> bool {
        self.is_visited.get_mut(place).is_some_and(|visited| !std::mem::replace(visited, true))
    }

    fn take_name(&mut self, name: &str) -> Vec<usize> {
        let places = self.by_name.remove(name).unwrap_or_default();
        places.into_iter().filter(|&place| self.remove(place)).collect()
    }

    fn take_versions(&mut self, lower: &Bound<Version>, upper: &Bound<Version>, taken: &mut Vec<usize>) {
        let first = self.by_version.partition_point(|(version, _)| match lower {
            Bound::Included(lower) => version.compare_precedence(lower).is_lt(),
            Bound::Excluded(lower) => version.compare_precedence(lower).is_le(),
            Bound::Unbounded => false,
        });
        let mut position = self.unvisited_from(first);
        while let Some(&(version, place)) = self.by_version.get(position) {
            let is_below = match upper {
                Bound::Included(upper) => version.compare_precedence(upper).is_le(),
                Bound::Excluded(upper) => version.compare_precedence(upper).is_lt(),
                Bound::Unbounded => true,
            };
            if !is_below {
                break;
            }
            if self.remove(place) {
                taken.push(place);
            }
            if let Some(skip) = self.skip.get_mut(position) {
                *skip = position + 1;
            }
            position = self.unvisited_from(position + 1);
        }
    }

    /// The first position from here on that was not passed before; halves the way for those who come later.
    fn unvisited_from(&mut self, mut position: usize) -> usize {
        while let Some(&next) = self.skip.get(position).filter(|&&next| next != position) {
            let after = self.skip.get(next).copied().unwrap_or(next);
            if let Some(skip) = self.skip.get_mut(position) {
                *skip = after;
            }
            position = after;
        }
        position
    }
}

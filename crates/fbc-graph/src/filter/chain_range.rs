//! A range of versions as oc-mirror reads it: a piece of the chain from the head of a channel, without gaps.
//!
//! Source: `sherine-k/catalog-filter:pkg/filter/mirror-config/v1alpha1/channel.go` (`filterByVersionRange`), which
//! `openshift/oc-mirror:internal/pkg/operator/catalog_handler.go` calls.

use std::collections::{HashMap, HashSet};

use fbc_model::ChannelEntry;
use fbc_version::{Range, Version};

/// The entries of a channel with this head that stay, by their numbers.
///
/// The piece goes down to the last entry that is in the range or skips one that is, and begins at the lowest entry above
/// which nothing new is in the range. All of the chain between these stays, and of what it skips what is in the range.
pub(super) fn chain_range(
    entries: &[ChannelEntry],
    versions: &[Option<Version>],
    head: usize,
    range: &Range,
) -> Vec<usize> {
    let mut by_name: HashMap<&str, usize> = HashMap::with_capacity(entries.len());
    for (number, entry) in entries.iter().enumerate() {
        by_name.entry(&entry.name).or_insert(number);
    }
    // Unlike opm's walk, this one goes on through what is skipped.
    let (mut chain, mut on_chain) = (Vec::new(), HashSet::new());
    let mut next = Some(head);
    while let Some(number) = next.filter(|number| on_chain.insert(*number)) {
        chain.push(number);
        next = entries.get(number).and_then(|entry| by_name.get(entry.replaces.as_str()).copied());
    }
    let is_wanted = |number: &usize| {
        versions.get(*number).and_then(Option::as_ref).is_some_and(|version| range.matches(version))
    };
    let skipped = |number: usize| {
        let skips = entries.get(number).into_iter().flat_map(|entry| &entry.skips);
        skips.filter_map(|name| by_name.get(name.as_str()).copied()).filter(is_wanted).collect::<Vec<_>>()
    };
    // For each entry of the chain, how many entries from there down are wanted, each counted where it comes first.
    let mut seen = HashSet::new();
    let mut count = 0;
    let mut counts: Vec<usize> = Vec::with_capacity(chain.len());
    for &number in chain.iter().rev() {
        let own = Some(number).filter(is_wanted).into_iter().chain(skipped(number));
        count += own.filter(|wanted| seen.insert(*wanted)).count();
        counts.push(count);
    }
    counts.reverse();
    let most = counts.first().copied().unwrap_or_default();
    let top = counts.iter().rposition(|count| *count == most).unwrap_or_default();
    let piece = chain.iter().zip(&counts).skip(top).take_while(|(_, count)| **count > 0);
    piece.flat_map(|(&number, _)| std::iter::once(number).chain(skipped(number))).collect()
}

//! Which entries of one channel stay: those that are wanted, and what must stay with them.

use std::collections::HashMap;

use fbc_model::{Channel, ChannelEntry};
use fbc_version::{Range, Version};

use super::chain_range::chain_range;
use super::refusal::Refusal;
use super::selection::Keep;
use crate::channel::{ChainEnd, ChannelAnalysis};

/// Heads up to which the nearest entry that joins them is looked for; otherwise the head of the channel is
/// named. Each head costs a walk.
const MAX_JOINED: usize = 16;

/// Which entries stay; none where nothing is wanted. What is wanted as it stands stays so if it is sound. If
/// not, whatever lies between wanted entries in the upgrade graph stays too.
pub(super) fn keep(
    channel: &Channel,
    versions: &[Option<Version>],
    keeps: &[&Keep],
) -> Result<Vec<bool>, Refusal> {
    let entries = channel.entries();
    if keeps.iter().any(|keep| matches!(keep, Keep::All)) {
        return Ok(vec![true; entries.len()]);
    }
    let mut wanted = vec![false; entries.len()];
    for keep in keeps {
        match keep {
            Keep::All => {}
            Keep::Range(range) => want_range(channel, versions, range, &mut wanted)?,
            Keep::Chain(range) => {
                let piece = chain_range(entries, versions, head_of(channel)?, range);
                piece.into_iter().for_each(|number| set(&mut wanted, number));
            }
            Keep::Head => {
                let head = head_of(channel)?;
                set(&mut wanted, head);
            }
            Keep::WayFrom(version) => want_way(channel, versions, version, &mut wanted)?,
        }
    }
    if !wanted.contains(&true) || defect(channel, &wanted).is_none() {
        return Ok(wanted);
    }
    let edges = Edges::from_entries(entries);
    let completed = edges.between(&wanted);
    match defect(channel, &completed) {
        None => Ok(completed),
        Some(Refusal::SeveralHeads { package, channel: name, heads, .. }) => {
            let joined_by = edges.joining(channel, versions, &completed).map(|entry| name_of(entries, entry));
            Err(Refusal::SeveralHeads { package, channel: name, heads, joined_by })
        }
        Some(defect) => Err(defect),
    }
}

fn want_range(
    channel: &Channel,
    versions: &[Option<Version>],
    range: &Range,
    wanted: &mut [bool],
) -> Result<(), Refusal> {
    for ((entry, version), wanted) in channel.entries().iter().zip(versions).zip(wanted) {
        let Some(version) = version else {
            let (package, name) = (channel.package.clone(), channel.name.clone());
            return Err(Refusal::NoVersion { package, channel: name, entry: entry.name.clone() });
        };
        *wanted |= range.matches(version);
    }
    Ok(())
}

/// The one head of the channel as it is.
fn head_of(channel: &Channel) -> Result<usize, Refusal> {
    let entries = channel.entries();
    let analysis = ChannelAnalysis::from_entries(entries);
    let (package, name) = (channel.package.clone(), channel.name.clone());
    match *analysis.heads.as_slice() {
        [head] => Ok(head),
        [] => Err(Refusal::Cycle { package, channel: name }),
        ref heads => {
            let heads = heads.iter().map(|&head| name_of(entries, head)).collect();
            Err(Refusal::SeveralHeads { package, channel: name, heads, joined_by: None })
        }
    }
}

/// The chain from the head down to the first entry that takes the version directly, and the entry of the
/// version itself where that one names it.
fn want_way(
    channel: &Channel,
    versions: &[Option<Version>],
    from: &Version,
    wanted: &mut [bool],
) -> Result<(), Refusal> {
    head_of(channel)?;
    let entries = channel.entries();
    let is_from = |number: usize| {
        let version = versions.get(number).and_then(Option::as_ref);
        version.is_some_and(|version| version.compare_precedence(from).is_eq())
    };
    let own: Option<usize> = (0..entries.len()).find(|&number| is_from(number));
    let own_name = own.and_then(|own| entries.get(own)).map(|entry| entry.name.as_str());
    let names_it = |entry: &ChannelEntry| {
        own_name.is_some_and(|name| entry.replaces == name || entry.skips.iter().any(|skip| skip == name))
    };
    let covers_it = |entry: &ChannelEntry| {
        let range = Range::parse(fbc_version::Grammar::Blang, fbc_version::Target::Latest, &entry.skip_range);
        !entry.skip_range.is_empty() && range.is_ok_and(|range| range.matches(from))
    };
    let chain = ChannelAnalysis::from_entries(entries).chain;
    for (place, &number) in chain.iter().enumerate() {
        let Some(entry) = entries.get(number) else { continue };
        if is_from(number) || names_it(entry) || covers_it(entry) {
            chain.iter().take(place + 1).for_each(|&number| set(wanted, number));
            own.filter(|_| names_it(entry)).into_iter().for_each(|own| set(wanted, own));
            return Ok(());
        }
    }
    let (package, name) = (channel.package.clone(), channel.name.clone());
    Err(Refusal::NoWay { package, channel: name, version: from.to_string() })
}

/// What the reference would refuse in the channel if only these entries were left.
fn defect(channel: &Channel, kept: &[bool]) -> Option<Refusal> {
    let left = entries_of(channel.entries(), kept);
    let analysis = ChannelAnalysis::from_entries(&left);
    let (package, name) = (channel.package.clone(), channel.name.clone());
    let named = |entries: &[usize]| entries.iter().map(|&entry| name_of(&left, entry)).collect();
    match analysis.end {
        ChainEnd::SeveralHeads => Some(Refusal::SeveralHeads {
            package,
            channel: name,
            heads: named(&analysis.heads),
            joined_by: None,
        }),
        ChainEnd::NoHead | ChainEnd::Cycle { .. } => Some(Refusal::Cycle { package, channel: name }),
        _ if analysis.stranded.is_empty() => None,
        _ => Some(Refusal::Stranded { package, channel: name, entries: named(&analysis.stranded) }),
    }
}

/// The entries that are kept.
pub(super) fn entries_of(entries: &[ChannelEntry], kept: &[bool]) -> Vec<ChannelEntry> {
    entries.iter().zip(kept).filter(|(_, kept)| **kept).map(|(entry, _)| entry.clone()).collect()
}

/// What each entry replaces or skips among the entries, and the other way round.
struct Edges {
    down: Vec<Vec<usize>>,
    up: Vec<Vec<usize>>,
}

impl Edges {
    fn from_entries(entries: &[ChannelEntry]) -> Self {
        let mut by_name: HashMap<&str, usize> = HashMap::with_capacity(entries.len());
        for (number, entry) in entries.iter().enumerate() {
            by_name.entry(&entry.name).or_insert(number);
        }
        let mut edges = Self { down: vec![Vec::new(); entries.len()], up: vec![Vec::new(); entries.len()] };
        for (number, entry) in entries.iter().enumerate() {
            let names = std::iter::once(&entry.replaces).filter(|name| !name.is_empty()).chain(&entry.skips);
            for &target in names.filter_map(|name| by_name.get(name.as_str())) {
                edges.down.get_mut(number).into_iter().for_each(|down| down.push(target));
                edges.up.get_mut(target).into_iter().for_each(|up| up.push(number));
            }
        }
        edges
    }

    /// The entries and whatever lies on a way between two of them.
    fn between(&self, entries: &[bool]) -> Vec<bool> {
        let above = reached(&self.up, entries);
        let below = reached(&self.down, entries);
        above.into_iter().zip(below).map(|(above, below)| above && below).collect()
    }

    /// The lowest entry from which all heads of what is kept are reached.
    fn joining(&self, channel: &Channel, versions: &[Option<Version>], kept: &[bool]) -> Option<usize> {
        let whole = ChannelAnalysis::from_entries(channel.entries());
        let has_upper = |entry: usize| {
            let uppers = self.up.get(entry).into_iter().flatten();
            uppers.into_iter().any(|&upper| upper != entry && is_set(kept, upper))
        };
        let heads: Vec<usize> =
            (0..kept.len()).filter(|&entry| is_set(kept, entry) && !has_upper(entry)).collect();
        if heads.len() > MAX_JOINED {
            return whole.head();
        }
        let mut common = vec![true; kept.len()];
        for head in heads {
            let mut start = vec![false; kept.len()];
            set(&mut start, head);
            let above = reached(&self.up, &start);
            common.iter_mut().zip(above).for_each(|(common, above)| *common &= above);
        }
        let version = |entry: usize| versions.get(entry).and_then(Option::as_ref);
        (0..kept.len()).filter(|&entry| is_set(&common, entry)).min_by(|&a, &b| {
            match (version(a), version(b)) {
                (Some(a), Some(b)) => a.compare_precedence(b),
                (a, b) => b.is_some().cmp(&a.is_some()),
            }
        })
    }
}

/// The entries that are reached from some, which are reached too.
fn reached(edges: &[Vec<usize>], from: &[bool]) -> Vec<bool> {
    let mut seen = from.to_vec();
    let mut open: Vec<usize> = (0..from.len()).filter(|&entry| is_set(from, entry)).collect();
    while let Some(entry) = open.pop() {
        for &next in edges.get(entry).into_iter().flatten() {
            if !is_set(&seen, next) {
                set(&mut seen, next);
                open.push(next);
            }
        }
    }
    seen
}

fn is_set(flags: &[bool], index: usize) -> bool {
    flags.get(index).copied().unwrap_or_default()
}

fn set(flags: &mut [bool], index: usize) {
    if let Some(flag) = flags.get_mut(index) {
        *flag = true;
    }
}

fn name_of(entries: &[ChannelEntry], entry: usize) -> String {
    entries.get(entry).map(|entry| entry.name.clone()).unwrap_or_default()
}

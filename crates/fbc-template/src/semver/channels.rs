//! The channels of a semver template: which there are, which is the default, and their edges.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use fbc_go::allowance::{Allowance, Exceeded};
use fbc_model::{Bundle, Channel, ChannelEntry, Origin};
use fbc_version::Version;

use super::template::SemverTemplate;
use super::{ARCHETYPES, ChannelKind, channel_name};
use crate::OpmSemantics;

/// A bundle of a list.
pub(super) struct Member<'b> {
    pub(super) bundle: &'b Bundle,
    pub(super) version: Version,
}

/// What a template generates.
pub(super) struct Generated {
    /// The channels by name.
    pub(super) channels: Vec<Channel>,
    /// The name of the default channel; empty if nothing qualifies.
    pub(super) default_channel: String,
}

/// Generates the channels of the lists, which are in the order of [`ARCHETYPES`].
///
/// # Errors
/// What versions skip grows with the square of their number.
pub(super) fn generate(
    template: &SemverTemplate,
    package: &str,
    lists: &[Vec<Member<'_>>],
    semantics: OpmSemantics,
    allowance: &Allowance,
) -> Result<Generated, Exceeded> {
    let start = Version::new(0, 0, 0);
    let mut default = Candidate { archetype: 0, version: &start, kind: None };
    let mut default_channel = String::new();
    let mut channels: BTreeMap<String, Vec<ChannelEntry>> = BTreeMap::new();
    let mut steps = Vec::new();
    for (archetype, (name, list)) in ARCHETYPES.into_iter().zip(lists).enumerate() {
        let mut members: Vec<&Member<'_>> = list.iter().collect();
        members.sort_by(|a, b| a.version.compare_precedence(&b.version));
        for member in members {
            for kind in template.kinds() {
                let channel = channel_name(name, kind, &member.version);
                if !channels.contains_key(&channel) {
                    let candidate = Candidate { archetype, version: &member.version, kind: Some(kind) };
                    if candidate.is_better_than(&default, template.preference) {
                        default = candidate;
                        default_channel.clone_from(&channel);
                    }
                }
                let entries = channels.entry(channel.clone()).or_default();
                steps.push(Step {
                    archetype,
                    kind,
                    version: &member.version,
                    name: &member.bundle.name,
                    channel,
                    entry: entries.len(),
                });
                entries.push(ChannelEntry { name: member.bundle.name.clone(), ..ChannelEntry::default() });
            }
        }
    }
    if semantics < OpmSemantics::V1_61 {
        link_within_channels(&mut channels, &steps, semantics);
    } else {
        link(&mut channels, steps, allowance)?;
    }
    let channels = channels
        .into_iter()
        .map(|(name, entries)| Channel {
            origin: Origin::default(),
            name,
            package: package.to_owned(),
            entries: Some(entries),
            properties: Vec::new(),
        })
        .collect();
    Ok(Generated { channels, default_channel })
}

/// A channel that may become the default: its stability, the version of the bundle that it was created
/// for (its lowest), and its kind.
struct Candidate<'v> {
    archetype: usize,
    version: &'v Version,
    kind: Option<ChannelKind>,
}

impl Candidate<'_> {
    fn is_better_than(&self, other: &Self, preference: ChannelKind) -> bool {
        let is_preferred = |kind: Option<ChannelKind>| kind == Some(preference);
        let order = self
            .archetype
            .cmp(&other.archetype)
            .then_with(|| self.version.compare_precedence(other.version))
            .then_with(|| is_preferred(self.kind).cmp(&is_preferred(other.kind)))
            .then_with(|| self.kind.cmp(&other.kind));
        order == Ordering::Greater
    }
}

/// An entry of a channel on the walk that links entries.
struct Step<'b> {
    archetype: usize,
    kind: ChannelKind,
    version: &'b Version,
    name: &'b str,
    channel: String,
    /// The number of the entry in the channel.
    entry: usize,
}

impl Step<'_> {
    fn same_major(&self, other: &Self) -> bool {
        (self.archetype, self.kind, self.version.major())
            == (other.archetype, other.kind, other.version.major())
    }
}

/// Gives the highest patch of each minor version its edges: it replaces the highest patch of the minor
/// before, and skips all other lower versions of the major.
fn link(
    channels: &mut BTreeMap<String, Vec<ChannelEntry>>,
    mut steps: Vec<Step<'_>>,
    allowance: &Allowance,
) -> Result<(), Exceeded> {
    steps.sort_by(|a, b| {
        let by_list = (a.archetype, a.kind).cmp(&(b.archetype, b.kind));
        by_list.then_with(|| a.version.compare_precedence(b.version))
    });
    let mut highest_before = "";
    let mut lower: BTreeSet<&str> = BTreeSet::new();
    let mut lower_bytes = 0;
    for (index, step) in steps.iter().enumerate() {
        let next = steps.get(index + 1);
        let same_major = next.is_some_and(|next| step.same_major(next));
        let same_minor = same_major && next.is_some_and(|next| step.version.minor() == next.version.minor());
        if !same_minor
            && let Some(entry) = channels.get_mut(&step.channel).and_then(|list| list.get_mut(step.entry))
        {
            allowance.bytes(lower_bytes)?;
            entry.replaces = highest_before.to_owned();
            let skips = lower.iter().filter(|name| **name != highest_before);
            entry.skips = skips.map(|name| (*name).to_owned()).collect();
        }
        if same_major {
            if !same_minor {
                highest_before = step.name;
            }
            lower.insert(step.name);
            lower_bytes += size_of::<String>() + step.name.len();
        } else {
            highest_before = "";
            lower.clear();
            lower_bytes = 0;
        }
    }
    Ok(())
}

/// As opm did before v1.61: in each channel the highest patch of each minor version replaces the highest of the minor
/// before in the same channel, and skips the lower patches of its own minor.
fn link_within_channels(
    channels: &mut BTreeMap<String, Vec<ChannelEntry>>,
    steps: &[Step<'_>],
    semantics: OpmSemantics,
) {
    let mut of_channel: BTreeMap<&str, Vec<&Step<'_>>> = BTreeMap::new();
    for step in steps {
        of_channel.entry(&step.channel).or_default().push(step);
    }
    for (channel, steps) in of_channel {
        let Some(entries) = channels.get_mut(channel) else { continue };
        let mut highest_before = "";
        let is_same_minor = |a: &&Step<'_>, b: &&Step<'_>| {
            (a.version.major(), a.version.minor()) == (b.version.major(), b.version.minor())
        };
        for minor in steps.chunk_by(is_same_minor) {
            let Some((highest, lower)) = minor.split_last() else { continue };
            if let Some(entry) = entries.get_mut(highest.entry) {
                entry.replaces = highest_before.to_owned();
                let skips_replaced = semantics < OpmSemantics::V1_57 && !highest_before.is_empty();
                let skips = skips_replaced.then_some(highest_before).into_iter();
                entry.skips = skips.chain(lower.iter().map(|step| step.name)).map(str::to_owned).collect();
            }
            highest_before = highest.name;
        }
    }
}

//! Channels: entries, edges, heads.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_graph::{ChannelAnalysis, bundle_version};
use fbc_model::{Channel, ChannelEntry};

use super::bundle::{self, Circumstance};
use super::change::{Change, ChangeKind, Class, Effect};
use super::content::{self, Content};
use super::impact;
use super::sides::{Side, entries_by_name};
use crate::finding::Subject;
use crate::names::name_list;

/// Words in the names of channels that promise nothing to their users, as the pruning check of Konflux
/// knows them (`konflux-ci/konflux-operator-tasks:task/fbc-target-index-pruning-check`).
const UNSTABLE: [&str; 3] = ["dev-preview", "pre-ga", "candidate"];

/// Compares the channels of a package.
pub(super) fn compare(package: &str, old: &Side<'_>, new: &Side<'_>, changes: &mut Vec<Change>) {
    for (name, channel) in &old.channels {
        match new.channels.get(name) {
            Some(other) => same_name(package, (old, channel), (new, other), changes),
            None => changes.push(removed(package, old, new, channel)),
        }
    }
    for (name, channel) in new.channels.iter().filter(|(name, _)| !old.channels.contains_key(*name)) {
        changes.push(
            Change::new(
                ChangeKind::ChannelAdded,
                Subject::channel(package, name),
                format!(
                    "channel {} is added with {}",
                    quote(name),
                    count(channel.entries().len(), "entry", "entries")
                ),
            )
            .at(channel.origin, ""),
        );
    }
}

fn removed(package: &str, old: &Side<'_>, new: &Side<'_>, channel: &Channel) -> Change {
    let users: Vec<String> = impact::by_version(old, entries_by_name(channel).into_keys());
    // A default channel has users that never named it.
    let is_default = old.default_channel() == channel.name;
    let reason = "whoever follows the channel gets no more updates from it: a Subscription that names it finds \
                  nothing, a ClusterExtension that lists no other no longer resolves";
    let change = Change::new(
        ChangeKind::ChannelRemoved,
        Subject::channel(package, &channel.name),
        format!("{}channel {} is removed", if is_default { "default " } else { "" }, quote(&channel.name)),
    )
    .affects(Effect::Follows, &[], users);
    let change = match new.package {
        Some(package) => change.at(package.origin, ""),
        None => change,
    };
    match is_unstable(&channel.name) {
        true => {
            change.class(Class::Risky).because(format!("{reason}; its name says that it promises nothing"))
        }
        false => change.because(reason),
    }
}

/// Whether the name of a channel says that it promises nothing.
#[must_use]
pub fn is_unstable(channel: &str) -> bool {
    UNSTABLE.iter().any(|word| channel.contains(word))
}

fn same_name(
    package: &str,
    (old, before): (&Side<'_>, &Channel),
    (new, after): (&Side<'_>, &Channel),
    changes: &mut Vec<Change>,
) {
    let subject = Subject::channel(package, &after.name);
    if content::property_set(&before.properties) != content::property_set(&after.properties) {
        changes.push(
            Change::new(
                ChangeKind::ChannelPropertiesChanged,
                subject.clone(),
                format!("channel {} changes its properties", quote(&after.name)),
            )
            .at(after.origin, "/properties"),
        );
    }
    if before.entries() == after.entries() {
        // Other versions of its bundles may still change what the edges do; that is told of the bundles.
        return;
    }
    entries(package, (old, before), after, changes);
    heads(&subject, (old, before), (new, after), changes);
    impact::channel(&subject, (old, before), (new, after), changes);
}

fn entries(package: &str, (old, before): (&Side<'_>, &Channel), after: &Channel, changes: &mut Vec<Change>) {
    let (old_entries, new_entries) = (entries_by_name(before), entries_by_name(after));
    let channel = quote(&after.name);
    let subject = |entry: &str| Subject::entry(package, &after.name, entry);
    for (name, (_, entry)) in &old_entries {
        match new_entries.get(name) {
            Some((number, other)) => edges(&subject(name), entry, other, (after, *number), changes),
            None => {
                let is_default = old.default_channel() == after.name;
                let change = Change::new(
                    ChangeKind::EntryRemoved,
                    subject(name),
                    format!("channel {channel} no longer has {}", quote(name)),
                )
                .at(after.origin, "/entries")
                .because(format!(
                    "it cannot be installed from this{} channel any more, and a ClusterExtension that pins both \
                     no longer resolves",
                    if is_default { " (default)" } else { "" }
                ));
                changes.push(match is_unstable(&after.name) {
                    true => change.class(Class::Harmless),
                    false => change,
                });
            }
        }
    }
    for (name, (number, entry)) in new_entries.iter().filter(|(name, _)| !old_entries.contains_key(*name)) {
        let edges: Vec<String> = edge_texts(entry);
        let is_promotion = old.bundles.contains_key(*name);
        let message = match is_promotion {
            true => format!("channel {channel} gets {}, which was released before", quote(name)),
            false => format!("channel {channel} gets {}", quote(name)),
        };
        changes.push(
            Change::new(ChangeKind::EntryAdded, subject(name), message)
                .from_to("", edges.join(", "))
                .at(after.origin, format!("/entries/{number}")),
        );
    }
}

/// `replaces x`, `skips y`, `skipRange z`
fn edge_texts(entry: &ChannelEntry) -> Vec<String> {
    let mut texts: Vec<String> =
        bundles_of(entry).into_iter().map(|(kind, name)| format!("{kind} {name}")).collect();
    if !entry.skip_range.is_empty() {
        texts.push(format!("skipRange {}", entry.skip_range));
    }
    texts
}

fn bundles_of(entry: &ChannelEntry) -> BTreeSet<(&'static str, &str)> {
    let replaces = [("replaces", entry.replaces.as_str())];
    let skips = entry.skips.iter().map(|name| ("skips", name.as_str()));
    replaces.into_iter().chain(skips).filter(|(_, name)| !name.is_empty()).collect()
}

fn edges(
    subject: &Subject,
    old: &ChannelEntry,
    new: &ChannelEntry,
    (channel, number): (&Channel, usize),
    changes: &mut Vec<Change>,
) {
    let (before, after) = (bundles_of(old), bundles_of(new));
    let name = quote(&new.name);
    let place = format!("in channel {}", quote(&channel.name));
    let pointer = format!("/entries/{number}");
    let text = |edges: &[(&str, &str)]| {
        edges.iter().map(|(kind, name)| format!("{kind} {name}")).collect::<Vec<_>>()
    };
    let sentence = |edges: &[(&str, &str)]| {
        let of = |kind| {
            let names: Vec<&str> = edges.iter().filter(|edge| edge.0 == kind).map(|edge| edge.1).collect();
            (!names.is_empty()).then(|| format!("{kind} {}", name_list(names.into_iter())))
        };
        [of("replaces"), of("skips")].into_iter().flatten().collect::<Vec<_>>().join(" and ")
    };
    let removed: Vec<_> = before.difference(&after).copied().collect();
    let added: Vec<_> = after.difference(&before).copied().collect();
    if !removed.is_empty() {
        let message = format!("{name} {place} no longer {}", sentence(&removed));
        changes.push(
            Change::new(ChangeKind::EdgesRemoved, subject.clone(), message)
                .from_to(text(&removed).join(", "), "")
                .at(channel.origin, pointer.as_str()),
        );
    }
    if !added.is_empty() {
        let message = format!("{name} {place} now {}", sentence(&added));
        changes.push(
            Change::new(ChangeKind::EdgesAdded, subject.clone(), message)
                .from_to("", text(&added).join(", "))
                .at(channel.origin, pointer.as_str()),
        );
    }
    if old.skip_range != new.skip_range {
        let message = match (old.skip_range.as_str(), new.skip_range.as_str()) {
            ("", range) => format!("{name} {place} gets skipRange {}", quote(range)),
            (range, "") => format!("{name} {place} loses skipRange {}", quote(range)),
            (before, after) => {
                format!("{name} {place} changes skipRange from {} to {}", quote(before), quote(after))
            }
        };
        changes.push(
            Change::new(ChangeKind::SkipRangeChanged, subject.clone(), message)
                .from_to(&old.skip_range, &new.skip_range)
                .at(channel.origin, format!("{pointer}/skipRange")),
        );
    }
}

/// What new users of the channel get, and what the old head leads to.
fn heads(
    subject: &Subject,
    (old, before): (&Side<'_>, &Channel),
    (new, after): (&Side<'_>, &Channel),
    changes: &mut Vec<Change>,
) {
    let head = |channel: &'_ Channel| {
        let head = ChannelAnalysis::from_entries(channel.entries()).head()?;
        channel.entries().get(head).map(|entry| (head, entry.name.clone()))
    };
    let (Some((_, old_head)), Some((number, new_head))) = (head(before), head(after)) else { return };
    if old_head == new_head {
        return;
    }
    let bundles = (old.bundles.get(old_head.as_str()), new.bundles.get(new_head.as_str()));
    let versions = (
        bundles.0.and_then(|it| bundle_version::find(it)),
        bundles.1.and_then(|it| bundle_version::find(it)),
    );
    let is_back = matches!(&versions, (Some(old), Some(new)) if new.compare_precedence(old).is_lt());
    let kind = if is_back { ChangeKind::HeadMovedBack } else { ChangeKind::HeadMoved };
    let change = Change::new(
        kind,
        subject.clone(),
        format!(
            "the head of channel {} moves{} from {} to {}",
            quote(&after.name),
            if is_back { " back" } else { "" },
            quote(&old_head),
            quote(&new_head)
        ),
    )
    .from_to(old_head.as_str(), new_head.as_str())
    .at(after.origin, format!("/entries/{number}"));
    changes.push(match is_back {
        true => change
            .because("neither OLM v0 nor OLM v1 goes back by itself: whoever has the old head stays on it, out of the channel")
            .affects(Effect::Stranded, &super::Meaning::ALL, vec![old_head.clone()]),
        false => change,
    });
    if let (Some(old_bundle), Some(new_bundle)) = bundles {
        let circumstance = Circumstance::Heads { channel: &after.name, old: &old_head };
        let subject = Subject::entry(&subject.package, &subject.channel, &new_head);
        let (before, after) = (Content::from_bundle(old_bundle), Content::from_bundle(new_bundle));
        bundle::capabilities(&circumstance, &subject, new_bundle, &before, &after, changes);
    }
}

/// `1 entry`, `2 entries`
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

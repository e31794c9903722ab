//! What changed edges do to installed versions: who loses the way to the head, who gets another update.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use fbc_go::text::quote;
use fbc_graph::{ChainEnd, ChannelAnalysis};
use fbc_model::Channel;
use fbc_version::VersionRelease;

use super::change::{Change, ChangeKind, Class, Effect};
use super::channel::count;
use super::sides::{Side, entries_by_name};
use super::updates::{Meaning, Update, updates};
use crate::finding::Subject;
use crate::names::name_list;

/// The users of a channel, when its entries change.
pub(super) fn channel(
    subject: &Subject,
    old: (&Side<'_>, &Channel),
    new: (&Side<'_>, &Channel),
    changes: &mut Vec<Change>,
) {
    let impact = Impact::between(old, new);
    let name = quote(&new.1.name);
    let mut push = |kind, effect, message: &dyn Fn(&str) -> String, reason: &str| {
        let affected = impact.with(effect);
        if affected.is_empty() {
            return;
        }
        let all: BTreeSet<&str> =
            affected.iter().flat_map(|(_, bundles)| bundles).map(String::as_str).collect();
        let named = impact.ordered(&all);
        let mut change = Change::new(kind, subject.clone(), message(&name_list(named.iter().copied())))
            .because(reason)
            .at(new.1.origin, "/entries");
        if effect == Effect::Raised || effect == Effect::Lowered {
            let updates = named.iter().filter_map(|name| impact.next.get(*name)).collect::<Vec<_>>();
            change = change.from_to(
                join(updates.iter().map(|next| next.0.as_str())),
                join(updates.iter().map(|next| next.1.as_str())),
            );
        }
        for (meanings, bundles) in affected {
            change = change.affects(effect, &meanings, bundles);
        }
        changes.push(change);
    };
    push(
        ChangeKind::UsersStranded,
        Effect::Stranded,
        &|names| format!("users of {names} in channel {name} lose their way to its head"),
        match ChannelAnalysis::from_entries(new.1.entries()).end {
            ChainEnd::SeveralHeads => "they had a way to the head before; now the channel has several heads",
            ChainEnd::NoHead => "they had a way to the head before; now the channel has no head",
            _ => {
                "they had a way to the head before; now nothing in the channel replaces, skips or covers what they have"
            }
        },
    );
    push(
        ChangeKind::UsersFreed,
        Effect::Freed,
        &|names| format!("users of {names} in channel {name} get a way to its head"),
        "",
    );
    push(
        ChangeKind::UpdatesLowered,
        Effect::Lowered,
        &|names| format!("users of {names} in channel {name} are updated less far than before"),
        "their next update is not the one that they would have had",
    );
    push(
        ChangeKind::UpdatesRaised,
        Effect::Raised,
        &|names| format!("users of {names} in channel {name} are updated further than before"),
        "",
    );
}

/// Users without a channel of their own follow the default channel.
pub(super) fn default_channel(package: &str, old: &Side<'_>, new: &Side<'_>, changes: &mut Vec<Change>) {
    let (before, after) = (old.default_channel(), new.default_channel());
    if before == after {
        return;
    }
    let change = Change::new(
        ChangeKind::DefaultChannelChanged,
        Subject::package(package),
        format!("the default channel changes from {} to {}", quote(before), quote(after)),
    )
    .from_to(before, after);
    let change = match new.package {
        Some(package) => change.at(package.origin, "/defaultChannel"),
        None => change,
    };
    let reason = "a Subscription without a channel follows the default channel of the day";
    let (Some(from), Some(to)) = (old.channels.get(before), new.channels.get(after)) else {
        changes.push(change.because(reason));
        return;
    };
    let impact = Impact::between((old, from), (new, to));
    // OLM v1 knows no default channel.
    let stranded: Vec<String> = impact
        .with(Effect::Stranded)
        .into_iter()
        .filter(|(meanings, _)| meanings.contains(&Meaning::V0))
        .flat_map(|(_, bundles)| bundles)
        .collect();
    changes.push(if stranded.is_empty() {
        change.because(format!("{reason}; every version in the old one has a way to the head of the new one"))
    } else {
        let versions = count(stranded.len(), "version", "versions");
        let reason = format!("{reason}; {versions} of the old one have no way to the head of the new one");
        change.class(Class::Breaking).because(reason).affects(Effect::Stranded, &[Meaning::V0], stranded)
    });
}

/// Names of bundles of a side, oldest first.
pub(super) fn by_version<'n>(side: &Side<'_>, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let versions = side.versions();
    let mut names: Vec<&str> = names.collect();
    names.sort_by(|a, b| order(versions.get(a), versions.get(b)).then_with(|| a.cmp(b)));
    names.into_iter().map(str::to_owned).collect()
}

fn order(a: Option<&VersionRelease>, b: Option<&VersionRelease>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.compare_precedence(b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// What a change does to the bundles of the old channel.
struct Impact<'c> {
    effects: BTreeMap<(&'c str, Effect), Vec<Meaning>>,
    /// The next update before and after, of those for whom it is another.
    next: BTreeMap<&'c str, (String, String)>,
    versions: HashMap<&'c str, VersionRelease>,
}

impl<'c> Impact<'c> {
    fn between((old, before): (&Side<'c>, &'c Channel), (new, after): (&Side<'c>, &'c Channel)) -> Self {
        let old_versions = old.versions();
        let mut new_versions = old_versions.clone();
        new_versions.extend(new.versions());
        let mut impact = Self { effects: BTreeMap::new(), next: BTreeMap::new(), versions: HashMap::new() };
        let installed = entries_by_name(before);
        for meaning in Meaning::ALL {
            let was = updates(meaning, before.entries(), [], &old_versions);
            let is = updates(meaning, after.entries(), installed.keys().copied(), &new_versions);
            for &name in installed.keys() {
                let (Some(was), Some(is)) = (was.get(name), is.get(name)) else { continue };
                let version = |update: &Update<'_>, versions: &HashMap<&str, VersionRelease>| {
                    update.next.and_then(|next| versions.get(next)).cloned()
                };
                let next = (version(was, &old_versions), version(is, &new_versions));
                let Some(effect) = effect(was, is, (next.0.as_ref(), next.1.as_ref())) else { continue };
                impact.effects.entry((name, effect)).or_default().push(meaning);
                if was.next != is.next {
                    let text = |update: &Update<'_>| update.next.unwrap_or_default().to_owned();
                    impact.next.insert(name, (text(was), text(is)));
                }
            }
        }
        impact.versions = new_versions;
        impact
    }

    /// The bundles of an effect, by the meanings under which they have it.
    fn with(&self, effect: Effect) -> Vec<(Vec<Meaning>, Vec<String>)> {
        let mut groups: BTreeMap<&[Meaning], BTreeSet<&str>> = BTreeMap::new();
        for ((name, _), meanings) in self.effects.iter().filter(|((_, other), _)| *other == effect) {
            groups.entry(meanings).or_default().insert(name);
        }
        let owned = |names: &BTreeSet<&str>| self.ordered(names).into_iter().map(str::to_owned).collect();
        // Whoever is affected whatever the meaning comes first.
        let mut groups: Vec<_> =
            groups.into_iter().map(|(meanings, names)| (meanings.to_vec(), owned(&names))).collect();
        groups.sort_by_key(|(meanings, _): &(Vec<Meaning>, Vec<String>)| std::cmp::Reverse(meanings.len()));
        groups
    }

    fn ordered<'n>(&self, names: &BTreeSet<&'n str>) -> Vec<&'n str> {
        let mut names: Vec<&str> = names.iter().copied().collect();
        names.sort_by(|a, b| order(self.versions.get(a), self.versions.get(b)).then_with(|| a.cmp(b)));
        names
    }
}

/// What happens to one installed version. Without a way to the head before, nothing can be lost but the
/// next update itself.
fn effect(
    was: &Update<'_>,
    is: &Update<'_>,
    next: (Option<&VersionRelease>, Option<&VersionRelease>),
) -> Option<Effect> {
    let loses_next = was.next.is_some() && is.next.is_none();
    match (was.reaches_head, is.reaches_head) {
        (true, false) => return Some(Effect::Stranded),
        (false, true) => return Some(Effect::Freed),
        (false, false) if loses_next => return Some(Effect::Stranded),
        _ => {}
    }
    if was.next == is.next {
        return None;
    }
    match (was.next, is.next) {
        (None, Some(_)) => Some(Effect::Raised),
        (Some(_), Some(_)) => match order(next.0, next.1) {
            Ordering::Less => Some(Effect::Raised),
            Ordering::Greater => Some(Effect::Lowered),
            Ordering::Equal => None,
        },
        // It was not the head and is now.
        (Some(_), None) => Some(Effect::Lowered),
        (None, None) => None,
    }
}

fn join<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
    const SHOWN: usize = 8;
    let shown: Vec<&str> = names.iter().copied().take(SHOWN).collect();
    let left = names.len().saturating_sub(SHOWN);
    let more =
        if left > 0 { format!(" and {} more", count(left, "bundle", "bundles")) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

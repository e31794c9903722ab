//! The check of current releases, made by crdify.
//!
//! Sources: `kubernetes-sigs/crdify:pkg/validators`, configured in `operator-framework/operator-controller:internal/
//! operator-controller/rukpak/preflights/crdupgradesafety/crdupgradesafety.go`: descriptions are not looked at,
//! new values of an enum are allowed, and versions beside each other are not compared when a webhook converts.
//! Where crdify's order is random, changes come by path.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_version::Target;

use super::change::{Cause, Change, Class};
use super::check::listed;
use super::definition::Definition;
use super::{places, versions};

/// What changes, in crdify's words where it minds.
pub(super) fn changes(old: &Definition<'_>, new: &Definition<'_>) -> Vec<Change> {
    let mut changes = whole(old, new);
    for version in &old.versions {
        if let Some(newer) = new.version(version.name) {
            changes.extend(
                places::changes(Target::Latest, version.name, version.schema, newer.schema)
                    .into_iter()
                    .map(lined),
            );
        }
    }
    if new.conversion != "Webhook" {
        changes.extend(between_served_versions(old, new));
    }
    changes
}

/// crdify's line: the message with where it stands.
fn lined(change: Change) -> Change {
    if change.class != Class::Refused {
        return change;
    }
    let message = format!("{}: {}: {}: {}", change.version, change.path, change.validator, change.message);
    change.message(message)
}

fn whole(old: &Definition<'_>, new: &Definition<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    if old.scope != new.scope {
        changes.push(
            Change::new(Class::Refused, Cause::Scope, "scope").values(old.scope, new.scope).message(format!(
                "scope: scope changed : {} -> {}",
                quote(old.scope),
                quote(new.scope)
            )),
        );
    }
    let removed: Vec<String> = old
        .stored_versions
        .iter()
        .filter(|version| new.version(version).is_none())
        .map(|version| (*version).to_owned())
        .collect();
    if !removed.is_empty() {
        let message = format!("storedVersionRemoval: stored versions removed : {}", listed(&removed));
        changes.push(
            Change::new(Class::Refused, Cause::StoredVersionRemoved, "storedVersionRemoval")
                .values(removed.join(" "), "")
                .message(message),
        );
    }
    for newer in &new.versions {
        let Some(version) = old.version(newer.name) else { continue };
        for path in places::removed_paths(Target::Latest, version.schema, newer.schema) {
            let message = format!("existingFieldRemoval: removed field : {}.{path}", newer.name);
            changes.push(
                Change::new(Class::Refused, Cause::FieldRemoved, "existingFieldRemoval")
                    .at(newer.name, &path)
                    .message(message),
            );
        }
    }
    changes
}

/// Differences of served versions that the old definition does not have already.
fn between_served_versions(old: &Definition<'_>, new: &Definition<'_>) -> Vec<Change> {
    let pairs = |definition: &Definition<'_>| -> Vec<Change> {
        let served = versions::served(definition);
        let mut changes = Vec::new();
        for (index, older) in served.iter().enumerate() {
            for newer in served.iter().skip(index + 1) {
                let pair = format!("{} -> {}", older.name, newer.name);
                let found = places::changes(Target::Latest, &pair, older.schema, newer.schema);
                changes.extend(found.into_iter().filter(|change| change.class == Class::Refused).map(lined));
            }
        }
        changes
    };
    let found = pairs(new);
    if found.is_empty() {
        return found;
    }
    let known: BTreeSet<String> = pairs(old).into_iter().map(|change| change.message).collect();
    let added = found.into_iter().filter(|change| !known.contains(&change.message));
    added.map(|change| Change { cause: Cause::ServedVersionsDiffer, ..change }).collect()
}

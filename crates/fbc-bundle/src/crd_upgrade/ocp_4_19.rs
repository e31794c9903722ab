//! The check of OpenShift 4.19 at its release, made after kapp's.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/rukpak/preflights/crdupgradesafety`
//! at v1.3.0, with `openshift/crd-schema-checker:pkg/manifestcomparators` at 35a9033b1d11.

use fbc_go::text::quote;
use fbc_version::Target;

use super::change::{Cause, Change, Class};
use super::definition::Definition;
use super::{places, versions};

const SCOPE: &str = "NoScopeChange";
const STORED_VERSION: &str = "NoStoredVersionRemoved";
const FIELD: &str = "NoExistingFieldRemoved";
const SERVED_VERSIONS: &str = "ServedVersionValidator";
const CHANGES: &str = "ChangeValidator";

/// The validators in the order in which they run.
pub(super) const VALIDATORS: [&str; 5] = [SCOPE, STORED_VERSION, FIELD, SERVED_VERSIONS, CHANGES];

/// What changes, in the details of the validators where they mind.
pub(super) fn changes(old: &Definition<'_>, new: &Definition<'_>) -> Vec<Change> {
    let mut changes = whole(old, new);
    let name = new.name;
    for newer in &new.versions {
        let Some(version) = old.version(newer.name) else { continue };
        for path in places::removed_paths(Target::Ocp419, version.schema, newer.schema) {
            let message = format!("crd/{name} version/{} field/{path} may not be removed", newer.name);
            changes.push(
                Change::new(Class::Refused, Cause::FieldRemoved, FIELD)
                    .at(newer.name, &path)
                    .message(message),
            );
        }
    }
    if new.conversion != "Webhook" {
        between_served_versions(new, &mut changes);
    }
    for version in &old.versions {
        let Some(newer) = new.version(version.name) else { continue };
        if !places::removed_paths(Target::Ocp419, version.schema, newer.schema).is_empty() {
            let message = format!("calculating schema diff for CRD version {}", quote(version.name));
            changes.push(
                Change::new(Class::Refused, Cause::FieldRemoved, CHANGES)
                    .at(version.name, "")
                    .message(message),
            );
            continue;
        }
        let found = places::changes(Target::Ocp419, version.name, version.schema, newer.schema);
        changes.extend(found.into_iter().map(|change| {
            let place = format!("version {}, field {}", quote(version.name), quote(&change.path));
            validated(change, CHANGES, &place, &place)
        }));
    }
    changes
}

/// The detail of a validator: what it says of a place.
fn validated(change: Change, validator: &'static str, place: &str, unknown_place: &str) -> Change {
    if change.class != Class::Refused {
        return change;
    }
    let message = if change.validator == places::UNHANDLED {
        format!("{unknown_place} {}", change.message)
    } else {
        format!("{place}: {}", change.message)
    };
    Change { validator, ..change.message(message) }
}

fn whole(old: &Definition<'_>, new: &Definition<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    if old.scope != new.scope {
        let message = format!("scope changed from {} to {}", quote(old.scope), quote(new.scope));
        changes.push(
            Change::new(Class::Refused, Cause::Scope, SCOPE).values(old.scope, new.scope).message(message),
        );
    }
    if let Some(removed) = old.stored_versions.iter().find(|version| new.version(version).is_none()) {
        let message = format!("stored version {} removed", quote(removed));
        changes.push(
            Change::new(Class::Refused, Cause::StoredVersionRemoved, STORED_VERSION)
                .values(*removed, "")
                .message(message),
        );
    }
    changes
}

/// Differences of the served versions of the new definition, whether the old one has them or not.
fn between_served_versions(new: &Definition<'_>, changes: &mut Vec<Change>) {
    let served = versions::served(new);
    if served.is_empty() {
        // The slice of all but the last of no versions: the controller panics, and the upgrade goes no further.
        changes.push(
            Change::new(Class::Refused, Cause::NothingServed, SERVED_VERSIONS)
                .message("panic: runtime error: slice bounds out of range [:-1]"),
        );
    }
    for (index, older) in served.iter().enumerate() {
        for newer in served.iter().skip(index + 1) {
            let pair = format!("{} -> {}", older.name, newer.name);
            if !places::removed_paths(Target::Ocp419, older.schema, newer.schema).is_empty() {
                let message = format!(
                    "calculating schema diff between CRD versions {} and {}",
                    quote(older.name),
                    quote(newer.name)
                );
                changes.push(
                    Change::new(Class::Refused, Cause::ServedVersionsDiffer, SERVED_VERSIONS)
                        .at(&pair, "")
                        .message(message),
                );
                continue;
            }
            let found = places::changes(Target::Ocp419, &pair, older.schema, newer.schema);
            for change in found.into_iter().filter(|change| change.class == Class::Refused) {
                let field = quote(&change.path);
                let place =
                    format!("version upgrade {} to {}, field {field}", quote(older.name), quote(newer.name));
                let unknown = format!("version {}, field {field}", quote(older.name));
                let change = validated(change, SERVED_VERSIONS, &place, &unknown);
                changes.push(Change { cause: Cause::ServedVersionsDiffer, ..change });
            }
        }
    }
}

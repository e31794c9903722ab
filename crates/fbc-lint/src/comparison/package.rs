//! Packages as a whole, their deprecations, and blobs of other schemas.

use fbc_go::text::quote;
use fbc_model::blob::schema;
use fbc_model::{Channel, Other};
use fbc_yaml::json_writer;

use super::change::{Change, ChangeKind, Effect};
use super::channel::count;
use super::content;
use super::impact;
use super::sides::{Deprecated, Side};
use crate::finding::Subject;

/// Whether both sides have the package; if one has it alone, that says all.
pub(super) fn presence(package: &str, old: &Side<'_>, new: &Side<'_>, changes: &mut Vec<Change>) -> bool {
    if package.is_empty() {
        return true;
    }
    let holds = |side: &Side<'_>| {
        format!(
            "{}, {}",
            count(side.channels.len(), "channel", "channels"),
            count(side.bundles.len(), "bundle", "bundles")
        )
    };
    match (old.is_empty(), new.is_empty()) {
        (false, true) => {
            let users = impact::by_version(old, old.bundles.keys().copied());
            changes.push(
                Change::new(
                    ChangeKind::PackageRemoved,
                    Subject::package(package),
                    format!("package {} is removed ({})", quote(package), holds(old)),
                )
                .because("nobody can install it any more, and whoever has it gets no updates")
                .affects(Effect::Follows, &[], users),
            );
            false
        }
        (true, false) => {
            let change = Change::new(
                ChangeKind::PackageAdded,
                Subject::package(package),
                format!("package {} is added ({})", quote(package), holds(new)),
            );
            changes.push(match new.package {
                Some(blob) => change.at(blob.origin, ""),
                None => change,
            });
            false
        }
        _ => true,
    }
}

/// Description, icon and properties of the package.
pub(super) fn metadata(package: &str, old: &Side<'_>, new: &Side<'_>, changes: &mut Vec<Change>) {
    let mut parts = Vec::new();
    match (old.package, new.package) {
        (Some(before), Some(after)) => {
            if before.description != after.description {
                parts.push("description");
            }
            if before.icon != after.icon {
                parts.push("icon");
            }
            if content::property_set(&before.properties) != content::property_set(&after.properties) {
                parts.push("properties");
            }
        }
        (None, None) => {}
        _ => parts.push("olm.package blob"),
    }
    if parts.is_empty() {
        return;
    }
    let message = format!("package {} changes its {}", quote(package), parts.join(", "));
    let change = Change::new(ChangeKind::PackageMetadataChanged, Subject::package(package), message);
    changes.push(match new.package {
        Some(blob) => change.at(blob.origin, ""),
        None => change,
    });
}

/// Deprecations of the package, its channels and its bundles.
pub(super) fn deprecations(package: &str, old: &Side<'_>, new: &Side<'_>, changes: &mut Vec<Change>) {
    for ((schema, name), deprecated) in &new.deprecations {
        let (what, subject) = deprecated_thing(package, schema, name);
        let before = old.deprecations.get(&(schema, name)).map_or("", |before| before.entry.message.as_str());
        let after = deprecated.entry.message.as_str();
        let change = match old.deprecations.get(&(schema, name)) {
            None => {
                let users = match *schema {
                    schema::BUNDLE => vec![(*name).to_owned()],
                    schema::CHANNEL => {
                        old.channels.get(name).map_or_else(Vec::new, |channel| users(old, channel))
                    }
                    _ => impact::by_version(old, old.bundles.keys().copied()),
                };
                Change::new(ChangeKind::DeprecationAdded, subject, format!("{what} is deprecated"))
                    .because("its users see a warning, and OLM v1 prefers what is not deprecated")
                    .affects(Effect::Follows, &[], users)
            }
            Some(was) if was.entry.message == after => continue,
            Some(_) => Change::new(
                ChangeKind::DeprecationChanged,
                subject,
                format!("the deprecation of {what} has another message"),
            ),
        };
        changes.push(change.from_to(before, after).at(deprecated.origin, pointer(deprecated)));
    }
    for ((schema, name), deprecated) in &old.deprecations {
        if !new.deprecations.contains_key(&(*schema, *name)) {
            let (what, subject) = deprecated_thing(package, schema, name);
            let message = format!("{what} is no longer deprecated");
            changes.push(
                Change::new(ChangeKind::DeprecationRemoved, subject, message)
                    .from_to(&deprecated.entry.message, ""),
            );
        }
    }
}

fn users(side: &Side<'_>, channel: &Channel) -> Vec<String> {
    impact::by_version(side, super::sides::entries_by_name(channel).into_keys())
}

fn pointer(deprecated: &Deprecated<'_>) -> String {
    format!("/entries/{}", deprecated.index)
}

fn deprecated_thing(package: &str, kind: &str, name: &str) -> (String, Subject) {
    match kind {
        schema::BUNDLE => (format!("bundle {}", quote(name)), Subject::bundle(package, name)),
        schema::CHANNEL => (format!("channel {}", quote(name)), Subject::channel(package, name)),
        schema::PACKAGE => (format!("package {}", quote(package)), Subject::package(package)),
        _ => (format!("{kind} {}", quote(name)), Subject::package(package)),
    }
}

/// Blobs of schemas that opm does not know.
pub(super) fn others(package: &str, old: &Side<'_>, new: &Side<'_>, changes: &mut Vec<Change>) {
    let what = |schema: &str, name: &str| match name {
        "" => format!("{schema} blob"),
        name => format!("{schema} blob {}", quote(name)),
    };
    let texts = |blobs: &[&Other]| {
        let mut texts: Vec<String> =
            blobs.iter().map(|blob| json_writer::compact(blob.value.node())).collect();
        texts.sort();
        texts
    };
    for ((schema, name), before) in &old.others {
        let subject = Subject::package(package);
        match new.others.get(&(*schema, *name)) {
            None => changes.push(Change::new(
                ChangeKind::OtherBlobRemoved,
                subject,
                format!("{} is removed", what(schema, name)),
            )),
            Some(after) if texts(before) != texts(after) => {
                let message = format!("{} changes", what(schema, name));
                let change = Change::new(ChangeKind::OtherBlobChanged, subject, message);
                changes.push(match after.first() {
                    Some(blob) => change.at(blob.origin, ""),
                    None => change,
                });
            }
            Some(_) => {}
        }
    }
    for ((schema, name), after) in new.others.iter().filter(|(key, _)| !old.others.contains_key(*key)) {
        let change = Change::new(
            ChangeKind::OtherBlobAdded,
            Subject::package(package),
            format!("{} is added", what(schema, name)),
        );
        changes.push(match after.first() {
            Some(blob) => change.at(blob.origin, ""),
            None => change,
        });
    }
}

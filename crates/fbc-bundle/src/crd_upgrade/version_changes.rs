//! What an upgrade changes besides what the checks look at: versions and their flags, conversion, subresources.

use fbc_yaml::{Node, json_writer};

use super::change::{Cause, Change, Class};
use super::definition::{Definition, Version};

/// These changes, of versions first.
pub(super) fn changes(old: &Definition<'_>, new: &Definition<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for version in &old.versions {
        match new.version(version.name) {
            Some(newer) => flags(version, newer, &mut changes),
            // What is stored is reported by the checks.
            None if old.stored_versions.contains(&version.name) => {}
            None => {
                let class = if version.is_served { Class::Risky } else { Class::Harmless };
                changes.push(
                    Change::new(class, Cause::VersionRemoved, "version")
                        .at(version.name, "")
                        .values(version.name, ""),
                );
            }
        }
    }
    let added = new.versions.iter().filter(|version| old.version(version.name).is_none());
    changes.extend(added.map(|version| {
        Change::new(Class::Harmless, Cause::VersionAdded, "version")
            .at(version.name, "")
            .values("", version.name)
    }));
    storage(old, new, &mut changes);
    conversion(old, new, &mut changes);
    let member = |definition: &Definition<'_>, key: &str| {
        definition
            .object
            .get("spec")
            .and_then(|spec| spec.get("names"))
            .and_then(|names| names.get(key))
            .map(text)
    };
    for key in ["shortNames", "categories", "singular", "listKind"] {
        let (old, new) = (member(old, key).unwrap_or_default(), member(new, key).unwrap_or_default());
        if old != new {
            changes.push(Change::new(Class::Harmless, Cause::Presentation, "names").values(old, new));
        }
    }
    changes
}

fn text(node: Node<'_>) -> String {
    json_writer::compact(node)
}

fn flags(old: &Version<'_>, new: &Version<'_>, changes: &mut Vec<Change>) {
    let change = |class, cause, validator| Change::new(class, cause, validator).at(old.name, "");
    let switched = |old: bool, new: bool| (old.to_string(), new.to_string());
    if old.is_served != new.is_served {
        let (class, cause) = if old.is_served {
            (Class::Risky, Cause::VersionNotServed)
        } else {
            (Class::Harmless, Cause::VersionFlags)
        };
        let (before, after) = switched(old.is_served, new.is_served);
        changes.push(change(class, cause, "served").values(before, after));
    }
    if old.is_deprecated != new.is_deprecated {
        let (before, after) = switched(old.is_deprecated, new.is_deprecated);
        changes.push(change(Class::Harmless, Cause::VersionFlags, "deprecated").values(before, after));
    }
    let subresource = |version: &Version<'_>, key: &str| {
        version.object.get("subresources").and_then(|all| all.get(key)).filter(|one| !one.is_null()).map(text)
    };
    for key in ["status", "scale"] {
        match (subresource(old, key), subresource(new, key)) {
            (Some(before), Some(after)) if before == after => {}
            (Some(before), after) => {
                changes.push(change(Class::Risky, Cause::Subresource, "subresources").values(
                    format!("{key} {before}"),
                    after.map(|after| format!("{key} {after}")).unwrap_or_default(),
                ))
            }
            (None, Some(after)) => {
                // Writes of the status through the object itself are ignored from now on.
                let class = if key == "status" { Class::Risky } else { Class::Harmless };
                changes.push(
                    change(class, Cause::Subresource, "subresources").values("", format!("{key} {after}")),
                );
            }
            (None, None) => {}
        }
    }
    let columns =
        |version: &Version<'_>| version.object.get("additionalPrinterColumns").map(text).unwrap_or_default();
    let (before, after) = (columns(old), columns(new));
    if before != after {
        changes.push(
            change(Class::Harmless, Cause::Presentation, "additionalPrinterColumns").values(before, after),
        );
    }
}

fn storage(old: &Definition<'_>, new: &Definition<'_>, changes: &mut Vec<Change>) {
    let storage = |definition: &Definition<'_>| -> Vec<String> {
        let storage = definition.versions.iter().filter(|version| version.is_storage);
        storage.map(|version| version.name.to_owned()).collect()
    };
    let (before, after) = (storage(old), storage(new));
    if before != after {
        changes.push(
            Change::new(Class::Harmless, Cause::VersionFlags, "storage")
                .values(before.join(" "), after.join(" ")),
        );
    }
}

fn conversion(old: &Definition<'_>, new: &Definition<'_>, changes: &mut Vec<Change>) {
    let written = |definition: &Definition<'_>| {
        definition.object.get("spec").and_then(|spec| spec.get("conversion")).map(text).unwrap_or_default()
    };
    let (before, after) = (written(old), written(new));
    // Losing the webhook leaves objects of the other versions as they are, whatever their schema says.
    let class = match (old.conversion, new.conversion) {
        (before, after) if before != after && before == "Webhook" => Class::Risky,
        (before, after) if before != after => Class::Harmless,
        _ if before == after || before.is_empty() || after.is_empty() => return,
        _ => Class::Harmless,
    };
    let (cause, values) = if old.conversion == new.conversion {
        (Cause::Presentation, (before, after))
    } else {
        (Cause::Conversion, (old.conversion.to_owned(), new.conversion.to_owned()))
    };
    changes.push(Change::new(class, cause, "conversion").values(values.0, values.1));
}

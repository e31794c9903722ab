//! The changes between two schemas, place by place.

use fbc_version::Target;
use fbc_yaml::Node;

use super::change::{Cause, Change, Class};
use super::check::{Attributes, FIRST, LATER};
use super::flatten::{Notation, Place, walk};
use super::schema_type::SCHEMA;
use super::unhandled;
use super::value::Value;
use super::wording;

/// What is compared elsewhere: at the places below.
const BELOW: [&str; 2] = ["properties", "items"];

/// The name of what no check understands.
pub(super) const UNHANDLED: &str = "unhandled";

/// All changes between two schemas, in the order of their paths; `version` is what they are reported for.
pub(super) fn changes(
    target: Target,
    version: &str,
    old: Option<Node<'_>>,
    new: Option<Node<'_>>,
) -> Vec<Change> {
    let mut changes = Vec::new();
    if old == new {
        return changes;
    }
    walk(old, new, notation(target), &mut |place| match place {
        Place { path, old: None, new: Some(_) } => {
            changes.push(Change::new(Class::Harmless, Cause::FieldAdded, "field").at(version, path));
        }
        Place { path, old: Some(old), new } => at_place(target, version, path, old, new, &mut changes),
        Place { old: None, new: None, .. } => {}
    });
    changes
}

/// The paths of an old schema that a new one lacks.
pub(super) fn removed_paths(target: Target, old: Option<Node<'_>>, new: Option<Node<'_>>) -> Vec<String> {
    let mut removed = Vec::new();
    if old != new {
        walk(old, new, notation(target), &mut |place| {
            if place.old.is_some() && place.new.is_none() {
                removed.push(place.path.to_owned());
            }
        });
    }
    removed
}

fn notation(target: Target) -> Notation {
    match target {
        Target::Ocp419 => Notation::Starred,
        _ => Notation::Named,
    }
}

fn at_place(
    target: Target,
    version: &str,
    path: &str,
    old: Node<'_>,
    new: Option<Node<'_>>,
    changes: &mut Vec<Change>,
) {
    if new.is_some_and(|new| are_attributes_same(old, new)) {
        return;
    }
    let is_removed = new.is_none();
    let (old_schema, new_schema) = (old, new);
    let mut old = attributes(old);
    let mut new = new.map_or_else(|| Attributes(Value::zero_struct(&SCHEMA)), attributes);
    if are_equal(target, &old, &new) {
        return;
    }
    let later: &[_] = if target != Target::Ocp419 { LATER } else { &[] };
    for check in FIRST.iter().chain(later) {
        let Some(change) = old.apply(&mut new, check) else { continue };
        let refusal = wording::refusal(target, &change);
        let class = if refusal.is_some() { Class::Refused } else { Class::Harmless };
        let cause = if is_removed { Cause::FieldRemoved } else { wording::cause(&change) };
        let change = Change::new(class, cause, change.attribute)
            .at(version, path)
            .values(change.old, change.new)
            .message(refusal.unwrap_or_default());
        // What a removed field no longer forbids is of no interest.
        if class == Class::Refused || !is_removed {
            changes.push(change);
        }
    }
    if target != Target::Ocp419 {
        let (Some(before), Some(after)) = (old.take("description"), new.take("description")) else { return };
        if before != after && !is_removed {
            changes.push(Change::new(Class::Harmless, Cause::Description, "description").at(version, path));
        }
    }
    if !are_equal(target, &old, &new) {
        let cause = if is_removed { Cause::FieldRemoved } else { Cause::Unknown };
        let message = match target {
            Target::Ocp419 => "has unknown change, refusing to determine that change is safe".to_owned(),
            _ => unhandled::message(&old.0, &new.0),
        };
        let (old, new) = unhandled::written((&old.0, old_schema), (&new.0, new_schema));
        changes.push(
            Change::new(Class::Refused, cause, UNHANDLED).at(version, path).values(old, new).message(message),
        );
    }
}

/// Whether two schemas have the same attributes, as they are written.
fn are_attributes_same(old: Node<'_>, new: Node<'_>) -> bool {
    let is_attribute = |(key, _): &(&str, Node<'_>)| !BELOW.contains(key);
    old.kind() == new.kind() && old.members().filter(is_attribute).eq(new.members().filter(is_attribute))
}

fn attributes(schema: Node<'_>) -> Attributes {
    // Definitions are read only if their schemas fit the type; a null is an empty schema.
    let read = Value::read_struct(schema, &SCHEMA, |key| !BELOW.contains(&key));
    Attributes(read.unwrap_or_else(|_| Value::zero_struct(&SCHEMA)))
}

/// Go's `reflect.DeepEqual` for 4.19, equality of what is meant since.
fn are_equal(target: Target, old: &Attributes, new: &Attributes) -> bool {
    match target {
        Target::Ocp419 => old.0 == new.0,
        _ => old.0.means(&new.0),
    }
}

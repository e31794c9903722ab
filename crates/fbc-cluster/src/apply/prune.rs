//! Removal of the fields that a manager no longer applies.
//!
//! Sources: `kubernetes-sigs/structured-merge-diff:merge/update.go` (`prune`), `…/typed/remove.go`.

use serde_json::{Map, Value};

use super::field_set::{FieldSet, below, has_steps, is_member, mark, steps_mut};
use super::path_element::item_step;
use super::shape::{NodeId, Shape};
use super::typed::{Form, field_set, form, is_named_field};

/// Removes from a merged object what its manager applied last and neither it nor anybody else owns any more.
///
/// `managed` are the fields of all managers together, the new ones of the applying manager included.
pub(super) fn prune(merged: Value, last: &FieldSet, managed: &FieldSet, shape: &Shape) -> Value {
    let named = |fields: &FieldSet| with_named_fields(fields, shape);
    let last = named(last);
    let mut of_merged = field_set(&merged, shape);

    let pruned = remove(&merged, &last, shape);
    let mut unowned = named(&of_merged);
    let mut kept = named(&field_set(&pruned, shape));
    kept.add(&named(managed));
    unowned.subtract(&kept);

    let pruned = remove(&merged, &unowned, shape);
    of_merged = named(&of_merged);
    of_merged.subtract(&named(&field_set(&pruned, shape)));
    remove(&merged, &of_merged.intersection(&last), shape)
}

/// The set with every field that has a type of its own and something below it in the set.
fn with_named_fields(fields: &FieldSet, shape: &Shape) -> FieldSet {
    let mut all = fields.clone();
    add_named(all.members_mut(), shape, Some(shape.root()));
    all
}

fn add_named(fields: &mut Map<String, Value>, shape: &Shape, node: Option<NodeId>) {
    for (step, below) in steps_mut(fields).filter(|(_, below)| has_steps(below)) {
        let name = step.strip_prefix("f:");
        if node.zip(name).is_some_and(|(node, name)| is_named_field(shape, node, name)) {
            mark(below, true);
        }
        let node = node.and_then(|node| match name {
            Some(name) => shape.member(node, name),
            None => match shape.node(node) {
                super::shape::Node::List { items, .. } => Some(*items),
                _ => None,
            },
        });
        add_named(below, shape, node);
    }
}

/// Removes fields from an object. An object or a list that loses all it had becomes null, as in the reference.
fn remove(object: &Value, fields: &FieldSet, shape: &Shape) -> Value {
    remove_at(object, fields.members(), shape, shape.root())
}

fn remove_at(value: &Value, fields: &Map<String, Value>, shape: &Shape, node: NodeId) -> Value {
    match (form(shape, node, value), value) {
        (Form::Members, Value::Object(members)) => {
            let mut left = Map::new();
            for (name, value) in members {
                let place = below(fields, &format!("f:{name}"));
                let value = match (place, shape.member(node, name)) {
                    (Some(place), _) if is_member(place) => continue,
                    (Some(place), Some(node)) => remove_at(value, place, shape, node),
                    _ => value.clone(),
                };
                left.insert(name.clone(), value);
            }
            if left.is_empty() { Value::Null } else { Value::Object(left) }
        }
        (Form::Items(item, kind), Value::Array(items)) => {
            let mut left = Vec::new();
            for value in items {
                let step = item_step(value, kind).unwrap_or_default();
                match below(fields, &step) {
                    Some(place) if is_member(place) => {}
                    Some(place) => left.push(remove_at(value, place, shape, item)),
                    None => left.push(value.clone()),
                }
            }
            if left.is_empty() { Value::Null } else { Value::Array(left) }
        }
        // The reference drops what is replaced as a whole when something below it is to go, which no set asks for.
        (_, value) => value.clone(),
    }
}

//! What becomes of an object when a configuration is laid over it.
//!
//! Source: `kubernetes-sigs/structured-merge-diff:typed/merge.go`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::path_element::item_step;
use super::shape::{ListKind, NodeId, Shape};
use super::typed::{Form, form, items, members, says_nothing};

/// Lays a configuration over an object.
pub(crate) fn merge(live: &Value, configuration: &Value, shape: &Shape) -> Value {
    merge_at(shape, shape.root(), Some(live), Some(configuration)).unwrap_or(Value::Null)
}

fn merge_at(shape: &Shape, node: NodeId, live: Option<&Value>, wanted: Option<&Value>) -> Option<Value> {
    let Some(wanted_value) = wanted else { return live.cloned() };
    let Some(live_value) = live else { return Some(wanted_value.clone()) };
    if says_nothing(live) && says_nothing(wanted) {
        return Some(wanted_value.clone());
    }
    match (form(shape, node, live_value), form(shape, node, wanted_value)) {
        (Form::Members, Form::Members) => {
            let (old, new) = (members(live), members(wanted));
            let mut merged = Map::new();
            for (name, value) in old.into_iter().flatten() {
                let wanted = new.and_then(|new| new.get(name));
                let below = shape.member(node, name);
                let value = match below {
                    Some(below) => merge_at(shape, below, Some(value), wanted),
                    None => Some(value.clone()),
                };
                merged.extend(value.map(|value| (name.clone(), value)));
            }
            for (name, value) in new.into_iter().flatten() {
                if !merged.contains_key(name) {
                    merged.insert(name.clone(), value.clone());
                }
            }
            (!merged.is_empty()).then_some(Value::Object(merged))
        }
        (Form::Items(item, kind), Form::Items(..)) => {
            Some(Value::Array(merge_items(shape, item, kind, items(live), items(wanted))))
        }
        _ => Some(wanted_value.clone()),
    }
}

/// Merges lists of which items are told apart. The items of the configuration come in its order; what only the
/// object has stays before the next item that both have.
fn merge_items(shape: &Shape, item: NodeId, kind: &ListKind, live: &[Value], wanted: &[Value]) -> Vec<Value> {
    let steps = |list: &[Value]| -> Vec<String> {
        list.iter().map(|value| item_step(value, kind).unwrap_or_default()).collect()
    };
    let (live_steps, wanted_steps) = (steps(live), steps(wanted));
    let of_live: BTreeMap<&str, &Value> = live_steps.iter().map(String::as_str).zip(live).rev().collect();
    let of_wanted: BTreeSet<&str> = wanted_steps.iter().map(String::as_str).collect();
    let mut shared =
        wanted_steps.iter().map(String::as_str).filter(|step| of_live.contains_key(step)).peekable();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let mut merged = Vec::with_capacity(live.len().max(wanted.len()));
    let (mut at_live, mut at_wanted) = (0, 0);
    loop {
        let mine = live_steps.get(at_live).map(String::as_str);
        let theirs = wanted_steps.get(at_wanted).map(String::as_str);
        let is_shared_later = mine.is_some_and(|mine| {
            of_wanted.contains(mine) && theirs.is_some() && shared.peek().is_some_and(|next| *next != mine)
        });
        if is_shared_later && mine != theirs {
            at_live += 1;
            continue;
        }
        match (mine, theirs) {
            (Some(mine), _) if !of_wanted.contains(mine) => {
                merged.push(live[at_live].clone());
                at_live += 1;
            }
            (Some(mine), _) if done.contains(mine) => at_live += 1,
            (_, Some(theirs)) => {
                let value = merge_at(shape, item, of_live.get(theirs).copied(), wanted.get(at_wanted));
                merged.extend(value);
                done.insert(theirs);
                at_wanted += 1;
                if mine == Some(theirs) {
                    at_live += 1;
                }
                if shared.peek() == Some(&theirs) {
                    shared.next();
                }
            }
            (Some(_), None) => at_live += 1,
            (None, None) => return merged,
        }
    }
}

//! `required`: fields that must be set from now on, or no longer.

use super::{AttributeChange, Turn, listed, missing};
use crate::crd_upgrade::value::Value;

pub(super) fn compare(attribute: &'static str, old: &Value, new: &Value) -> Option<AttributeChange> {
    let (old, new) = (names(old), names(new));
    let (removed, added) = (missing(&old, &new), missing(&new, &old));
    let (turn, values) = if !added.is_empty() {
        (Turn::Tightened, added)
    } else if !removed.is_empty() {
        (Turn::Loosened, removed)
    } else {
        return None;
    };
    Some(AttributeChange { attribute, turn, old: listed(&old), new: listed(&new), values })
}

fn names(value: &Value) -> Vec<String> {
    let Value::List(Some(items)) = value else { return Vec::new() };
    items
        .iter()
        .filter_map(|item| if let Value::Text(name) = item { Some(name.clone()) } else { None })
        .collect()
}

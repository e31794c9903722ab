//! `enum`: values that are no longer allowed, or that are the only ones from now on.
//!
//! Taking the whole restriction away is reported as the removal of its values, for so do both generations.

use super::{AttributeChange, Turn, listed, missing};
use crate::crd_upgrade::value::Value;

pub(super) fn compare(attribute: &'static str, old: &Value, new: &Value) -> Option<AttributeChange> {
    let (old, new) = (values(old), values(new));
    let (removed, added) = (missing(&old, &new), missing(&new, &old));
    let (turn, values) = if old.is_empty() && !new.is_empty() {
        (Turn::Added, added)
    } else if !removed.is_empty() {
        (if new.is_empty() { Turn::Removed } else { Turn::Tightened }, removed)
    } else if !added.is_empty() {
        (Turn::Loosened, added)
    } else {
        return None;
    };
    Some(AttributeChange { attribute, turn, old: listed(&old), new: listed(&new), values })
}

fn values(value: &Value) -> Vec<String> {
    let Value::List(Some(items)) = value else { return Vec::new() };
    items
        .iter()
        .filter_map(|item| if let Value::Json(raw) = item { Some(raw.clone()) } else { None })
        .collect()
}

//! Conditions of Subscriptions and plans: set in place, or at the end.

use fbc_cluster::object::ObjectFields;
use serde_json::{Value, json};

/// Puts a condition into a status.
pub(super) fn set(status: &mut Value, condition: Value) {
    let conditions = status.place(&["conditions"]);
    let Some(list) = conditions.as_array_mut() else {
        *conditions = json!([condition]);
        return;
    };
    match list.iter_mut().find(|one| one["type"] == condition["type"]) {
        Some(place) => *place = condition,
        None => list.push(condition),
    }
}

/// Takes a condition out of a status. True if it was there.
pub(super) fn remove(status: &mut Value, of: &str) -> bool {
    let Some(list) = status.get_mut("conditions").and_then(Value::as_array_mut) else { return false };
    let before = list.len();
    list.retain(|one| one["type"] != of);
    let was_there = list.len() < before;
    if list.is_empty() {
        status.remove(&["conditions"]);
    }
    was_there
}

/// The condition in a status.
pub(super) fn get<'s>(status: &'s Value, of: &str) -> Option<&'s Value> {
    status.list(&["conditions"]).iter().find(|one| one["type"] == of)
}

/// Whether two conditions say the same, whenever they were set.
pub(super) fn says(one: &Value, other: &Value) -> bool {
    ["type", "status", "reason", "message"].iter().all(|field| one.text(&[field]) == other.text(&[field]))
}

/// The conditions of two statuses say the same.
pub(super) fn all_say(one: &Value, other: &Value) -> bool {
    let (one, other) = (one.list(&["conditions"]), other.list(&["conditions"]));
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| says(one, other))
}

//! Conditions of ClusterVersion, in the order in which they come.
//!
//! Source: `openshift/cluster-version-operator:lib/resourcemerge/os.go`.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

/// Sets a condition. Its time moves only with its status; reason and message are left out where they are empty.
pub(crate) fn set(list: &mut Vec<Value>, kind: &str, status: &str, reason: &str, message: &str, now: Moment) {
    let place = list.iter().position(|condition| condition["type"] == kind);
    let before = place.and_then(|index| list.get(index));
    let since = before
        .filter(|condition| condition["status"] == status)
        .map(|condition| condition.text(&["lastTransitionTime"]).to_owned());
    let mut condition = json!({"type": kind, "status": status, "lastTransitionTime": since.unwrap_or_else(|| now.to_string())});
    for (field, text) in [("reason", reason), ("message", message)] {
        if !text.is_empty() {
            condition.set(&[field], text);
        }
    }
    match place.and_then(|index| list.get_mut(index)) {
        Some(place) => *place = condition,
        None => list.push(condition),
    }
}

/// Takes a condition away.
pub(super) fn remove(list: &mut Vec<Value>, kind: &str) {
    list.retain(|condition| condition["type"] != kind);
}

/// A condition, if it is there.
pub(super) fn find<'l>(list: &'l [Value], kind: &str) -> Option<&'l Value> {
    list.iter().find(|condition| condition["type"] == kind)
}

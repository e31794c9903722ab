//! What happened to objects, read off the changes of the store.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::store::Change;
use fbc_cluster::taints::Taint;
use fbc_cluster::time::Milliseconds;
use fbc_olm_v0::names::COPIED_FROM;
use serde_json::Value;

use super::run::{Happening, TimelineEntry};

/// Fields that sum objects up, with what they say. A table, so that a kind costs a line.
const FIELDS: [(&str, &str, &[&str]); 17] = [
    ("*", "phase", &["status", "phase"]),
    ("Pod", "node", &["spec", "nodeName"]),
    ("Node", "taints", &["spec", "taints"]),
    ("Machine", "node", &["status", "nodeRef", "name"]),
    ("ClusterExtension", "installed version", &["status", "install", "bundle", "version"]),
    ("ClusterCatalog", "content", &["status", "resolvedSource", "image", "ref"]),
    ("ClusterObjectSet", "lifecycle", &["spec", "lifecycleState"]),
    ("Deployment", "available replicas", &["status", "availableReplicas"]),
    ("ReplicaSet", "ready replicas", &["status", "readyReplicas"]),
    ("StatefulSet", "ready replicas", &["status", "readyReplicas"]),
    ("DaemonSet", "available", &["status", "numberAvailable"]),
    ("Job", "succeeded", &["status", "succeeded"]),
    ("CatalogSource", "connection", &["status", "connectionState", "lastObservedState"]),
    ("Subscription", "state", &["status", "state"]),
    ("Subscription", "installed version", &["status", "installedCSV"]),
    ("InstallPlan", "approved", &["spec", "approved"]),
    ("ClusterServiceVersion", "reason", &["status", "reason"]),
];

/// Kinds whose coming and going says nothing to readers.
const QUIET: [&str; 3] = ["Lease", "Event", "EndpointSlice"];

/// What a change means, in the order of the object: first that it is there, then fields, then conditions.
pub(super) fn entries(at: Milliseconds, kind: &str, change: &Change) -> Vec<TimelineEntry> {
    let mut found = Vec::new();
    if kind == "Event" {
        found.extend(change.after.as_ref().and_then(|event| event_entry(at, event)));
        return found;
    }
    if QUIET.contains(&kind) {
        return found;
    }
    let mut add = |what| {
        let object = change.key.name.to_string();
        found.push(TimelineEntry { at, kind: kind.to_owned(), object, what });
    };
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    let Some(now) = after else {
        add(Happening::Deleted);
        return found;
    };
    if before.is_none() {
        add(Happening::Created);
    }
    if now.is_terminating() && !before.is_some_and(ObjectFields::is_terminating) {
        add(Happening::DeletionRequested);
    }
    // Copies say what their original says.
    if now.label(COPIED_FROM).is_some() {
        return found;
    }
    for (of, name, path) in FIELDS {
        if of != "*" && of != kind {
            continue;
        }
        let (old, new) = (value(before, path), value(after, path));
        if old != new {
            add(Happening::Field { name: name.to_owned(), value: new });
        }
    }
    conditions(before, now, &mut add);
    found
}

/// The conditions of an object; a ClusterServiceVersion keeps its history among them, without types.
fn typed(object: &Object) -> impl Iterator<Item = &Value> {
    object.list(&["status", "conditions"]).iter().filter(|condition| !condition.text(&["type"]).is_empty())
}

fn conditions(before: Option<&Object>, now: &Object, add: &mut impl FnMut(Happening)) {
    for condition in typed(now) {
        let condition_type = condition.text(&["type"]);
        let old = before.and_then(|before| before.condition(condition_type));
        let same = |field: &str| old.is_some_and(|old| old.text(&[field]) == condition.text(&[field]));
        if same("status") && same("reason") && same("message") {
            continue;
        }
        add(Happening::Condition {
            condition_type: condition_type.to_owned(),
            status: condition.text(&["status"]).to_owned(),
            reason: condition.text(&["reason"]).to_owned(),
            message: condition.text(&["message"]).to_owned(),
            is_transition: !same("status"),
        });
    }
    for old in before.into_iter().flat_map(typed) {
        if now.condition(old.text(&["type"])).is_none() {
            add(Happening::Condition {
                condition_type: old.text(&["type"]).to_owned(),
                status: String::new(),
                reason: String::new(),
                message: String::new(),
                is_transition: true,
            });
        }
    }
}

fn event_entry(at: Milliseconds, event: &Object) -> Option<TimelineEntry> {
    let object = &event["involvedObject"];
    let name = object.text(&["name"]);
    let namespace = object.text(&["namespace"]);
    let object_name = if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") };
    (!name.is_empty()).then(|| TimelineEntry {
        at,
        kind: object.kind().to_owned(),
        object: object_name,
        what: Happening::Event {
            event_type: event.text(&["type"]).to_owned(),
            reason: event.text(&["reason"]).to_owned(),
            message: event.text(&["message"]).to_owned(),
        },
    })
}

fn value(object: Option<&Object>, path: &[&str]) -> String {
    match object.and_then(|object| object.at(path)) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(taints)) => {
            let taints: Vec<String> =
                taints.iter().filter_map(Taint::read).map(|taint| taint.to_string()).collect();
            taints.join(", ")
        }
        Some(other) => other.to_string(),
    }
}

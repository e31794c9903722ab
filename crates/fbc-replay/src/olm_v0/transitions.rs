//! What a watch saw of the kinds of OLM, as rows.

use std::collections::BTreeSet;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::store::Change;
use serde_json::{Value, json};

use super::placeholders::Names;

/// Kinds whose writes are told.
const KINDS: [&str; 8] = [
    "CatalogSource",
    "Subscription",
    "InstallPlan",
    "ClusterServiceVersion",
    "OperatorGroup",
    "OperatorCondition",
    "Operator",
    "OLMConfig",
];
/// Fields of `spec` that are told of a ClusterServiceVersion; the others are too large.
const OF_VERSIONS: [&str; 4] = ["cleanup", "minKubeVersion", "replaces", "version"];

/// The rows of a write.
pub(super) fn rows(kind: &str, change: &Change, names: &Names) -> Vec<Value> {
    if !KINDS.contains(&kind) {
        return Vec::new();
    }
    let Some(object) = change.latest() else { return Vec::new() };
    let name = [kind, object.namespace(), object.name()];
    let name = name.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
    let name = names.text(&name);
    let row = |fields: Value| {
        let mut row = json!({"object": name});
        for (field, value) in fields.as_object().into_iter().flatten() {
            row[field] = value.clone();
        }
        row
    };
    let before = change.before.as_ref().map(|before| names.object(before));
    let Some(after) = change.after.as_ref().map(|after| names.object(after)) else {
        return vec![row(json!({"event": "Deleted"}))];
    };
    let mut rows = Vec::new();
    match &before {
        None => rows.push(row(json!({"event": "Added"}))),
        Some(before) if after.is_terminating() && !before.is_terminating() => {
            rows.push(row(json!({"event": "DeletionRequested"})));
        }
        Some(_) => {}
    }
    if before.is_none() && is_by_hand(change.after.as_deref()) {
        return rows;
    }
    let nothing = Value::Null;
    let before = before.as_ref().unwrap_or(&nothing);
    for (field, value) in told(kind, &after) {
        if told(kind, before).iter().all(|(name, old)| *name != field || *old != value) {
            rows.push(row(json!({"field": field, "value": value})));
        }
    }
    for (field, _) in told(kind, before) {
        if told(kind, &after).iter().all(|(name, _)| *name != field) {
            rows.push(row(json!({"field": field, "removed": true})));
        }
    }
    if kind != "ClusterServiceVersion" {
        conditions(before, &after, &mut |fields| rows.push(row(fields)));
    }
    rows
}

/// Whether an object was made by kubectl.
fn is_by_hand(object: Option<&Object>) -> bool {
    let managers = object.map(fbc_cluster::apply::managers).unwrap_or_default();
    managers.iter().all(|manager| manager.starts_with("kubectl"))
}

/// The fields that are told, abridged.
fn told(kind: &str, object: &Value) -> Vec<(String, Value)> {
    let mut fields = Vec::new();
    for field in ["labels", "annotations", "ownerReferences", "finalizers"] {
        if let Some(value) = object.given(&["metadata", field]) {
            fields.push((format!("metadata.{field}"), abridged(field, value)));
        }
    }
    for (field, value) in object.get("spec").and_then(Value::as_object).into_iter().flatten() {
        if kind != "ClusterServiceVersion" || OF_VERSIONS.contains(&field.as_str()) {
            fields.push((format!("spec.{field}"), value.clone()));
        }
    }
    if kind != "Operator" {
        for (field, value) in object.get("status").and_then(Value::as_object).into_iter().flatten() {
            if field != "conditions" {
                fields.push((format!("status.{field}"), abridged(field, value)));
            }
        }
    }
    fields
}

fn abridged(field: &str, value: &Value) -> Value {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let lines = |line: &dyn Fn(&Value) -> String| json!(list.iter().map(line).collect::<Vec<_>>());
    let of_group = |kind: &str, group: &str| {
        if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") }
    };
    match field {
        "ownerReferences" => Value::Array(list.iter().map(owner).collect()),
        "installPlanRef" | "installplan" => value.get("name").cloned().unwrap_or_default(),
        "catalogHealth" => lines(&|health| {
            let of = &health["catalogSourceRef"];
            let healthy = if health["healthy"] == true { "True" } else { "False" };
            format!("{}/{} healthy={healthy}", of.text(&["namespace"]), of.text(&["name"]))
        }),
        "plan" => {
            let mut steps: Vec<String> = list.iter().map(|step| step_line(step, &of_group)).collect();
            steps.sort();
            json!(steps)
        }
        "requirementStatus" => lines(&|one| {
            let of = of_group(one.text(&["kind"]), one.text(&["group"]));
            let message = one.text(&["message"]);
            let message = if message.is_empty() { String::new() } else { format!(" ({message})") };
            format!("{of} {}: {}{message}", one.text(&["name"]), one.text(&["status"]))
        }),
        "bundleLookups" => Value::Array(
            list.iter()
                .map(|one| {
                    json!({
                        "identifier": one["identifier"], "path": one["path"],
                        "replaces": one.text(&["replaces"]), "conditions": one.list(&["conditions"]),
                    })
                })
                .collect(),
        ),
        _ => value.clone(),
    }
}

fn step_line(step: &Value, of_group: &dyn Fn(&str, &str) -> String) -> String {
    let resource = &step["resource"];
    format!(
        "{} {} ({}): {}",
        of_group(resource.text(&["kind"]), resource.text(&["group"])),
        resource.text(&["name"]),
        step.text(&["resolving"]),
        step.text(&["status"]),
    )
}

fn owner(reference: &Value) -> Value {
    json!({
        "kind": reference["kind"], "name": reference["name"],
        "controller": reference["controller"], "blockOwnerDeletion": reference["blockOwnerDeletion"],
    })
}

fn conditions(before: &Value, after: &Value, tell: &mut dyn FnMut(Value)) {
    for condition in after.list(&["status", "conditions"]) {
        let of = condition.text(&["type"]);
        let fields = ["status", "reason", "message"];
        let old = before.condition(of);
        if old.is_some_and(|old| fields.iter().all(|field| old.text(&[field]) == condition.text(&[field]))) {
            continue;
        }
        let mut row = json!({"condition": of});
        for field in fields.iter().filter(|field| !condition.text(&[field]).is_empty()) {
            row[*field] = condition.text(&[field]).into();
        }
        tell(row);
    }
    for condition in before.list(&["status", "conditions"]) {
        let of = condition.text(&["type"]);
        if after.condition(of).is_none() {
            tell(json!({"condition": of, "removed": true}));
        }
    }
}

/// What differs as a set, without what chance decides.
pub(super) fn differences(seen: &[Value], recorded: &[Value], states: &[Value]) -> Vec<String> {
    let seen: BTreeSet<String> = seen.iter().filter_map(|row| plain(row, states)).collect();
    let recorded: BTreeSet<String> = recorded.iter().filter_map(|row| plain(row, states)).collect();
    let missing = recorded.difference(&seen).map(|row| format!("missing {row}"));
    missing.chain(seen.difference(&recorded).map(|row| format!("extra {row}"))).collect()
}

/// A row, unless it is noise. The states at the end say what is only passed through.
fn plain(row: &Value, states: &[Value]) -> Option<String> {
    let mut row = row.clone();
    row.remove(&["write"]);
    row.remove(&["observedGeneration"]);
    let object = row.text(&["object"]).to_owned();
    let kind = object.split('/').next().unwrap_or_default();
    let state = states.iter().find(|state| {
        let parts = [state.kind(), state.namespace(), state.name()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/") == object
    });
    let field = row.text(&["field"]);
    let is_noise = match kind {
        "Subscription" => of_subscription(&row, state),
        "ClusterServiceVersion" => of_version(&row, state),
        "CatalogSource" => field == "status.connectionState",
        // The order in which APIs come in, and labels come whenever they come.
        "OperatorGroup" => field == "metadata.annotations",
        _ => false,
    };
    if is_noise || field == "metadata.labels" {
        return None;
    }
    if ["status.plan", "spec.clusterServiceVersionNames", "status.catalogSources"].contains(&field) {
        let mut lines: Vec<String> = row
            .list(&["value"])
            .iter()
            .filter_map(Value::as_str)
            .map(|line| line.replace(": Created", ": Present").replace(": WaitingForApi", ": Present"))
            .collect();
        lines.sort();
        row["value"] = json!(lines);
    }
    Some(row.to_string())
}

/// Who writes a stale copy of a Subscription back, and how often.
fn of_subscription(row: &Value, state: Option<&Value>) -> bool {
    let (of, reason) = (row.text(&["condition"]), row.text(&["reason"]));
    let transient =
        |message: &str| ["originate from package", " provide "].iter().any(|text| message.contains(text));
    let is_removed = row.get("removed").is_some();
    let comes_back = state.is_some_and(|state| {
        state.condition(of).is_some()
            || (row["field"] == "status.catalogHealth" && state.given(&["status", "catalogHealth"]).is_some())
    });
    match of {
        "InstallPlanPending" | "BundleUnpacking" => true,
        "CatalogSourcesUnhealthy" => {
            reason.starts_with("CatalogSources") || reason == "NoCatalogSourcesFound"
        }
        "ResolutionFailed" => is_removed || transient(row.text(&["message"])),
        _ => is_removed && comes_back,
    }
}

/// A version is looked at before or after what it needs is there, copies are made at any time, and in the end of a version
/// nobody waits for anybody.
fn of_version(row: &Value, state: Option<&Value>) -> bool {
    let (field, value) = (row.text(&["field"]), row.text(&["value"]));
    let Some(state) = state else { return field.starts_with("status.") };
    let is_course = ["status.phase", "status.reason", "status.message"].contains(&field);
    let at_end =
        field.strip_prefix("status.").map(|field| state.text(&["status", field])).unwrap_or_default();
    let is_copy = state.label("olm.copiedFrom").is_some();
    ["status.requirementStatus", "status.certsLastUpdated", "status.certsRotateAt"].contains(&field)
        || ["RequirementsNotMet", "InstallWaiting"].contains(&value)
        || value.starts_with("one or more requirements")
        || value.starts_with("installing: ")
        || value.starts_with("requirements no")
        || value == "apiServices not installed"
        || value.ends_with("is outdated")
        || (field == "metadata.annotations" && state.text(&["status", "reason"]) == "TooManyOperatorGroups")
        || (is_course && is_copy && value != at_end)
        || (field == "status.phase"
            && ["Failed", "Pending"].contains(&value)
            && state.text(&["status", "phase"]) == "Succeeded")
}

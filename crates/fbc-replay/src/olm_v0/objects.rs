//! Objects of other kinds that a step changed, as the recordings have them.

use std::collections::BTreeMap;

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Map, Value, json};

use super::placeholders::Names;
use super::settled;

/// Kinds that are compared as states, and kinds that are not compared.
const OTHERS: [&str; 15] = [
    "CatalogSource",
    "Subscription",
    "InstallPlan",
    "ClusterServiceVersion",
    "OperatorGroup",
    "OperatorCondition",
    "Operator",
    "OLMConfig",
    "Event",
    "Lease",
    "Endpoints",
    "EndpointSlice",
    "ReplicaSet",
    "Node",
    "PackageManifest",
];

/// The objects that the recordings speak of, by kind, namespace and name.
pub(super) type Objects = BTreeMap<(String, String, String), Object>;

/// Whether the recordings speak of an object.
pub(super) fn is_told(object: &Object) -> bool {
    let (kind, namespace, name) = (object.kind(), object.namespace(), object.name());
    !(OTHERS.contains(&kind)
        || ["kube-system", "kube-public", "kube-node-lease"].contains(&namespace)
        || (kind == "ServiceAccount" && name == "default")
        || name == "kube-root-ca.crt"
        || is_custom(object))
}

/// Objects of the definitions of the scenarios come from steps only.
fn is_custom(object: &Object) -> bool {
    object.api_version().contains(".example.com")
}

/// What became of objects: those of the step itself are left out.
pub(super) fn rows(before: &Objects, after: &Objects, own: &[Key], names: &Names) -> Vec<Value> {
    let mut rows = Vec::new();
    for (key, object) in after {
        let old = before.get(key);
        let is_own = own.contains(key);
        match old {
            None if !is_own => rows.push(created("created", object, names)),
            Some(old) if old.uid() != object.uid() => rows.push(created("recreated", object, names)),
            Some(old) => rows.extend(changed(old, object, names)),
            None => {}
        }
    }
    for (key, object) in before {
        if !after.contains_key(key) && !own.contains(key) {
            rows.push(head("deleted", object, names));
        }
    }
    rows
}

/// Kind, namespace and name.
pub(super) type Key = (String, String, String);

/// The key of an object.
pub(super) fn key(object: &Object) -> Key {
    (object.kind().to_owned(), object.namespace().to_owned(), object.name().to_owned())
}

fn head(change: &str, object: &Object, names: &Names) -> Value {
    let mut row = json!({
        "change": change, "apiVersion": object.api_version(), "kind": object.kind(),
        "name": names.text(object.name()),
    });
    if !object.namespace().is_empty() {
        row["namespace"] = object.namespace().into();
    }
    row
}

fn created(change: &str, object: &Object, names: &Names) -> Value {
    let mut row = head(change, object, names);
    let shown = shown(object, names);
    for field in ["labels", "annotations", "ownerReferences"] {
        if let Some(value) = shown.at(&["metadata", field]).filter(|value| has_content(value)) {
            row[field] = value.clone();
        }
    }
    row["managers"] = managers(object);
    for (field, value) in shown.as_object().into_iter().flatten() {
        if !["apiVersion", "kind", "metadata", "status"].contains(&field.as_str()) {
            row[field] = value.clone();
        }
    }
    row
}

fn changed(old: &Object, new: &Object, names: &Names) -> Option<Value> {
    let (raw, old) = ((old, new), shown(old, names));
    let new = shown(new, names);
    let mut fields = Map::new();
    for field in ["labels", "annotations", "ownerReferences"] {
        let path = ["metadata", field];
        // Labels may differ in what placeholders stand for.
        let differs = field == "labels" && raw.0.at(&path) != raw.1.at(&path);
        if differs || old.at(&path) != new.at(&path) {
            let value = new.at(&path).cloned().unwrap_or_default();
            fields.insert(format!("metadata.{field}"), value);
        }
    }
    let all = [&old, &new].into_iter().filter_map(Value::as_object).flat_map(Map::keys);
    for field in all.filter(|field| !["apiVersion", "kind", "metadata", "status"].contains(&field.as_str())) {
        if old.get(field) != new.get(field) {
            let value = new.get(field).cloned().unwrap_or_default();
            fields.insert(field.clone(), value);
        }
    }
    if fields.is_empty() {
        return None;
    }
    let mut row = head("changed", &new, names);
    row["fields"] = Value::Object(fields);
    Some(row)
}

fn has_content(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

/// The operators among the managers: who else writes is a matter of the control plane.
fn managers(object: &Object) -> Value {
    let mut names = fbc_cluster::apply::managers(object);
    names.retain(|name| is_operator(&name.as_str()));
    names.sort_unstable();
    names.dedup();
    json!(names)
}

fn is_operator(manager: &&str) -> bool {
    ["olm", "catalog"].contains(manager)
}

/// An object as the recordings show it.
fn shown(object: &Object, names: &Names) -> Value {
    let mut shown = names.object(object);
    for owner in owners(&mut shown) {
        *owner = json!({
            "kind": owner.text(&["kind"]), "name": owner.text(&["name"]),
            "controller": owner.get("controller").cloned().unwrap_or_default(),
            "blockOwnerDeletion": owner.get("blockOwnerDeletion").cloned().unwrap_or_default(),
        });
    }
    match object.kind() {
        "CustomResourceDefinition" => {
            let versions = object.list(&["spec", "versions"]).iter();
            let versions: Vec<Value> = versions
                .map(|one| json!({"name": one["name"], "served": one["served"], "storage": one["storage"]}))
                .collect();
            let mut spec = json!({"versions": versions});
            if object.text(&["spec", "conversion", "strategy"]) == "Webhook" {
                spec["conversion"] = shown["spec"]["conversion"].clone();
            }
            shown["spec"] = spec;
        }
        "ClusterRole" if object.given(&["aggregationRule"]).is_some() => {
            shown["rules"] = json!("<aggregated>");
        }
        "ConfigMap" | "Secret" => {
            for field in ["data", "binaryData"] {
                let keys: Option<Vec<String>> =
                    object.get(field).and_then(Value::as_object).map(|data| data.keys().cloned().collect());
                shown.remove(&[field]);
                if let Some(keys) = keys {
                    shown.set(&[&format!("{field}Keys")], keys);
                }
            }
        }
        _ => {}
    }
    shown
}

fn owners(object: &mut Value) -> impl Iterator<Item = &mut Value> {
    object.pointer_mut("/metadata/ownerReferences").and_then(Value::as_array_mut).into_iter().flatten()
}

/// What differs, whatever the order.
pub(super) fn differences(seen: &[Value], recorded: &[Value]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open: Vec<Value> = seen.iter().filter_map(plain).collect();
    for row in recorded.iter().filter_map(plain) {
        let identity = |one: &Value| {
            let of_pod: &[&str] = if row.kind() == "Pod" { &["change"] } else { &[] };
            let fields = ["kind", "namespace", "name"].iter().chain(of_pod);
            fields.into_iter().all(|field| one.text(&[field]) == row.text(&[field]))
        };
        match open.iter().position(identity) {
            Some(index) => {
                let seen = open.remove(index);
                let name =
                    format!("{} {}/{}", row.text(&["kind"]), row.text(&["namespace"]), row.text(&["name"]));
                lines.extend(settled::fields(&name, &seen, &row));
            }
            None => lines.push(format!("missing {}", title(&row))),
        }
    }
    lines.extend(open.iter().map(|row| format!("extra {}", title(row))));
    lines
}

fn title(row: &Value) -> String {
    let parts = ["change", "kind", "namespace", "name"].map(|field| row.text(&[field]));
    format!("{} {}", parts.join(" "), row.get("fields").map(Value::to_string).unwrap_or_default())
}

/// A row without what the control plane decides; none if nothing is left of it.
fn plain(row: &Value) -> Option<Value> {
    let mut row = row.clone();
    let managers: Vec<Value> = row
        .list(&["managers"])
        .iter()
        .filter(|name| name.as_str().is_some_and(|name| is_operator(&name)))
        .cloned()
        .collect();
    if row.get("fields").is_some() || managers.is_empty() {
        row.remove(&["managers"]);
    } else {
        row["managers"] = Value::Array(managers);
    }
    if let Some(fields) = row.get_mut("fields").and_then(Value::as_object_mut) {
        for field in ["data", "binaryData"] {
            fields.remove(&format!("{field}Keys")).map(|keys| fields.insert(field.to_owned(), keys));
        }
    }
    let is_of_group = row.text(&["name"]).starts_with("olm.og.");
    for pointer in ["/rules", "/fields/rules"] {
        // What roles aggregate is a matter of the control plane.
        if row.pointer(pointer).is_some_and(|rules| is_of_group || rules == "<aggregated>" || rules.is_null())
        {
            let parent = if pointer == "/rules" { Some(&mut row) } else { row.get_mut("fields") };
            parent.and_then(|parent| parent.remove(&["rules"]));
        }
    }
    without_token_volume(&mut row);
    without_additions(&mut row);
    without_alongside(&mut row);
    let is_empty = row.get("fields").and_then(Value::as_object).is_some_and(Map::is_empty);
    (!is_empty).then_some(row)
}

/// What plug-ins and defaults of other clusters add: a toleration of pods, a field of Jobs. The order of owners is random, and which
/// pods of a catalog were made within a step, too.
fn without_additions(row: &mut Value) {
    if let Some(tolerations) = row.pointer_mut("/spec/tolerations").and_then(Value::as_array_mut) {
        tolerations.retain(|one| one["key"] != "node.kubernetes.io/memory-pressure");
    }
    if let Some(spec) = row.get_mut("spec").and_then(Value::as_object_mut) {
        spec.remove("manualSelector");
    }
    for pointer in ["/ownerReferences", "/fields/metadata.ownerReferences"] {
        if let Some(owners) = row.pointer_mut(pointer).and_then(Value::as_array_mut) {
            owners.sort_by_key(Value::to_string);
        }
    }
    if row.kind() == "Pod" {
        let name = row.text(&["name"]).split("<r").next().unwrap_or_default().to_owned();
        row["name"] = name.into();
    }
}

/// Definitions keep the names of ClusterServiceVersions that are gone for a while.
fn without_alongside(row: &mut Value) {
    let Some(fields) = row.get_mut("fields").and_then(Value::as_object_mut) else { return };
    let Some(annotations) = fields.get_mut("metadata.annotations").and_then(Value::as_object_mut) else {
        return;
    };
    annotations.retain(|key, _| !key.starts_with(fbc_olm_v0::names::INSTALLED_ALONGSIDE_PREFIX));
    if annotations.is_empty() {
        fields.remove("metadata.annotations");
    }
}

/// The volume with the token of a pod's account is made by admission, with a random name.
fn without_token_volume(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.retain(|item| !item.text(&["name"]).starts_with("kube-api-access-"));
            items.iter_mut().for_each(without_token_volume);
        }
        Value::Object(members) => {
            members.values_mut().for_each(without_token_volume);
            members.retain(|name, member| {
                !(["volumes", "volumeMounts"].contains(&name.as_str())
                    && member.as_array().is_some_and(Vec::is_empty))
            });
        }
        _ => {}
    }
}

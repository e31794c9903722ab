//! The fields of objects as the recordings show them: how each is read, and how it is written.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{Moment, SECOND};
use fbc_openshift::machine_config::GROUP as MACHINE_CONFIG;
use serde_json::{Value, json};

use super::{Suite, Time, moment};

/// Where a field of the recordings lies in an object.
fn path(suite: Suite, kind: &str, field: &str) -> Option<Vec<String>> {
    let fixed: &[&str] = match (kind, field) {
        (
            _,
            "labels" | "annotations" | "finalizers" | "deletionTimestamp" | "creationTimestamp" | "namespace",
        ) => {
            return Some(vec!["metadata".into(), field.into()]);
        }
        (_, "deletionGracePeriodSeconds" | "generation") => {
            return Some(vec!["metadata".into(), field.into()]);
        }
        ("Node", "providerID" | "taints" | "unschedulable") => {
            return Some(vec!["spec".into(), field.into()]);
        }
        ("Node", _) if suite == Suite::MachineConfig => {
            let key = match field.strip_prefix("annotations[") {
                Some(key) => key.trim_end_matches(']').to_owned(),
                None => format!("{MACHINE_CONFIG}/{field}"),
            };
            return Some(vec!["metadata".into(), "annotations".into(), key]);
        }
        ("Pod", "node") => &["spec", "nodeName"],
        ("Pod", "phase") => &["status", "phase"],
        ("Pod", "terminationGracePeriodSeconds") => &["spec", "terminationGracePeriodSeconds"],
        ("Machine", "providerID" | "lifecycleHooks" | "taints") => {
            return Some(vec!["spec".into(), field.into()]);
        }
        ("Machine", "nodeMetadata") => &["spec", "metadata"],
        ("Machine", "providerSpec") => &["spec", "providerSpec", "value"],
        ("Machine", "zone") => &["spec", "providerSpec", "value", "placement", "availabilityZone"],
        ("Machine", "instanceType") => &["spec", "providerSpec", "value", "instanceType"],
        (
            "Machine",
            "phase" | "addresses" | "providerStatus" | "lastUpdated" | "errorMessage" | "errorReason",
        ) => return Some(vec!["status".into(), field.into()]),
        ("Machine", "nodeRef") => &["status", "nodeRef", "name"],
        ("MachineSet", "replicas" | "selector" | "template" | "deletePolicy" | "minReadySeconds") => {
            return Some(vec!["spec".into(), field.into()]);
        }
        ("ControlPlaneMachineSet", "state" | "replicas") => return Some(vec!["spec".into(), field.into()]),
        ("ControlPlaneMachineSet", "strategy") => &["spec", "strategy", "type"],
        ("ClusterOperator", "versions") => &["status", "versions"],
        ("MachineConfigPool", "target") => &["spec", "configuration", "name"],
        ("MachineConfigPool", "configuration") => &["status", "configuration", "name"],
        ("MachineConfigPool", "paused" | "maxUnavailable" | "nodeSelector") => {
            return Some(vec!["spec".into(), field.into()]);
        }
        ("MachineConfigPool", _) if field.ends_with("Count") || field == "observedGeneration" => {
            return Some(vec!["status".into(), field.into()]);
        }
        ("MachineConfigNode", "desired") => &["spec", "configVersion", "desired"],
        ("MachineConfigNode", "statusConfigVersion") => &["status", "configVersion"],
        (_, "spec") => &["spec"],
        _ => return None,
    };
    Some(fixed.iter().map(|part| (*part).to_owned()).collect())
}

/// A field of an object as the recordings show it; nothing where it is empty.
pub(super) fn get(suite: Suite, kind: &str, object: &Object, field: &str) -> Option<Value> {
    let value = if let Some(condition) = condition_of(field) {
        let condition = object.condition(condition)?;
        if suite == Suite::MachineConfig && kind == "Node" {
            condition["status"].clone()
        } else if suite == Suite::RealMachines && kind == "Node" {
            // The agent there gives one reason, whatever the status.
            let mut condition = condition.clone();
            condition.set(&["reason"], "Fake");
            condition
        } else {
            condition.clone()
        }
    } else {
        match (kind, field) {
            ("Pod", "owner") => json!(object.controller()?.text(&["kind"])),
            (_, "owner") => owner(object.controller()?),
            (_, "ownerReferences") => object.owner_references().iter().map(owner).collect(),
            ("Pod", "emptyDir") => {
                json!(object.list(&["spec", "volumes"]).iter().any(|volume| volume.get("emptyDir").is_some()))
            }
            ("Node", "internalIP") => object.list(&["status", "addresses"]).first()?["address"].clone(),
            ("ControlPlaneMachineSet", "template") => return None,
            // A real API server taints new nodes; the stand-in of these recordings did not.
            ("Node", "taints") if suite != Suite::RealMachines => {
                let taints = object.list(&["spec", "taints"]).iter();
                taints.filter(|taint| taint["key"] != "node.kubernetes.io/not-ready").cloned().collect()
            }
            (_, "status") => {
                let mut status = object.get("status")?.clone();
                status.remove(&["conditions"]);
                status
            }
            _ => {
                let path = path(suite, kind, field)?;
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                object.at(&path)?.clone()
            }
        }
    };
    simplified(&times_as_spans(value))
}

fn owner(reference: &Value) -> Value {
    json!(format!("{}/{}", reference.text(&["kind"]), reference.text(&["name"])))
}

fn condition_of(field: &str) -> Option<&str> {
    field.strip_prefix("conditions[")?.strip_suffix(']')
}

/// A value without what is empty in it, since Go leaves that out in some places and writes it in others.
pub(super) fn simplified(value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(text) if text.is_empty() => None,
        Value::Number(number) if number.as_i64() == Some(0) => None,
        Value::Bool(false) => None,
        Value::Array(items) if items.is_empty() => None,
        Value::Object(members) => {
            let kept: serde_json::Map<String, Value> = members
                .iter()
                .filter(|(name, _)| {
                    !["type", "lastHeartbeatTime"].contains(&name.as_str()) || !members.contains_key("status")
                })
                .filter_map(|(name, value)| {
                    Some((name.clone(), simplified(value).or_else(|| is_label(value))?))
                })
                .collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        other => Some(other.clone()),
    }
}

/// Labels may be empty and say something.
fn is_label(value: &Value) -> Option<Value> {
    (value == "").then(|| value.clone()).filter(|_| false)
}

/// Times as `<+5s>`.
fn times_as_spans(value: Value) -> Value {
    match value {
        Value::String(text) => match Moment::parse(&text) {
            Some(time) => Value::String(span(time)),
            None => Value::String(text),
        },
        Value::Array(items) => items.into_iter().map(times_as_spans).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, times_as_spans(value))).collect()
        }
        other => other,
    }
}

fn span(time: Moment) -> String {
    let zero = moment(0);
    if time < zero {
        format!("<-{}s>", zero.since(time) / SECOND)
    } else {
        format!("<+{}s>", time.since(zero) / SECOND)
    }
}

/// Seconds of a time as the recordings write it.
pub(super) fn seconds(text: &str) -> Option<Time> {
    text.strip_prefix('<')?.strip_suffix("s>")?.trim_start_matches('+').parse().ok()
}

fn spans_as_times(value: &Value) -> Value {
    match value {
        Value::String(text) => match seconds(text) {
            Some(seconds) => json!(moment(seconds * 1000).to_string()),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(spans_as_times).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), spans_as_times(value))).collect()
        }
        other => other.clone(),
    }
}

/// Writes a field as the recordings show it.
pub(super) fn set(suite: Suite, kind: &str, object: &mut Object, field: &str, value: &Value) {
    let value = spans_as_times(value);
    if let Some(condition_type) = condition_of(field) {
        let mut conditions = object.list(&["status", "conditions"]).to_vec();
        conditions.retain(|condition| condition["type"] != condition_type);
        let mut condition = if value.is_string() { json!({"status": value}) } else { value };
        condition.set(&["type"], condition_type);
        if condition.get("lastTransitionTime").is_none() {
            condition.set(&["lastTransitionTime"], moment(0).to_string());
        }
        conditions.push(condition);
        object.set(&["status", "conditions"], conditions);
        return;
    }
    match (kind, field) {
        ("Pod", "owner") => {
            let name = object.name().rsplit_once('-').map_or("owner", |(prefix, _)| prefix).to_owned();
            let owner = json!({
                "apiVersion": "apps/v1", "kind": value, "name": name, "uid": format!("uid-of-{name}"), "controller": true,
            });
            object.set(&["metadata", "ownerReferences"], json!([owner]));
        }
        ("Pod", "emptyDir") => {
            object.set(&["spec", "volumes"], json!([{"name": "scratch", "emptyDir": {}}]));
        }
        ("Node", "internalIP") => {
            object.set(&["status", "addresses"], json!([{"type": "InternalIP", "address": value}]));
        }
        ("ControlPlaneMachineSet", "template") => control_plane_template(object, &value),
        ("Machine", "nodeRef") => {
            let uid = format!("uid of {}", value.as_str().unwrap_or_default());
            object.set(&["status", "nodeRef"], json!({"kind": "Node", "name": value, "uid": uid}));
        }
        (_, "owner" | "ownerReferences" | "deletionTimestamp" | "creationTimestamp" | "generation") => {}
        (_, "status") => {
            let conditions = object.at(&["status", "conditions"]).cloned();
            object.set(&["status"], value);
            if let Some(conditions) = conditions {
                object.set(&["status", "conditions"], conditions);
            }
        }
        _ => {
            let Some(path) = path(suite, kind, field) else { return };
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            if value.is_null() {
                object.remove(&path);
            } else {
                object.set(&path, value);
            }
        }
    }
}

/// Failure domains and the provider's part of a control plane machine set.
fn control_plane_template(object: &mut Object, value: &Value) {
    let zones = value.list(&["zones"]).iter().map(|zone| json!({"placement": {"availabilityZone": zone}}));
    let kept = object.at(&["spec", "template"]).cloned().unwrap_or_default();
    let domains: Vec<Value> = zones.collect();
    let inner = ["spec", "template", "machines_v1beta1_machine_openshift_io"];
    object.set(&["spec", "template"], kept);
    object.set(&["spec", "template", "machineType"], "machines_v1beta1_machine_openshift_io");
    if !domains.is_empty() {
        object.place(&inner).set(&["failureDomains"], json!({"platform": "AWS", "aws": domains}));
    }
    object.place(&inner).set(&["metadata"], json!({"labels": control_plane_labels()}));
    let specification = object.place(&inner).place(&["spec", "providerSpec", "value"]);
    specification.set(&["instanceType"], value["instanceType"].clone());
}

/// The labels of the machines of the control plane.
pub(super) fn control_plane_labels() -> Value {
    json!({
        "machine.openshift.io/cluster-api-cluster": "c1",
        "machine.openshift.io/cluster-api-machine-role": "master",
        "machine.openshift.io/cluster-api-machine-type": "master",
    })
}

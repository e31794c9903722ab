//! What the API server assumes of built-in kinds where nothing is said.
//!
//! Sources: `kubernetes/kubernetes:pkg/apis/*/v1/defaults.go`.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::pod_defaults::default_pod_spec;
use crate::object::{Object, ObjectFields};

/// A place to fill: the steps to it, where an empty step stands for every item of a list, and the value.
type Assumption = (Vec<&'static str>, Value);

static TABLE: LazyLock<HashMap<&'static str, Vec<Assumption>>> = LazyLock::new(|| {
    let mut table: HashMap<&str, Vec<Assumption>> = HashMap::new();
    let text = include_str!("builtin.defaults");
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut columns = line.splitn(3, ' ');
        let mut next = || columns.next().unwrap_or_default();
        let (kind, place, value) = (next(), next(), next());
        let steps = place.split('.').flat_map(|step| match step.strip_suffix("[]") {
            Some(list) => vec![list, ""],
            None => vec![step],
        });
        let value = serde_json::from_str(value).unwrap_or_default();
        table.entry(kind).or_default().push((steps.collect(), value));
    }
    table
});

/// Fills what the table assumes of a kind, or of a part such as `PodSpec`.
pub(super) fn assume(part: &str, value: &mut Value) {
    for (steps, assumed) in TABLE.get(part).into_iter().flatten() {
        fill(value, steps, assumed);
    }
}

fn fill(value: &mut Value, steps: &[&str], assumed: &Value) {
    match (steps, value) {
        (["", rest @ ..], Value::Array(items)) => {
            for item in items {
                fill(item, rest, assumed);
            }
        }
        ([name], Value::Object(members)) => {
            // Fields of text that are always written are empty where nothing was said.
            if assumed.is_string() && members.get(*name).is_some_and(|value| value == "") {
                members.remove(*name);
            }
            set_absent(members, name, || assumed.clone());
        }
        ([name, rest @ ..], Value::Object(members)) => {
            if let Some(below) = members.get_mut(*name) {
                fill(below, rest, assumed);
            }
        }
        _ => {}
    }
}

/// Sets a member that is absent or null.
pub(super) fn set_absent(members: &mut Map<String, Value>, name: &str, value: impl FnOnce() -> Value) {
    if members.get(name).is_none_or(Value::is_null) {
        members.insert(name.to_owned(), value());
    }
}

/// Fills in what is assumed of an object of a built-in kind. Nothing is added to other kinds.
pub fn default(object: &mut Object) {
    let kind = object.kind().to_owned();
    assume(&kind, object);
    match kind.as_str() {
        "Pod" => {
            default_requests(object);
            default_pod_spec(object.place(&["spec"]));
        }
        "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet" | "Job" | "ReplicationController" => {
            workload(&kind, object);
        }
        "CronJob" => default_pod_spec(object.place(&["spec", "jobTemplate", "spec", "template", "spec"])),
        "PodTemplate" => default_pod_spec(object.place(&["template", "spec"])),
        "Service" => service(object),
        "Secret" => secret(object),
        "Namespace" => namespace(object),
        "NetworkPolicy" => network_policy(object),
        "RoleBinding" | "ClusterRoleBinding" => subjects(object),
        _ => {}
    }
}

fn workload(kind: &str, object: &mut Object) {
    let rolling = match kind {
        "Deployment" => Some(("strategy", json!({"maxUnavailable": "25%", "maxSurge": "25%"}))),
        "DaemonSet" => Some(("updateStrategy", json!({"maxUnavailable": 1, "maxSurge": 0}))),
        "StatefulSet" => Some(("updateStrategy", json!({"partition": 0}))),
        _ => None,
    };
    if let Some((field, parameters)) = rolling
        && object.text(&["spec", field, "type"]) == "RollingUpdate"
        && let Value::Object(strategy) = object.place(&["spec", field])
    {
        set_absent(strategy, "rollingUpdate", || json!({}));
        if let (Some(Value::Object(given)), Value::Object(parameters)) =
            (strategy.get_mut("rollingUpdate"), parameters)
        {
            for (name, value) in parameters {
                set_absent(given, &name, || value);
            }
        }
    }
    if kind == "Job"
        && let Value::Object(spec) = object.place(&["spec"])
    {
        let is_absent = |name: &str| spec.get(name).is_none_or(Value::is_null);
        // Without either, one pod is to complete; with only a parallelism, any pod decides.
        if is_absent("completions") && is_absent("parallelism") {
            spec.insert("completions".to_owned(), 1.into());
        }
        set_absent(spec, "parallelism", || 1.into());
        let has_policy = spec.get("podFailurePolicy").is_some_and(|policy| !policy.is_null());
        set_absent(spec, "podReplacementPolicy", || {
            if has_policy { "Failed" } else { "TerminatingOrFailed" }.into()
        });
    }
    default_pod_spec(object.place(&["spec", "template", "spec"]));
}

/// Limits of containers of pods are requests too, where these are not given.
fn default_requests(pod: &mut Object) {
    for list in ["containers", "initContainers"] {
        let Value::Array(containers) = pod.place(&["spec", list]) else {
            pod.remove(&["spec", list]);
            continue;
        };
        for container in containers {
            let limits = container.at(&["resources", "limits"]).and_then(Value::as_object).cloned();
            let Some(limits) = limits else { continue };
            let requests = container.place(&["resources", "requests"]);
            if !requests.is_object() {
                *requests = json!({});
            }
            if let Value::Object(requests) = requests {
                for (resource, limit) in limits {
                    set_absent(requests, &resource, || limit);
                }
            }
        }
    }
}

fn service(object: &mut Object) {
    let kind = object.text(&["spec", "type"]).to_owned();
    let Value::Object(spec) = object.place(&["spec"]) else { return };
    for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::Object(port) = port {
            let number = port.get("port").cloned().unwrap_or_default();
            let is_zero = |value: &Value| value == &json!(0) || value == &json!("");
            if port.get("targetPort").is_none_or(|target| target.is_null() || is_zero(target)) {
                port.insert("targetPort".to_owned(), number);
            }
        }
    }
    if kind == "ExternalName" {
        spec.remove("internalTrafficPolicy");
        return;
    }
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        set_absent(spec, "externalTrafficPolicy", || "Cluster".into());
    }
    if kind == "LoadBalancer" {
        set_absent(spec, "allocateLoadBalancerNodePorts", || true.into());
    }
    set_absent(spec, "ipFamilies", || json!(["IPv4"]));
    set_absent(spec, "ipFamilyPolicy", || "SingleStack".into());
}

/// What is given as text is kept as bytes.
fn secret(object: &mut Object) {
    let Some(Value::Object(texts)) = object.remove(&["stringData"]) else { return };
    for (key, text) in texts {
        let bytes = fbc_go::base64::encode(text.as_str().unwrap_or_default().as_bytes());
        object.set(&["data", &key], bytes);
    }
}

fn namespace(object: &mut Object) {
    let name = object.name().to_owned();
    if !name.is_empty() {
        object.set(&["metadata", "labels", "kubernetes.io/metadata.name"], name);
    }
    if object.text(&["status", "phase"]).is_empty() {
        object.set(&["status", "phase"], "Active");
    }
}

fn network_policy(object: &mut Object) {
    let Value::Object(spec) = object.place(&["spec"]) else { return };
    let has_egress = spec.get("egress").and_then(Value::as_array).is_some_and(|rules| !rules.is_empty());
    let types = if has_egress { json!(["Ingress", "Egress"]) } else { json!(["Ingress"]) };
    set_absent(spec, "policyTypes", || types);
}

fn subjects(object: &mut Object) {
    let Some(Value::Array(subjects)) = object.get_mut("subjects") else { return };
    for subject in subjects {
        if matches!(subject.text(&["kind"]), "User" | "Group") && subject.text(&["apiGroup"]).is_empty() {
            subject.set(&["apiGroup"], "rbac.authorization.k8s.io");
        }
    }
}

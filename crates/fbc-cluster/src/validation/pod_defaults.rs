//! What is assumed of pods and pod templates.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/v1/defaults.go`.

use serde_json::{Value, json};

use super::defaults::{assume, set_absent};
use crate::object::ObjectFields;

/// Fills in what is assumed of a pod specification; what is none stays.
pub(super) fn default_pod_spec(spec: &mut Value) {
    if !spec.is_object() {
        return;
    }
    for volume in items(spec, "volumes") {
        // A volume that does not say what it is, is empty.
        if volume.as_object().is_some_and(|members| members.len() == 1 && members.contains_key("name")) {
            volume.set(&["emptyDir"], json!({}));
        }
        if let Some(Value::Object(image)) = volume.get_mut("image") {
            let policy = pull_policy(image.get("reference").and_then(Value::as_str).unwrap_or_default());
            set_absent(image, "pullPolicy", || policy.into());
        }
    }
    assume("PodSpec", spec);
    let on_host = spec["hostNetwork"] == true;
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in items(spec, list) {
            default_container(container, on_host);
        }
    }
    // The old name of the field is kept in step.
    let account = match spec.text(&["serviceAccountName"]) {
        "" => spec.text(&["serviceAccount"]),
        name => name,
    };
    if !account.is_empty() {
        let account = account.to_owned();
        spec.set(&["serviceAccountName"], account.clone());
        spec.set(&["serviceAccount"], account);
    }
}

fn items<'v>(value: &'v mut Value, list: &str) -> impl Iterator<Item = &'v mut Value> {
    value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten()
}

fn default_container(container: &mut Value, on_host: bool) {
    if !container.is_object() {
        return;
    }
    assume("Container", container);
    let policy = pull_policy(container.text(&["image"]));
    if let Value::Object(members) = container {
        set_absent(members, "imagePullPolicy", || policy.into());
    }
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = container.get_mut(probe) {
            assume("Probe", probe);
        }
    }
    if on_host {
        for port in items(container, "ports") {
            let number = port.get("containerPort").cloned().unwrap_or_default();
            if let Value::Object(port) = port {
                set_absent(port, "hostPort", || number);
            }
        }
    }
}

/// Images that may move are always pulled.
fn pull_policy(image: &str) -> &'static str {
    if image.contains('@') {
        return "IfNotPresent";
    }
    let last = image.rsplit('/').next().unwrap_or_default();
    match last.split_once(':') {
        None | Some((_, "latest")) => "Always",
        Some(_) => "IfNotPresent",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pull_policies_follow_from_images() {
        for (image, policy) in [
            ("nginx", "Always"),
            ("nginx:latest", "Always"),
            ("nginx:1", "IfNotPresent"),
            ("localhost:5000/nginx", "Always"),
            ("nginx@sha256:00", "IfNotPresent"),
        ] {
            assert_eq!(pull_policy(image), policy, "{image}");
        }
    }
}

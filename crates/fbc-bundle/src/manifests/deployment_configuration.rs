//! What the inline configuration changes in deployments.
//!
//! Source: `operator-framework/operator-controller:…/render/registryv1/generators/generators.go`
//! (`applyCustomConfigToDeployment`). The configuration has been converted to its Go type.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::configuration::Configuration;
use super::deployments::{pod_spec, text};
use super::json::{change_list, each, member};

/// The parts of an affinity, each replaced on its own.
const AFFINITIES: [&str; 3] = ["nodeAffinity", "podAffinity", "podAntiAffinity"];

/// Applies a configuration.
pub(super) fn apply(deployment: &mut Value, configuration: &Configuration) {
    let Some(wanted) = configuration.deployment() else { return };
    let pod = pod_spec(deployment);
    for container in each(pod, "containers") {
        override_by_name(container, "env", wanted);
        append_new(container, "envFrom", wanted);
        override_by_name(container, "volumeMounts", wanted);
        if let Some(resources) = wanted.get("resources") {
            *member(container, "resources") = resources.clone();
        }
    }
    override_by_name(pod, "volumes", wanted);
    append_new(pod, "tolerations", wanted);
    if let Some(selector) = wanted.get("nodeSelector") {
        *member(pod, "nodeSelector") = selector.clone();
    }
    if let Some(affinity) = wanted.get("affinity") {
        apply_affinity(member(pod, "affinity"), affinity);
    }
    if let Some(annotations) = wanted.get("annotations").and_then(Value::as_object) {
        add_missing(member(member(deployment, "metadata"), "annotations"), annotations);
        let template = member(member(deployment, "spec"), "template");
        add_missing(member(member(template, "metadata"), "annotations"), annotations);
    }
}

fn listed<'v>(wanted: &'v Value, key: &str) -> &'v [Value] {
    wanted.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Items replace those of the same name, or come behind all others.
fn override_by_name(owner: &mut Value, key: &str, wanted: &Value) {
    let wanted = listed(wanted, key);
    if wanted.is_empty() {
        return;
    }
    change_list(owner, key, |existing| {
        // Of several items of one name the last counts, and new ones are not looked at.
        let places: BTreeMap<String, usize> =
            existing.iter().enumerate().map(|(place, item)| (text(item, "name").to_owned(), place)).collect();
        for item in wanted {
            match places.get(text(item, "name")).and_then(|place| existing.get_mut(*place)) {
                Some(found) => *found = item.clone(),
                None => existing.push(item.clone()),
            }
        }
    });
}

/// Items come behind all others unless an equal one is there.
fn append_new(owner: &mut Value, key: &str, wanted: &Value) {
    let wanted = listed(wanted, key);
    if wanted.is_empty() {
        return;
    }
    change_list(owner, key, |existing| {
        for item in wanted {
            if !existing.contains(item) {
                existing.push(item.clone());
            }
        }
    });
}

/// An empty affinity erases; otherwise each part that is given replaces its like, or erases it if empty.
fn apply_affinity(affinity: &mut Value, wanted: &Value) {
    let parts = AFFINITIES.iter().filter_map(|part| Some((*part, wanted.get(*part)?)));
    let mut changed = affinity.as_object().cloned().unwrap_or_default();
    let mut is_erased = true;
    for (part, value) in parts {
        is_erased = false;
        if is_empty(value) {
            changed.remove(part);
        } else {
            changed.insert(part.to_owned(), value.clone());
        }
    }
    let rest_is_empty = AFFINITIES.iter().all(|part| changed.get(*part).is_none_or(is_empty));
    *affinity = if is_erased || rest_is_empty { Value::Null } else { Value::Object(changed) };
}

/// Whether a part of an affinity asks for nothing.
fn is_empty(part: &Value) -> bool {
    let is_empty_list = |key: &str| listed(part, key).is_empty();
    let required = part.get("requiredDuringSchedulingIgnoredDuringExecution");
    let is_free = match required {
        Some(Value::Object(selector)) => {
            selector.get("nodeSelectorTerms").and_then(Value::as_array).is_none_or(Vec::is_empty)
        }
        _ => is_empty_list("requiredDuringSchedulingIgnoredDuringExecution"),
    };
    is_free && is_empty_list("preferredDuringSchedulingIgnoredDuringExecution")
}

fn add_missing(annotations: &mut Value, wanted: &Map<String, Value>) {
    for (key, value) in wanted {
        if annotations.get(key).is_none() {
            *member(annotations, key) = value.clone();
        }
    }
}

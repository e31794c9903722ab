//! What two recordings of one scenario do not agree on, taken out of states: the list in the README of the recordings.

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

/// How the label of all parts of an operator begins.
const COMPONENT: &str = "operators.coreos.com/";

/// States without noise. What was recorded says which noise there may be, so do the states on the other side.
pub(super) fn without(
    states: &[Object],
    others: &[Object],
    recorded: &[Value],
    is_capped: bool,
) -> Vec<Value> {
    let same = |state: &Object| {
        let mut others = others.iter();
        others.find(|other| other.kind() == state.kind() && other.object_name() == state.object_name())
    };
    states
        .iter()
        .map(|state| {
            let mut plain = plain(state, states, recorded);
            if state.kind() == "ClusterServiceVersion" {
                if let Some(other) = same(state) {
                    without_accounts(&mut plain, other);
                }
                if is_capped {
                    without_course(&mut plain);
                }
            }
            if state.kind() == "Operator" && is_capped {
                without_conditions(&mut plain);
            }
            plain
        })
        .collect()
}

/// *Passing through*: accounts are among the requirements or not, as it was at the last check.
fn without_accounts(version: &mut Value, other: &Object) {
    let is_account = |one: &Value| one.text(&["kind"]) == "ServiceAccount";
    let has = |version: &Value| version.list(&["status", "requirementStatus"]).iter().any(is_account);
    if has(version) == has(other) {
        return;
    }
    if let Some(list) = version.pointer_mut("/status/requirementStatus").and_then(Value::as_array_mut) {
        list.retain(|one| !is_account(one));
    }
}

/// A loop that was cut off: where it was is chance, what comes by is not.
fn without_course(version: &mut Value) {
    for field in ["phase", "reason", "message"] {
        version.remove(&["status", field]);
    }
    if let Some(history) = version.pointer_mut("/status/conditions").and_then(Value::as_array_mut) {
        history.sort_by_key(Value::to_string);
        history.dedup();
    }
}

/// A loop that was cut off shows in references, too.
fn without_conditions(operator: &mut Value) {
    let references = operator.pointer_mut("/status/components/refs").and_then(Value::as_array_mut);
    for reference in references.into_iter().flatten().filter(|one| one.kind() == "ClusterServiceVersion") {
        reference.remove(&["conditions"]);
    }
}

/// What was printed and what was recorded: that kubectl is an older one, ages are no part of the recording, and names that were
/// made up come in another order, packages in any. Which pods of a catalog were made within a step is chance.
pub(super) fn printed(seen: &str, recorded: &str) -> (Vec<String>, Vec<String>) {
    let is_aged = recorded.contains("<age>");
    let plain = |line: &str| {
        let mut line = line.to_owned();
        if line.starts_with("pod ")
            && let Some((name, rest)) = line.split_once("<r")
            && let Some((_, rest)) = rest.split_once('>')
        {
            line = format!("{name}{rest}");
        }
        if let Some((object, _)) = line.split_once(" deleted from ") {
            line = format!("{object} deleted");
        }
        match line.rsplit_once(' ') {
            Some((before, age)) if is_aged && age.ends_with(|one: char| "smhd".contains(one)) => {
                format!("{before} <age>")
            }
            _ => line,
        }
    };
    let lines = |text: &str| {
        let mut lines: Vec<String> = text.trim_end().lines().map(plain).collect();
        let is_of_packages = lines.first().is_some_and(|line| line.contains("CATALOG"));
        if is_of_packages || lines.iter().all(|line| line.ends_with(" deleted")) {
            lines.sort();
        }
        lines
    };
    (lines(seen), lines(recorded))
}

fn plain(state: &Object, states: &[Object], recorded: &[Value]) -> Value {
    let mut plain = state.clone();
    match state.kind() {
        "InstallPlan" => plain_plan(&mut plain, states),
        "Subscription" => plain_subscription(&mut plain, recorded),
        "ClusterServiceVersion" => plain_version(&mut plain),
        "Operator" => plain_operator(&mut plain, states),
        // It was made by kubectl apply.
        "OLMConfig" => {
            plain.remove(&["metadata", "annotations"]);
        }
        _ => {}
    }
    plain
}

/// *Created or Present*, *Numbers*, *Labels of Operators*.
fn plain_plan(plan: &mut Value, states: &[Object]) {
    if !is_newest(plan, states) {
        without_component_labels(plan);
    }
    sort(plan.pointer_mut("/spec/clusterServiceVersionNames"));
    sort(plan.pointer_mut("/status/catalogSources"));
    if let Some(steps) = plan.pointer_mut("/status/plan").and_then(Value::as_array_mut) {
        for step in steps.iter_mut() {
            if ["Created", "Present"].contains(&step.text(&["status"])) {
                step["status"] = json!("Present");
            }
            let manifest = step.text(&["resource", "manifest"]);
            if let Ok(manifest) = serde_json::from_str::<Value>(manifest) {
                step.set(&["resource", "manifest"], manifest);
            }
        }
        steps.sort_by_key(|step| ["kind", "name"].map(|field| step.text(&["resource", field]).to_owned()));
    }
}

fn sort(list: Option<&mut Value>) {
    if let Some(items) = list.and_then(Value::as_array_mut) {
        items.sort_by_key(Value::to_string);
    }
}

fn is_newest(plan: &Value, states: &[Object]) -> bool {
    let generation = |one: &Value| one.number(&["spec", "generation"]).unwrap_or_default();
    let others =
        states.iter().filter(|one| one.kind() == "InstallPlan" && one.namespace() == plan.namespace());
    others.map(generation).max().is_none_or(|newest| generation(plan) == newest)
}

fn without_component_labels(object: &mut Value) {
    let Some(labels) = object.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) else { return };
    labels.retain(|key, _| !key.starts_with(COMPONENT));
    if labels.is_empty() {
        object.remove(&["metadata", "labels"]);
    }
}

/// *Two writers of one condition*, *Resolution during an upgrade*.
fn plain_subscription(subscription: &mut Value, recorded: &[Value]) {
    let installed = subscription.text(&["status", "installedCSV"]).to_owned();
    let namespace = subscription.namespace().to_owned();
    let find = |kind: &str, name: &str| {
        let mut all = recorded.iter();
        all.find(|one| one.kind() == kind && one.namespace() == namespace && one.name() == name).cloned()
    };
    let succeeded = find("ClusterServiceVersion", &installed)
        .is_some_and(|version| version.text(&["status", "phase"]) == "Succeeded");
    let is_generated = subscription.annotation("olm.generated-by").is_some();
    let plan = subscription.text(&["status", "installPlanRef", "name"]).to_owned();
    let complete =
        find("InstallPlan", &plan).is_some_and(|plan| plan.text(&["status", "phase"]) == "Complete");
    let Some(conditions) = subscription.pointer_mut("/status/conditions").and_then(Value::as_array_mut)
    else {
        return;
    };
    conditions.retain(|condition| {
        let (of, message) = (condition.text(&["type"]), condition.text(&["message"]));
        let transient = message.contains("originate from package") || message.contains(" provide ");
        !((of == "ResolutionFailed" && succeeded && transient)
            || (of == "InstallPlanPending" && (complete || is_generated))
            || (of == "BundleUnpacking" && complete))
    });
    // Which of the two texts it is, is chance.
    for condition in conditions {
        let message = condition.text(&["message"]);
        let cut = [" originate from package ", " provide "].iter().find_map(|text| message.split_once(text));
        if let Some((before, after)) = cut {
            let after = after.split_once(", ").map(|(_, after)| after).unwrap_or_default();
            condition["message"] = format!("{before} meet, {after}").into();
        }
    }
}

/// *Passing through*, *Failed on the way up*; which of two groups is noted; certificates whose times were lost in a conflict.
fn plain_version(version: &mut Value) {
    for field in ["certsLastUpdated", "certsRotateAt"] {
        version.remove(&["status", field]);
    }
    if version.text(&["status", "reason"]) == "TooManyOperatorGroups" {
        version.remove(&["metadata", "annotations", "olm.operatorGroup"]);
    }
    let phase = version.text(&["status", "phase"]).to_owned();
    let is_up = ["InstallReady", "Installing", "Succeeded", "Replacing"].contains(&phase.as_str());
    if is_up
        && let Some(requirements) =
            version.pointer_mut("/status/requirementStatus").and_then(Value::as_array_mut)
    {
        requirements.retain(|one| one.text(&["kind"]) != "ServiceAccount");
    }
    let Some(history) = version.pointer_mut("/status/conditions").and_then(Value::as_array_mut) else {
        return;
    };
    let reason = |entry: &Value| entry.text(&["reason"]).to_owned();
    let mut plain: Vec<Value> = Vec::new();
    let last = history.len().saturating_sub(1);
    for (index, entry) in history.iter().enumerate() {
        let is_passed = ["RequirementsNotMet", "InstallWaiting"].contains(&reason(entry).as_str());
        if is_passed && index != last && entry.text(&["phase"]) != "Failed" {
            continue;
        }
        let is_unmet = entry.text(&["phase"]) == "Failed" && reason(entry) == "RequirementsNotMet";
        if is_unmet && phase == "Succeeded" && index != last {
            // Up again as before: from here to the next success nothing counts.
            plain.push(Value::Null);
            continue;
        }
        plain.push(entry.clone());
    }
    while let Some(start) = plain.iter().position(Value::is_null) {
        let rest = plain.iter().skip(start);
        let Some(length) = rest.map(|one| one.text(&["phase"]).to_owned()).position(|of| of == "Succeeded")
        else {
            plain.remove(start);
            continue;
        };
        plain.drain(start..=start + length);
    }
    *history = plain;
}

/// References to older plans come and go with their labels.
fn plain_operator(operator: &mut Value, states: &[Object]) {
    let Some(references) = operator.pointer_mut("/status/components/refs").and_then(Value::as_array_mut)
    else {
        return;
    };
    references.retain(|reference| {
        let plan = states.iter().find(|one| {
            one.kind() == "InstallPlan"
                && reference.text(&["kind"]) == "InstallPlan"
                && one.namespace() == reference.text(&["namespace"])
                && one.name() == reference.text(&["name"])
        });
        plan.is_none_or(|plan| is_newest(plan, states))
    });
    for reference in references {
        if let Some(conditions) = reference.get_mut("conditions").and_then(Value::as_array_mut) {
            // As in the Subscription itself, where they are compared.
            let of_subscription = ["InstallPlanPending", "BundleUnpacking", "ResolutionFailed"];
            conditions.retain(|one| !of_subscription.contains(&one.text(&["type"])));
        }
    }
}

//! Functions that decide: which machines go, which are unhealthy, which hooks may change.

use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{Moment, SECOND};
use serde_json::{Value, json};

use crate::machines::health::{NodeOf, Verdict, max_unhealthy, verdict};
use crate::machines::{deletion_order, hooks};
use crate::recorded::{compare, unequal};

fn ago(seconds: &Value) -> String {
    let seconds = seconds.as_i64().unwrap();
    let span = seconds.unsigned_abs() * SECOND;
    if seconds < 0 { Moment::START + span } else { Moment::START - span }.to_string()
}

#[test]
fn order_of_deletion() {
    compare(
        "machines/vectors/delete-priority.json",
        |case| {
            let machines: Vec<Arc<Object>> =
                case["machines"].as_array().unwrap().iter().map(machine).collect();
            let count = usize::try_from(case["delete"].as_u64().unwrap()).unwrap();
            let policy = match deletion_order::Policy::parse(case["policy"].as_str().unwrap()) {
                Ok(policy) => policy,
                Err(error) => return unequal("error", &json!(error.to_string()), &case["error"]),
            };
            let priorities: Vec<f64> =
                machines.iter().map(|machine| policy.priority(machine, Moment::START)).collect();
            let theirs: Vec<f64> = case["priorities"]
                .as_array()
                .unwrap()
                .iter()
                .map(|number| number.as_f64().unwrap())
                .collect();
            if priorities.iter().zip(&theirs).any(|(one, other)| (one - other).abs() > 1e-9) {
                return Some(format!("priorities {priorities:?}, theirs {theirs:?}"));
            }
            let chosen = deletion_order::choose(&machines, count, policy, Moment::START);
            let ours: Value = chosen.iter().map(|machine| machine.name()).collect();
            unequal("chosen", &ours, &case["chosen"])
        },
        &[],
    );
}

fn machine(described: &Value) -> Arc<Object> {
    let mut machine = json!({
        "metadata": {"name": described["name"], "creationTimestamp": ago(&described["age_s"])},
        "status": {},
    });
    let annotations = ["metadata", "annotations"];
    for (field, key) in [
        ("delete_machine", "machine.openshift.io/delete-machine"),
        ("cluster_api_delete_machine", "machine.openshift.io/cluster-api-delete-machine"),
    ] {
        if let Some(value) = described.get(field) {
            machine.place(&annotations)[key] = value.clone();
        }
    }
    if described.get("delete_machine_present").is_some() {
        machine.place(&annotations)["machine.openshift.io/delete-machine"] = json!("");
    }
    if described["no_node"] != true {
        machine.set(&["status", "nodeRef"], json!({"name": "n"}));
    }
    if described["deleting"] == true {
        machine.set(&["metadata", "deletionTimestamp"], Moment::START.to_string());
    }
    match described["failed"].as_str() {
        Some("message") => machine.set(&["status", "errorMessage"], "broken"),
        Some(_) => machine.set(&["status", "errorReason"], "CreateError"),
        None => {}
    }
    Arc::new(machine)
}

#[test]
fn limits_of_health_checks() {
    compare(
        "machines/vectors/max-unhealthy.json",
        |case| {
            let mut check = json!({"spec": {}});
            if !case["maxUnhealthy"].is_null() {
                check.set(&["spec", "maxUnhealthy"], case["maxUnhealthy"].clone());
            }
            let number = |field: &str| usize::try_from(case[field].as_u64().unwrap()).unwrap();
            let ours = match max_unhealthy(&check, number("total")) {
                Ok(max) => json!([max, number("unhealthy") <= max, null]),
                Err(error) => json!([0, false, error.to_string()]),
            };
            unequal(&case.to_string(), &ours, &json!([case["max"], case["allowed"], case["error"]]))
        },
        &[],
    );
}

#[test]
fn machines_that_need_remediation() {
    compare(
        "machines/vectors/needs-remediation.json",
        |case| {
            let given = &case["in"];
            let mut machine = json!({"status": {"phase": given["phase"]}});
            if !given["last_updated_age_s"].is_null() {
                machine.set(&["status", "lastUpdated"], ago(&given["last_updated_age_s"]));
            }
            let unhealthy: Vec<Value> = given["unhealthy_conditions"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|one| json!({"type": one[0], "status": one[1], "timeout": format!("{}s", one[2])}))
                .collect();
            let check = json!({"spec": {
                "nodeStartupTimeout": format!("{}s", given["node_startup_timeout_s"]),
                "unhealthyConditions": unhealthy,
            }});
            let conditions: Vec<Value> = given["node_conditions"]
                .as_object()
                .into_iter()
                .flatten()
                .map(
                    |(name, one)| json!({"type": name, "status": one[0], "lastTransitionTime": ago(&one[1])}),
                )
                .collect();
            let node = json!({"status": {"conditions": conditions}});
            let node = match given["node"].as_str().unwrap() {
                "none" => NodeOf::None,
                "missing" => NodeOf::Missing,
                _ => NodeOf::Present(&node),
            };
            let ours = match verdict(&check, &machine, node, Moment::START) {
                Verdict::Fine => json!([false, 0]),
                Verdict::Waiting(wait) => json!([false, wait / SECOND]),
                Verdict::Unhealthy => json!([true, 0]),
            };
            unequal(&given.to_string(), &ours, &json!([case["needs_remediation"], case["next_check_s"]]))
        },
        &[],
    );
}

/// Vector 15
#[test]
fn changes_of_hooks() {
    compare(
        "machines/vectors/hooks-admission.json",
        |case| {
            let machine = |described: &Value| {
                let mut machine = json!({"spec": {"lifecycleHooks": {}}, "metadata": {}});
                for (list, hooks) in described.as_object().unwrap() {
                    let hooks: Vec<Value> = hooks.as_array().into_iter().flatten().map(hook).collect();
                    machine.set(&["spec", "lifecycleHooks", list], hooks);
                }
                machine
            };
            let mut before = machine(&case["old"]);
            if case["deleting"] == true {
                before.set(&["metadata", "deletionTimestamp"], Moment::START.to_string());
            }
            let ours: Value = hooks::refusals(&before, &machine(&case["new"]))
                .iter()
                .map(|error| error.to_string())
                .collect();
            unequal(&case.to_string(), &ours, &case["errors"])
        },
        &[],
    );
}

fn hook(text: &Value) -> Value {
    let (name, owner) = text.as_str().unwrap().split_once('=').unwrap();
    json!({"name": name, "owner": owner})
}

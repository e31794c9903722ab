//! The functions of the Machine Config Operator against recordings of the real ones.

use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{Moment, SECOND};
use serde_json::{Value, json};

use super::node_state::NodeState;
use super::*;
use crate::recorded::{compare, unequal};

/// A node as the recordings describe it.
fn node(described: &Value) -> Arc<Object> {
    let mut node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": described["name"]}});
    for (field, key) in [
        ("current", annotation::CURRENT_CONFIG),
        ("desired", annotation::DESIRED_CONFIG),
        ("state", annotation::STATE),
        ("reason", annotation::REASON),
    ] {
        if let Some(value) = described[field].as_str() {
            node.set(&["metadata", "annotations", key], value);
        }
    }
    for (field, value) in described["images"].as_object().into_iter().flatten() {
        node.set(&["metadata", "annotations", &format!("{GROUP}/{field}")], value.clone());
    }
    let mut conditions: Vec<Value> = described["conditions"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, status)| json!({"type": name, "status": status}))
        .collect();
    // The recordings have lost the order, which was this one.
    conditions.sort_by_key(|condition| condition["type"] != "Ready");
    node.set(&["status", "conditions"], conditions);
    if described["unschedulable"] == true {
        node.set(&["spec", "unschedulable"], true);
    }
    if let Some(zone) = described["zone"].as_str() {
        node.set(&["metadata", "labels", "topology.kubernetes.io/zone"], zone);
    }
    if let Some(labels) = described.get("labels") {
        node.set(&["metadata", "labels"], labels.clone());
    }
    let age = described["age_s"].as_u64().unwrap_or_default();
    node.set(&["metadata", "creationTimestamp"], (Moment::START - age * SECOND).to_string());
    Arc::new(node)
}

fn states(nodes: &[Arc<Object>]) -> Vec<Arc<NodeState>> {
    nodes.iter().map(|node| Arc::new(NodeState::new(node))).collect()
}

fn names<'s>(states: impl IntoIterator<Item = &'s Arc<NodeState>>) -> Value {
    states.into_iter().map(|state| state.node.name()).collect()
}

#[test]
fn states_of_nodes() {
    compare(
        "mco/vectors/node-state.json",
        |case| {
            let (node, target) = (node(&case["node"]), case["target"].as_str().unwrap());
            let state = NodeState::new(&node);
            let ours = json!({
                "candidate": state.needs(target),
                "degraded": state.is_degraded,
                "done": node_state::is_done(&node),
                "failing": state.is_failing,
                "ready_error": node_state::check_ready(&node).err().map(|unready| unready.to_string()),
                "unavailable": state.is_unavailable,
                "updated": state.is_updated(target),
            });
            let mut theirs = case.clone();
            theirs.as_object_mut().unwrap().retain(|field, _| !["node", "target"].contains(&field.as_str()));
            unequal(&case["node"].to_string(), &ours, &theirs)
        },
        &[],
    );
}

#[test]
fn numbers_of_nodes() {
    compare(
        "mco/vectors/max-unavailable.json",
        |case| {
            let pool = json!({"metadata": {"name": case["pool"]}, "spec": {"maxUnavailable": case["maxUnavailable"]}});
            let nodes = usize::try_from(case["nodes"].as_u64().unwrap()).unwrap();
            let ours = match candidates::max_unavailable(&pool, nodes) {
                Ok(number) => json!([number, null]),
                Err(error) => json!([0, error.to_string()]),
            };
            unequal(&case.to_string(), &ours, &json!([case["result"], case["error"]]))
        },
        &[],
    );
}

#[test]
fn pools_of_nodes() {
    compare(
        "mco/vectors/membership.json",
        |case| {
            let pools: Vec<Arc<Object>> =
                case["pools"].as_array().unwrap().iter().map(pool_of_role).collect();
            let node = node(&json!({"name": "<node>", "labels": case["labels"]}));
            let ours = match membership::pools_of(&node, &pools) {
                Ok(pools) if pools.is_empty() => json!([null, null]),
                Ok(pools) => json!([pools.iter().map(|pool| pool.name()).collect::<Value>(), null]),
                Err(error) => json!([null, error.to_string()]),
            };
            unequal(&case.to_string(), &ours, &json!([case["pools_of_node"], case["error"]]))
        },
        &[],
    );
}

fn pool_of_role(name: &Value) -> Arc<Object> {
    let role = format!("node-role.kubernetes.io/{}", name.as_str().unwrap());
    Arc::new(json!({
        "kind": "MachineConfigPool", "metadata": {"name": name},
        "spec": {"nodeSelector": {"matchLabels": {role: ""}}},
    }))
}

#[test]
fn order_of_nodes() {
    compare(
        "mco/vectors/node-order.json",
        |case| {
            let nodes: Vec<Arc<Object>> = case["nodes"].as_array().unwrap().iter().map(node).collect();
            let nodes = states(&nodes);
            // One more than there is room for makes the order count.
            let mut order = candidates::choose(nodes.clone(), nodes.len() - 1);
            let is_chosen = |state: &&Arc<NodeState>| order.iter().any(|chosen| Arc::ptr_eq(chosen, state));
            let last: Vec<_> = nodes.iter().filter(|state| !is_chosen(state)).cloned().collect();
            order.extend(last);
            let alike = |name: &Value| {
                let found =
                    case["nodes"].as_array().unwrap().iter().find(|node| node["name"] == *name).unwrap();
                json!([found["zone"], found["age_s"]])
            };
            // Nodes of one zone and age come in any order.
            let ours: Value = names(&order).as_array().unwrap().iter().map(alike).collect();
            let theirs: Value = case["order"].as_array().unwrap().iter().map(alike).collect();
            unequal(&case.to_string(), &ours, &theirs)
        },
        &[],
    );
}

#[test]
fn names_of_configurations() {
    compare(
        "mco/vectors/rendered-names.json",
        |case| {
            let text = |field: &str| case[field].as_str().unwrap();
            let ours = rendered_name::rendered_name(text("pool"), text("spec_yaml"));
            unequal(&case.to_string(), &json!(ours), &case["name"])
        },
        &[],
    );
}

#[test]
fn pools() {
    compare("mco/vectors/pools.json", |case| pool_difference(case, false), &[]);
}

#[test]
fn pools_with_reports_of_machine_config_nodes() {
    compare("mco/vectors/pools-image-mode-reporting.json", |case| pool_difference(case, true), &[]);
}

fn pool_difference(case: &Value, counts_machine_config_nodes: bool) -> Option<String> {
    let given = &case["in"];
    let nodes: Vec<Arc<Object>> = given["nodes"].as_array().unwrap().iter().map(node).collect();
    let reports = given["nodes"].as_array().unwrap().iter().filter_map(machine_config_node);
    let machine_config_nodes: Vec<Arc<machine_config_node::MachineConfigNodeState>> =
        reports.map(|report| Arc::new(machine_config_node::MachineConfigNodeState::new(&report))).collect();
    let mut pool = json!({
        "metadata": {"name": given["pool"], "generation": 4},
        "spec": {
            "paused": given["paused"], "maxUnavailable": given["maxUnavailable"],
            "configuration": {"name": given["target"]},
        },
        "status": {"configuration": {"name": given["status_configuration"]}, "conditions": []},
    });
    if given["render_degraded"] == true {
        pool.set(&["status", "conditions"], json!([{"type": "RenderDegraded", "status": "True"}]));
    }
    let target = given["target"].as_str().unwrap();
    let max_unavailable = candidates::max_unavailable(&pool, nodes.len()).unwrap();
    let nodes = states(&nodes);
    let (candidates, capacity) = candidates::candidates(&nodes, target, max_unavailable);
    let unavailable = nodes.iter().filter(|state| state.is_unavailable);
    let facts = pool_status::Facts {
        nodes: &nodes,
        machine_config_nodes: &machine_config_nodes,
        counts_machine_config_nodes,
        now: Moment::START,
    };
    let mut status = pool_status::status(&pool, &facts);
    let configuration = status["configuration"]["name"].take();
    status.set(&["configuration"], configuration);
    let mut conditions = status["conditions"].as_array().unwrap().clone();
    conditions.retain(|condition| condition["type"] != "RenderDegraded");
    for condition in &mut conditions {
        condition.remove(&["lastTransitionTime"]);
    }
    status.set(&["conditions"], conditions);
    let mut theirs = case["status"].clone();
    theirs["conditions"].as_array_mut().unwrap().retain(|condition| condition["type"] != "RenderDegraded");
    unequal("max_unavailable", &json!(max_unavailable), &case["max_unavailable"])
        .or_else(|| unequal("candidates", &names(&candidates), &case["candidates"]))
        .or_else(|| unequal("capacity", &json!(capacity), &case["capacity"]))
        .or_else(|| unequal("unavailable", &names(unavailable), &case["unavailable"]))
        .or_else(|| unequal("status", &status, &theirs))
}

fn machine_config_node(described: &Value) -> Option<Arc<Object>> {
    let report = described.get("machine_config_node")?;
    let condition = |name: &str| {
        json!({
            "type": name, "status": report[name],
            "message": if name == "NodeDegraded" { report["message"].as_str().unwrap_or_default() } else { "" },
        })
    };
    Some(Arc::new(json!({
        "metadata": {"name": described["name"]},
        "status": {
            "conditions": [condition("Updated"), condition("NodeDegraded")],
            "configVersion": {"desired": report["desired"]},
        },
    })))
}

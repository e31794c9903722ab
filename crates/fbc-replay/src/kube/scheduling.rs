//! Where pods are placed, and why not.

use std::collections::BTreeMap;

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::compare::{same, taint_texts, taint_value};
use super::world::{World, node, recorded_settings};
use crate::{Difference, Verdict};

const NAMESPACE: &str = "sched";

/// One node, with taints, and one pod, with tolerations.
pub(crate) fn play_matrix(case: &Value) -> Verdict {
    let mut world = world()?;
    world.create(node("node1", "z1", "worker"))?;
    world.pass(1000)?;
    let texts = case.list(&["node1.taints"]).iter().filter_map(Value::as_str);
    let taints: Vec<Value> = texts.map(taint_value).collect();
    world.patch_node("node1", json!({"spec": {"taints": taints}}))?;
    world.pass(500)?;
    world.create(pod("p", json!({"tolerations": case["tolerations"]})))?;
    world.pass(200)?;
    compare(&world, "p", case, &mut BTreeMap::new())
}

/// Several nodes, and pods one after another.
pub(crate) fn play_cluster(case: &Value) -> Verdict {
    let mut world = world()?;
    world.create(json!({
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000,
    }))?;
    for (name, state) in case["nodes"].as_object().into_iter().flatten() {
        make_node(&mut world, name, state)?;
    }
    world.pass(1500)?;
    for (name, state) in case["nodes"].as_object().into_iter().flatten() {
        if state["unschedulable"] == true {
            world.patch_node(name, json!({"spec": {"unschedulable": true}}))?;
        }
        for (number, used) in state.list(&["pods"]).iter().enumerate() {
            let mut present = pod(&format!("pre-{name}-{number}"), json!({"priorityClassName": "high"}));
            present["spec"]["nodeName"] = name.as_str().into();
            present["spec"]["containers"][0]["resources"] = resources(used);
            world.create(present)?;
        }
    }
    world.pass(1500)?;
    let mut renamed = BTreeMap::new();
    for (wanted, result) in case.list(&["pods"]).iter().zip(case.list(&["results"])) {
        let mut made = pod(wanted.text(&["name"]), wanted["manifest"].clone());
        if wanted["labels"].is_object() {
            made.set(&["metadata", "labels"], wanted["labels"].clone());
        }
        world.create(made)?;
        world.pass(200)?;
        compare(&world, wanted.text(&["name"]), result, &mut renamed)?;
        world.pass(1000)?;
    }
    // Nodes that are equal may have changed places, others not.
    for (own, recorded) in &renamed {
        let spec = |name: &String| {
            let mut state = case["nodes"][name.as_str()].clone();
            state.remove(&["labels", "kubernetes.io/hostname"]);
            state
        };
        same(&format!("node {own} in place of {recorded}"), &spec(own), &spec(recorded))?;
    }
    Ok(())
}

/// One node with conditions.
pub(crate) fn play_conditions(case: &Value) -> Verdict {
    let mut world = world()?;
    world.create(node("n1", "z1", "worker"))?;
    world.pass(1500)?;
    for condition in case.list(&["conditions"]) {
        let text = |index: usize| condition[index].as_str().unwrap_or_default();
        world.say("n1", (text(0), text(1), "Test", "test"))?;
        world.pass(300)?;
    }
    if case["unschedulable"] == true {
        world.patch_node("n1", json!({"spec": {"unschedulable": true}}))?;
    }
    world.pass(1500)?;
    let node = world.node("n1")?;
    same("taints", &taint_texts(node.at(&["spec", "taints"])), &taint_texts(case.get("node.taints")))?;
    for result in case.list(&["results"]) {
        let (name, input) = (result.text(&["pod"]), &result["input"]);
        let mut made = pod(name, json!({"tolerations": input.get("tol").cloned().unwrap_or(json!([]))}));
        made["spec"]["containers"][0]["resources"] = resources(input);
        world.create(made)?;
        world.pass(200)?;
        compare(&world, name, result, &mut BTreeMap::new())?;
    }
    Ok(())
}

pub(super) fn world() -> Result<World, Difference> {
    let mut world = World::new(recorded_settings(), &[NAMESPACE]);
    world.pass(1000)?;
    Ok(world)
}

/// `req_` and `lim` of a case as resources of a container.
pub(super) fn resources(input: &Value) -> Value {
    let mut resources = json!({});
    for (short, field) in [("req_", "requests"), ("lim", "limits")] {
        if let Some(amounts) = input.get(short) {
            resources.set(&[field], amounts.clone());
        }
    }
    resources
}

/// A pod with one container, and whatever else the specification says.
pub(super) fn pod(name: &str, mut spec: Value) -> Object {
    if spec.get("containers").is_none() {
        spec.set(&["containers"], json!([{"name": "c", "image": "registry.example/app:1"}]));
    }
    spec.set(&["terminationGracePeriodSeconds"], 1);
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec,
    })
}

fn make_node(world: &mut World, name: &str, state: &Value) -> Verdict {
    let or = |field: &str, default: &'static str| match state.text(&[field]) {
        "" => default.to_owned(),
        text => text.to_owned(),
    };
    let mut object = node(name, &or("zone", "z1"), &or("role", "worker"));
    for (key, value) in state["labels"].as_object().into_iter().flatten() {
        object.set(&["metadata", "labels", key], value.clone());
    }
    let mut capacity = json!({"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "100Gi"});
    for (key, value) in state["cap"].as_object().into_iter().flatten() {
        capacity.set(&[key], value.clone());
    }
    object.set(&["status"], json!({"capacity": capacity, "allocatable": capacity}));
    let taints: Vec<Value> =
        state.list(&["taints"]).iter().filter_map(Value::as_str).map(taint_value).collect();
    object.set(&["spec", "taints"], taints);
    world.create(object).map(drop)
}

/// Compares where a pod is, or why it is nowhere, and the event about it.
fn compare(world: &World, name: &str, recorded: &Value, renamed: &mut BTreeMap<String, String>) -> Verdict {
    let pod = world.pod(NAMESPACE, name).ok_or("the pod is gone")?;
    let about = |text: &str| format!("pod {name}: {text}");
    let own = pod.text(&["spec", "nodeName"]).to_owned();
    let event = world.seen_of("Event").filter(|seen| seen.object()["involvedObject"]["name"] == name).last();
    let event = event.map(|seen| {
        let object = seen.object();
        let text = |field: &str| object.text(&[field]).to_owned();
        json!({
            "type": text("type"), "reason": text("reason"), "message": text("message"), "action": text("action"),
            "reportingComponent": text("reportingComponent"),
        })
    });
    if let Some(place) = recorded.get("scheduled").and_then(Value::as_str) {
        same(&about("has a node"), &own.is_empty(), &false)?;
        let place = renamed.entry(own.clone()).or_insert_with(|| place.to_owned()).clone();
        same(&about("node"), &Some(place.as_str()), &recorded["scheduled"].as_str())?;
        let Some(wanted) = recorded.get("event") else { return Ok(()) };
        let mut wanted = wanted.clone();
        let message = wanted.text(&["message"]).replace(&format!(" to {place}"), &format!(" to {own}"));
        wanted.set(&["message"], message);
        return same(&about("event"), &event.unwrap_or_default(), &wanted);
    }
    same(&about("node"), &own.as_str(), &"")?;
    let Some(text) = recorded.get("unschedulable") else {
        let has_condition = pod.condition("PodScheduled").is_some();
        return same(&about("was touched"), &(has_condition || event.is_some()), &false);
    };
    let condition = pod.condition("PodScheduled").cloned().unwrap_or_default();
    same(&about("condition"), &condition["message"], text)?;
    same(&about("reason"), &condition["reason"], &recorded["reason"])?;
    match recorded.get("event") {
        Some(wanted) => same(&about("event"), &event.unwrap_or_default(), wanted),
        None => Ok(()),
    }
}

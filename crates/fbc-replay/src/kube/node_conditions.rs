//! Conditions of a node and the taints that follow from them.

use fbc_cluster::controllers::kubelet::KUBELET;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::compare::{Timed, same_course, taint_texts, taint_value};
use super::no_execute::recorded_events;
use super::world::{World, first_heartbeat, node, recorded_settings};
use crate::{Difference, Verdict};

/// One monitor period, and what else takes its time.
const TOLERANCE: i64 = 1300;

pub(crate) fn play(case: &Value) -> Verdict {
    let mut world = World::new(recorded_settings(), &[]);
    let registers = case.text(&["name"]).starts_with("registers");
    for name in ["k1", "k2", "k3"] {
        world.create(node(name, "z1", "worker"))?;
    }
    let (phase, heartbeat) = phases(case);
    world.pass(10_000 + heartbeat)?;
    world.create(node("n1", "z1", "worker"))?;
    world.pass(5000)?;
    if registers {
        // All cases of the recording use one name: the control plane has known such a node before.
        world.delete(("", "Node"), &ObjectName::cluster("n1"))?;
        world.pass(15_000)?;
    }
    world.begin(2000, phase)?;
    for step in case.list(&["steps"]) {
        world.run_to(step.number(&["at_ms"]).unwrap_or_default())?;
        act(&mut world, step.text(&["do"]), case)?;
    }
    world.run_to(case.number(&["end_ms"]).unwrap_or_default())?;
    let seen: Vec<Timed<String>> = world
        .seen_of("Node")
        .filter(|seen| seen.object().name() == "n1")
        .filter_map(|seen| Some((seen.at, projection(seen.before.as_deref(), seen.after.as_deref())?)))
        .collect();
    let recorded: Vec<Timed<String>> = case
        .list(&["transitions"])
        .iter()
        .map(|one| (one.number(&["at_ms"]).unwrap_or_default(), recorded_projection(one)))
        .collect();
    same_course("node", &seen, &recorded, TOLERANCE)?;
    let about_n1 = |list: Vec<Timed<String>>| -> Vec<Timed<String>> {
        list.into_iter().filter(|(_, text)| text.starts_with("Node/n1 ")).collect()
    };
    same_course("events", &about_n1(world.events()), &recorded_events(case), TOLERANCE)
}

/// Where in two seconds the case began, and where the lease of the node was renewed: both show in when the node became
/// unknown, if it did. Passes come at whole seconds, leases are lost eight seconds after the last renewal.
fn phases(case: &Value) -> (u64, u64) {
    let is_lost = |one: &&Value| one["change"]["conditions[Ready]"]["status"] == "Unknown";
    let lost = case.list(&["transitions"]).iter().find(is_lost).and_then(|one| one.number(&["at_ms"]));
    let stop = case.list(&["steps"]).iter().find(|step| step["do"] == "stop heartbeats");
    let stop = stop.and_then(|step| step.number(&["at_ms"])).unwrap_or_default();
    let Some(lost) = lost else { return (1000, 0) };
    let phase = u64::try_from((2000 - lost.rem_euclid(1000)) % 2000).unwrap_or_default();
    (phase, first_heartbeat(phase, stop, lost))
}

/// A condition as text, without times.
fn condition_text(condition: &Value) -> String {
    let text = |field: &str| condition.text(&[field]).to_owned();
    format!("{} {} {}", text("status"), text("reason"), text("message"))
}

/// What a notification says, in the order of the fields' names.
fn projection(before: Option<&Object>, after: Option<&Object>) -> Option<String> {
    let Some(after) = after else { return Some("gone".to_owned()) };
    let nothing = Value::Null;
    let first = before.is_none();
    let before = before.unwrap_or(&nothing);
    let mut parts = Vec::new();
    for condition in after.list(&["status", "conditions"]) {
        let name = condition.text(&["type"]);
        let was = before.condition(name).map(condition_text);
        if was.as_deref() != Some(condition_text(condition).as_str()) {
            parts.push(format!("{name}: {}", condition_text(condition)));
        }
    }
    parts.sort();
    let taints = |node: &Object| taint_texts(node.at(&["spec", "taints"]));
    if taints(before) != taints(after) || first {
        parts.push(format!("taints {:?}", taints(after)));
    }
    let cordoned = |node: &Object| node.at(&["spec", "unschedulable"]).is_some_and(|value| value == true);
    if cordoned(before) != cordoned(after) {
        parts.push(format!("unschedulable {}", cordoned(after)));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn recorded_projection(one: &Value) -> String {
    if one["event"] == "DELETED" {
        return "gone".to_owned();
    }
    let (first, content) = match one.get("set") {
        Some(set) => (true, set),
        None => (false, &one["change"]),
    };
    let mut parts: Vec<String> = content
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(key, condition)| {
            let name = key.strip_prefix("conditions[")?.strip_suffix(']')?;
            Some(format!("{name}: {}", condition_text(condition)))
        })
        .collect();
    parts.extend(
        content
            .list(&["conditions"])
            .iter()
            .map(|condition| format!("{}: {}", condition.text(&["type"]), condition_text(condition))),
    );
    parts.sort();
    if content.get("taints").is_some() {
        parts.push(format!("taints {:?}", taint_texts(content.get("taints"))));
    }
    if let Some(value) = content.get("unschedulable").filter(|value| !first || **value == true) {
        parts.push(format!("unschedulable {}", value == true));
    }
    parts.join("; ")
}

fn act(world: &mut World, what: &str, case: &Value) -> Verdict {
    if let Some(rest) = what.strip_prefix("status condition ") {
        let (pair, reason) = rest.split_once(" (reason ").ok_or("a condition without reason")?;
        let (name, status) = pair.split_once('=').ok_or("a condition without status")?;
        // The message is part of the step, and written down with what followed from it.
        let key = format!("conditions[{name}]");
        let changes = case.list(&["transitions"]).iter().filter_map(|one| one["change"].get(&key));
        let message =
            changes.filter(|one| one["status"] == status).map(|one| one.text(&["message"]).to_owned());
        let message = message.into_iter().next().unwrap_or_default();
        return world.say("n1", (name, status, reason.trim_end_matches(')'), &message));
    }
    if let Some(value) = what.strip_prefix("spec.unschedulable=") {
        return world.patch_node("n1", json!({"spec": {"unschedulable": value == "True"}}));
    }
    if let Some(text) = what.strip_prefix("add taint ") {
        let mut taints = world.node("n1")?.list(&["spec", "taints"]).to_vec();
        taints.push(taint_value(text.trim_end_matches(" by hand")));
        return world.patch_node("n1", json!({"spec": {"taints": taints}}));
    }
    match what {
        "stop heartbeats" => world.silence("n1", true),
        "resume heartbeats" => world.silence("n1", false),
        "remove all taints by hand" => world.patch_node("n1", json!({"spec": {"taints": []}})),
        "delete the Node object" => world.delete(("", "Node"), &ObjectName::cluster("n1")),
        "create the Node" => register(world, case.text(&["name"])),
        _ => Err(Difference::UnknownStep(what.to_owned())),
    }
}

/// Registers the node as the name of the case says.
fn register(world: &mut World, case: &str) -> Verdict {
    let mut object = node("n1", "z1", "worker");
    let well = world.node("k1")?;
    let status = well.get("status").cloned().unwrap_or_default();
    match case {
        "registers-not-ready" => {
            object.set(&["status"], status);
            for condition in object.place(&["status", "conditions"]).as_array_mut().into_iter().flatten() {
                if condition["type"] == "Ready" {
                    condition.set(&["status"], "False");
                    condition.set(&["reason"], "KubeletNotReady");
                    condition.set(&["message"], "container runtime network not ready");
                }
            }
        }
        "registers-without-status-heartbeats-run" => {
            object.set(&["metadata", "annotations", KUBELET], "heartbeats");
        }
        "registers-and-never-reports" => object.set(&["metadata", "annotations", KUBELET], "stopped"),
        "registers-ready-then-silent" => {
            object.set(&["status"], status);
            object.set(&["metadata", "annotations", KUBELET], "stopped");
        }
        "registers-with-own-taint" => {
            object.set(&["status"], status);
            object.set(&["spec", "taints"], json!([taint_value("key1=value1:NoSchedule")]));
        }
        _ => object.set(&["status"], status),
    }
    world.create(object).map(drop)
}

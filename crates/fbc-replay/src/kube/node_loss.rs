//! What becomes of the pods of a node that goes silent, is not ready, out of service, or gone.

use std::collections::BTreeMap;

use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::compare::{Timed, same, same_course, same_course_in_any_order, taint_texts, without_placeholders};
use super::world::{Seen, World, first_heartbeat, node, plain_name, recorded_settings};
use crate::{Difference, Verdict};

const NAMESPACE: &str = "ns";
/// One monitor period, and what else takes its time.
const TOLERANCE: i64 = 1300;
/// How often left pods are looked for.
const GARBAGE_PERIOD: u64 = 20_000;

pub(crate) fn play(case: &Value) -> Verdict {
    let mut world = World::new(recorded_settings(), &[NAMESPACE]);
    let phase = phase(case);
    let lost = transitions(case, "Node/u1")
        .find(|(_, one)| one["change"]["conditions[Ready]"]["status"] == "Unknown")
        .map(|(at, _)| at);
    world.pass(first_heartbeat(phase, 0, lost.unwrap_or(8000)))?;
    for (zone, names) in [("zu", ["u1", "u2", "u3"]), ("zk", ["k1", "k2", "k3"])] {
        for name in names {
            world.create(node(name, zone, "worker"))?;
        }
    }
    world.pass(9000)?;
    set_up(&mut world, case)?;
    world.pass(3000)?;
    world.begin(GARBAGE_PERIOD, phase)?;
    for step in case.list(&["steps"]) {
        world.run_to(step.number(&["at_ms"]).unwrap_or_default())?;
        act(&mut world, step.text(&["do"]))?;
    }
    world.run_to(case.number(&["end_ms"]).unwrap_or_default())?;
    let seen: Vec<Timed<String>> = world
        .seen_of("Node")
        .filter(|seen| seen.object().name() == "u1")
        .filter_map(|seen| Some((seen.at, node_text(seen)?)))
        .collect();
    let recorded: Vec<Timed<String>> =
        transitions(case, "Node/u1").filter_map(|(at, one)| Some((at, recorded_node_text(one)?))).collect();
    same_course("node", &seen, &recorded, TOLERANCE)?;
    let seen: Vec<Timed<String>> = world
        .seen_of("Pod")
        .flat_map(|seen| pod_texts(seen).into_iter().map(|text| (seen.at, text)))
        .collect();
    let recorded: Vec<Timed<String>> = case
        .list(&["transitions"])
        .iter()
        .filter(|one| one.text(&["object"]).starts_with("Pod/"))
        .flat_map(|one| {
            let at = one.number(&["at_ms"]).unwrap_or_default();
            recorded_pod_texts(one).into_iter().map(move |text| (at, text))
        })
        .collect();
    same_course_in_any_order("pods", &seen, &recorded, TOLERANCE)?;
    let mut own: Vec<String> = world.cluster.api.all("", "Pod").map(|pod| final_text(pod)).collect();
    let finally = case.list(&["final_pods"]).iter();
    let mut wanted: Vec<String> = finally
        .map(|pod| format!("{} {}", without_placeholders(pod.text(&["name"])), pod.text(&["status"])))
        .collect();
    own.sort();
    wanted.sort();
    same("pods at the end", &own, &wanted)
}

/// When garbage was looked for, as the rest of a period: by the first pod that it was found in.
fn phase(case: &Value) -> u64 {
    let at = case.list(&["transitions"]).iter().find(|one| one["change"]["phase"] == "Failed");
    // Without garbage the passes of the monitor count.
    let lost = case
        .list(&["transitions"])
        .iter()
        .find(|one| one["change"]["conditions[Ready]"]["status"] == "Unknown");
    let at = at.or(lost).and_then(|one| one.number(&["at_ms"])).unwrap_or(1000);
    GARBAGE_PERIOD - u64::try_from(at).unwrap_or_default() % GARBAGE_PERIOD
}

fn transitions<'c>(case: &'c Value, object: &'c str) -> impl Iterator<Item = (i64, &'c Value)> {
    let all = case.list(&["transitions"]).iter().filter(move |one| one["object"] == object);
    all.map(|one| (one.number(&["at_ms"]).unwrap_or_default(), one))
}

fn ready_text(condition: &Value) -> String {
    format!("Ready {} {}", condition.text(&["status"]), condition.text(&["reason"]))
}

fn node_text(seen: &Seen) -> Option<String> {
    let Some(after) = seen.after.as_deref() else { return Some("gone".to_owned()) };
    let before = seen.before.as_deref()?;
    let ready = |node: &Object| node.condition("Ready").map(ready_text);
    if ready(before) != ready(after) {
        return ready(after);
    }
    let taints = |node: &Object| taint_texts(node.at(&["spec", "taints"]));
    (taints(before) != taints(after)).then(|| format!("{:?}", taints(after)))
}

fn recorded_node_text(one: &Value) -> Option<String> {
    if one["event"] == "DELETED" {
        return Some("gone".to_owned());
    }
    if let Some(condition) = one["change"].get("conditions[Ready]") {
        return Some(ready_text(condition));
    }
    one["change"].get("taints").map(|taints| format!("{:?}", taint_texts(Some(taints))))
}

/// What a notification says of a pod: that it is new, marked, asked to go, failed, not ready, gone.
fn pod_texts(seen: &Seen) -> Vec<String> {
    let name = plain_name(seen.object());
    let Some(after) = seen.after.as_deref() else { return vec![format!("{name} gone")] };
    let Some(before) = seen.before.as_deref() else { return vec![format!("{name} new")] };
    let mut texts = Vec::new();
    let reason = |pod: &Object| pod.condition("DisruptionTarget").map(|one| one.text(&["reason"]).to_owned());
    if reason(before) != reason(after) {
        texts.push(format!("{name} {}", reason(after).unwrap_or_default()));
    }
    // Of a pod that goes at once, only the end counts.
    let takes_time =
        after.number(&["metadata", "deletionGracePeriodSeconds"]).is_some_and(|seconds| seconds > 0);
    if !before.is_terminating() && after.is_terminating() && takes_time {
        texts.push(format!("{name} deleted"));
    }
    if after["status"]["phase"] == "Failed" && before["status"]["phase"] != "Failed" {
        texts.push(format!("{name} Failed"));
    }
    if before.condition_status("Ready") == "True" && after.condition_status("Ready") == "False" {
        texts.push(format!("{name} not ready"));
    }
    texts
}

fn recorded_pod_texts(one: &Value) -> Vec<String> {
    let name = without_placeholders(one.text(&["object"]).trim_start_matches("Pod/"));
    match one.text(&["event"]) {
        "DELETED" => return vec![format!("{name} gone")],
        "ADDED" => return vec![format!("{name} new")],
        _ => {}
    }
    let change = &one["change"];
    let mut texts = Vec::new();
    if let Some(condition) = change.get("conditions[DisruptionTarget]") {
        texts.push(format!("{name} {}", condition.text(&["reason"])));
    }
    if change.get("deletionTimestamp").is_some() && change["deletionGracePeriodSeconds"] != 0 {
        texts.push(format!("{name} deleted"));
    }
    if change["phase"] == "Failed" {
        texts.push(format!("{name} Failed"));
    }
    if change.get("conditions[Ready]").is_some_and(|ready| ready["status"] == "False") {
        texts.push(format!("{name} not ready"));
    }
    texts
}

fn final_text(pod: &Object) -> String {
    let status = if pod.is_terminating() { "Terminating" } else { pod.text(&["status", "phase"]) };
    format!("{} {status}", plain_name(pod))
}

fn act(world: &mut World, what: &str) -> Verdict {
    match what {
        "stop heartbeats of u1" => world.silence("u1", true),
        "resume heartbeats of u1" => world.silence("u1", false),
        "delete Node u1" => world.delete(("", "Node"), &ObjectName::cluster("u1")),
        _ => {
            if let Some(taint) = what.strip_prefix("taint u1 ") {
                world.command(&["taint", "nodes", "u1", taint], "", NAMESPACE, &mut |_| Ok(()))?;
                return Ok(());
            }
            let status = if what.contains("Ready=False") { "False" } else { "True" };
            if what.contains("Ready=") {
                let reason = if status == "True" { "KubeletReady" } else { "KubeletNotReady" };
                return world.say("u1", ("Ready", status, reason, "x"));
            }
            Err(Difference::UnknownStep(what.to_owned()))
        }
    }
}

/// Makes the pods that were there, with their tolerations, where they were.
fn set_up(world: &mut World, case: &Value) -> Verdict {
    let mut owned: BTreeMap<String, (Vec<String>, Value)> = BTreeMap::new();
    for pod in case.list(&["pods_before"]) {
        let name = pod.text(&["name"]);
        let tolerations = tolerations(pod);
        let base = name.split('-').next().unwrap_or(name);
        if ["dep", "ds", "sts"].contains(&base) {
            let entry = owned.entry(base.to_owned()).or_insert_with(|| (Vec::new(), tolerations));
            entry.0.push(pod.text(&["node"]).to_owned());
            continue;
        }
        let spec = spec(&tolerations, Some(pod.text(&["node"])));
        world.create(json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec,
        }))?;
    }
    for (name, (nodes, tolerations)) in &owned {
        for node in ["u1", "u2", "u3", "k1", "k2", "k3"] {
            let is_meant = name == "ds" || nodes.iter().any(|one| one == node);
            world.patch_node(node, json!({"spec": {"unschedulable": !is_meant}}))?;
        }
        world.pass(300)?;
        let (kind, replicas) = match name.as_str() {
            "dep" => ("Deployment", json!(nodes.len())),
            "sts" => ("StatefulSet", json!(nodes.len())),
            _ => ("DaemonSet", Value::Null),
        };
        // Daemon sets add their own tolerations.
        let given = if name == "ds" { &json!([]) } else { tolerations };
        let mut object = json!({
            "apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE},
            "spec": {
                "selector": {"matchLabels": {"app": name}},
                "template": {"metadata": {"labels": {"app": name}}, "spec": spec(given, None)},
            },
        });
        if !replicas.is_null() {
            object.set(&["spec", "replicas"], replicas);
        }
        world.create(object)?;
        world.pass(1500)?;
    }
    for node in ["u1", "u2", "u3", "k1", "k2", "k3"] {
        world.patch_node(node, json!({"spec": {"unschedulable": null}}))?;
    }
    Ok(())
}

fn spec(tolerations: &Value, node: Option<&str>) -> Value {
    let mut spec = json!({
        "tolerations": tolerations, "terminationGracePeriodSeconds": 1,
        "containers": [{"name": "c", "image": "registry.example/app:1"}],
    });
    if let Some(node) = node {
        spec.set(&["nodeName"], node);
    }
    spec
}

/// `KEY:EFFECT:SECONDS`, `*` for anything, `-` for ever.
fn tolerations(pod: &Value) -> Value {
    let texts = pod.list(&["tolerations"]).iter().filter_map(Value::as_str);
    let read = |text: &str| {
        let parts: Vec<&str> = text.split(':').collect();
        let mut toleration = json!({"operator": "Exists"});
        for (field, part) in [("key", parts.first()), ("effect", parts.get(1))] {
            if let Some(part) = part.filter(|part| **part != "*") {
                toleration.set(&[field], *part);
            }
        }
        if let Some(seconds) = parts.get(2).and_then(|part| part.parse::<i64>().ok()) {
            toleration.set(&["tolerationSeconds"], seconds);
        }
        toleration
    };
    texts.map(read).collect()
}

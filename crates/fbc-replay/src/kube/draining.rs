//! `kubectl drain` and its output while time goes by.

use std::collections::BTreeMap;

use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::compare::{Timed, same, same_course_in_any_order, without_placeholders};
use super::world::{World, node, plain_name, recorded_settings};
use crate::Verdict;

const NAMESPACE: &str = "drain";
const NODES: [&str; 3] = ["w1", "w2", "w3"];
/// The README's tolerance.
const TOLERANCE: i64 = 500;

pub(crate) fn play(case: &Value) -> Verdict {
    let mut world = World::new(recorded_settings(), &[NAMESPACE]);
    for name in NODES {
        let mut object = node(name, "zw", "worker");
        if name != "w3" {
            object.set(&["metadata", "labels", "pool"], "a");
        }
        world.create(object)?;
    }
    world.pass(1500)?;
    set_up(&mut world, case)?;
    world.pass(4000)?;
    world.begin(1, 0)?;
    let removal = case.text(&["note"]).strip_prefix("the budget is deleted ").and_then(|rest| {
        let seconds: i64 = rest.split(' ').next()?.parse().ok()?;
        Some(seconds * 1000)
    });
    let mut budgets: Vec<ObjectName> = case
        .list(&["budgets_before"])
        .iter()
        .map(|one| ObjectName::namespaced(NAMESPACE, one.text(&["name"])))
        .collect();
    for command in case.list(&["commands"]) {
        let started = command.number(&["started_ms"]).unwrap_or_default();
        if world.at() < started + 100 {
            world.run_to(started + 100)?;
        }
        let arguments: Vec<&str> = command.list(&["args"]).iter().filter_map(Value::as_str).collect();
        let mut meanwhile = |world: &mut World| {
            if removal.is_some_and(|at| world.at() >= at) {
                for budget in budgets.drain(..) {
                    world.delete(("policy", "PodDisruptionBudget"), &budget)?;
                }
            }
            Ok(())
        };
        let printed = world.command(&arguments, "", NAMESPACE, &mut meanwhile)?;
        compare(&world, command, "stdout", &printed.stdout)?;
        compare(&world, command, "stderr", &printed.stderr)?;
        same("exit code", &json!(printed.exit), &command["exit"])?;
    }
    Ok(())
}

/// Compares the lines of one stream. Those of different pods come in any order, so do pods in one line.
fn compare(world: &World, command: &Value, stream: &str, seen: &[Timed<String>]) -> Verdict {
    let names: BTreeMap<String, String> = world
        .cluster
        .api
        .all("", "Pod")
        .map(|pod| &**pod)
        .chain(world.seen_of("Pod").map(super::world::Seen::object))
        .map(|pod| (pod.name().to_owned(), plain_name(pod)))
        .collect();
    let plain = |line: &str| {
        let line = names.iter().fold(line.to_owned(), |line, (name, plain)| line.replace(name, plain));
        without_hashes(&without_placeholders(&line))
    };
    let seen: Vec<Timed<String>> = seen.iter().map(|(at, line)| (*at, plain(line))).collect();
    let recorded: Vec<Timed<String>> = command
        .list(&["lines"])
        .iter()
        .filter(|line| line["stream"] == stream)
        .map(|line| (line.number(&["at_ms"]).unwrap_or_default(), plain(line.text(&["text"]))))
        .collect();
    same_course_in_any_order(stream, &seen, &recorded, TOLERANCE)
}

/// The hash of a template that is not the recorded one does not count: `web-67df7b6f87-<r>` is `web-<r>`.
fn without_hashes(line: &str) -> String {
    let parts: Vec<&str> = line.split("-<r>").collect();
    let Some((last, parts)) = parts.split_last() else { return line.to_owned() };
    let cut = |part: &&str| {
        let hash = part.rsplit('-').next().unwrap_or_default();
        let is_hash = (8..=10).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if is_hash { part[..part.len() - hash.len() - 1].to_owned() } else { (*part).to_owned() }
    };
    parts.iter().map(|part| cut(part) + "-<r>").collect::<String>() + last
}

/// Makes the pods that were there, by their owners, on the nodes where they were.
fn set_up(world: &mut World, case: &Value) -> Verdict {
    let mut owned: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for pod in case.list(&["pods_before"]) {
        let (name, owner) = (pod.text(&["name"]), pod.text(&["owner"]));
        let parts = match owner {
            "ReplicaSet" => 2,
            "" => 0,
            _ => 1,
        };
        let base: Vec<&str> = name.rsplitn(parts + 1, '-').collect();
        let base = base.last().copied().unwrap_or(name).to_owned();
        let nodes = owned.entry((owner.to_owned(), base)).or_default();
        nodes.push(pod.text(&["node"]).to_owned());
    }
    let has_empty_dir = case.text(&["name"]).contains("emptydir");
    for ((owner, name), nodes) in &owned {
        let spec = pod_spec(name, has_empty_dir);
        for node in NODES {
            let is_meant = nodes.iter().any(|one| one == node) || owner == "DaemonSet";
            world.patch_node(node, json!({"spec": {"unschedulable": !is_meant}}))?;
        }
        world.pass(300)?;
        world.create(workload(owner, name, nodes, spec))?;
        world.pass(1500)?;
    }
    for node in NODES {
        world.patch_node(node, json!({"spec": {"unschedulable": null}}))?;
    }
    for budget in case.list(&["budgets_before"]) {
        world.create(json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": budget["name"], "namespace": NAMESPACE}, "spec": budget["spec"],
        }))?;
    }
    Ok(())
}

/// What the names of the recording stand for.
fn pod_spec(name: &str, has_empty_dir: bool) -> Value {
    let mut spec = json!({
        "terminationGracePeriodSeconds": if name == "slow" { 30 } else { 1 },
        "containers": [{"name": "c", "image": "registry.example/app:1"}],
    });
    if name == "cache" || name == "solo" && has_empty_dir {
        spec.set(&["volumes"], json!([{"name": "data", "emptyDir": {}}]));
    }
    if name == "done" || name == "work" {
        spec.set(&["restartPolicy"], "Never");
    }
    spec
}

fn workload(owner: &str, name: &str, nodes: &[String], spec: Value) -> Object {
    let template = json!({"metadata": {"labels": {"app": name}}, "spec": spec});
    let metadata = json!({"name": name, "namespace": NAMESPACE, "labels": {"app": name}});
    let selector = json!({"matchLabels": {"app": name}});
    match owner {
        "ReplicaSet" => json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
            "spec": {"replicas": nodes.len(), "selector": selector, "template": template},
        }),
        "StatefulSet" => json!({
            "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata,
            "spec": {"replicas": nodes.len(), "selector": selector, "template": template, "serviceName": name},
        }),
        "DaemonSet" => json!({
            "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata,
            "spec": {"selector": selector, "template": template},
        }),
        "Job" => json!({
            "apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template},
        }),
        _ => {
            let mut spec = template["spec"].clone();
            spec.set(&["nodeName"], nodes.first().cloned().unwrap_or_default());
            let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec});
            match name {
                "static" => pod.set(&["metadata", "annotations", "kubernetes.io/config.mirror"], "abc"),
                "done" => pod.set(&["metadata", "annotations", "fake/complete-after"], "0.5"),
                _ => {}
            }
            pod
        }
    }
}

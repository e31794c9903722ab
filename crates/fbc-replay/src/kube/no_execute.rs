//! One pod on one node that gets taints of effect `NoExecute`.

use fbc_cluster::api::DeleteOptions;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::compare::{Timed, same, same_course, taint_value};
use super::world::{World, node, recorded_settings};
use crate::{Difference, Verdict};

const NAMESPACE: &str = "evict";
/// The README's tolerance.
const TOLERANCE: i64 = 300;

pub(crate) fn play(case: &Value) -> Verdict {
    let mut world = World::new(recorded_settings(), &[NAMESPACE]);
    for name in ["n1", "n2"] {
        world.create(node(name, "z1", "worker"))?;
    }
    world.pass(1500)?;
    let steps = case.list(&["steps"]);
    let does = |part: &str| steps.iter().any(|step| step.text(&["do"]).contains(part));
    if case.text(&["note"]).contains("PodDisruptionBudget") {
        world.create(json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": "b", "namespace": NAMESPACE},
            "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "p"}}},
        }))?;
    }
    let mut own = pod("p1", &case["pod"]);
    if does("remove the finalizer") {
        own.set(&["metadata", "finalizers"], json!(["example.com/wait"]));
    }
    world.patch_node("n1", json!({"spec": {"taints": case["node.taints_before"]}}))?;
    if !does("create the pod") {
        world.create(own.clone())?;
        // A pod that completes is awaited within the case.
        world.pass(if does("wait for the pod") { 0 } else { 1500 })?;
    }
    // Monitor passes are at no fixed moment of a case; this one has its first a tenth of a second in.
    let phase = if does("node.kubernetes.io/") { 900 } else { 0 };
    world.begin(1000, phase)?;
    for step in steps {
        world.run_to(step.number(&["at_ms"]).unwrap_or_default())?;
        act(&mut world, step.text(&["do"]), &own)?;
    }
    world.run_to(case.number(&["end_ms"]).unwrap_or_default())?;
    let pods: Vec<_> = world.seen_of("Pod").filter(|seen| seen.object().name() == "p1").collect();
    let deleted = pods.iter().find(|seen| seen.after.as_ref().is_some_and(|pod| pod.is_terminating()));
    let gone = pods.iter().find(|seen| seen.after.is_none());
    let times = |what: &str, seen: Option<i64>, field: &str| {
        let recorded = case.number(&["result", field]);
        let course = |at: Option<i64>| -> Vec<Timed<()>> { at.map(|at| (at, ())).into_iter().collect() };
        same_course(what, &course(seen), &course(recorded), TOLERANCE)
    };
    times("deletion", deleted.or(gone).map(|seen| seen.at), "deletion_requested_ms")?;
    times("end", gone.map(|seen| seen.at), "gone_ms")?;
    let marked = |pod: &Object| {
        pod.condition("DisruptionTarget").map(|condition| {
            json!([
                condition["status"],
                condition["reason"],
                condition["message"],
                condition["observedGeneration"]
            ])
        })
    };
    let seen: Vec<Value> = pods.iter().filter_map(|seen| marked(seen.after.as_deref()?)).take(1).collect();
    let recorded: Vec<Value> = case
        .list(&["transitions"])
        .iter()
        .filter(|one| one["object"] == "Pod/p1")
        .filter_map(|one| one["change"].get("conditions[DisruptionTarget]"))
        .map(|one| json!([one["status"], one["reason"], one["message"], one["observedGeneration"]]))
        .collect();
    same("condition", &seen, &recorded)?;
    let evictions = |list: Vec<Timed<String>>| -> Vec<Timed<String>> {
        list.into_iter().filter(|(_, text)| text.contains("TaintManagerEviction")).collect()
    };
    same_course("events", &evictions(world.events()), &evictions(recorded_events(case)), TOLERANCE)
}

/// The recorded events as [`World::events`] writes them.
pub(super) fn recorded_events(case: &Value) -> Vec<Timed<String>> {
    let text = |event: &Value, field: &str| event.text(&[field]).to_owned();
    case.list(&["events"])
        .iter()
        .map(|event| {
            let parts = ["object", "type", "reason", "message"].map(|field| text(event, field));
            (event.number(&["at_ms"]).unwrap_or_default(), parts.join(" "))
        })
        .collect()
}

fn pod(name: &str, input: &Value) -> Object {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": NAMESPACE, "annotations": input["annotations"], "labels": {"app": "p"}},
        "spec": {
            "nodeName": "n1", "tolerations": input["tolerations"],
            "restartPolicy": if input["annotations"].get("fake/complete-after").is_some() { "Never" } else { "Always" },
            "terminationGracePeriodSeconds": input["terminationGracePeriodSeconds"],
            "containers": [{"name": "c", "image": "registry.example/app:1"}],
        },
    })
}

fn act(world: &mut World, what: &str, own: &Object) -> Verdict {
    let name = ObjectName::namespaced(NAMESPACE, "p1");
    if let Some(list) = what.strip_prefix("node taints := [") {
        let texts = list.trim_end_matches(']').split(", ").filter(|text| !text.is_empty());
        let taints: Vec<Value> = texts.map(taint_value).collect();
        return world.patch_node("n1", json!({"spec": {"taints": taints}}));
    }
    let tolerations = |change: &dyn Fn(&mut Vec<Value>), world: &World| {
        let pod = world.pod(NAMESPACE, "p1").ok_or("the pod is gone")?;
        let mut tolerations = pod.list(&["spec", "tolerations"]).to_vec();
        change(&mut tolerations);
        Ok::<Value, Difference>(json!({"spec": {"tolerations": tolerations}}))
    };
    let first = |tolerations: &mut Vec<Value>, seconds: Option<i64>| {
        for toleration in tolerations.iter_mut().filter(|toleration| toleration["key"] == "key1") {
            match seconds {
                Some(seconds) => toleration.set(&["tolerationSeconds"], seconds),
                None => drop(toleration.remove(&["tolerationSeconds"])),
            }
        }
    };
    match what {
        "create the pod" => world.create(own.clone()).map(drop),
        "create a second pod like the first, bound to the node" => {
            let mut second = own.clone();
            second.set(&["metadata", "name"], "p1-b");
            world.create(second).map(drop)
        }
        "wait for the pod to complete" => Ok(()),
        "remove the finalizer" => world.patch("Pod", &name, json!({"metadata": {"finalizers": null}}), false),
        "pod toleration seconds removed" => {
            let patch = tolerations(&|list| first(list, None), world)?;
            world.patch("Pod", &name, patch, false)
        }
        "append toleration Exists key1 NoExecute without seconds" => {
            let wide = json!({"key": "key1", "operator": "Exists", "effect": "NoExecute"});
            let patch = tolerations(&|list| list.push(wide.clone()), world)?;
            world.patch("Pod", &name, patch, false)
        }
        _ => {
            if let Some(seconds) = what.strip_prefix("pod toleration seconds := ") {
                let seconds = seconds.parse().ok();
                let patch = tolerations(&|list| first(list, seconds), world)?;
                return world.patch("Pod", &name, patch, false);
            }
            if what.starts_with("kubectl delete pod") {
                let id = world.api().kind_id("", "Pod").ok_or("no such kind")?;
                let deleted =
                    world.api().delete(&super::world::administrator(), id, &name, &DeleteOptions::default());
                return deleted.map(drop).map_err(Difference::Api);
            }
            Err(Difference::UnknownStep(what.to_owned()))
        }
    }
}

//! Requests to evict pods, and the arithmetic of disruption budgets.

use fbc_cluster::api::{DeleteOptions, WriteOptions};
use fbc_cluster::object::{ObjectFields, ObjectName};
use serde_json::{Map, Value, json};

use super::compare::same;
use super::world::{World, administrator, node, recorded_settings};
use crate::{Difference, Verdict};

const NAMESPACE: &str = "evapi";

pub(crate) fn play(case: &Value) -> Verdict {
    // Some budgets were read and used while controllers were still at work, others when all had come to rest.
    play_when(case, true).or_else(|text| play_when(case, false).map_err(|_| text))
}

fn play_when(case: &Value, rests: bool) -> Verdict {
    let mut world = World::new(recorded_settings(), &[NAMESPACE]);
    if case.get("result").is_some() {
        return refused_budget(&mut world, case);
    }
    for name in ["w1", "w2", "w3"] {
        world.create(node(name, "zw", "worker"))?;
    }
    world.pass(1500)?;
    for object in case.list(&["objects"]) {
        let mut object = object.clone();
        object.set(&["metadata", "namespace"], NAMESPACE);
        world.create(object)?;
    }
    let mut evicted: Vec<String> = Vec::new();
    let mut placed: Vec<(String, String)> = Vec::new();
    for step in case.list(&["steps"]) {
        act(&mut world, step, rests, &mut evicted, &mut placed)?;
        if let Some(wanted) = step.get("budgets_after") {
            reach(&mut world, "budgets afterwards", wanted)?;
        }
        world.pass(1)?;
    }
    Ok(())
}

fn act(
    world: &mut World,
    step: &Value,
    rests: bool,
    evicted: &mut Vec<String>,
    placed: &mut Vec<(String, String)>,
) -> Verdict {
    let what = step.text(&["do"]);
    if what == "read budgets" {
        // Recorded when everything had come to rest.
        world.pass(3000)?;
        return same("budgets", &budgets(world), &step["budgets"]);
    }
    if let Some(name) = what.strip_prefix("DELETE ") {
        world.pass(2000)?;
        return world.delete(("", "Pod"), &ObjectName::namespaced(NAMESPACE, name));
    }
    if what.starts_with("create budget b minAvailable 1") {
        world.pass(2000)?;
        return world
            .create(json!({
                "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                "metadata": {"name": "b", "namespace": NAMESPACE},
                "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}},
            }))
            .map(drop);
    }
    let Some(recorded) = what.strip_prefix("evict ") else {
        return Err(Difference::UnknownStep(what.to_owned()));
    };
    if let Some(wanted) = step.get("budgets_before") {
        if rests {
            world.pass(if wanted.as_object().is_some_and(Map::is_empty) { 2000 } else { 0 })?;
        }
        reach(world, "budgets before", wanted)?;
        world.pass(if rests { 20 } else { 0 })?;
    }
    let name = own_name(world, recorded, evicted, placed)?;
    let given = &step["options"]["deleteOptions"];
    let options = DeleteOptions {
        grace_period: given.number(&["gracePeriodSeconds"]).and_then(|seconds| u64::try_from(seconds).ok()),
        uid: given.at(&["preconditions", "uid"]).and_then(Value::as_str).map(str::to_owned),
        dry_run: !given.list(&["dryRun"]).is_empty(),
        ..DeleteOptions::default()
    };
    let full = ObjectName::namespaced(NAMESPACE, &name);
    let uid = world.api().find("", "Pod", &full).map(|pod| pod.uid().to_owned()).unwrap_or_default();
    let answer = world.api().evict(&administrator(), &full, &options);
    let seen = match answer {
        Ok(()) => json!({"status": "Success", "code": 201}),
        Err(error) => error.to_status(),
    };
    let response = &step["response"];
    let seen = tidy(&seen, &[&uid, options.uid.as_deref().unwrap_or_default()], &name);
    same("answer", &seen, &tidy(&response["body"], &[], recorded))?;
    if seen["code"] == 201 && !options.dry_run {
        evicted.push(name.clone());
        let pod = world.pod(NAMESPACE, &name);
        let marked = pod.as_ref().and_then(|pod| pod.condition("DisruptionTarget")).cloned();
        if let Some(marked) = marked {
            let texts =
                json!([marked["status"], marked["reason"], marked["message"], marked["observedGeneration"]]);
            let wanted = json!(["True", "EvictionByEvictionAPI", "Eviction API: evicting", null]);
            same("condition", &texts, &wanted)?;
        }
        let grace = options.grace_period.map(|seconds| i64::try_from(seconds).unwrap_or_default());
        if let (Some(pod), Some(grace)) = (pod, grace) {
            same("grace", &pod.number(&["metadata", "deletionGracePeriodSeconds"]), &Some(grace))?;
        }
    }
    Ok(())
}

/// Lets time pass until the budgets are as they were read: the recording asked while controllers were at work.
fn reach(world: &mut World, what: &str, wanted: &Value) -> Verdict {
    let mut wanted = wanted.clone();
    for budget in wanted.as_object_mut().into_iter().flat_map(Map::values_mut) {
        budget.remove(&["status", "disruptedPods"]);
    }
    let wanted = &wanted;
    if world.run_until(3000, &|world| budgets(world) == *wanted)? {
        return Ok(());
    }
    same(what, &budgets(world), wanted)
}

/// The pod that stands for a recorded one: generated names differ.
fn own_name(
    world: &World,
    recorded: &str,
    evicted: &[String],
    placed: &mut Vec<(String, String)>,
) -> Result<String, Difference> {
    if !recorded.contains("<r") {
        return Ok(recorded.to_owned());
    }
    if let Some((_, own)) = placed.iter().find(|(name, _)| name == recorded) {
        return Ok(own.clone());
    }
    let is_free =
        |name: &str| !evicted.iter().any(|one| one == name) && !placed.iter().any(|(_, one)| one == name);
    let pods = world.cluster.api.all("", "Pod");
    let mut free: Vec<_> = pods
        .filter(|pod| pod.controller().is_some() && !pod.is_terminating() && is_free(pod.name()))
        .collect();
    // The recording took pods that serve, where there were any.
    free.sort_by_key(|pod| pod.condition_status("Ready") != "True");
    let own = free.first().map(|pod| pod.name().to_owned()).ok_or("no pod of the workload is left")?;
    placed.push((recorded.to_owned(), own.clone()));
    Ok(own)
}

/// An answer without what is empty, without generated names and uids.
fn tidy(status: &Value, uids: &[&str], name: &str) -> Value {
    let replaced = |text: &str| {
        let text = text.replace(name, "<pod>");
        uids.iter().filter(|uid| !uid.is_empty()).fold(text, |text, uid| text.replace(uid, "<uid>"))
    };
    let mut out = Map::new();
    for field in ["status", "code", "reason", "message"] {
        match status.get(field) {
            Some(Value::String(text)) if text.is_empty() => {}
            Some(Value::String(text)) => {
                out.insert(field.to_owned(), replaced(text).into());
            }
            Some(value) if !value.is_null() => {
                out.insert(field.to_owned(), value.clone());
            }
            _ => {}
        }
    }
    for field in ["name", "kind"] {
        let text = status.text(&["details", field]);
        if !text.is_empty() {
            out.insert(format!("details.{field}"), replaced(text).into());
        }
    }
    let causes: Vec<Value> = status
        .list(&["details", "causes"])
        .iter()
        .map(|cause| json!([cause["reason"], replaced(cause.text(&["message"]))]))
        .collect();
    out.insert("causes".to_owned(), causes.into());
    Value::Object(out)
}

/// All budgets as the recording shows them.
fn budgets(world: &World) -> Value {
    let mut budgets = json!({});
    for budget in world.cluster.api.all("policy", "PodDisruptionBudget") {
        let mut spec = budget["spec"].clone();
        spec.remove(&["selector"]);
        let mut status = budget["status"].clone();
        // Pods whose deletion the controller has not seen yet; here it sees all at once.
        status.remove(&["disruptedPods"]);
        for condition in status.place(&["conditions"]).as_array_mut().into_iter().flatten() {
            condition.remove(&["lastTransitionTime"]);
        }
        budgets.set(&[budget.name()], json!({"spec": spec, "status": status}));
    }
    budgets
}

/// A budget that the API server does not take.
fn refused_budget(world: &mut World, case: &Value) -> Verdict {
    let fields = match case.text(&["name"]) {
        "both-fields" => json!({"minAvailable": 1, "maxUnavailable": 1}),
        "bad-percent" => json!({"minAvailable": "x"}),
        "negative" => json!({"minAvailable": -1}),
        "over-100" => json!({"minAvailable": "150%"}),
        "bad-policy" => json!({"minAvailable": 1, "unhealthyPodEvictionPolicy": "Never"}),
        other => return Err(Difference::UnknownCase(other.to_owned())),
    };
    let mut spec = fields;
    spec.set(&["selector"], json!({"matchLabels": {"app": "a"}}));
    let budget = json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "x", "namespace": NAMESPACE},
        "spec": spec,
    });
    let result = &case["result"];
    match world.api().create(&administrator(), budget, WriteOptions::default()) {
        Ok(_) => Err(Difference::Missing("the budget was accepted")),
        Err(error) => {
            let status = error.to_status();
            same("message", &status["message"], &result["message"])?;
            same("code", &status["code"], &result["code"])?;
            same("causes", &status["details"]["causes"], &result["causes"])
        }
    }
}

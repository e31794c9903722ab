//! When a pod that was refused is tried again.

use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::compare::{Timed, same_course};
use super::scheduling::{pod, resources, world};
use super::world::{World, node};
use crate::{Difference, Verdict};

/// The README's tolerance.
const TOLERANCE: i64 = 300;
/// The scheduler looks once a second for waits that are over; by the recordings so long after the start.
const PHASE: u64 = 700;

pub(crate) fn play(case: &Value) -> Verdict {
    let mut world = world()?;
    let name = case.text(&["name"]);
    let does = |part: &str| case.list(&["steps"]).iter().any(|step| step.text(&["do"]).contains(part));
    if !does("add node") {
        world.create(node("n1", "z1", "worker"))?;
        world.pass(1500)?;
    }
    if does("uncordon") {
        world.patch_node("n1", json!({"spec": {"unschedulable": true}}))?;
    } else if does("taint") || name.contains("toleration") {
        taint(&mut world, true)?;
    } else if does("delete pod big") {
        let mut big = pod("big", json!({}));
        big["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "3800m"}});
        world.create(big)?;
    }
    world.pass(1500)?;
    world.begin(1000, PHASE)?;
    for step in case.list(&["steps"]) {
        world.run_to(step.number(&["at_ms"]).unwrap_or_default())?;
        act(&mut world, step)?;
    }
    world.run_to(8000)?;
    let seen: Vec<Timed<String>> = world
        .seen_of("Pod")
        .filter(|seen| seen.object().name() == "w")
        .filter_map(|seen| Some((seen.at, notification(seen.before.as_deref(), seen.after.as_deref()?)?)))
        .collect();
    let recorded: Vec<Timed<String>> = case
        .list(&["transitions"])
        .iter()
        .filter_map(|one| Some((one.number(&["at_ms"])?, recorded_notification(one)?)))
        .collect();
    same_course("pod", &seen, &recorded, TOLERANCE)?;
    let about_w = |list: Vec<Timed<String>>| -> Vec<Timed<String>> {
        list.into_iter().filter(|(_, text)| text.starts_with("Pod/w ")).collect()
    };
    let recorded: Vec<Timed<String>> = case
        .list(&["events"])
        .iter()
        .map(|event| {
            let text = |field: &str| event.text(&[field]).to_owned();
            (
                event.number(&["at_ms"]).unwrap_or_default(),
                format!("{} {} {} {}", text("object"), text("type"), text("reason"), text("message")),
            )
        })
        .collect();
    same_course("events", &about_w(world.events()), &recorded, TOLERANCE)
}

fn taint(world: &mut World, is_there: bool) -> Verdict {
    let taints =
        if is_there { json!([{"key": "k", "value": "v", "effect": "NoSchedule"}]) } else { json!([]) };
    world.patch_node("n1", json!({"spec": {"taints": taints}}))
}

fn act(world: &mut World, step: &Value) -> Verdict {
    let what = step.text(&["do"]);
    if what.starts_with("create pod w") {
        let mut made = pod("w", json!({}));
        made["spec"]["containers"][0]["resources"] = resources(&step["spec"]);
        return world.create(made).map(drop);
    }
    match what {
        _ if what.starts_with("remove the taint") => taint(world, false),
        _ if what.starts_with("add the taint") => taint(world, true),
        _ if what.starts_with("label n1") => {
            world.patch_node("n1", json!({"metadata": {"labels": {"a": "b"}}}))
        }
        _ if what.starts_with("append toleration") => {
            let own = world.pod("sched", "w").ok_or("the pod is gone")?;
            let mut tolerations = own.list(&["spec", "tolerations"]).to_vec();
            tolerations.push(json!({"key": "k", "operator": "Exists"}));
            world.patch("Pod", &own.object_name(), json!({"spec": {"tolerations": tolerations}}), false)
        }
        _ if what.starts_with("add node") => world.create(node("n1", "z1", "worker")).map(drop),
        _ if what.starts_with("uncordon") => world.patch_node("n1", json!({"spec": {"unschedulable": null}})),
        _ if what.starts_with("delete pod big") => {
            world.delete(("", "Pod"), &ObjectName::namespaced("sched", "big"))
        }
        _ => Err(Difference::UnknownStep(what.to_owned())),
    }
}

/// What a notification says of the node of the pod and of the condition about it.
fn notification(before: Option<&Object>, after: &Object) -> Option<String> {
    let said = |pod: &Object| {
        let condition = pod.condition("PodScheduled").cloned().unwrap_or_default();
        format!("{} {}", condition.text(&["status"]), condition.text(&["message"]))
    };
    let Some(before) = before else { return Some("ADDED".to_owned()) };
    (said(before) != said(after)).then(|| format!("{} {}", said(after), after.text(&["spec", "nodeName"])))
}

fn recorded_notification(one: &Value) -> Option<String> {
    if one["event"] == "ADDED" {
        return Some("ADDED".to_owned());
    }
    let condition = one.given(&["conditions"])?;
    Some(format!(
        "{} {} {}",
        condition.text(&["status"]),
        condition.text(&["message"]),
        one.text(&["nodeName"])
    ))
}

//! How many nodes of a zone are lost, and how fast their pods are evicted.

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::compare::{Timed, same, same_course_in_any_order, taint_texts};
use super::world::{World, first_heartbeat, node, recorded_settings};
use crate::{Difference, Verdict};

/// The README's tolerance.
const TOLERANCE: i64 = 300;

pub(crate) fn play(case: &Value) -> Verdict {
    let mut settings = recorded_settings();
    for flag in case.list(&["flags"]).iter().filter_map(Value::as_str) {
        if let Some(number) = flag.strip_prefix("--large-cluster-size-threshold=") {
            settings.large_zone = number.parse().map_err(|_| Difference::BadFlag(flag.to_owned()))?;
        }
        if let Some(share) = flag.strip_prefix("--unhealthy-zone-threshold=") {
            settings.unhealthy = share.parse().map_err(|_| Difference::BadFlag(flag.to_owned()))?;
        }
    }
    let mut world = World::new(settings, &[]);
    let phase = phase(case);
    let stop = case.list(&["steps"]).iter().find(|step| step.text(&["do"]).starts_with("stop"));
    let lost = case.list(&["taint_changes"]).iter().find(|change| {
        change
            .list(&["taints"])
            .iter()
            .any(|taint| taint.as_str().is_some_and(|text| text.starts_with("unreachable")))
    });
    let at = |one: Option<&Value>| one.and_then(|one| one.number(&["at_ms"]));
    if let (Some(stop), Some(lost)) = (at(stop), at(lost)) {
        world.pass(first_heartbeat(phase, stop, lost))?;
    }
    let mut names: Vec<String> = Vec::new();
    for (zone, nodes) in case["zones"].as_object().into_iter().flatten() {
        for name in nodes.as_array().into_iter().flatten().filter_map(Value::as_str) {
            let mut object = node(name, zone, "worker");
            for (key, value) in case["labels"][name].as_object().into_iter().flatten() {
                object.set(&["metadata", "labels", key], value.clone());
            }
            world.create(object)?;
            names.push(name.to_owned());
        }
    }
    if !case.text(&["note"]).contains("no zone \"ok\"") {
        world.create(node("ok1", "ok", "worker"))?;
    }
    // A cluster begins with all zones lost, and the first token comes a while after.
    world.pass(12_000)?;
    world.begin(2000, phase)?;
    for step in case.list(&["steps"]) {
        world.run_to(step.number(&["at_ms"]).unwrap_or_default())?;
        act(&mut world, step.text(&["do"]), &names)?;
    }
    world.run_to(case.number(&["end_ms"]).unwrap_or_default())?;
    let seen: Vec<Timed<String>> = world
        .seen_of("Node")
        .filter(|seen| seen.object().name() != "ok1")
        .filter_map(|seen| {
            let taints = |node: Option<&Object>| short(node.and_then(|node| node.at(&["spec", "taints"])));
            let (before, after) = (taints(seen.before.as_deref()), taints(seen.after.as_deref()));
            (before != after).then_some((seen.at, after))
        })
        .collect();
    let changes = case.list(&["taint_changes"]).iter();
    let recorded: Vec<Timed<String>> = changes
        .map(|change| {
            let texts: Vec<&str> = change.list(&["taints"]).iter().filter_map(Value::as_str).collect();
            (change.number(&["at_ms"]).unwrap_or_default(), texts.join(" "))
        })
        .collect();
    let is_late =
        first_eviction(&recorded).is_some_and(|at| (1_300..6_000).contains(&at) && lost_at_once(case));
    let (seen, recorded) = if is_late { (from_first(seen), from_first(recorded)) } else { (seen, recorded) };
    same_course_in_any_order("taints", &seen, &recorded, TOLERANCE)?;
    // Equal nodes may have changed places.
    let mut own: Vec<String> = Vec::new();
    for name in &names {
        own.push(short(world.node(name)?.at(&["spec", "taints"])));
    }
    let finally = case["final"].as_object().into_iter().flatten();
    let mut wanted: Vec<String> = finally.map(|(_, node)| short(node.get("taints"))).collect();
    own.sort();
    wanted.sort();
    same("taints at the end", &own, &wanted)
}

/// Taints without the part of the key that all have.
fn short(taints: Option<&Value>) -> String {
    let texts = taint_texts(taints);
    let short = |text: &String| text.trim_start_matches("node.kubernetes.io/").to_owned();
    texts.iter().map(short).collect::<Vec<String>>().join(" ")
}

/// True for a taint that waited for a token.
fn is_limited(text: &str) -> bool {
    text.contains("NoSchedule") && text.ends_with("NoExecute")
}

fn first_eviction(course: &[Timed<String>]) -> Option<i64> {
    course.iter().find(|(_, text)| is_limited(text)).map(|(at, _)| *at)
}

/// True if the first nodes were lost when the case began.
fn lost_at_once(case: &Value) -> bool {
    case.list(&["steps"]).first().is_some_and(|step| step.text(&["do"]).starts_with("Ready=False"))
}

/// Whether a zone still had a token from the case before is not recorded: where the first eviction came later than a
/// pass, times of evictions count from the first one.
fn from_first(course: Vec<Timed<String>>) -> Vec<Timed<String>> {
    let first = first_eviction(&course).unwrap_or_default();
    let shifted = |(at, text): Timed<String>| (if is_limited(&text) { at - first } else { at }, text);
    course.into_iter().map(shifted).collect()
}

/// When the monitor passes fell, as the rest of a period: by the first thing that only a pass does.
fn phase(case: &Value) -> u64 {
    let state = case.list(&["zone_states"]).iter().find_map(|one| one.number(&["at_ms"]));
    let mut evictions = case.list(&["taint_changes"]).iter().filter(|change| {
        let last = change.list(&["taints"]).last().and_then(Value::as_str).unwrap_or_default();
        last.ends_with("NoExecute")
    });
    // The queue is looked at within a tenth of a second after the pass.
    let eviction = evictions.find_map(|one| one.number(&["at_ms"])).map(|at| at + 950);
    let at = state.or(eviction).unwrap_or_default();
    1000 - u64::try_from(at).unwrap_or_default() % 1000
}

/// The nodes that a text means: `a1,a2`, `a01..a06`, `all`.
fn nodes(text: &str, names: &[String]) -> Vec<String> {
    if text.starts_with("all") {
        return names.to_vec();
    }
    if let Some((first, last)) = text.split_once("..") {
        let last = last.split(' ').next().unwrap_or(last);
        return names.iter().filter(|name| (first..=last).contains(&name.as_str())).cloned().collect();
    }
    let list = text.split(' ').next().unwrap_or(text);
    list.split(',').map(str::to_owned).collect()
}

fn act(world: &mut World, what: &str, names: &[String]) -> Verdict {
    let ready = |world: &mut World, name: &str, status: &str| {
        let (reason, message) = match status {
            "True" => ("KubeletReady", "kubelet is posting ready status"),
            _ => ("KubeletNotReady", "container runtime is down"),
        };
        world.say(name, ("Ready", status, reason, message))
    };
    if let Some((status, list)) = what.strip_prefix("Ready=").and_then(|rest| rest.split_once(" on ")) {
        return nodes(list, names).iter().try_for_each(|name| ready(world, name, status));
    }
    if let Some(rest) = what.strip_prefix("label ") {
        let (name, pair) = rest.split_once(' ').ok_or("a label without node")?;
        let (key, value) = pair.split_once('=').ok_or("a label without value")?;
        return world.patch_node(name, json!({"metadata": {"labels": {key: value}}}));
    }
    for (verb, is_silent) in [("stop", true), ("resume", false)] {
        if what == format!("{verb} all heartbeats") {
            return names.iter().try_for_each(|name| world.silence(name, is_silent));
        }
        if let Some(list) = what.strip_prefix(&format!("{verb} heartbeats of ")) {
            let (list, then) = list.split_once(", ").unwrap_or((list, ""));
            for name in nodes(list, names) {
                world.silence(&name, is_silent)?;
                if let Some(status) = then.strip_prefix("Ready=") {
                    ready(world, &name, status)?;
                }
            }
            return Ok(());
        }
    }
    Err(Difference::UnknownStep(what.to_owned()))
}

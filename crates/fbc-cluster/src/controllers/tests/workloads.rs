//! What recordings of workloads are compared by: conditions in their order, sizes, final numbers, events.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::play::{Play, Transition, without_suffix};
use crate::controllers::behaviour::{Behaviour, Fate, PodSelector};
use crate::controllers::daemon_sets::DaemonSets;
use crate::controllers::deployments::Deployments;
use crate::controllers::garbage::GarbageCollector;
use crate::controllers::jobs::Jobs;
use crate::controllers::kubelet::Kubelet;
use crate::controllers::node_lifecycle::NodeLifecycle;
use crate::controllers::replica_sets::ReplicaSets;
use crate::controllers::scheduler::Scheduler;
use crate::controllers::stateful_sets::StatefulSets;
use crate::engine::Controller;
use crate::object::{Object, ObjectFields};
use crate::selector::LabelSelector;

/// A cluster with three nodes and the controllers of workloads.
pub(super) fn play() -> Play {
    let mut controllers: Vec<Box<dyn Controller>> =
        vec![Box::new(GarbageCollector::default()), Box::new(Scheduler::new())];
    controllers.push(Box::new(Kubelet::new(behaviours(), 1)));
    controllers.push(Box::new(NodeLifecycle::default()));
    controllers.push(Box::new(ReplicaSets::default()));
    controllers.push(Box::new(Deployments::default()));
    controllers.push(Box::new(StatefulSets::default()));
    controllers.push(Box::new(DaemonSets::default()));
    controllers.push(Box::new(Jobs::default()));
    let mut play = Play::new(controllers);
    for name in ["k1", "k2", "k3"] {
        play.create(json!({"apiVersion": "v1", "kind": "Node", "metadata": {
            "name": name, "labels": {"topology.kubernetes.io/zone": "zk"},
        }}));
    }
    // The recording of `minReadySeconds` began at this part of a second, and times of conditions have none.
    play.run_to(800);
    play.begin();
    play
}

/// The annotations that steer the pods of the recordings.
fn behaviours() -> Vec<Behaviour> {
    let annotated = |key: &str, value: &str, fate| Behaviour {
        selector: PodSelector { annotations: LabelSelector::label(key, value), ..PodSelector::default() },
        fate,
        ..Behaviour::default()
    };
    vec![
        annotated("fake/ready", "never", Fate::NeverReady),
        annotated("fake/ready-after", "1", Fate::Ready { after: 1000 }),
        annotated("fake/ready-after", "0.3", Fate::Ready { after: 300 }),
        annotated("fake/complete-after", "1", Fate::Complete { after: 1000 }),
        annotated("fake/complete-after", "0.5", Fate::Complete { after: 500 }),
        annotated("fake/fail-after", "1", Fate::Fail { after: 1000, exit_code: 1 }),
        annotated("fake/fail-after", "0.5", Fate::Fail { after: 500, exit_code: 1 }),
        annotated("fake/fail-after", "0.3", Fate::Fail { after: 300, exit_code: 1 }),
        Behaviour::default(),
    ]
}

/// Numbers and conditions of a status, the size, and annotations, one field for each.
pub(super) fn project(object: &Object) -> Map<String, Value> {
    let mut fields = Map::new();
    if let Some(replicas) = object.at(&["spec", "replicas"]) {
        fields.insert("spec.replicas".into(), replicas.clone());
    }
    for (key, value) in
        object.at(&["metadata", "annotations"]).and_then(Value::as_object).into_iter().flatten()
    {
        fields.insert(format!("annotations.{key}"), value.clone());
    }
    for (key, value) in object.get("status").and_then(Value::as_object).into_iter().flatten() {
        if key == "conditions" {
            for condition in value.as_array().into_iter().flatten() {
                let mut condition = condition.clone();
                let name = format!("status.conditions[{}]", condition.text(&["type"]));
                for field in ["type", "lastTransitionTime", "lastUpdateTime", "lastProbeTime"] {
                    condition.remove(&[field]);
                }
                fields.insert(name, condition);
            }
        } else {
            fields.insert(format!("status.{key}"), value.clone());
        }
    }
    fields
}

/// The fields of a recorded transition in the form of [`project`].
pub(super) fn flat(fields: &Value) -> Map<String, Value> {
    let mut flat = Map::new();
    for (key, value) in fields.as_object().into_iter().flatten() {
        match (key.as_str(), value) {
            ("status" | "annotations", Value::Object(inner)) => {
                flat.extend(inner.iter().map(|(field, value)| (format!("{key}.{field}"), value.clone())));
            }
            ("status.conditions", Value::Array(conditions)) => {
                for condition in conditions {
                    let mut condition = condition.clone();
                    let name = condition.remove(&["type"]).unwrap();
                    flat.insert(format!("status.conditions[{}]", name.as_str().unwrap()), condition);
                }
            }
            (_, Value::Object(_)) if key.starts_with("status.conditions[") => {
                let mut condition = value.clone();
                condition.remove(&["type"]);
                flat.insert(key.clone(), condition);
            }
            _ => {
                flat.insert(key.clone(), value.clone());
            }
        }
    }
    flat
}

/// A run in what must be equal whatever the load of the machine was.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Essence {
    /// For each object the conditions as they came, those of one write by type.
    pub(super) conditions: BTreeMap<String, Vec<String>>,
    /// For each object the values of `spec.replicas`.
    pub(super) sizes: BTreeMap<String, Vec<Value>>,
    /// For each object that is left the last value of each field.
    pub(super) last: BTreeMap<String, Map<String, Value>>,
    /// How many pods of a name were made, and how many went.
    pub(super) pods: BTreeMap<String, (usize, usize)>,
}

/// What a list of transitions comes to.
pub(super) fn essence(transitions: &[Transition]) -> Essence {
    let mut essence = Essence::default();
    for transition in transitions {
        let object = without_suffix(&transition.object);
        let kind = object.split('/').next().unwrap();
        if kind == "Pod" {
            let (made, gone) = essence.pods.entry(object).or_default();
            *made += usize::from(transition.event == "ADDED");
            *gone += usize::from(transition.event == "DELETED");
            continue;
        }
        if !["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"].contains(&kind) {
            continue;
        }
        if transition.event == "DELETED" {
            essence.last.remove(&object);
            continue;
        }
        for (field, value) in flat(&transition.fields) {
            if let Some(name) =
                field.strip_prefix("status.conditions[").and_then(|name| name.strip_suffix(']'))
            {
                let text = match &value {
                    Value::Null => format!("{name} removed"),
                    value => format!(
                        "{name} {} {} {}",
                        value.text(&["status"]),
                        value.text(&["reason"]),
                        without_names(value.text(&["message"]))
                    ),
                };
                essence.conditions.entry(object.clone()).or_default().push(text);
                continue;
            }
            if field == "spec.replicas" && !value.is_null() {
                essence.sizes.entry(object.clone()).or_default().push(value.clone());
            }
            if !(field.starts_with("status.") || field.starts_with("annotations.")) {
                continue;
            }
            let last = essence.last.entry(object.clone()).or_default();
            if value.is_null() {
                last.remove(&field);
            } else {
                last.insert(field, value);
            }
        }
    }
    essence
}

/// Events with how often they were seen, random suffixes left out.
pub(super) fn events(play: &Play) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for event in play.cluster.api.all("", "Event") {
        let object = format!(
            "{}/{}",
            event.text(&["involvedObject", "kind"]),
            event.text(&["involvedObject", "name"])
        );
        *counts.entry(event_line(&object, event)).or_default() += event["count"].as_u64().unwrap_or(1);
    }
    counts
}

/// The events of a recording in the same form.
pub(super) fn recorded_events(case: &Value) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    for event in case.list(&["events"]) {
        // An event that is counted up is listed with each count.
        let object = event.text(&["object"]);
        let count = event["count"].as_u64().unwrap_or(1);
        let exact = format!("{object} {}", combined(event.text(&["message"])));
        let before = if count > 1 { last.get(&exact).copied().unwrap_or_default() } else { 0 };
        last.insert(exact, count);
        *counts.entry(event_line(object, event)).or_default() += count - before;
    }
    counts
}

/// A combined event shows the last of its messages.
fn combined(message: &str) -> &str {
    if message.starts_with("(combined") { "(combined)" } else { message }
}

/// A text in which pods are named by their owner, and nodes not at all.
fn without_names(text: &str) -> String {
    let words: Vec<String> = text
        .split(' ')
        .map(|word| {
            let pod = without_suffix(&format!("Pod/{}", word.rsplit('/').next().unwrap()));
            let is_node = word.len() == 2 && word.starts_with('k');
            if is_node { "*".into() } else { pod.trim_start_matches("Pod/").to_owned() }
        })
        .collect();
    words.join(" ")
}

fn event_line(object: &str, event: &Value) -> String {
    let text = without_names(combined(event.text(&["message"])));
    format!("{} {} {}", without_suffix(object), event.text(&["reason"]), text)
}

/// What a run and a recording differ in.
pub(super) fn differences(play: &Play, case: &Value, seen: &Essence, expected: &Essence) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |what: &str, seen: String, expected: String| {
        if seen != expected {
            let name = case.text(&["name"]);
            wrong.push(format!("{name}: {what}\n  seen     {seen}\n  recorded {expected}"));
        }
    };
    for (object, conditions) in &expected.conditions {
        check(object, format!("{:?}", seen.conditions.get(object)), format!("{:?}", Some(conditions)));
    }
    for (object, sizes) in &expected.sizes {
        check(object, format!("{:?}", seen.sizes.get(object)), format!("{:?}", Some(sizes)));
    }
    for (object, last) in &expected.last {
        let seen = seen.last.get(object).map(|last| json!(last).to_string());
        check(object, seen.unwrap_or_default(), json!(last).to_string());
    }
    check("pods", format!("{:?}", seen.pods), format!("{:?}", expected.pods));
    check("events", format!("{:#?}", events(play)), format!("{:#?}", recorded_events(case)));
    wrong
}

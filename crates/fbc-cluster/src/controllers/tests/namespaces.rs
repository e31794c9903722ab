//! Namespaces on their way out, and what they get when they begin.

use serde_json::{Map, Value, json};

use super::play::{Play, Transition, by_object, recorded};
use super::workloads::flat;
use crate::api::Propagation;
use crate::controllers::accounts::{RootCertificates, ServiceAccounts};
use crate::controllers::garbage::GarbageCollector;
use crate::controllers::kubelet::Kubelet;
use crate::controllers::namespaces::Namespaces;
use crate::controllers::scheduler::Scheduler;
use crate::object::{Object, ObjectFields};

fn project(object: &Object) -> Map<String, Value> {
    let mut fields = Map::new();
    if object.kind() != "Namespace" {
        if object.is_terminating() {
            fields.insert("deletionTimestamp".into(), json!("<set>"));
        }
        return fields;
    }
    if object.is_terminating() {
        fields.insert("deletionTimestamp".into(), json!("<set>"));
    }
    fields.insert("status.phase".into(), object["status"]["phase"].clone());
    for condition in object.list(&["status", "conditions"]) {
        let mut condition = condition.clone();
        condition.remove(&["lastTransitionTime"]);
        let name = format!("status.conditions[{}]", condition.text(&["type"]));
        condition.remove(&["type"]);
        fields.insert(name, condition);
    }
    fields
}

fn play() -> Play {
    Play::new(vec![
        Box::new(GarbageCollector::default()),
        Box::new(Namespaces::default()),
        Box::new(ServiceAccounts),
        Box::new(RootCertificates),
    ])
}

fn held() -> Object {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "held", "finalizers": ["example.com/hold"]},
    })
}

#[test]
fn new_namespaces_are_filled_and_kept_so() {
    let mut play = play();
    play.run_to(100);
    let namespace = play.get("Namespace/ns").unwrap();
    assert_eq!(namespace["spec"]["finalizers"], json!(["kubernetes"]));
    assert_eq!(namespace.label("kubernetes.io/metadata.name"), Some("ns"));
    assert_eq!(namespace["status"]["phase"], "Active");
    assert!(play.get("ServiceAccount/default").is_some());
    play.delete("ServiceAccount/default", Propagation::Background);
    play.patch("ConfigMap/kube-root-ca.crt", json!({"data": {"ca.crt": "other"}}));
    play.run_to(200);
    assert!(play.get("ServiceAccount/default").is_some());
    let certificates = play.get("ConfigMap/kube-root-ca.crt").unwrap();
    assert!(certificates.text(&["data", "ca.crt"]).starts_with("-----BEGIN"));
}

#[test]
fn an_empty_namespace_goes_after_five_seconds() {
    let mut play = play();
    play.run_to(100);
    play.delete("Namespace/ns", Propagation::Background);
    play.run_to(5000);
    assert_eq!(play.get("Namespace/ns").unwrap()["status"], json!({"phase": "Terminating"}));
    assert!(play.get("ConfigMap/kube-root-ca.crt").is_some());
    play.run_to(5100);
    assert!(play.get("Namespace/ns").is_none());
    assert!(play.get("ConfigMap/kube-root-ca.crt").is_none());
}

#[test]
fn pods_go_before_the_rest() {
    let Some(cases) = recorded("10i-namespaces/cases.json") else { return };
    let case = cases.iter().find(|case| case["name"] == "with-workload").unwrap();
    let mut play = play();
    play.cluster.add_controller(Box::new(Scheduler::with_virtual_node("node")));
    play.cluster.add_controller(Box::new(Kubelet::default()));
    play.create(json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare"},
        "spec": {"terminationGracePeriodSeconds": 1, "containers": [{"name": "c", "image": "x"}]},
    }));
    play.create(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}));
    play.run_to(1000);
    play.begin();
    play.delete("Namespace/ns", Propagation::Background);
    play.run_to(20_000);
    let of = |object: &str, transitions: Vec<Transition>| -> Vec<(u64, Transition)> {
        let one = transitions.into_iter().filter(|one| one.object == object);
        one.map(|one| (one.at, Transition { at: 0, ..one })).collect()
    };
    let seen = play.transitions(project);
    let expected: Vec<Transition> = case.list(&["transitions"]).iter().map(Transition::read).collect();
    let (namespace, recorded) = (of("Namespace/ns", seen.clone()), of("Namespace/ns", expected));
    assert_eq!(namespace.len(), recorded.len());
    for ((at, seen), (recorded_at, recorded)) in namespace.iter().zip(&recorded) {
        assert_eq!(flat(&seen.fields), flat(&recorded.fields));
        assert!(at.abs_diff(*recorded_at) <= 700, "{at} {recorded_at}");
    }
    let gone = |name: &str| seen.iter().position(|one| one.object == name && one.event == "DELETED").unwrap();
    assert!(gone("Pod/bare") < gone("ConfigMap/a"));
}

/// Pods play no part here: what they change in the conditions is tried above.
#[test]
fn conditions_tell_what_remains_as_recorded() {
    let Some(cases) = recorded("10i-namespaces/cases.json") else { return };
    let case = cases.iter().find(|case| case["name"] == "held-by-a-finalizer").unwrap();
    let mut play = play();
    play.create(held());
    play.run_to(1000);
    play.begin();
    play.delete("Namespace/ns", Propagation::Background);
    play.run_to(9000);
    let recorded: Vec<Transition> = case.list(&["transitions"]).iter().map(Transition::read).collect();
    let namespace = play.get("Namespace/ns").unwrap();
    for transition in recorded.iter().filter(|one| one.object == "Namespace/ns" && one.at == 6800) {
        for (field, expected) in transition.fields.as_object().unwrap() {
            assert_eq!(project(namespace).get(field), Some(expected), "{field}");
        }
    }
    play.patch("ConfigMap/held", json!({"metadata": {"finalizers": null}}));
    play.run_to(20_000);
    let seen: Vec<Transition> =
        play.transitions(project).into_iter().filter(|one| one.object == "Namespace/ns").collect();
    let seen = by_object(&seen).remove("Namespace/ns").unwrap().remove(0);
    let recorded: Vec<Transition> = recorded.into_iter().filter(|one| one.object == "Namespace/ns").collect();
    let recorded = by_object(&recorded).remove("Namespace/ns").unwrap().remove(0);
    assert_eq!(seen[2..], recorded[3..], "what follows once nothing holds it");
}

//! The recordings of garbage collection.

use serde_json::{Map, Value, json};

use super::play::{Play, Transition, by_object, recorded};
use super::workloads;
use crate::api::Propagation;
use crate::controllers::garbage::GarbageCollector;
use crate::object::{Object, ObjectFields};

fn project(object: &Object) -> Map<String, Value> {
    let mut fields = Map::new();
    for field in ["deletionTimestamp", "deletionGracePeriodSeconds", "finalizers", "ownerReferences"] {
        let value = object.at(&["metadata", field]).filter(|value| **value != json!([]));
        let Some(value) = value else { continue };
        let value = match field {
            "deletionTimestamp" => json!("<set>"),
            "deletionGracePeriodSeconds" if object.kind() != "Pod" => continue,
            "ownerReferences" => without_uids(value),
            _ => value.clone(),
        };
        fields.insert(field.into(), value);
    }
    fields
}

fn without_uids(references: &Value) -> Value {
    let mut references = references.clone();
    for reference in references.as_array_mut().unwrap() {
        reference.remove(&["uid"]);
    }
    references
}

fn config_map(name: &str, owners: &[(&str, &str, bool)], finalizers: &[&str]) -> Object {
    let references: Vec<Value> = owners
        .iter()
        .map(|(name, uid, blocks)| {
            let mut reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid});
            if *blocks {
                reference.set(&["blockOwnerDeletion"], true);
            }
            reference
        })
        .collect();
    let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    if !references.is_empty() {
        object.set(&["metadata", "ownerReferences"], references);
    }
    if !finalizers.is_empty() {
        object.set(&["metadata", "finalizers"], json!(finalizers));
    }
    object
}

/// Makes what a case starts with, as its name says.
fn prepare(play: &mut Play, case: &str) {
    match case {
        "two-owners-one-deleted" => {
            let (a, b) = (play.create(config_map("a", &[], &[])), play.create(config_map("b", &[], &[])));
            play.create(config_map("c", &[("a", &a, false), ("b", &b, false)], &[]));
        }
        "finalizer-only" => {
            play.create(config_map("a", &[], &["example.com/x", "example.com/y"]));
        }
        _ => {
            let blocks = !case.ends_with("no-block");
            let held = |name| if case.ends_with(name) { &["example.com/hold"][..] } else { &[] };
            let a = play.create(config_map("a", &[], &[]));
            let b = play.create(config_map("b", &[("a", &a, blocks)], held("middle-held")));
            play.create(config_map("c", &[("b", &b, blocks)], held("dependent-held")));
        }
    }
}

#[test]
fn config_maps_go_as_recorded() {
    let Some(cases) = recorded("10e-garbage-collection/cases.json") else { return };
    let mut played = 0;
    for case in cases.iter().filter(|case| case["before"].to_string().contains("ConfigMap/a")) {
        let name = case.text(&["name"]);
        if name == "add-finalizer-while-deleting" {
            continue; // about what the API server refuses
        }
        let mut play = Play::new(vec![Box::new(GarbageCollector::default())]);
        prepare(&mut play, name);
        play.run_to(1000);
        play.begin();
        let propagation = match case.text(&["action", "propagationPolicy"]) {
            "Foreground" => Propagation::Foreground,
            "Orphan" => Propagation::Orphan,
            _ => Propagation::Background,
        };
        play.delete("ConfigMap/a", propagation);
        if let Some(later) = case.at(&["action", "later"]) {
            play.run_to(later["at_ms"].as_u64().unwrap());
            let object = if later.text(&["do"]).ends_with("of c") {
                "ConfigMap/c"
            } else if later.text(&["do"]).ends_with("of b") {
                "ConfigMap/b"
            } else {
                "ConfigMap/a"
            };
            play.patch(object, json!({"metadata": {"finalizers": null}}));
        }
        play.run_to(20_000);
        let recorded: Vec<Transition> = case.list(&["transitions"]).iter().map(Transition::read).collect();
        let seen = play.transitions(project);
        assert_eq!(by_object(&seen), by_object(&recorded), "{name}");
        for (seen, recorded) in seen.iter().zip(&recorded) {
            assert_eq!(seen.object, recorded.object, "{name}: order");
            assert!(seen.at.abs_diff(recorded.at) <= 300, "{name}: {} at {}", seen.object, seen.at);
        }
        played += 1;
    }
    assert!(played >= 8);
}

#[test]
fn workloads_go_as_recorded() {
    let Some(cases) = recorded("10e-garbage-collection/cases.json") else { return };
    let mut played = 0;
    for case in cases.iter().filter(|case| case["before"].to_string().contains("Deployment/web")) {
        let name = case.text(&["name"]);
        let mut play = workloads::play();
        play.create(json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {
                "replicas": 2, "selector": {"matchLabels": {"app": "web"}},
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {
                        "terminationGracePeriodSeconds": 1, "containers": [{"name": "c", "image": "registry.example/app"}],
                    },
                },
            },
        }));
        play.run_to(1200);
        play.begin();
        let set = play.cluster.api.all("apps", "ReplicaSet").next().unwrap().name().to_owned();
        let text = case.to_string().replace("web-57b787757d", &set);
        let case: Value = serde_json::from_str(&text).unwrap();
        let action = case["action"].to_string();
        let propagation = if action.contains("Foreground") || action.contains("=foreground") {
            Propagation::Foreground
        } else if action.contains("Orphan") || action.contains("=orphan") {
            Propagation::Orphan
        } else {
            Propagation::Background
        };
        let object = if action.contains("DELETE ReplicaSet") {
            format!("ReplicaSet/{set}")
        } else {
            "Deployment/web".to_owned()
        };
        play.delete(&object, propagation);
        play.run_to(5000);
        let recorded: Vec<Transition> = case.list(&["transitions"]).iter().map(Transition::read).collect();
        let mut seen = play.transitions(project);
        seen.retain(|transition| !transition.object.starts_with("Event/"));
        assert_eq!(by_object(&seen), by_object(&recorded), "{name}");
        played += 1;
    }
    assert!(played >= 8);
}

#[test]
fn dangling_owners_are_as_good_as_none() {
    let mut play = Play::new(vec![Box::new(GarbageCollector::default())]);
    play.create(config_map("a", &[], &[]));
    let elsewhere = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}});
    play.create(elsewhere);
    let mut owner = config_map("owner", &[], &[]);
    owner.set(&["metadata", "namespace"], "other");
    let uid = play.create(owner);
    play.create(config_map("no-owner", &[("nosuch", "1", false)], &[]));
    play.create(config_map("other-uid", &[("a", "2", false)], &[]));
    play.create(config_map("other-namespace", &[("owner", &uid, false)], &[]));
    let mut foreign = config_map("unknown-kind", &[("b", "3", false)], &[]);
    foreign.place(&["metadata", "ownerReferences"])[0].set(&["kind"], "Sprocket");
    play.create(foreign);
    play.run_to(5000);
    let left: Vec<&str> = ["a", "no-owner", "other-uid", "other-namespace", "unknown-kind"]
        .into_iter()
        .filter(|name| play.get(&format!("ConfigMap/{name}")).is_some())
        .collect();
    assert_eq!(left, ["a", "unknown-kind"]);
}

#[test]
fn objects_of_the_cluster_outlive_owners_in_namespaces() {
    let mut play = Play::new(vec![Box::new(GarbageCollector::default())]);
    let mut role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "role"},
    });
    role.set(
        &["metadata", "ownerReferences"],
        json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "1"}]),
    );
    play.create(role);
    play.run_to(5000);
    assert!(play.get("ClusterRole/role").is_some());
}

#[test]
fn circles_are_broken() {
    let mut play = Play::new(vec![Box::new(GarbageCollector::default())]);
    let a = play.create(config_map("a", &[], &[]));
    let b = play.create(config_map("b", &[("a", &a, true)], &[]));
    let reference =
        json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "b", "uid": b, "blockOwnerDeletion": true}]);
    play.patch("ConfigMap/a", json!({"metadata": {"ownerReferences": reference}}));
    play.run_to(100);
    play.delete("ConfigMap/a", Propagation::Foreground);
    play.run_to(5000);
    assert!(play.get("ConfigMap/a").is_none() && play.get("ConfigMap/b").is_none());
}

#[test]
fn unrelated_objects_cost_nothing() {
    let mut play = Play::new(vec![Box::new(GarbageCollector::default())]);
    let a = play.create(config_map("a", &[], &[]));
    play.create(config_map("b", &[("a", &a, true)], &[]));
    for number in 0..1000 {
        play.create(config_map(&format!("other-{number}"), &[], &[]));
    }
    play.run_to(100);
    let before = play.cluster.reconciliations();
    play.delete("ConfigMap/a", Propagation::Background);
    play.run_to(5000);
    assert_eq!(play.cluster.reconciliations() - before, 1);
}

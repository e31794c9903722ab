//! The pods behind services.

use std::sync::Arc;

use serde_json::{Value, json};

use super::play::Play;
use crate::api::{Caller, DeleteOptions, Patch, Propagation, Subresource, WriteOptions};
use crate::controllers::endpoints::EndpointSlices;
use crate::controllers::garbage::GarbageCollector;
use crate::controllers::kubelet::Kubelet;
use crate::controllers::scheduler::Scheduler;
use crate::object::{Object, ObjectFields, ObjectName};

#[test]
fn slices_follow_pods() {
    let mut play = Play::new(vec![
        Box::new(GarbageCollector::default()),
        Box::new(Scheduler::with_virtual_node("node")),
        Box::new(Kubelet::default()),
        Box::new(EndpointSlices::default()),
    ]);
    play.create(json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}]},
    }));
    for (name, label) in [("one", "web"), ("two", "web"), ("other", "db")] {
        play.create(json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": label}},
            "spec": {"containers": [{"name": "c", "image": "x", "ports": [{"name": "http", "containerPort": 8080}]}]},
        }));
    }
    let ready = |play: &Play| -> Vec<(String, bool)> {
        let slices: Vec<Value> =
            play.cluster.api.all("discovery.k8s.io", "EndpointSlice").map(|one| Value::clone(one)).collect();
        assert_eq!(slices.len(), 1);
        assert_eq!(slices[0]["ports"], json!([{"name": "", "port": 8080, "protocol": "TCP"}]));
        let endpoints = slices[0].list(&["endpoints"]).iter();
        endpoints
            .map(|one| (one.text(&["targetRef", "name"]).to_owned(), one["conditions"]["ready"] == true))
            .collect()
    };
    play.run_to(1000);
    assert_eq!(ready(&play), [("one".to_owned(), true), ("two".to_owned(), true)]);
    play.delete("Pod/two", Propagation::Background);
    play.run_to(2000);
    assert_eq!(ready(&play), [("one".to_owned(), true), ("two".to_owned(), false)]);
    play.run_to(60_000);
    assert_eq!(ready(&play), [("one".to_owned(), true)]);
    play.delete("Service/web", Propagation::Background);
    play.run_to(61_000);
    assert_eq!(play.cluster.api.all("discovery.k8s.io", "EndpointSlice").count(), 0);
}

/// A service of many pods has many slices, each pod is in one of them, and they go with the pods.
#[test]
fn a_slice_holds_a_hundred_endpoints() {
    let mut play = Play::new(vec![Box::new(EndpointSlices::default())]);
    play.create(json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }));
    let name = |number: usize| format!("pod-{number:04}");
    for number in 0..2_350 {
        play.create(json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name(number), "labels": {"app": "web"}},
            "spec": {"nodeName": "node", "containers": [{"name": "c", "image": "x"}]},
        }));
        let pod = ObjectName::namespaced("ns", name(number));
        let (kind, status) = (play.cluster.api.kind_id("", "Pod").unwrap(), json!({"podIP": "10.0.0.1"}));
        let patch = Patch::Merge(json!({"status": status}));
        let (caller, options) = (Caller::administrator("kubelet"), WriteOptions::default());
        play.cluster.api.patch(&caller, kind, &pod, &patch, Subresource::Status, options).unwrap();
    }
    let slices = |play: &Play| -> Vec<Vec<String>> {
        let slices = play.cluster.api.all("discovery.k8s.io", "EndpointSlice");
        let pods = |slice: &Arc<Object>| {
            let endpoints = slice.list(&["endpoints"]).iter();
            endpoints.map(|one| one.text(&["targetRef", "name"]).to_owned()).collect()
        };
        slices.map(pods).collect()
    };
    play.run_to(1000);
    let mut found = slices(&play);
    assert_eq!(found.len(), 24);
    assert!(found.iter().all(|pods| pods.len() <= 100 && pods.is_sorted()));
    let mut pods: Vec<String> = found.drain(..).flatten().collect();
    pods.sort();
    assert_eq!(pods, (0..2_350).map(name).collect::<Vec<_>>());
    for number in 1..2_350 {
        let pod = ObjectName::namespaced("ns", name(number));
        let kind = play.cluster.api.kind_id("", "Pod").unwrap();
        let now = DeleteOptions { grace_period: Some(0), ..DeleteOptions::default() };
        play.cluster.api.delete(&Caller::administrator("test"), kind, &pod, &now).unwrap();
    }
    play.run_to(2000);
    assert_eq!(slices(&play), [[name(0)]]);
}

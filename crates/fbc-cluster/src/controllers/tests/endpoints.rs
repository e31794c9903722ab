//! The pods behind services.

use serde_json::{Value, json};

use super::play::Play;
use crate::api::Propagation;
use crate::controllers::endpoints::EndpointSlices;
use crate::controllers::garbage::GarbageCollector;
use crate::controllers::kubelet::Kubelet;
use crate::controllers::scheduler::Scheduler;
use crate::object::ObjectFields;

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

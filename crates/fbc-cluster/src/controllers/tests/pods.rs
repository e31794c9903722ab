//! How pods fare, and the stand-in for those who do not want any.

use serde_json::{Value, json};

use super::play::Play;
use crate::api::Propagation;
use crate::controllers::behaviour::{Behaviour, pack};
use crate::controllers::kubelet::Kubelet;
use crate::controllers::node_lifecycle::NodeLifecycle;
use crate::controllers::scheduler::Scheduler;
use crate::controllers::stand_in::{Answer, DeploymentStandIn};
use crate::object::{ObjectFields, ObjectName};

fn play(behaviours: Vec<Behaviour>) -> Play {
    Play::new(vec![Box::new(Scheduler::with_virtual_node("node")), Box::new(Kubelet::new(behaviours, 1))])
}

fn pod(restart_policy: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
        "spec": {
            "restartPolicy": restart_policy, "terminationGracePeriodSeconds": 2,
            "containers": [{"name": "c", "image": "registry.example/app:1"}],
        },
    })
}

/// Phase, readiness, restarts and the reason of waiting.
fn state(play: &Play) -> (String, bool, i64, String) {
    let pod = play.get("Pod/a").unwrap();
    let status = pod["status"]["containerStatuses"][0].clone();
    (
        pod.text(&["status", "phase"]).to_owned(),
        pod.condition_status("Ready") == "True",
        status["restartCount"].as_i64().unwrap_or_default(),
        status.text(&["state", "waiting", "reason"]).to_owned(),
    )
}

#[test]
fn fates_take_their_course() {
    let ready = |ready| ("Running".to_owned(), ready, 0, String::new());
    let ended = |phase: &str| (phase.to_owned(), false, 0, String::new());
    let crashed = |restarts| ("Running".to_owned(), false, restarts, "CrashLoopBackOff".to_owned());
    let waits = |reason: &str| ("Pending".to_owned(), false, 0, reason.to_owned());
    for (behaviour, policy, states) in [
        (json!({}), "Always", vec![(200, ended("Pending")), (400, ready(true))]),
        (json!({"delay": 1000, "after": 500}), "Always", vec![(1100, ready(false)), (1600, ready(true))]),
        (json!({"outcome": "neverReady"}), "Always", vec![(60_000, ready(false))]),
        (
            json!({"outcome": "crash", "after": 1000}),
            "Always",
            vec![
                (400, ready(true)),
                // The first restart comes at once.
                (2400, ("Running".to_owned(), true, 1, String::new())),
                (3400, crashed(1)),
                (13_400, ("Running".to_owned(), true, 2, String::new())),
                (14_400, crashed(2)),
            ],
        ),
        (
            json!({"outcome": "imagePullError"}),
            "Always",
            vec![(400, waits("ErrImagePull")), (20_000, waits("ImagePullBackOff"))],
        ),
        (json!({"outcome": "complete", "after": 500}), "Never", vec![(900, ended("Succeeded"))]),
        (json!({"outcome": "fail", "after": 500, "exitCode": 3}), "Never", vec![(900, ended("Failed"))]),
    ] {
        let mut play = play(vec![Behaviour::read(&behaviour).unwrap()]);
        play.create(pod(policy));
        for (at, expected) in states {
            play.run_to(at);
            assert_eq!(state(&play), expected, "{behaviour} at {at}");
        }
    }
}

#[test]
fn pods_use_their_grace_period() {
    let mut play = play(Vec::new());
    play.create(pod("Always"));
    play.run_to(1500);
    play.delete("Pod/a", Propagation::Background);
    play.run_to(3400);
    assert!(play.get("Pod/a").is_some());
    play.run_to(3600);
    assert!(play.get("Pod/a").is_none());
}

#[test]
fn packs_are_trouble() {
    let mut play = play(pack("broken image").unwrap());
    play.create(pod("Always"));
    play.run_to(1000);
    assert_eq!(state(&play).3, "ErrImagePull");
}

#[test]
fn pods_wait_for_nodes_that_fit() {
    let mut play = Play::new(vec![Box::new(Scheduler::new()), Box::new(NodeLifecycle::default())]);
    play.create(pod("Always"));
    play.run_to(100);
    let reason = |play: &Play| {
        let pod = play.get("Pod/a").unwrap();
        pod.condition("PodScheduled").unwrap().text(&["message"]).to_owned()
    };
    assert_eq!(reason(&play), "no nodes available to schedule pods");
    let taint = json!({"key": "k", "value": "v", "effect": "NoSchedule"});
    let node = |name: &str, spec: Value| json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": spec});
    play.create(node("one", json!({"unschedulable": true})));
    play.create(node("two", json!({"taints": [taint]})));
    // Without any node the pod comes again after a back-off.
    play.run_to(2500);
    assert!(reason(&play).starts_with(
        "0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable."
    ));
    play.patch("Node/one", json!({"spec": {"unschedulable": null}}));
    play.run_to(2600);
    assert_eq!(play.get("Pod/a").unwrap().text(&["spec", "nodeName"]), "one");
}

#[test]
fn the_stand_in_answers_for_deployments() {
    let mut play = Play::new(vec![Box::new(DeploymentStandIn::new(Answer::Pending))]);
    play.create(json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {
            "replicas": 2, "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "x"}]},
            },
        },
    }));
    let available =
        |play: &Play| play.get("Deployment/web").unwrap().condition_status("Available").to_owned();
    play.run_to(100);
    assert_eq!(available(&play), "");
    play.run_to(500);
    assert_eq!(available(&play), "False");
    let name = ObjectName::namespaced("ns", "web");
    play.cluster.controller::<DeploymentStandIn>().unwrap().set_answer(Answer::Available);
    play.cluster.poke("deployment-stand-in", name);
    play.run_to(600);
    assert_eq!(available(&play), "True");
    let status = &play.get("Deployment/web").unwrap()["status"];
    assert_eq!((&status["readyReplicas"], &status["updatedReplicas"]), (&json!(2), &json!(2)));
}

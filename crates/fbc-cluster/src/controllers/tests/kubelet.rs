//! What a pod shows of its containers, and nodes that run short of memory.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};

use super::play::Play;
use crate::controllers::behaviour::read_all;
use crate::controllers::kubelet::{CAPACITY, Images, Kubelet, Pull};
use crate::controllers::node_lifecycle::NodeLifecycle;
use crate::controllers::scheduler::Scheduler;
use crate::object::{Object, ObjectFields};

fn play(behaviours: &Value) -> Play {
    let behaviours = read_all(behaviours.as_array().unwrap()).unwrap();
    Play::new(vec![
        Box::new(Scheduler::with_virtual_node("node")),
        Box::new(NodeLifecycle::default()),
        Box::new(Kubelet::new(behaviours, 1)),
    ])
}

fn pod(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})
}

fn container(name: &str) -> Value {
    json!({"name": name, "image": "registry.example/app:1"})
}

/// Phase, whether it is initialized and ready, and what each container does.
fn told(play: &Play, name: &str) -> String {
    let pod = play.get(&format!("Pod/{name}")).unwrap();
    let mut told = vec![pod.text(&["status", "phase"]).to_owned()];
    for condition in ["Initialized", "Ready"] {
        told.extend((pod.condition_status(condition) == "True").then(|| condition.to_owned()));
    }
    for list in ["initContainerStatuses", "containerStatuses"] {
        for status in pod.list(&["status", list]) {
            let state = status["state"].as_object().unwrap();
            let (kind, value) = state.iter().next().unwrap();
            let reason = value.get("reason").and_then(Value::as_str).unwrap_or(kind);
            told.push(format!("{}={reason}/{}", status.text(&["name"]), status["restartCount"]));
        }
    }
    told.join(" ")
}

fn events(play: &Play) -> Vec<String> {
    let events = play.cluster.api.all("", "Event");
    let from_kubelet = events.filter(|event| event["source"]["component"] == "kubelet");
    from_kubelet.map(|event| format!("{}: {}", event.text(&["reason"]), event.text(&["message"]))).collect()
}

#[test]
fn init_containers_come_first_one_after_another() {
    for (behaviours, spec, states) in [
        (
            json!([]),
            json!({"initContainers": [container("one"), container("two")], "containers": [container("main")]}),
            vec![
                (400, "Pending one=running/0 two=PodInitializing/0 main=PodInitializing/0"),
                (1500, "Pending one=Completed/0 two=running/0 main=PodInitializing/0"),
                (2500, "Running Initialized Ready one=Completed/0 two=Completed/0 main=running/0"),
            ],
        ),
        // A sidecar must have started; it goes on.
        (
            json!([{"container": "side", "after": 0}]),
            json!({
                "initContainers": [{
                    "name": "side", "image": "a", "restartPolicy": "Always",
                    "startupProbe": {"exec": {"command": ["true"]}, "periodSeconds": 5, "initialDelaySeconds": 3},
                }],
                "containers": [container("main")],
            }),
            vec![
                (4000, "Pending side=running/0 main=PodInitializing/0"),
                (5400, "Running Initialized Ready side=running/0 main=running/0"),
            ],
        ),
        (
            json!([{"container": "one", "outcome": "fail", "after": 100}]),
            json!({"initContainers": [container("one")], "containers": [container("main")]}),
            vec![
                (400, "Pending one=running/0 main=PodInitializing/0"),
                (2000, "Pending one=CrashLoopBackOff/1 main=PodInitializing/0"),
            ],
        ),
        (
            json!([{"container": "one", "outcome": "fail", "after": 100}]),
            json!({
                "restartPolicy": "Never", "initContainers": [container("one")], "containers": [container("main")],
            }),
            vec![(2000, "Failed one=Error/0 main=PodInitializing/0")],
        ),
        (
            json!([{"container": "bad", "outcome": "imagePullError"}]),
            json!({"containers": [container("good"), container("bad")]}),
            vec![(600, "Pending Initialized good=running/0 bad=ErrImagePull/0")],
        ),
        (
            json!([{"outcome": "complete", "after": 100}]),
            json!({"restartPolicy": "OnFailure", "containers": [container("main")]}),
            vec![(1000, "Succeeded Initialized main=Completed/0")],
        ),
        // What is to go on is started again, also when it ended well.
        (
            json!([{"outcome": "complete", "after": 100}]),
            json!({"containers": [container("main")]}),
            vec![(2000, "Running Initialized main=CrashLoopBackOff/1")],
        ),
        (
            json!([]),
            json!({"activeDeadlineSeconds": 5, "containers": [container("main")]}),
            vec![
                (1000, "Running Initialized Ready main=running/0"),
                (6000, "Failed Initialized main=ContainerStatusUnknown/0"),
            ],
        ),
    ] {
        let mut play = play(&behaviours);
        play.create(pod("a", spec.clone()));
        for (at, expected) in states {
            play.run_to(at);
            assert_eq!(told(&play, "a"), expected, "{spec} at {at}");
        }
    }
}

#[test]
fn a_container_that_hangs_is_unready_and_then_started_again() {
    let mut play = play(&json!([{"outcome": "hang", "after": 7000}]));
    let probe =
        json!({"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 2, "failureThreshold": 1});
    let mut slow = probe.clone();
    slow["failureThreshold"] = json!(3);
    slow["terminationGracePeriodSeconds"] = json!(1);
    play.create(pod(
        "a",
        json!({"containers": [{"name": "c", "image": "a", "readinessProbe": probe, "livenessProbe": slow}]}),
    ));
    for (at, expected) in [
        (1000, "Running Initialized Ready c=running/0"),
        (9000, "Running Initialized c=running/0"),
        (15_000, "Running Initialized Ready c=running/1"),
    ] {
        play.run_to(at);
        assert_eq!(told(&play, "a"), expected, "at {at}");
    }
    let reason = "Get \"http://10.128.0.1:8080/healthz\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
    assert_eq!(
        events(&play),
        [
            format!("Unhealthy: Readiness probe failed: {reason}"),
            format!("Unhealthy: Liveness probe failed: {reason}"),
            "Killing: Container c failed liveness probe, will be restarted".to_owned(),
        ]
    );
    let status = &play.get("Pod/a").unwrap()["status"]["containerStatuses"][0];
    assert_eq!(status["lastState"]["terminated"]["exitCode"], 137);
}

#[test]
fn a_node_that_runs_short_of_memory_ends_who_uses_more_than_it_asked_for() {
    let mut play = play(&json!([
        {"name": "modest", "memory": "300Mi"},
        {"name": "greedy", "delay": 20_000, "memory": "700Mi", "stops": 1000},
    ]));
    play.create(json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": "one", "annotations": {CAPACITY: "memory=1Gi"}},
    }));
    let modest = json!({"name": "c", "image": "a", "resources": {"requests": {"memory": "400Mi"}}});
    play.create(pod("modest", json!({"nodeName": "one", "containers": [modest]})));
    play.create(pod("greedy", json!({"nodeName": "one", "containers": [container("c")]})));
    play.run_to(15_000);
    assert_eq!(play.get("Node/one").unwrap().condition_status("MemoryPressure"), "False");
    play.run_to(21_000);
    assert_eq!(told(&play, "modest"), "Running Initialized Ready c=running/0");
    assert_eq!(told(&play, "greedy"), "Failed Initialized c=ContainerStatusUnknown/0");
    let greedy = play.get("Pod/greedy").unwrap();
    assert_eq!(greedy.text(&["status", "reason"]), "Evicted");
    assert_eq!(greedy.condition("DisruptionTarget").unwrap()["reason"], "TerminationByKubelet");
    let node = play.get("Node/one").unwrap();
    assert_eq!(node.condition_status("MemoryPressure"), "True");
    assert!(
        node.list(&["spec", "taints"])
            .iter()
            .any(|taint| taint["key"] == "node.kubernetes.io/memory-pressure")
    );
    // Pods that ask for nothing are turned away for five minutes.
    play.create(pod("late", json!({"nodeName": "one", "containers": [container("c")]})));
    play.run_to(22_000);
    assert_eq!(
        play.get("Pod/late").unwrap().text(&["status", "message"]),
        "The node had condition: [MemoryPressure]. "
    );
    play.run_to(330_000);
    assert_eq!(play.get("Node/one").unwrap().condition_status("MemoryPressure"), "False");
}

/// A registry with one image, whose tag says what it holds.
struct Registry(Rc<RefCell<Option<&'static str>>>);

impl Images for Registry {
    fn pull(&self, _pod: &Object, container: &Value) -> Pull {
        if container["name"] != "content" {
            return Pull::AtHand;
        }
        self.0.borrow().map_or(Pull::Missing, |digest| Pull::Pulled(format!("registry.example/app@{digest}")))
    }
}

#[test]
fn an_image_that_is_missing_is_pulled_as_soon_as_it_is_there() {
    let mut play = play(&json!([]));
    let content = Rc::new(RefCell::new(None));
    let registry = Rc::new(Registry(Rc::clone(&content)));
    play.cluster.controller::<Kubelet>().unwrap().set_images(registry);
    let spec = json!({"initContainers": [container("content")], "containers": [container("main")]});
    play.create(pod("early", spec.clone()));
    for (at, expected) in [
        (1000, "Pending content=ErrImagePull/0 main=PodInitializing/0"),
        (15000, "Pending content=ImagePullBackOff/0 main=PodInitializing/0"),
    ] {
        play.run_to(at);
        assert_eq!(told(&play, "early"), expected, "{at}");
    }
    *content.borrow_mut() = Some("sha256:1");
    play.run_to(60000);
    assert_eq!(told(&play, "early"), "Running Initialized Ready content=Completed/0 main=running/0");
    // A tag that moves is another image for who pulls it from then on.
    *content.borrow_mut() = Some("sha256:2");
    play.create(pod("late", spec));
    play.run_to(120_000);
    let id = |pod: &str, list: &str| {
        let pod = play.get(&format!("Pod/{pod}")).unwrap();
        pod.list(&["status", list])[0].text(&["imageID"]).to_owned()
    };
    assert_eq!(id("early", "initContainerStatuses"), "registry.example/app@sha256:1");
    assert_eq!(id("late", "initContainerStatuses"), "registry.example/app@sha256:2");
    assert_eq!(id("late", "containerStatuses"), "");
}

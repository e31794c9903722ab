//! Random taints, failures and drains of random clusters: no pod stays longer than it tolerates, drains respect
//! budgets, and the same seed gives the same run.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::api::{ApiServer, Caller, Patch, Subresource, WriteOptions};
use crate::control_plane;
use crate::controllers::kubelet::KUBELET;
use crate::controllers::set::{Workloads, controllers};
use crate::drain::{ApiClient, Client, Drain, Filters, Progress, Removal, choose};
use crate::engine::Cluster;
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::taints::{Effect, Stay, stay, taints, tolerations};
use crate::time::{Milliseconds, Moment, SECOND};

#[derive(Debug, Clone)]
enum Fault {
    Taint(usize, usize, &'static str),
    Untaint(usize),
    Silence(usize),
    Resume(usize),
    Drain(usize),
    Uncordon(usize),
}

fn fault(nodes: usize) -> impl Strategy<Value = Fault> {
    let node = 0..nodes;
    let effects = prop::sample::select(vec!["NoSchedule", "NoExecute", "PreferNoSchedule"]);
    prop_oneof![
        (node.clone(), 0..3_usize, effects).prop_map(|(node, key, effect)| Fault::Taint(node, key, effect)),
        node.clone().prop_map(Fault::Untaint),
        node.clone().prop_map(Fault::Silence),
        node.clone().prop_map(Fault::Resume),
        node.clone().prop_map(Fault::Drain),
        node.prop_map(Fault::Uncordon),
    ]
}

/// A drain that checks that no eviction breaks a budget.
struct Checked<'a> {
    client: ApiClient<'a>,
}

impl Client for Checked<'_> {
    fn now(&self) -> Moment {
        self.client.now()
    }

    fn pod(&self, name: &ObjectName) -> Result<Option<Arc<Object>>, ApiError> {
        self.client.pod(name)
    }

    fn evict(&mut self, name: &ObjectName, removal: &Removal) -> Result<(), ApiError> {
        let pod = self.client.pod(name)?;
        let serves = |pod: &Object| pod.condition_status("Ready") == "True" && !pod.is_terminating();
        let app = pod.as_ref().and_then(|pod| pod.label("app")).unwrap_or_default().to_owned();
        let healthy = self
            .client
            .api
            .all("", "Pod")
            .filter(|other| other.label("app") == Some(app.as_str()) && serves(other))
            .count();
        let answer = self.client.evict(name, removal);
        if answer.is_ok() && pod.is_some_and(|pod| serves(&pod)) {
            assert!(healthy > 1, "the last pod of {app} that serves was evicted");
        }
        answer
    }

    fn delete(&mut self, name: &ObjectName, removal: &Removal) -> Result<(), ApiError> {
        self.client.delete(name, removal)
    }
}

struct Run {
    cluster: Cluster,
    drains: BTreeMap<String, Drain>,
    /// Since when pods are where they may stay only for a while, and for how long.
    since: BTreeMap<ObjectName, (Stay, Moment)>,
}

impl Run {
    fn new(nodes: usize, apps: &[(u64, Option<i64>)], seed: u64) -> Self {
        let mut cluster = Cluster::new(control_plane::api_server(&[], seed, Moment::START));
        for controller in controllers(
            Workloads::Pods { virtual_node: None, behaviours: Vec::new(), older_texts: false },
            seed,
        ) {
            cluster.add_controller(controller);
        }
        let mut run = Self { cluster, drains: BTreeMap::new(), since: BTreeMap::new() };
        for number in 0..nodes {
            let labels = json!({
                "topology.kubernetes.io/zone": format!("z{}", number % 3), "kubernetes.io/hostname": format!("n{number}"),
            });
            run.create(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": format!("n{number}"), "labels": labels}}));
        }
        for (number, (replicas, seconds)) in apps.iter().enumerate() {
            let name = format!("app-{number}");
            let mut toleration = json!({"key": "k0", "operator": "Exists", "effect": "NoExecute"});
            if let Some(seconds) = seconds {
                toleration.set(&["tolerationSeconds"], *seconds);
            }
            let selector = json!({"matchLabels": {"app": name}});
            run.create(json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "default"},
                "spec": {
                    "replicas": replicas, "selector": selector,
                    "template": {
                        "metadata": {"labels": {"app": name}},
                        "spec": {
                            "tolerations": [toleration], "terminationGracePeriodSeconds": 2,
                            "containers": [{"name": "c", "image": "i:1"}],
                        },
                    },
                },
            }));
            run.create(json!({
                "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                "metadata": {"name": name, "namespace": "default"}, "spec": {"minAvailable": 1, "selector": selector},
            }));
        }
        run
    }

    fn create(&mut self, object: Object) {
        let caller = Caller::administrator("test");
        self.cluster.api.create(&caller, object, WriteOptions::default()).unwrap();
    }

    fn patch(&mut self, node: &str, patch: Value) {
        let caller = Caller::administrator("test");
        let id = self.cluster.api.kind_id("", "Node").unwrap();
        let (name, patch) = (ObjectName::cluster(node), Patch::Merge(patch));
        let options = WriteOptions::default();
        self.cluster.api.patch(&caller, id, &name, &patch, Subresource::None, options).unwrap();
    }

    fn act(&mut self, fault: &Fault) {
        match fault {
            Fault::Taint(node, key, effect) => {
                let taint = json!({"key": format!("k{key}"), "effect": effect});
                self.patch(&format!("n{node}"), json!({"spec": {"taints": [taint]}}));
            }
            Fault::Untaint(node) => self.patch(&format!("n{node}"), json!({"spec": {"taints": null}})),
            Fault::Silence(node) => {
                self.patch(&format!("n{node}"), json!({"metadata": {"annotations": {KUBELET: "stopped"}}}));
            }
            Fault::Resume(node) => {
                self.patch(&format!("n{node}"), json!({"metadata": {"annotations": {KUBELET: null}}}));
            }
            Fault::Drain(node) => {
                let node = format!("n{node}");
                self.patch(&node, json!({"spec": {"unschedulable": true}}));
                let now = self.cluster.now();
                let filters = Filters { force: true, ignore_daemon_sets: true, ..Filters::default() };
                let on_node = |pod: &&Arc<Object>| pod.text(&["spec", "nodeName"]) == node;
                let pods = self.cluster.api.all("", "Pod").filter(on_node).map(|pod| Object::clone(pod));
                let choice = choose(pods, &filters, now, &|_| Ok(()));
                let removal = Removal { timeout: Some(60 * SECOND), ..Removal::default() };
                self.drains.insert(node, Drain::new(&choice.pods, removal, now));
            }
            Fault::Uncordon(node) => {
                self.patch(&format!("n{node}"), json!({"spec": {"unschedulable": null}}));
            }
        }
    }

    fn pass(&mut self, time: Milliseconds) {
        let end = self.cluster.now() + time;
        while self.cluster.now() < end {
            let next = (self.cluster.now() + 500).min(end);
            self.cluster.run_until(next).unwrap();
            let caller = Caller::administrator("drain");
            for drain in self.drains.values_mut() {
                let client = ApiClient { api: &mut self.cluster.api, caller: &caller };
                let _ = drain.advance(&mut Checked { client }, &mut Vec::new());
            }
            self.drains.retain(|_, drain| drain.remaining().next().is_some());
            self.cluster.run_until(next).unwrap();
            self.check();
        }
    }

    /// No pod is where it does not tolerate to be, or not for so long.
    fn check(&mut self) {
        let (api, now) = (&self.cluster.api, self.cluster.now());
        let mut since = BTreeMap::new();
        for pod in api.all("", "Pod").filter(|pod| !pod.is_terminating()) {
            let node = ObjectName::cluster(pod.text(&["spec", "nodeName"]));
            let Some(node) = api.find("", "Node", &node) else { continue };
            let mut taints = taints(node);
            taints.retain(|taint| taint.effect == Effect::NoExecute);
            let stay = stay(&taints, &tolerations(pod));
            if taints.is_empty() || stay == Stay::Forever {
                continue;
            }
            let name = pod.object_name();
            // A longer time than what was planned with does not help, a shorter one does not hurt.
            let began = self.since.get(&name).map_or(now, |(_, began)| *began);
            let longest = match (stay, self.since.get(&name)) {
                (Stay::For(one), Some((Stay::For(other), _))) => Stay::For(one.max(*other)),
                (stay, _) => stay,
            };
            let limit = match longest {
                Stay::No => 0,
                Stay::For(seconds) => seconds * SECOND,
                Stay::Forever => continue,
            };
            let began = if stay == Stay::No && self.since.get(&name).is_none_or(|(was, _)| *was != Stay::No) {
                now
            } else {
                began
            };
            assert!(now.since(began) <= limit + SECOND, "{name} stays too long: {stay:?} since {began}");
            since.insert(name, (longest, began));
        }
        self.since = since;
    }

    fn fingerprint(&self) -> String {
        let objects: Vec<String> =
            self.cluster.api.store().iter().map(|(.., object)| object.to_string()).collect();
        format!("{} {}", self.cluster.api.store().revision(), objects.join("\n"))
    }
}

fn play(nodes: usize, apps: &[(u64, Option<i64>)], faults: &[(Fault, u64)], seed: u64) -> String {
    let mut run = Run::new(nodes, apps, seed);
    run.pass(3 * SECOND);
    for (fault, seconds) in faults {
        run.act(fault);
        run.pass(seconds * SECOND);
    }
    run.pass(20 * SECOND);
    run.fingerprint()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn nobody_stays_too_long_and_budgets_hold(
        nodes in 2..5_usize,
        apps in prop::collection::vec((1..5_u64, prop::option::of(0..15_i64)), 1..4),
        faults in prop::collection::vec((fault(2), 0..25_u64), 1..9),
        seed in 0..1000_u64,
    ) {
        let first = play(nodes, &apps, &faults, seed);
        prop_assert_eq!(first, play(nodes, &apps, &faults, seed));
    }
}

/// D-LH-19, SC-6, SC-7: a drain that a budget blocks says so and ends at its deadline.
#[test]
fn a_drain_that_a_budget_blocks_ends_at_its_deadline() {
    let mut run = Run::new(1, &[(1, None)], 1);
    run.pass(3 * SECOND);
    let api: &mut ApiServer = &mut run.cluster.api;
    let pods: Vec<Object> = api.all("", "Pod").map(|pod| Object::clone(pod)).collect();
    let removal = Removal { timeout: Some(12 * SECOND), ..Removal::default() };
    let (start, caller) = (api.now(), Caller::administrator("drain"));
    let mut drain = Drain::new(&pods, removal, start);
    let mut reports = Vec::new();
    let failures = loop {
        match drain.advance(&mut ApiClient { api: &mut run.cluster.api, caller: &caller }, &mut reports) {
            Progress::Waiting(next) => run.cluster.run_until(next).unwrap(),
            Progress::Over(failures) => break failures,
        }
    };
    assert_eq!(run.cluster.now().since(start), 15 * SECOND);
    assert_eq!(reports.len(), 7, "{reports:?}");
    assert!(failures[0].ends_with("global timeout reached: 12s"), "{failures:?}");
}

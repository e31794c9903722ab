//! Random deletions, replacements and failures of machines: etcd keeps its quorum while its hook is honoured, nothing is
//! drained before its hooks are gone, budgets hold, and the same seed gives the same run.

use std::sync::Arc;

use fbc_cluster::api::{Caller, DeleteOptions, Patch, Subresource, WriteOptions};
use fbc_cluster::control_plane::api_server;
use fbc_cluster::controllers::kubelet::KUBELET;
use fbc_cluster::controllers::set::{Workloads, controllers};
use fbc_cluster::engine::Cluster;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{Moment, SECOND};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::etcd::members::quorum;
use crate::etcd::operator::EtcdOperator;
use crate::machines::hooks::{HookWebhook, Point, hooks};
use crate::machines::{GROUP, NAMESPACE};
use crate::setup::Setup;

#[derive(Debug, Clone)]
enum Act {
    DeleteMaster(usize),
    /// Another machine of the control plane, where no set makes them.
    AddMaster,
    /// Another template of the control plane, where a set replaces machines.
    Renew,
    DeleteWorker(usize),
    Scale(u64),
    /// The kubelet of one node of the control plane falls silent; only where etcd can bear it.
    Silence(usize),
    Resume,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => (0..5_usize).prop_map(Act::DeleteMaster),
        2 => Just(Act::AddMaster),
        2 => Just(Act::Renew),
        2 => (0..5_usize).prop_map(Act::DeleteWorker),
        1 => (2..5_u64).prop_map(Act::Scale),
        2 => (0..5_usize).prop_map(Act::Silence),
        2 => Just(Act::Resume),
    ]
}

fn user() -> Caller {
    Caller::administrator("user")
}

fn labels(role: &str) -> Value {
    json!({
        "machine.openshift.io/cluster-api-cluster": "c1",
        "machine.openshift.io/cluster-api-machine-role": role,
        "machine.openshift.io/cluster-api-machine-type": role,
    })
}

fn specification(role: &str, kind: &str) -> Value {
    json!({"providerSpec": {"value": {"role": role, "instanceType": kind}}})
}

struct World {
    cluster: Cluster,
    has_set: bool,
    made: usize,
    silent: Option<String>,
}

impl World {
    fn new(has_set: bool, seed: u64) -> Self {
        let setup = Setup::read(&json!({"machineApi": {}, "etcd": {"catchesUp": 30}})).unwrap();
        let mut api = api_server(&setup.namespaces(), seed, Moment::START);
        for definition in setup.definitions() {
            api.install_definition(definition).unwrap();
        }
        api.add_validator(Arc::new(HookWebhook));
        let mut cluster = Cluster::new(api);
        let workloads = Workloads::Pods { virtual_node: None, behaviours: Vec::new(), older_texts: false };
        for controller in
            controllers(workloads, seed).into_iter().chain(setup.controllers(true, "4.19.0", seed))
        {
            cluster.add_controller(controller);
        }
        let mut world = Self { cluster, has_set, made: 0, silent: None };
        for number in 0..3 {
            world.create_machine(&format!("c1-master-{number}"), "master");
        }
        if has_set {
            world.create(json!({
                "apiVersion": "machine.openshift.io/v1", "kind": "ControlPlaneMachineSet",
                "metadata": {"name": "cluster", "namespace": NAMESPACE},
                "spec": {
                    "state": "Active", "replicas": 3, "selector": {"matchLabels": labels("master")},
                    "template": {
                        "machineType": "machines_v1beta1_machine_openshift_io",
                        "machines_v1beta1_machine_openshift_io": {
                            "metadata": {"labels": labels("master")}, "spec": specification("master", "m0"),
                        },
                    },
                },
            }));
        }
        world.create(json!({
            "apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineSet",
            "metadata": {"name": "workers", "namespace": NAMESPACE},
            "spec": {
                "replicas": 3, "selector": {"matchLabels": labels("worker")},
                "template": {"metadata": {"labels": labels("worker")}, "spec": specification("worker", "m0")},
            },
        }));
        let app = json!({"matchLabels": {"app": "web"}});
        world.create(json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"},
            "spec": {
                "replicas": 4, "selector": app,
                "template": {"metadata": {"labels": {"app": "web"}}, "spec": {
                    "terminationGracePeriodSeconds": 2, "containers": [{"name": "c", "image": "i:1"}],
                    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                        {"matchExpressions": [{"key": "node-role.kubernetes.io/master", "operator": "DoesNotExist"}]},
                    ]}}},
                }},
            },
        }));
        world.create(json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": "web", "namespace": "default"}, "spec": {"minAvailable": 2, "selector": app},
        }));
        world.cluster.run_until(Moment::START + 300 * SECOND).unwrap();
        assert_eq!(world.serving(), 4, "the application runs");
        world
    }

    fn create(&mut self, object: Object) {
        self.cluster.api.create(&user(), object, WriteOptions::default()).unwrap();
    }

    fn create_machine(&mut self, name: &str, role: &str) {
        self.create(json!({
            "apiVersion": "machine.openshift.io/v1beta1", "kind": "Machine",
            "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels(role)},
            "spec": specification(role, "m0"),
        }));
    }

    fn machines(&self, role: &str) -> Vec<Arc<Object>> {
        let is_of = |machine: &&Arc<Object>| {
            machine.label("machine.openshift.io/cluster-api-machine-role") == Some(role)
        };
        self.cluster.api.all(GROUP, "Machine").filter(is_of).cloned().collect()
    }

    fn patch(&mut self, group: &str, kind: &str, name: &ObjectName, patch: Value) {
        let id = self.cluster.api.kind_id(group, kind).unwrap();
        let (patch, options) = (Patch::Merge(patch), WriteOptions::default());
        self.cluster.api.patch(&user(), id, name, &patch, Subresource::None, options).unwrap();
    }

    fn act(&mut self, act: &Act) {
        self.made += 1;
        match act {
            Act::DeleteMaster(number) => self.delete("master", *number),
            Act::DeleteWorker(number) => self.delete("worker", *number),
            Act::AddMaster if !self.has_set && self.machines("master").len() < 5 => {
                self.create_machine(&format!("c1-master-{}", self.made + 10), "master");
            }
            Act::Renew if self.has_set => {
                let template = json!({"spec": specification("master", &format!("m{}", self.made))});
                let name = ObjectName::namespaced(NAMESPACE, "cluster");
                let patch =
                    json!({"spec": {"template": {"machines_v1beta1_machine_openshift_io": template}}});
                self.patch(GROUP, "ControlPlaneMachineSet", &name, patch);
            }
            Act::Scale(replicas) => {
                let name = ObjectName::namespaced(NAMESPACE, "workers");
                self.patch(GROUP, "MachineSet", &name, json!({"spec": {"replicas": replicas}}));
            }
            Act::Silence(number) => self.silence(*number),
            Act::Resume => {
                let Some(node) = self.silent.take() else { return };
                if self.cluster.api.find("", "Node", &ObjectName::cluster(&*node)).is_some() {
                    let patch = json!({"metadata": {"annotations": {KUBELET: null}}});
                    self.patch("", "Node", &ObjectName::cluster(node), patch);
                }
            }
            Act::AddMaster | Act::Renew => {}
        }
    }

    fn delete(&mut self, role: &str, number: usize) {
        let machines = self.machines(role);
        let Some(machine) = machines.get(number % machines.len().max(1)) else { return };
        let id = self.cluster.api.kind_id(GROUP, "Machine").unwrap();
        self.cluster.api.delete(&user(), id, &machine.object_name(), &DeleteOptions::default()).unwrap();
    }

    /// Voters by node, and whether each answers.
    fn voters(&mut self) -> Vec<(String, bool)> {
        let operator = self.cluster.controller::<EtcdOperator>().unwrap();
        let nodes: Vec<String> = operator.members().voters().map(|member| member.node.clone()).collect();
        let answers = |node: &String| {
            let node = self.cluster.api.find("", "Node", &ObjectName::cluster(&**node));
            node.is_some_and(|node| node.condition_status("Ready") == "True")
        };
        nodes.iter().map(|node| (node.clone(), answers(node))).collect()
    }

    fn silence(&mut self, number: usize) {
        let voters = self.voters();
        let can_bear = voters.len() >= 3 && voters.iter().all(|(_, answers)| *answers);
        if self.silent.is_some() || !can_bear {
            return;
        }
        let (node, _) = voters[number % voters.len()].clone();
        let patch = json!({"metadata": {"annotations": {KUBELET: "stopped"}}});
        self.patch("", "Node", &ObjectName::cluster(&*node), patch);
        self.silent = Some(node);
    }

    /// Pods of the application that are ready and not on their way out.
    fn serving(&self) -> usize {
        let serves = |pod: &&Arc<Object>| {
            pod.label("app") == Some("web")
                && pod.condition_status("Ready") == "True"
                && !pod.is_terminating()
        };
        self.cluster.api.all("", "Pod").filter(serves).count()
    }

    fn check(&mut self) {
        let voters = self.voters();
        let healthy = voters.iter().filter(|(_, answers)| *answers).count();
        assert!(healthy >= quorum(voters.len()), "quorum is lost: {voters:?}");
        assert!(self.serving() >= 2, "the budget is broken: {} pods serve", self.serving());
        for machine in self.machines("master").iter().filter(|machine| machine.is_terminating()) {
            let node = ObjectName::cluster(machine.text(&["status", "nodeRef", "name"]));
            let node = self.cluster.api.find("", "Node", &node);
            let is_cordoned =
                node.is_some_and(|node| node.at(&["spec", "unschedulable"]) == Some(&json!(true)));
            let is_held = !hooks(machine, Point::PreDrain).is_empty();
            assert!(!(is_held && is_cordoned), "{} is drained in spite of its hook", machine.name());
        }
    }
}

/// Plays and answers with all objects as they are in the end.
fn play(has_set: bool, acts: &[Act], seed: u64) -> (u64, Vec<String>) {
    let mut world = World::new(has_set, seed);
    for act in acts {
        world.act(act);
        for _ in 0..40 {
            let now = world.cluster.now();
            world.cluster.run_until(now + 5 * SECOND).unwrap();
            world.check();
        }
    }
    let store = world.cluster.api.store();
    (store.revision(), store.iter().map(|(_, _, object)| object.to_string()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn quorum_budgets_and_hooks_hold(has_set: bool, acts in prop::collection::vec(act(), 1..9), seed in 0..100_u64) {
        let (first, second) = (play(has_set, &acts, seed), play(has_set, &acts, seed));
        prop_assert!(first == second, "the same seed gives another run");
    }
}

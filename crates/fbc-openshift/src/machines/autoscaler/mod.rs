//! The autoscaler. It takes nodes away that nobody needs: it drains one, marks its machine, and makes the set smaller by
//! one. And it makes sets larger for pods that find no room (`scale_up`).
//!
//! It acts while there is a ClusterAutoscaler, on sets that a MachineAutoscaler names; nodes go only with
//! `scaleDown.enabled`. Source: `kubernetes/autoscaler:cluster-autoscaler/FAQ.md` (how scale-up and scale-down work),
//! `openshift/cluster-autoscaler-operator:pkg/apis/autoscaling` (MA-11).

mod scale_up;

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::controllers::scheduler::{finds_room_elsewhere, utilization};
use fbc_cluster::drain::Removal;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::{MINUTE, Milliseconds, Moment, SECOND};
use serde_json::{Value, json};

use super::{GROUP, NAMESPACE, duration};
use crate::drain::{Attempt, Step};
use crate::writer::Writer;

/// The group of ClusterAutoscaler and MachineAutoscaler.
const AUTOSCALING: &str = "autoscaling.openshift.io";
/// The only ClusterAutoscaler has this name.
const NAME: &str = "default";
/// How often it looks at all nodes.
const SCAN: Milliseconds = 10 * SECOND;
/// How long the pods of a node may take to leave.
const EVICTION: Removal = Removal {
    timeout: Some(2 * MINUTE),
    retry: Some(10 * SECOND),
    without_eviction: false,
    grace_period: None,
    skip_wait_for_delete: None,
    dry_run: false,
};
/// A node that is to go soon.
const CANDIDATE: &str = "DeletionCandidateOfClusterAutoscaler";
/// A node that goes now.
const GOING: &str = "ToBeDeletedByClusterAutoscaler";
/// Nodes with this annotation are left alone.
const DISABLED: &str = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
/// Whether a pod may be evicted, where that is not clear.
const SAFE: &str = "cluster-autoscaler.kubernetes.io/safe-to-evict";

/// Takes away nodes that nobody needs.
pub struct Autoscaler {
    writer: Writer,
    recorder: Recorder,
    /// Since when nodes are not needed.
    unneeded: BTreeMap<String, Moment>,
    /// The node that goes now, its machine, and the drain.
    going: Option<(String, ObjectName, Attempt)>,
    /// No node goes before this moment: after one could not be drained, or was added.
    pause: Option<Moment>,
    /// The last events about pods for which no set became larger, by the uid of the pod.
    explained: BTreeMap<String, String>,
}

impl Autoscaler {
    /// The autoscaler as a cluster runs it.
    pub fn new() -> Self {
        Self {
            writer: Writer::new("cluster-autoscaler"),
            recorder: Recorder::new("cluster-autoscaler"),
            unneeded: BTreeMap::new(),
            going: None,
            pause: None,
            explained: BTreeMap::new(),
        }
    }
}

impl Default for Autoscaler {
    fn default() -> Self {
        Self::new()
    }
}

impl Controller for Autoscaler {
    fn name(&self) -> &'static str {
        "cluster-autoscaler"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(AUTOSCALING, "ClusterAutoscaler")]
    }

    fn requests(&mut self, change: &Change, _: (&str, &str), _: &ApiServer, requests: &mut Vec<ObjectName>) {
        requests.extend((change.key.name.name == NAME).then(|| change.key.name.clone()));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(autoscaler) = api.find(AUTOSCALING, "ClusterAutoscaler", request).cloned() else {
            return Outcome::Done;
        };
        let settings = Settings::of(&autoscaler);
        if self.scale_up(api, &autoscaler) {
            self.pause = self.pause.max(Some(api.now() + settings.delay_after_add));
        }
        if !settings.is_enabled {
            return Outcome::Routinely(SCAN);
        }
        if let Some((node, machine, mut attempt)) = self.going.take() {
            match attempt.advance(api, &self.writer) {
                Step::Busy(wait) => {
                    self.going = Some((node, machine, attempt));
                    return Outcome::After(wait.max(1));
                }
                Step::Drained => self.remove(api, &node, &machine),
                Step::Failed(text) => self.give_up(api, &node, &text, settings.delay_after_failure),
            }
        }
        self.scan(api, &settings);
        if self.going.is_some() { Outcome::After(1) } else { Outcome::Routinely(SCAN) }
    }
}

/// What a ClusterAutoscaler says.
struct Settings {
    is_enabled: bool,
    unneeded_time: Milliseconds,
    delay_after_add: Milliseconds,
    delay_after_failure: Milliseconds,
    threshold: f64,
    spares_local_storage: bool,
}

impl Settings {
    fn of(autoscaler: &Object) -> Self {
        let text = |field: &str| autoscaler.text(&["spec", "scaleDown", field]);
        let span = |field: &str, default| duration::parse(text(field)).unwrap_or(default);
        Self {
            is_enabled: autoscaler.at(&["spec", "scaleDown", "enabled"]) == Some(&json!(true)),
            unneeded_time: span("unneededTime", 10 * MINUTE),
            delay_after_add: span("delayAfterAdd", 10 * MINUTE),
            delay_after_failure: span("delayAfterFailure", 3 * MINUTE),
            threshold: text("utilizationThreshold").parse().unwrap_or(0.5),
            spares_local_storage: autoscaler.at(&["spec", "skipNodesWithLocalStorage"])
                != Some(&json!(false)),
        }
    }
}

/// A node that may go, with the machine and the set behind it.
struct Member {
    node: Arc<Object>,
    machine: ObjectName,
    set: ObjectName,
}

impl Autoscaler {
    /// Looks at all nodes, and begins with the one that has not been needed for longest.
    fn scan(&mut self, api: &mut ApiServer, settings: &Settings) {
        let now = api.now();
        let members = members(api);
        let mut room: BTreeMap<&ObjectName, i64> = BTreeMap::new();
        let mut unneeded = BTreeMap::new();
        for member in &members {
            let left = room.entry(&member.set).or_insert_with(|| spare(api, &member.set));
            let is_unneeded = *left > 0 && is_unneeded(api, &member.node, settings);
            if is_unneeded {
                *left -= 1;
                let since = self.unneeded.get(member.node.name()).copied().unwrap_or(now);
                unneeded.insert(member.node.name().to_owned(), since);
            }
        }
        for member in &members {
            let is_candidate = unneeded.contains_key(member.node.name());
            if is_candidate != self.unneeded.contains_key(member.node.name()) {
                self.taint(api, member.node.name(), CANDIDATE, "PreferNoSchedule", is_candidate);
            }
        }
        self.unneeded = unneeded;
        if self.pause.is_some_and(|end| now < end) {
            return;
        }
        let longest = self.unneeded.iter().min_by_key(|(name, since)| (**since, (*name).clone()));
        let Some(name) = longest
            .filter(|(_, since)| now.since(**since) >= settings.unneeded_time)
            .map(|(name, _)| name.clone())
        else {
            return;
        };
        let Some(member) = members.into_iter().find(|member| member.node.name() == name) else { return };
        self.taint(api, &name, GOING, "NoSchedule", true);
        let text = "marked the node as toBeDeleted/unschedulable";
        self.recorder.normal(api, &member.node, "ScaleDown", text);
        let attempt = Attempt::start(api, &name, EVICTION);
        self.going = Some((name, member.machine, attempt));
    }

    /// Marks the machine of an empty node and makes its set smaller by one, which takes that machine.
    fn remove(&mut self, api: &mut ApiServer, node: &str, machine: &ObjectName) {
        self.unneeded.remove(node);
        let Some(object) = api.find(GROUP, "Machine", machine) else { return };
        let set = object.controller().map(|owner| owner.text(&["name"]).to_owned()).unwrap_or_default();
        let mark = api.now().to_string();
        // A write that fails leaves the machine there, and the next scan finds its node again.
        let marked = self.writer.change(api, GROUP, "Machine", machine, |machine| {
            machine.set(&["metadata", "annotations", "machine.openshift.io/delete-machine"], mark);
        });
        if marked.is_err() {
            return;
        }
        let set = ObjectName::namespaced(&*machine.namespace, set);
        let _ = self.writer.change(api, GROUP, "MachineSet", &set, |set| {
            let replicas = set.number(&["spec", "replicas"]).unwrap_or(1);
            set.set(&["spec", "replicas"], (replicas - 1).max(0));
        });
    }

    fn give_up(&mut self, api: &mut ApiServer, node: &str, text: &str, pause: Milliseconds) {
        self.taint(api, node, GOING, "NoSchedule", false);
        self.pause = self.pause.max(Some(api.now() + pause));
        if let Some(node) = api.find("", "Node", &ObjectName::cluster(node)).cloned() {
            let message = format!("failed to drain the node, aborting ScaleDown: {text}");
            self.recorder.warning(api, &node, "ScaleDownFailed", &message);
        }
    }

    /// Sets a taint of a node, or takes it away. A node that is gone needs neither.
    fn taint(&self, api: &mut ApiServer, node: &str, key: &str, effect: &str, is_set: bool) {
        let seconds = (api.now().0 / SECOND).to_string();
        let _ = self.writer.change(api, "", "Node", &ObjectName::cluster(node), |node| {
            let mut taints = node.list(&["spec", "taints"]).to_vec();
            taints.retain(|taint| taint["key"] != key);
            if is_set {
                taints.push(json!({"key": key, "value": seconds, "effect": effect}));
            }
            node.set(&["spec", "taints"], taints);
        });
    }
}

/// The ready nodes of sets that may be made smaller.
fn members(api: &ApiServer) -> Vec<Member> {
    let nodes = api.all("", "Node").filter(|node| node.condition_status("Ready") == "True");
    let members = nodes.filter_map(|node| {
        let (namespace, name) = node.annotation("machine.openshift.io/machine")?.split_once('/')?;
        let machine = api.find(GROUP, "Machine", &ObjectName::namespaced(namespace, name))?;
        let owner = machine.controller().filter(|owner| owner["kind"] == "MachineSet")?;
        let set = ObjectName::namespaced(NAMESPACE, owner.text(&["name"]));
        (!machine.is_terminating()).then(|| Member {
            node: Arc::clone(node),
            machine: machine.object_name(),
            set,
        })
    });
    members.collect()
}

/// By how many machines a set may become smaller.
fn spare(api: &ApiServer, set: &ObjectName) -> i64 {
    let target = |autoscaler: &&Arc<Object>| {
        autoscaler.namespace() == set.namespace
            && autoscaler.text(&["spec", "scaleTargetRef", "kind"]) == "MachineSet"
            && autoscaler.text(&["spec", "scaleTargetRef", "name"]) == set.name
    };
    let minimum = api.all(AUTOSCALING, "MachineAutoscaler").find(target);
    let minimum = minimum.and_then(|autoscaler| autoscaler.number(&["spec", "minReplicas"]));
    let replicas = api.find(GROUP, "MachineSet", set).and_then(|set| set.number(&["spec", "replicas"]));
    minimum.zip(replicas).map_or(0, |(minimum, replicas)| replicas - minimum)
}

/// True if a node does little, and its pods could all go on elsewhere.
fn is_unneeded(api: &ApiServer, node: &Object, settings: &Settings) -> bool {
    if node.annotation(DISABLED) == Some("true") {
        return false;
    }
    let is_finished = |pod: &Object| ["Succeeded", "Failed"].contains(&pod.text(&["status", "phase"]));
    let on_node = |pod: &&Arc<Object>| pod.text(&["spec", "nodeName"]) == node.name() && !is_finished(pod);
    let pods: Vec<Arc<Object>> = api.all("", "Pod").filter(on_node).cloned().collect();
    if utilization(node, &pods).is_none_or(|share| share >= settings.threshold) {
        return false;
    }
    let stays_with_node = |pod: &Object| {
        pod.annotation("kubernetes.io/config.mirror").is_some()
            || pod.controller().is_some_and(|owner| owner["kind"] == "DaemonSet")
    };
    let movable: Vec<Arc<Object>> = pods.into_iter().filter(|pod| !stays_with_node(pod)).collect();
    movable.iter().all(|pod| may_move(pod, settings)) && finds_room_elsewhere(api, node.name(), &movable)
}

fn may_move(pod: &Object, settings: &Settings) -> bool {
    match pod.annotation(SAFE) {
        Some("true") => return true,
        Some("false") => return false,
        _ => {}
    }
    let is_local = |volume: &Value| volume.get("emptyDir").is_some() || volume.get("hostPath").is_some();
    let has_local_storage = pod.list(&["spec", "volumes"]).iter().any(is_local);
    pod.controller().is_some() && !(settings.spares_local_storage && has_local_storage)
}

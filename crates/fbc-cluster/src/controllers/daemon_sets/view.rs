//! Which pods of a daemon set are on which nodes, and what follows from it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::api::ApiServer;
use crate::controllers::deployments::share;
use crate::controllers::events::Recorder;
use crate::controllers::pods::{from_template, is_available, is_finished, is_ready};
use crate::controllers::replica_sets::min_ready_seconds;
use crate::controllers::revisions::HASH_LABEL;
use crate::controllers::scheduler::{may_run, may_start};
use crate::object::{Object, ObjectFields};
use crate::taints::{
    DISK_PRESSURE, MEMORY_PRESSURE, NETWORK_UNAVAILABLE, NOT_READY, PID_PRESSURE, UNREACHABLE, UNSCHEDULABLE,
};
use crate::time::Moment;

/// The annotation that counts templates, from before revisions.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";
/// Taints that never keep daemons away; one more where they use the network of the node.
const TOLERATED: [(&str, &str); 6] = [
    (NOT_READY, "NoExecute"),
    (UNREACHABLE, "NoExecute"),
    (DISK_PRESSURE, "NoSchedule"),
    (MEMORY_PRESSURE, "NoSchedule"),
    (PID_PRESSURE, "NoSchedule"),
    (UNSCHEDULABLE, "NoSchedule"),
];

type ByNode = BTreeMap<String, Vec<Arc<Object>>>;

/// What a look at a daemon set needs to know.
pub(super) struct View<'c> {
    pub(super) set: &'c Object,
    pub(super) hash: String,
    nodes: Vec<Arc<Object>>,
    by_node: ByNode,
    now: Moment,
}

/// What is to be done.
#[derive(Default)]
pub(super) struct Work {
    pub(super) nodes: Vec<String>,
    pub(super) pods: Vec<Arc<Object>>,
}

/// The node that a pod of a daemon set is on, or meant for.
fn node_of(pod: &Object) -> String {
    let bound = pod.text(&["spec", "nodeName"]);
    if !bound.is_empty() {
        return bound.to_owned();
    }
    let path = [
        "spec",
        "affinity",
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
    ];
    let terms = pod.list(&path).iter();
    let mut fields = terms.flat_map(|term| term.list(&["matchFields"]));
    fields.find_map(|field| field["values"][0].as_str()).unwrap_or_default().to_owned()
}

impl<'c> View<'c> {
    pub(super) fn new(api: &ApiServer, set: &'c Object, hash: String, pods: Vec<Arc<Object>>) -> Self {
        let mut by_node = ByNode::new();
        for pod in pods {
            by_node.entry(node_of(&pod)).or_default().push(pod);
        }
        for pods in by_node.values_mut() {
            // Bound ones first, then the oldest.
            pods.sort_by_cached_key(|pod| {
                let made = pod.text(&["metadata", "creationTimestamp"]).to_owned();
                (pod.text(&["spec", "nodeName"]).is_empty(), made, pod.name().to_owned())
            });
        }
        Self { set, hash, nodes: api.all("", "Node").cloned().collect(), by_node, now: api.now() }
    }

    /// A pod of the set, for a node.
    pub(super) fn pod(&self, node: Option<&str>) -> Object {
        let mut pod = from_template(&self.set["spec"]["template"], self.set);
        pod.set(&["metadata", "generateName"], format!("{}-", self.set.name()));
        pod.set(&["metadata", "labels", HASH_LABEL], self.hash.clone());
        if let Some(generation) = self.set.annotation(TEMPLATE_GENERATION) {
            pod.set(&["metadata", "labels", "pod-template-generation"], generation);
        }
        let mut tolerations = pod.list(&["spec", "tolerations"]).to_vec();
        let on_host = pod.at(&["spec", "hostNetwork"]).is_some_and(|value| value == true);
        let of_network = on_host.then_some((NETWORK_UNAVAILABLE, "NoSchedule"));
        for (key, effect) in TOLERATED.into_iter().chain(of_network) {
            let toleration = json!({"key": key, "operator": "Exists", "effect": effect});
            // One that differs in its seconds alone is overwritten.
            let fields = ["key", "operator", "value", "effect"];
            let is_same =
                |own: &&mut Value| fields.iter().all(|field| own.get(field) == toleration.get(field));
            match tolerations.iter_mut().find(is_same) {
                Some(own) => *own = toleration,
                None => tolerations.push(toleration),
            }
        }
        pod.set(&["spec", "tolerations"], tolerations);
        if let Some(node) = node {
            let field = json!({"key": "metadata.name", "operator": "In", "values": [node]});
            let path = ["spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
            let mut terms = pod.list(&[&path[..], &["nodeSelectorTerms"]].concat()).to_vec();
            if terms.is_empty() {
                terms.push(json!({}));
            }
            for term in &mut terms {
                term.set(&["matchFields"], json!([field]));
            }
            pod.set(&path, json!({"nodeSelectorTerms": terms}));
        }
        pod
    }

    fn serves(&self, pod: &Object) -> bool {
        is_available(pod, min_ready_seconds(self.set), self.now)
    }

    fn is_new(&self, pod: &Object) -> bool {
        pod.label(HASH_LABEL) == Some(self.hash.as_str())
    }

    fn limit(&self, field: &str, default: i64, desired: usize) -> usize {
        let value = self.set.at(&["spec", "updateStrategy", "rollingUpdate", field]);
        let total = i64::try_from(desired).unwrap_or_default();
        let number = value.map_or(default, |value| share(value, total, true));
        usize::try_from(number).unwrap_or_default()
    }

    /// Nodes without a pod that should have one, and pods that should not be where they are.
    pub(super) fn missing(&self, events: &mut Recorder, api: &mut ApiServer) -> Work {
        let mut work = Work::default();
        let model = self.pod(None);
        let surges = self.limit("maxSurge", 0, self.nodes.len()) > 0;
        for node in &self.nodes {
            let pods = self.by_node.get(node.name()).map_or(&[][..], Vec::as_slice);
            if !may_run(&model, node) {
                work.pods.extend(pods.iter().filter(|pod| !pod.is_terminating()).cloned());
                continue;
            }
            if pods.is_empty() && may_start(&model, node) {
                work.nodes.push(node.name().to_owned());
            }
            let (over, running): (Vec<_>, Vec<_>) =
                pods.iter().filter(|pod| !pod.is_terminating()).partition(|pod| is_finished(pod));
            for pod in over {
                let (reason, what) = match pod.text(&["status", "phase"]) {
                    "Failed" => ("FailedDaemonPod", "failed"),
                    _ => ("SucceededDaemonPod", "succeeded"),
                };
                let (namespace, name) = (pod.namespace(), pod.name());
                let text = format!(
                    "Found {what} daemon pod {namespace}/{name} on node {}, will try to kill it",
                    node.name()
                );
                events.warning(api, self.set, reason, &text);
                work.pods.push(Arc::clone(pod));
            }
            if !surges {
                work.pods.extend(running.into_iter().skip(1).cloned());
            }
        }
        let known: BTreeSet<&str> = self.nodes.iter().map(|node| node.name()).collect();
        for (_, pods) in self.by_node.iter().filter(|(node, _)| !known.contains(node.as_str())) {
            work.pods.extend(pods.iter().filter(|pod| !pod.is_terminating()).cloned());
        }
        work
    }

    fn wants(&self, node: &Object, model: &Object) -> bool {
        may_start(model, node)
    }

    /// Pods of an older template that may go now, and nodes that may get a second one.
    pub(super) fn outdated(&self) -> Work {
        let model = self.pod(None);
        let desired = self.nodes.iter().filter(|node| self.wants(node, &model)).count();
        let surge = self.limit("maxSurge", 0, desired);
        let mut unavailable = self.limit("maxUnavailable", i64::from(surge == 0), desired);
        if surge == 0 {
            unavailable = unavailable.max(1);
        }
        let mut work = Work::default();
        let (mut used, mut candidates) = (0, Vec::new());
        for (node, pods) in &self.by_node {
            let (new, old): (Vec<_>, Vec<_>) = pods.iter().partition(|pod| self.is_new(pod));
            let is_clear = new.len() <= 1 && old.len() <= 1 && !pods.iter().any(|pod| pod.is_terminating());
            match (new.first(), old.first()) {
                _ if !is_clear => used += 1,
                (Some(new), None) => used += usize::from(surge == 0 && !self.serves(new)),
                (Some(new), Some(old)) if surge > 0 => {
                    if self.serves(new) {
                        work.pods.push(Arc::clone(old));
                    } else {
                        used += 1;
                    }
                }
                (None, Some(old)) if !self.serves(old) => {
                    if surge > 0 {
                        work.nodes.push(node.clone());
                    } else {
                        work.pods.push(Arc::clone(old));
                    }
                }
                (None, Some(old)) => candidates.push((node, Arc::clone(old))),
                (Some(_), Some(_)) | (None, None) => used += usize::from(surge == 0),
            }
        }
        let room = if surge > 0 { surge } else { unavailable }.saturating_sub(used);
        for (node, old) in candidates.into_iter().take(room) {
            if surge > 0 {
                work.nodes.push(node.clone());
            } else {
                work.pods.push(old);
            }
        }
        work
    }

    pub(super) fn status(&self) -> Value {
        let model = self.pod(None);
        let mut counts: BTreeMap<&str, i64> = [
            ("currentNumberScheduled", 0),
            ("numberMisscheduled", 0),
            ("desiredNumberScheduled", 0),
            ("numberReady", 0),
        ]
        .into();
        let mut add = |field, yes: bool| *counts.entry(field).or_default() += i64::from(yes);
        for node in &self.nodes {
            let pod = self.by_node.get(node.name()).and_then(|pods| pods.first());
            if !self.wants(node, &model) {
                add("numberMisscheduled", pod.is_some());
                continue;
            }
            add("desiredNumberScheduled", true);
            let serves = pod.is_some_and(|pod| self.serves(pod));
            add("numberAvailable", serves);
            add("numberUnavailable", !serves);
            add("currentNumberScheduled", pod.is_some());
            add("numberReady", pod.is_some_and(|pod| is_ready(pod)));
            add("updatedNumberScheduled", pod.is_some_and(|pod| self.is_new(pod)));
        }
        let mut status = Map::new();
        for (field, number) in counts {
            let is_optional =
                ["numberAvailable", "numberUnavailable", "updatedNumberScheduled"].contains(&field);
            if number != 0 || !is_optional {
                status.insert(field.into(), number.into());
            }
        }
        status.insert("observedGeneration".into(), self.set.generation().into());
        Value::Object(status)
    }
}

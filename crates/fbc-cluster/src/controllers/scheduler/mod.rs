//! The scheduler: binds pods to nodes, and makes room for those of higher priority.
//!
//! Nodes and pods are read once into short summaries (`cache`) that follow the changes of the cluster, so that a
//! decision does not look at objects at all. One pod is placed at a time, the one of the highest priority first.
//!
//! | module | what it holds |
//! |---|---|
//! | `cache`, `node_info`, `pod_info`, `resources` | what is known of nodes and pods |
//! | `queue` | pods that wait, and what wakes them |
//! | `filters`, `node_selection`, `neighbours`, `spread`, `volumes` | which nodes a pod may be on |
//! | `scores` | which of them is best |
//! | `preemption` | which pods would have to go |
//! | `outcome` | what is written |
//! | `rehearsal` | what others ask: how full a node is, and where its pods would go without it |
//!
//! Source: `kubernetes/kubernetes:pkg/scheduler/schedule_one.go`.

mod cache;
mod filters;
mod neighbours;
mod node_info;
mod node_selection;
mod outcome;
mod pod_info;
mod preemption;
mod queue;
mod rehearsal;
mod resources;
mod scores;
mod spread;
#[cfg(test)]
mod tests;
mod volumes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use self::cache::Cache;
use self::filters::{Plugin, Question, Reason, Refusal};
use self::node_info::NodeInfo;
use self::node_selection::{NodeSelection, labels};
use self::pod_info::PodInfo;
use self::preemption::{Candidate, preempt};
use self::queue::{Event, Queue};
pub use self::rehearsal::{Rehearsal, finds_room_elsewhere, utilization};
use super::events::Recorder;
use super::pods::is_finished;
use crate::api::ApiServer;
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;
use crate::taints::{Effect, Taint, keeps_out, taints, tolerates, tolerations};

/// The name of the scheduler in `spec.schedulerName`.
const NAME: &str = "default-scheduler";
/// The only object that the scheduler is ever told to look at: its queue.
const QUEUE: &str = "queue";
/// Below so many nodes all are looked at.
const FEW_NODES: usize = 100;

/// Binds pods to nodes.
#[derive(Debug)]
pub struct Scheduler {
    events: Recorder,
    /// Where pods go in a cluster without any node.
    virtual_node: Option<String>,
    cache: Cache,
    queue: Queue,
    /// Where the search for nodes begins, so that large clusters fill evenly.
    start: usize,
    /// Whether it words refusals as before Kubernetes 1.34: with the names of taints.
    has_older_texts: bool,
}

/// What came of an attempt to place a pod.
enum Decision {
    Node(String),
    /// No node, with the text that says why, what refused, and what would have to go.
    Refused(String, BTreeSet<Plugin>, Option<Candidate>),
    /// There is no node at all.
    NoNodes,
}

impl Scheduler {
    /// A scheduler that waits for nodes.
    pub fn new() -> Self {
        Self {
            events: Recorder::new(NAME),
            virtual_node: None,
            cache: Cache::default(),
            queue: Queue::default(),
            start: 0,
            has_older_texts: false,
        }
    }

    /// The scheduler with the texts of before Kubernetes 1.34.
    #[must_use]
    pub fn with_older_texts(self) -> Self {
        Self { has_older_texts: true, ..self }
    }

    /// A scheduler that binds pods to a node of this name as long as the cluster has no nodes at all.
    pub fn with_virtual_node(name: impl Into<String>) -> Self {
        Self { virtual_node: Some(name.into()), ..Self::new() }
    }
}

impl Default for Scheduler {
    fn default() -> Self {
        Self::new()
    }
}

impl Controller for Scheduler {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Pod"), ("", "Node"), ("", "PersistentVolumeClaim"), ("", "PersistentVolume")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        match kind.1 {
            "Node" => self.follow_node(change),
            "Pod" => self.follow_pod(change),
            _ => self.queue.tell(&Event::Volume),
        }
        if self.queue.has_active() {
            requests.push(ObjectName::cluster(QUEUE));
        }
    }

    fn reconcile(&mut self, _request: &ObjectName, api: &mut ApiServer) -> Outcome {
        self.queue.flush(api.now());
        if let Some(name) = self.queue.take()
            && let Err(error) = self.schedule(api, &name)
            && !error.is_not_found()
            && let Some(pod) = self.cache.pods.get(&name)
        {
            self.queue.delay(&Arc::clone(pod), api.now());
        }
        if self.queue.has_active() {
            return Outcome::After(0);
        }
        match self.queue.next() {
            None => Outcome::Done,
            Some((at, true)) => Outcome::Routinely(at.since(api.now())),
            Some((at, false)) => Outcome::After(at.since(api.now())),
        }
    }
}

impl Scheduler {
    fn follow_node(&mut self, change: &Change) {
        let Some(node) = change.after.as_deref() else {
            self.cache.remove_node(&change.key.name.name);
            return;
        };
        let is_same = |before: &Object| {
            ["metadata", "spec"].iter().all(|part| match *part {
                "metadata" => before.at(&["metadata", "labels"]) == node.at(&["metadata", "labels"]),
                part => before.get(part) == node.get(part),
            }) && ["allocatable", "capacity"]
                .iter()
                .all(|part| before.at(&["status", part]) == node.at(&["status", part]))
        };
        if change.before.as_deref().is_some_and(is_same) {
            return;
        }
        let name = node.name();
        let before = self.cache.put_node(NodeInfo::read(node));
        let Some(after) = self.cache.node(name) else { return };
        if before.as_ref().is_none_or(|before| !before.says_the_same(after)) {
            self.queue.tell(&Event::Node(before.as_ref(), after));
        }
    }

    fn follow_pod(&mut self, change: &Change) {
        let name = &change.key.name;
        let Some(pod) = change.after.as_deref() else {
            self.forget_pod(name);
            return;
        };
        let is_same = |before: &Object| {
            before.get("spec") == pod.get("spec")
                && before.at(&["metadata", "labels"]) == pod.at(&["metadata", "labels"])
                && before.is_terminating() == pod.is_terminating()
                && before.uid() == pod.uid()
                && is_finished(before) == is_finished(pod)
                && before.at(&["status", "nominatedNodeName"]) == pod.at(&["status", "nominatedNodeName"])
        };
        if change.before.as_deref().is_some_and(is_same) {
            return;
        }
        let before = self.cache.pods.get(name).cloned();
        let before = before.filter(|before| before.uid == pod.uid());
        let info = match (&before, change.before.as_deref()) {
            (Some(known), Some(before)) if PodInfo::asks_the_same(before, pod) => known.follow(pod),
            _ => PodInfo::read(pod),
        };
        if info.is_finished {
            self.forget_pod(name);
            return;
        }
        self.cache.put_pod(info);
        let Some(info) = self.cache.pods.get(name) else { return };
        if !info.node.is_empty() {
            self.queue.remove(name);
            let is_known = |before: &Arc<PodInfo>| before.node == info.node && before.labels == info.labels;
            if !before.as_ref().is_some_and(is_known) {
                self.queue.tell(&Event::Placed(info));
            }
            return;
        }
        if info.is_terminating || info.is_gated || !info.scheduler.is_empty() && info.scheduler != NAME {
            self.queue.remove(name);
            return;
        }
        // Only what the pod asks for wakes it, not what is written about it.
        let asks_the_same = |before: &Arc<PodInfo>| {
            before.labels == info.labels
                && before.tolerations == info.tolerations
                && before.selection == info.selection
                && before.requests == info.requests
                && before.is_gated == info.is_gated
        };
        if !before.as_ref().is_some_and(asks_the_same) {
            let priority = info.priority;
            self.queue.add(name, priority);
        }
    }

    /// A pod that takes no room any more.
    fn forget_pod(&mut self, name: &ObjectName) {
        let gone = self.cache.pods.get(name).cloned();
        self.cache.remove_pod(name);
        self.queue.remove(name);
        if let Some(pod) = gone
            && let Some(node) = self.cache.node(&pod.node)
        {
            self.queue.tell(&Event::Gone(node));
        }
    }

    /// Tries to place a pod.
    fn schedule(&mut self, api: &mut ApiServer, name: &ObjectName) -> Result<(), ApiError> {
        let (Some(pod), Some(info)) =
            (api.find("", "Pod", name).cloned(), self.cache.pods.get(name).cloned())
        else {
            return Ok(());
        };
        match self.decide(api, &info) {
            Decision::Node(node) => self.bind(api, &pod, &node),
            Decision::NoNodes => {
                self.queue.delay(&info, api.now());
                self.refuse(api, &pod, "no nodes available to schedule pods", None)
            }
            Decision::Refused(text, plugins, candidate) => {
                self.queue.park(info, plugins, api.now());
                if let Some(candidate) = &candidate {
                    self.mark_victims(api, candidate)?;
                }
                self.refuse(api, &pod, &text, candidate.as_ref().map(|candidate| candidate.node.as_str()))?;
                match candidate {
                    Some(candidate) => self.remove_victims(api, &pod, &candidate),
                    None => Ok(()),
                }
            }
        }
    }

    fn decide(&mut self, api: &ApiServer, pod: &PodInfo) -> Decision {
        let total = self.cache.nodes.len();
        if total == 0 {
            return self.virtual_node.clone().map_or(Decision::NoNodes, Decision::Node);
        }
        let has_older_texts = self.has_older_texts;
        let suffix = |preemption: &str| {
            let claims = if has_older_texts { "" } else { "no new claims to deallocate, " };
            format!("{claims}preemption: {preemption}")
        };
        let question = match Question::new(pod, &self.cache, &BTreeSet::new(), api) {
            Ok(question) => question,
            Err(fault) => {
                let hopeless = format!(
                    "0/{total} nodes are available: {total} Preemption is not helpful for scheduling."
                );
                let text = format!("0/{total} nodes are available: {fault}. {}", suffix(&hopeless));
                return Decision::Refused(text, BTreeSet::from([Plugin::Volumes]), None);
            }
        };
        let wanted = enough(total);
        let mut fitting: Vec<&NodeInfo> = Vec::new();
        let mut refusals: BTreeMap<String, Refusal> = BTreeMap::new();
        let mut seen = 0;
        for offset in 0..total {
            let Some(node) = self.cache.nodes.get((self.start + offset) % total) else { continue };
            seen += 1;
            match self.refusal(&question, node) {
                None => fitting.push(node),
                // With a node at hand nobody asks why the others are refused.
                Some(_) if !fitting.is_empty() => {}
                Some(refusal) => {
                    refusals.insert(node.name.clone(), refusal);
                }
            }
            if fitting.len() >= wanted {
                break;
            }
        }
        if let Some(best) = scores::best(&question, &fitting, &self.cache) {
            let node = best.name.clone();
            self.start = (self.start + seen) % total;
            return Decision::Node(node);
        }
        let mut counts: BTreeMap<Reason, usize> = BTreeMap::new();
        for reason in refusals.values().flat_map(|refusal| &refusal.reasons) {
            let shown = if has_older_texts { reason.clone() } else { reason.general() };
            *counts.entry(shown).or_default() += 1;
        }
        let mut texts: Vec<String> =
            counts.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        texts.sort();
        let text = format!("0/{total} nodes are available: {}.", texts.join(", "));
        let plugins = refusals.values().map(|refusal| refusal.plugin).collect();
        match preempt(pod, &refusals, &self.cache, api) {
            Ok(candidate) => Decision::Refused(text, plugins, Some(candidate)),
            Err(reason) => {
                let text = format!("{text} {}", suffix(&reason.to_string()));
                Decision::Refused(text, plugins, None)
            }
        }
    }

    /// Why a pod may not be on a node, with the pods in mind for which room is being made there.
    fn refusal(&self, question: &Question<'_>, node: &NodeInfo) -> Option<Refusal> {
        let nominated = self.cache.nominated.get(&node.name);
        let counts = |other: &&Arc<PodInfo>| {
            other.priority >= question.pod.priority && other.name != question.pod.name
        };
        let coming: Vec<&Arc<PodInfo>> =
            nominated.into_iter().flat_map(BTreeMap::values).filter(counts).collect();
        if coming.is_empty() {
            return question.refusal(node);
        }
        let mut full = node.clone();
        coming.into_iter().for_each(|pod| full.add(Arc::clone(pod)));
        question.refusal(&full)
    }
}

/// How many nodes that fit are enough to choose from: all of a few, a share of many.
///
/// Source: `numFeasibleNodesToFind` in `kubernetes/kubernetes:pkg/scheduler/schedule_one.go`.
fn enough(nodes: usize) -> usize {
    if nodes < FEW_NODES {
        return nodes;
    }
    let share = 50_usize.saturating_sub(nodes / 125).max(5);
    (nodes * share / 100).max(FEW_NODES)
}

/// True if a daemon may begin on a node: cordons do not count.
pub(super) fn may_start(pod: &Object, node: &Object) -> bool {
    keeps_out(&taints(node), &tolerations(pod)).is_none() && is_selected(pod, node)
}

/// True if a daemon may stay on a node: only taints that drive out count.
pub(super) fn may_run(pod: &Object, node: &Object) -> bool {
    let tolerations = tolerations(pod);
    let drives_out = |taint: &Taint| taint.effect == Effect::NoExecute && !tolerates(&tolerations, taint);
    is_selected(pod, node) && !taints(node).iter().any(drives_out)
}

fn is_selected(pod: &Object, node: &Object) -> bool {
    NodeSelection::of(pod).accepts(node.name(), &labels(node))
}

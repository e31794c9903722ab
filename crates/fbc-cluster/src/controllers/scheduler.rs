//! A small scheduler: nodes are given, a pod goes to the fitting one with the fewest pods.
//!
//! Filters are a table, so that more of them have their place. Source of texts and order:
//! `kubernetes/kubernetes:pkg/scheduler/framework/types.go` (`FitError`), `pkg/scheduler/schedule_one.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::events::Recorder;
use super::pods::is_finished;
use super::write::set_condition;
use crate::api::{ApiServer, Caller, Subresource, WriteOptions};
use crate::engine::{Controller, Outcome};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;

/// What a node must pass: `None` if the pod fits, or the words for nodes that it does not fit on.
type Filter = fn(pod: &Object, node: &Object) -> Option<String>;

/// The filters, in order. Resources, affinity between pods and spreading belong here.
const FILTERS: [Filter; 3] = [is_cordoned, has_taint, misses_labels];

/// Binds pods to nodes.
#[derive(Debug)]
pub struct Scheduler {
    events: Recorder,
    virtual_node: Option<String>,
    /// The node of each pod that takes room, and how many there are on each.
    placed: BTreeMap<ObjectName, String>,
    pods_on: BTreeMap<String, usize>,
    waiting: BTreeSet<ObjectName>,
}

impl Scheduler {
    /// A scheduler that waits for nodes.
    pub fn new() -> Self {
        Self {
            events: Recorder::new("default-scheduler"),
            virtual_node: None,
            placed: BTreeMap::new(),
            pods_on: BTreeMap::new(),
            waiting: BTreeSet::new(),
        }
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
        "default-scheduler"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Pod"), ("", "Node")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if kind.1 == "Node" {
            let says = |object: Option<&Arc<Object>>| {
                object.map(|node| (node["metadata"]["labels"].clone(), node["spec"].clone()))
            };
            if says(change.before.as_ref()) != says(change.after.as_ref()) {
                requests.extend(self.waiting.iter().cloned());
            }
            return;
        }
        self.place(&change.key.name, change.after.as_deref().and_then(occupied));
        let waits = change.after.as_deref().is_some_and(|pod| {
            pod.text(&["spec", "nodeName"]).is_empty() && !pod.is_terminating() && !is_finished(pod)
        });
        if !waits {
            self.waiting.remove(&change.key.name);
        } else if self.waiting.insert(change.key.name.clone()) {
            requests.push(change.key.name.clone());
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        if !self.waiting.contains(request) {
            return Outcome::Done;
        }
        let Some(pod) = api.find("", "Pod", request).cloned() else { return Outcome::Done };
        let result = match self.choose(api, &pod) {
            Ok(node) => self.bind(api, &pod, &node),
            Err(reason) => self.refuse(api, &pod, &reason),
        };
        super::write::outcome(result)
    }
}

impl Scheduler {
    /// Notes the node that a pod takes room on, or that it does not any more.
    fn place(&mut self, pod: &ObjectName, node: Option<&str>) {
        if self.placed.get(pod).map(String::as_str) == node {
            return;
        }
        if let Some(count) = self.placed.remove(pod).and_then(|node| self.pods_on.get_mut(&node)) {
            *count = count.saturating_sub(1);
        }
        if let Some(node) = node {
            self.placed.insert(pod.clone(), node.to_owned());
            *self.pods_on.entry(node.to_owned()).or_default() += 1;
        }
    }

    /// The node for a pod, or why there is none.
    fn choose(&self, api: &ApiServer, pod: &Object) -> Result<String, String> {
        let mut refusals: BTreeMap<String, usize> = BTreeMap::new();
        let mut best: Option<(usize, String)> = None;
        let mut total = 0;
        for node in api.all("", "Node") {
            total += 1;
            if let Some(reason) = FILTERS.iter().find_map(|filter| filter(pod, node)) {
                *refusals.entry(reason).or_default() += 1;
                continue;
            }
            let count = self.pods_on.get(node.name()).copied().unwrap_or_default();
            if best.as_ref().is_none_or(|(fewest, _)| count < *fewest) {
                best = Some((count, node.name().to_owned()));
            }
        }
        match (best, &self.virtual_node) {
            (Some((_, node)), _) => Ok(node),
            (None, Some(node)) if total == 0 => Ok(node.clone()),
            (None, _) if total == 0 => Err("no nodes available to schedule pods".to_owned()),
            (None, _) => {
                let mut reasons: Vec<String> =
                    refusals.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
                reasons.sort();
                Err(format!(
                    "0/{total} nodes are available: {}. no new claims to deallocate, preemption: 0/{total} nodes are \
                     available: {total} Preemption is not helpful for scheduling.",
                    reasons.join(", ")
                ))
            }
        }
    }

    fn bind(&mut self, api: &mut ApiServer, pod: &Object, node: &str) -> Result<(), crate::error::ApiError> {
        let mut object = pod.clone();
        object.set(&["spec", "nodeName"], node);
        let mut conditions = pod.list(&["status", "conditions"]).to_vec();
        set_condition(&mut conditions, api.now(), "PodScheduled", "True", "", "");
        object.set(&["status", "conditions"], conditions);
        let stored = api.update(&caller(), object, Subresource::Binding, WriteOptions::default())?;
        let text = format!("Successfully assigned {}/{} to {node}", pod.namespace(), pod.name());
        self.events.action(api, &stored, "Normal", "Scheduled", "Binding", &text);
        Ok(())
    }

    fn refuse(
        &mut self,
        api: &mut ApiServer,
        pod: &Object,
        reason: &str,
    ) -> Result<(), crate::error::ApiError> {
        let said = pod.condition("PodScheduled").map(|condition| condition.text(&["message"]));
        if said == Some(reason) {
            return Ok(());
        }
        let mut object = pod.clone();
        let mut conditions = pod.list(&["status", "conditions"]).to_vec();
        set_condition(&mut conditions, api.now(), "PodScheduled", "False", "Unschedulable", reason);
        object.set(&["status", "conditions"], conditions);
        let stored = api.update(&caller(), object, Subresource::Status, WriteOptions::default())?;
        self.events.action(api, &stored, "Warning", "FailedScheduling", "Scheduling", reason);
        Ok(())
    }
}

fn caller() -> Caller {
    Caller::administrator("kube-scheduler")
}

/// The node that a pod takes room on.
fn occupied(pod: &Object) -> Option<&str> {
    let node = pod.text(&["spec", "nodeName"]);
    (!node.is_empty() && !is_finished(pod)).then_some(node)
}

/// True if a daemon may begin on a node: cordons do not count.
pub(super) fn may_start(pod: &Object, node: &Object) -> bool {
    has_taint(pod, node).is_none() && misses_labels(pod, node).is_none()
}

/// True if a daemon may stay on a node: only taints that drive out count.
pub(super) fn may_run(pod: &Object, node: &Object) -> bool {
    let drives_out = |taint: &Value| taint["effect"] == "NoExecute" && !tolerates(pod, taint);
    misses_labels(pod, node).is_none() && !node.list(&["spec", "taints"]).iter().any(drives_out)
}

fn is_cordoned(pod: &Object, node: &Object) -> Option<String> {
    let cordon = json!({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"});
    let is_cordoned = node.at(&["spec", "unschedulable"]).is_some_and(|value| value == true);
    (is_cordoned && !tolerates(pod, &cordon)).then(|| "node(s) were unschedulable".to_owned())
}

fn has_taint(pod: &Object, node: &Object) -> Option<String> {
    let keeps_out = |taint: &&Value| {
        ["NoSchedule", "NoExecute"].contains(&taint.text(&["effect"])) && !tolerates(pod, taint)
    };
    let taint = node.list(&["spec", "taints"]).iter().find(keeps_out)?;
    let (key, value) = (taint.text(&["key"]), taint.text(&["value"]));
    Some(format!("node(s) had untolerated taint {{{key}: {value}}}"))
}

/// Source: `kubernetes/api:core/v1/toleration.go`.
fn tolerates(pod: &Object, taint: &Value) -> bool {
    pod.list(&["spec", "tolerations"]).iter().any(|toleration| {
        let (effect, key) = (toleration.text(&["effect"]), toleration.text(&["key"]));
        (effect.is_empty() || effect == taint.text(&["effect"]))
            && (key.is_empty() || key == taint.text(&["key"]))
            && match toleration.text(&["operator"]) {
                "Exists" => true,
                "" | "Equal" => toleration.text(&["value"]) == taint.text(&["value"]),
                _ => false,
            }
    })
}

fn misses_labels(pod: &Object, node: &Object) -> Option<String> {
    let wanted = pod.at(&["spec", "nodeSelector"]).and_then(Value::as_object);
    let misses =
        |(key, value): (&String, &Value)| node.at(&["metadata", "labels", key.as_str()]) != Some(value);
    (wanted.into_iter().flatten().any(misses) || !fits_affinity(pod, node))
        .then(|| "node(s) didn't match Pod's node affinity/selector".to_owned())
}

fn fits_affinity(pod: &Object, node: &Object) -> bool {
    let path = [
        "spec",
        "affinity",
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
    ];
    let terms = pod.list(&path);
    terms.is_empty()
        || terms.iter().any(|term| {
            let fields = term.list(&["matchFields"]).iter().all(|field| {
                field.text(&["key"]) == "metadata.name"
                    && field.list(&["values"]).iter().any(|value| value == node.name())
            });
            let selector = json!({"matchExpressions": term.list(&["matchExpressions"])});
            let labels = crate::selector::LabelSelector::of_object(Some(&selector));
            fields && labels.is_ok_and(|labels| labels.matches_object(node))
        })
}

//! What the scheduler knows of a node, and of the room on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::node_selection::{Labels, labels};
use super::pod_info::PodInfo;
use super::resources::{Resources, most_pods};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::taints::{Effect, Taint, taints};

/// A node.
#[derive(Debug, Clone)]
pub(super) struct NodeInfo {
    pub(super) name: String,
    pub(super) labels: Labels,
    pub(super) is_unschedulable: bool,
    /// Taints that keep pods out.
    pub(super) hard: Vec<Taint>,
    /// Taints of effect `PreferNoSchedule`.
    pub(super) soft: Vec<Taint>,
    /// What there is for pods; absent for nodes that do not say, which take everything.
    pub(super) allocatable: Option<Resources>,
    pub(super) most_pods: i64,
    pub(super) used: Resources,
    pub(super) compared: (i64, i64),
    pub(super) pods: BTreeMap<ObjectName, Arc<PodInfo>>,
    /// Region and zone.
    pub(super) zone: String,
}

impl NodeInfo {
    pub(super) fn read(node: &Object) -> Self {
        let (soft, hard) =
            taints(node).into_iter().partition(|taint| taint.effect == Effect::PreferNoSchedule);
        let amounts = node.at(&["status", "allocatable"]).or_else(|| node.at(&["status", "capacity"]));
        let labels = labels(node);
        let part = |key: &str| labels.get(key).map(String::as_str).unwrap_or_default();
        Self {
            zone: format!(
                "{}/{}",
                part("topology.kubernetes.io/region"),
                part("topology.kubernetes.io/zone")
            ),
            name: node.name().to_owned(),
            is_unschedulable: node.at(&["spec", "unschedulable"]).is_some_and(|value| value == true),
            hard,
            soft,
            allocatable: amounts.map(|amounts| Resources::read(Some(amounts))),
            most_pods: match amounts {
                Some(amounts) => most_pods(Some(amounts)).unwrap_or_default(),
                None => i64::MAX,
            },
            used: Resources::default(),
            compared: (0, 0),
            pods: BTreeMap::new(),
            labels,
        }
    }

    /// Takes over what is on the node from how it was known before.
    pub(super) fn take_pods_of(&mut self, before: &mut Self) {
        self.used = std::mem::take(&mut before.used);
        self.compared = before.compared;
        self.pods = std::mem::take(&mut before.pods);
    }

    pub(super) fn add(&mut self, pod: Arc<PodInfo>) {
        self.count(&pod, 1);
        self.pods.insert(pod.name.clone(), pod);
    }

    pub(super) fn remove(&mut self, name: &ObjectName) {
        if let Some(pod) = self.pods.remove(name) {
            self.count(&pod, -1);
        }
    }

    fn count(&mut self, pod: &PodInfo, sign: i64) {
        self.used.add(&pod.requests, sign);
        self.compared.0 += sign * pod.compared.0;
        self.compared.1 += sign * pod.compared.1;
    }

    /// True if the two say the same about themselves, whatever runs on them.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.labels == other.labels
            && self.is_unschedulable == other.is_unschedulable
            && self.hard == other.hard
            && self.soft == other.soft
            && self.allocatable == other.allocatable
            && self.most_pods == other.most_pods
    }
}

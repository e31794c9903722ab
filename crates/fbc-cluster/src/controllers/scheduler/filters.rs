//! Which nodes a pod may be on, and why not on the others. The first filter that refuses a node gives the reason.
//!
//! Source: `kubernetes/kubernetes:pkg/scheduler/framework/plugins`, in the order of the default profile.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::cache::Cache;
use super::neighbours::Neighbours;
use super::node_info::NodeInfo;
use super::node_selection::labels;
use super::pod_info::PodInfo;
use super::spread::Spread;
use super::volumes::{ClaimFault, Volumes};
use crate::api::ApiServer;
use crate::object::ObjectName;
use crate::taints::{Effect, Taint, UNSCHEDULABLE, keeps_out, tolerates};

/// What refuses nodes; it decides which changes let a pod be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Plugin {
    Unschedulable,
    Name,
    Taints,
    Selection,
    Ports,
    Resources,
    Volumes,
    Spread,
    Neighbours,
}

/// Why a node is refused.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reason {
    Unschedulable,
    Name,
    Taint,
    /// As [`Reason::Taint`], with key and value.
    NamedTaint(String, String),
    Selection,
    /// The pod names other nodes.
    NotNamed,
    Ports,
    TooManyPods,
    Insufficient(String),
    VolumeElsewhere,

    Skew,
    NoDomain,
    NotNear,
    NotAway,
    Guarded,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Unschedulable => "node(s) were unschedulable",
            Self::Name => "node(s) didn't match the requested node name",
            Self::Taint => "node(s) had untolerated taint(s)",
            Self::NamedTaint(key, value) => {
                return write!(formatter, "node(s) had untolerated taint {{{key}: {value}}}");
            }
            Self::Selection => "node(s) didn't match Pod's node affinity/selector",
            Self::NotNamed => "node(s) didn't satisfy plugin(s) [NodeAffinity]",
            Self::Ports => "node(s) didn't have free ports for the requested pod ports",
            Self::TooManyPods => "Too many pods",
            Self::Insufficient(resource) => return write!(formatter, "Insufficient {resource}"),
            Self::VolumeElsewhere => "node(s) didn't match PersistentVolume's node affinity",
            Self::Skew => "node(s) didn't match pod topology spread constraints",
            Self::NoDomain => "node(s) didn't match pod topology spread constraints (missing required label)",
            Self::NotNear => "node(s) didn't match pod affinity rules",
            Self::NotAway => "node(s) didn't match pod anti-affinity rules",
            Self::Guarded => "node(s) didn't satisfy existing pods anti-affinity rules",
        };
        formatter.write_str(text)
    }
}

impl Reason {
    /// The reason as newer schedulers tell it: without names of taints.
    pub(super) fn general(&self) -> Self {
        match self {
            Self::NamedTaint(..) => Self::Taint,
            other => other.clone(),
        }
    }
}

/// The refusal of a node.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    pub(super) plugin: Plugin,
    pub(super) reasons: Vec<Reason>,
    /// True if the node might do without some of its pods.
    pub(super) may_change: bool,
}

impl Refusal {
    fn for_good(plugin: Plugin, reason: Reason) -> Option<Self> {
        Some(Self { plugin, reasons: vec![reason], may_change: false })
    }

    fn for_now(plugin: Plugin, reason: Reason) -> Option<Self> {
        Some(Self { plugin, reasons: vec![reason], may_change: true })
    }
}

/// What is worked out once for a pod, before nodes are looked at.
pub(super) struct Question<'c> {
    pub(super) pod: &'c PodInfo,
    pub(super) named: Option<Vec<&'c str>>,
    pub(super) spread: Spread<'c>,
    pub(super) neighbours: Neighbours<'c>,
    pub(super) volumes: Volumes,
    /// Nodes without taints are refused for want of room alone, as for most pods.
    asks_for_room_only: bool,
}

impl<'c> Question<'c> {
    /// Works out what does not depend on a single node, as if some pods were not there.
    ///
    /// # Errors
    /// What keeps the pod from every node.
    pub(super) fn new(
        pod: &'c PodInfo,
        cache: &'c Cache,
        without: &BTreeSet<ObjectName>,
        api: &ApiServer,
    ) -> Result<Self, ClaimFault> {
        let namespaces = |name: &str| {
            let namespace = api.find("", "Namespace", &ObjectName::cluster(name));
            namespace.map(|namespace| labels(namespace)).unwrap_or_default()
        };
        let spread = Spread::new(pod, cache, without);
        let neighbours = Neighbours::new(pod, cache, without, &namespaces);
        let volumes = Volumes::new(pod, api)?;
        Ok(Self {
            pod,
            named: pod.selection.named(),
            asks_for_room_only: pod.node.is_empty()
                && pod.ports.is_empty()
                && pod.selection.accepts_all()
                && spread.refuses_nothing()
                && neighbours.refuses_nothing()
                && volumes.refuses_nothing(),
            spread,
            neighbours,
            volumes,
        })
    }

    /// Why the pod may not be on the node, if it may not.
    pub(super) fn refusal(&self, node: &NodeInfo) -> Option<Refusal> {
        let pod = self.pod;
        if self.asks_for_room_only && !node.is_unschedulable && node.hard.is_empty() && has_room(pod, node) {
            return None;
        }
        if self.named.as_ref().is_some_and(|names| !names.contains(&node.name.as_str())) {
            return Refusal::for_good(Plugin::Selection, Reason::NotNamed);
        }
        if node.is_unschedulable
            && !tolerates(&pod.tolerations, &Taint::new(UNSCHEDULABLE, Effect::NoSchedule))
        {
            return Refusal::for_good(Plugin::Unschedulable, Reason::Unschedulable);
        }
        if !pod.node.is_empty() && pod.node != node.name {
            return Refusal::for_good(Plugin::Name, Reason::Name);
        }
        if let Some(taint) = keeps_out(&node.hard, &pod.tolerations) {
            let reason = Reason::NamedTaint(taint.key.clone(), taint.value.clone());
            return Refusal::for_good(Plugin::Taints, reason);
        }
        if !pod.selection.accepts(&node.name, &node.labels) {
            return Refusal::for_good(Plugin::Selection, Reason::Selection);
        }
        if !pod.ports.is_empty() && clashes(pod, node) {
            return Refusal::for_now(Plugin::Ports, Reason::Ports);
        }
        if let Some(refusal) = shortage(pod, node) {
            return Some(refusal);
        }
        if let Some(reason) = self.volumes.refusal(node) {
            return Refusal::for_good(Plugin::Volumes, reason);
        }
        match self.spread.refusal(node) {
            Some(Reason::NoDomain) => return Refusal::for_good(Plugin::Spread, Reason::NoDomain),
            Some(reason) => return Refusal::for_now(Plugin::Spread, reason),
            None => {}
        }
        match self.neighbours.refusal(node) {
            Some(Reason::NotNear) => Refusal::for_good(Plugin::Neighbours, Reason::NotNear),
            Some(reason) => Refusal::for_now(Plugin::Neighbours, reason),
            None => None,
        }
    }
}

fn clashes(pod: &PodInfo, node: &NodeInfo) -> bool {
    let mut taken = node.pods.values().flat_map(|other| &other.ports);
    taken.any(|taken| pod.ports.iter().any(|port| port.clashes(taken)))
}

/// True if a node has enough of everything, as [`shortage`] finds nothing.
fn has_room(pod: &PodInfo, node: &NodeInfo) -> bool {
    let Some(all) = &node.allocatable else { return true };
    let (asked, used) = (&pod.requests, &node.used);
    let fits = |asked: i64, used: i64, all: i64| asked <= 0 || asked <= all - used;
    asked.others.is_empty()
        && i64::try_from(node.pods.len()).unwrap_or(i64::MAX) < node.most_pods
        && fits(asked.cpu, used.cpu, all.cpu)
        && fits(asked.memory, used.memory, all.memory)
        && fits(asked.storage, used.storage, all.storage)
}

/// Everything that a node has too little of.
pub(super) fn shortage(pod: &PodInfo, node: &NodeInfo) -> Option<Refusal> {
    let allocatable = node.allocatable.as_ref()?;
    let (asked, used) = (&pod.requests, &node.used);
    let mut reasons = Vec::new();
    let mut fits_alone = true;
    if i64::try_from(node.pods.len()).unwrap_or(i64::MAX) >= node.most_pods {
        reasons.push(Reason::TooManyPods);
        fits_alone &= node.most_pods > 0;
    }
    for (name, asked, used, all) in [
        ("cpu", asked.cpu, used.cpu, allocatable.cpu),
        ("memory", asked.memory, used.memory, allocatable.memory),
        ("ephemeral-storage", asked.storage, used.storage, allocatable.storage),
    ] {
        if asked > 0 && asked > all - used {
            reasons.push(Reason::Insufficient(name.to_owned()));
            fits_alone &= asked <= all;
        }
    }
    let of = |amounts: &BTreeMap<String, i64>, name: &String| amounts.get(name).copied().unwrap_or_default();
    for (name, asked) in &asked.others {
        let all = of(&allocatable.others, name);
        if *asked > 0 && *asked > all - of(&used.others, name) {
            reasons.push(Reason::Insufficient(name.clone()));
            fits_alone &= *asked <= all;
        }
    }
    (!reasons.is_empty()).then_some(Refusal { plugin: Plugin::Resources, reasons, may_change: fits_alone })
}

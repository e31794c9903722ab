//! What the scheduler knows of a pod, read once from the object.

use serde_json::Value;

use super::node_selection::{Labels, NodeSelection, labels};
use super::resources::{Resources, requests};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::selector::LabelSelector;
use crate::taints::{Toleration, tolerations};

/// A port of a node that a pod takes for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HostPort {
    address: String,
    protocol: String,
    port: i64,
}

impl HostPort {
    /// True if two pods cannot have both on one node.
    pub(super) fn clashes(&self, other: &Self) -> bool {
        const ANY: &str = "0.0.0.0";
        self.port == other.port
            && self.protocol == other.protocol
            && (self.address == other.address || self.address == ANY || other.address == ANY)
    }
}

/// Pods that a pod wants near, or away.
#[derive(Debug, Clone)]
pub(super) struct PodTerm {
    pub(super) selector: LabelSelector,
    /// Empty with a selector of namespaces.
    namespaces: Vec<String>,
    pub(super) namespace_selector: Option<LabelSelector>,
    pub(super) topology: String,
}

impl PodTerm {
    fn read(term: &Value, namespace: &str) -> Self {
        let selector_of_namespaces = term.given(&["namespaceSelector"]);
        let mut namespaces: Vec<String> =
            term.list(&["namespaces"]).iter().filter_map(Value::as_str).map(str::to_owned).collect();
        if namespaces.is_empty() && selector_of_namespaces.is_none() {
            namespaces.push(namespace.to_owned());
        }
        Self {
            selector: LabelSelector::of_object(term.get("labelSelector"))
                .unwrap_or_else(|_| LabelSelector::nothing()),
            namespaces,
            namespace_selector: selector_of_namespaces
                .and_then(|selector| LabelSelector::of_object(Some(selector)).ok()),
            topology: term.text(&["topologyKey"]).to_owned(),
        }
    }

    /// True if the term is about a pod. `namespace_labels` gives the labels of the pod's namespace.
    pub(super) fn means(&self, pod: &PodInfo, namespace_labels: &dyn Fn(&str) -> Labels) -> bool {
        let namespace = &pod.name.namespace;
        let in_namespace = self.namespaces.contains(namespace)
            || self.namespace_selector.as_ref().is_some_and(|selector| {
                selector.is_everything() || selector.matches_labels(&namespace_labels(namespace))
            });
        in_namespace && self.selector.matches_labels(&pod.labels)
    }
}

/// How evenly pods are to be spread.
#[derive(Debug, Clone)]
pub(super) struct SpreadConstraint {
    pub(super) max_skew: i64,
    pub(super) topology: String,
    pub(super) selector: LabelSelector,
    pub(super) min_domains: i64,
    /// Nodes that the pod does not tolerate do not count.
    pub(super) honors_taints: bool,
    /// Nodes that the pod does not select do not count.
    pub(super) honors_selection: bool,
}

/// A pod.
#[derive(Debug, Clone)]
pub(super) struct PodInfo {
    pub(super) name: ObjectName,
    pub(super) uid: String,
    pub(super) labels: Labels,
    pub(super) node: String,
    pub(super) nominated: String,
    pub(super) priority: i64,
    pub(super) preempts: bool,
    pub(super) is_terminating: bool,
    pub(super) is_finished: bool,
    pub(super) is_gated: bool,
    pub(super) scheduler: String,
    /// When it was made, as Kubernetes writes it: later is greater.
    pub(super) made: String,
    pub(super) owner: Option<String>,
    pub(super) requests: Resources,
    /// Processors and memory as they count when nodes are compared.
    pub(super) compared: (i64, i64),
    pub(super) ports: Vec<HostPort>,
    pub(super) tolerations: Vec<Toleration>,
    pub(super) selection: NodeSelection,
    pub(super) near: Vec<PodTerm>,
    pub(super) away: Vec<PodTerm>,
    /// Weights of what is preferred, negative for pods that are preferred away.
    pub(super) preferred: Vec<(i64, PodTerm)>,
    /// Constraints that must hold.
    pub(super) spread: Vec<SpreadConstraint>,
    /// Constraints that should.
    pub(super) spread_softly: Vec<SpreadConstraint>,
    /// The names of its claims to volumes.
    pub(super) claims: Vec<String>,
}

impl PodInfo {
    /// Whether two states of a pod ask for the same, wherever the pod is.
    pub(super) fn asks_the_same(before: &Object, pod: &Object) -> bool {
        let asks = |(field, _): &(&String, &Value)| *field != "nodeName";
        let [old, new] =
            [before, pod].map(|pod| pod.get("spec").and_then(Value::as_object).into_iter().flatten());
        old.filter(asks).eq(new.filter(asks))
            && before.at(&["metadata", "labels"]) == pod.at(&["metadata", "labels"])
    }

    /// What is known of a pod that asks for the same as before.
    pub(super) fn follow(&self, pod: &Object) -> Self {
        Self {
            node: pod.text(&["spec", "nodeName"]).to_owned(),
            nominated: pod.text(&["status", "nominatedNodeName"]).to_owned(),
            is_terminating: pod.is_terminating(),
            is_finished: super::is_finished(pod),
            owner: owner(pod),
            ..self.clone()
        }
    }

    pub(super) fn read(pod: &Object) -> Self {
        let (requests, compared) = requests(pod);
        let terms = |part: &str, field: &str| {
            let list = pod.at(&["spec", "affinity", part, field]).and_then(Value::as_array);
            list.map_or(&[][..], Vec::as_slice).to_vec()
        };
        let required = |part: &str| -> Vec<PodTerm> {
            let list = terms(part, "requiredDuringSchedulingIgnoredDuringExecution");
            list.iter().map(|term| PodTerm::read(term, pod.namespace())).collect()
        };
        let preferred = |part: &'static str, sign: i64| {
            let list = terms(part, "preferredDuringSchedulingIgnoredDuringExecution");
            list.into_iter().map(move |one| {
                let weight = one.number(&["weight"]).unwrap_or_default();
                (sign * weight, PodTerm::read(&one["podAffinityTerm"], pod.namespace()))
            })
        };
        let labels = labels(pod);
        let (spread, spread_softly) = pod
            .list(&["spec", "topologySpreadConstraints"])
            .iter()
            .map(|one| (one["whenUnsatisfiable"] == "DoNotSchedule", constraint(one, &labels)))
            .partition::<Vec<_>, _>(|(is_hard, _)| *is_hard);
        let plain = |list: Vec<(bool, SpreadConstraint)>| list.into_iter().map(|(_, one)| one).collect();
        Self {
            name: pod.object_name(),
            uid: pod.uid().to_owned(),
            node: pod.text(&["spec", "nodeName"]).to_owned(),
            nominated: pod.text(&["status", "nominatedNodeName"]).to_owned(),
            priority: pod.number(&["spec", "priority"]).unwrap_or_default(),
            preempts: pod.text(&["spec", "preemptionPolicy"]) != "Never",
            is_terminating: pod.is_terminating(),
            is_finished: super::is_finished(pod),
            is_gated: !pod.list(&["spec", "schedulingGates"]).is_empty(),
            scheduler: pod.text(&["spec", "schedulerName"]).to_owned(),
            made: pod.text(&["metadata", "creationTimestamp"]).to_owned(),
            owner: owner(pod),
            requests,
            compared,
            ports: ports(pod),
            tolerations: tolerations(pod),
            selection: NodeSelection::of(pod),
            near: required("podAffinity"),
            away: required("podAntiAffinity"),
            preferred: preferred("podAffinity", 1).chain(preferred("podAntiAffinity", -1)).collect(),
            spread: plain(spread),
            spread_softly: plain(spread_softly),
            claims: claims(pod),
            labels,
        }
    }
}

/// The uid of whoever counts where its pods are.
fn owner(pod: &Object) -> Option<String> {
    let owner =
        pod.controller().filter(|owner| ["ReplicaSet", "StatefulSet"].contains(&owner.text(&["kind"])))?;
    Some(owner.text(&["uid"]).to_owned())
}

fn constraint(value: &Value, labels: &Labels) -> SpreadConstraint {
    let mut selector = value.get("labelSelector").cloned().unwrap_or_default();
    for key in value.list(&["matchLabelKeys"]).iter().filter_map(Value::as_str) {
        if let Some(label) = labels.get(key) {
            selector.set(&["matchLabels", key], label.as_str());
        }
    }
    SpreadConstraint {
        max_skew: value.number(&["maxSkew"]).unwrap_or(1),
        topology: value.text(&["topologyKey"]).to_owned(),
        selector: LabelSelector::of_object(Some(&selector)).unwrap_or_else(|_| LabelSelector::nothing()),
        min_domains: value.number(&["minDomains"]).unwrap_or(1),
        honors_taints: value["nodeTaintsPolicy"] == "Honor",
        honors_selection: value["nodeAffinityPolicy"] != "Ignore",
    }
}

fn ports(pod: &Object) -> Vec<HostPort> {
    let containers = pod.list(&["spec", "containers"]).iter();
    let ports = containers.flat_map(|container| container.list(&["ports"]));
    let or = |text: &str, default: &str| if text.is_empty() { default } else { text }.to_owned();
    ports
        .filter_map(|port| {
            let number = port.number(&["hostPort"]).filter(|number| *number > 0)?;
            Some(HostPort {
                address: or(port.text(&["hostIP"]), "0.0.0.0"),
                protocol: or(port.text(&["protocol"]), "TCP"),
                port: number,
            })
        })
        .collect()
}

fn claims(pod: &Object) -> Vec<String> {
    let volumes = pod.list(&["spec", "volumes"]).iter();
    volumes
        .filter_map(|volume| {
            if volume.get("ephemeral").is_some() {
                return Some(format!("{}-{}", pod.name(), volume.text(&["name"])));
            }
            let name = volume.text(&["persistentVolumeClaim", "claimName"]);
            (!name.is_empty()).then(|| name.to_owned())
        })
        .collect()
}

//! All nodes and pods as the scheduler knows them, kept up with the changes of the cluster.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use super::node_info::NodeInfo;
use super::pod_info::PodInfo;
use crate::object::ObjectName;

/// How many pods of one owner are where.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnerCounts {
    pub(super) by_node: BTreeMap<String, i64>,
    pub(super) by_zone: BTreeMap<String, i64>,
}

/// Nodes and pods.
#[derive(Debug, Clone, Default)]
pub(super) struct Cache {
    /// In no order that matters.
    pub(super) nodes: Vec<NodeInfo>,
    index: HashMap<String, usize>,
    /// All pods that are neither finished nor gone.
    pub(super) pods: BTreeMap<ObjectName, Arc<PodInfo>>,
    /// Pods on nodes that keep others away, by name.
    pub(super) guarded: BTreeMap<ObjectName, Arc<PodInfo>>,
    /// Pods on nodes that prefer others near or away, by name.
    pub(super) attached: BTreeMap<ObjectName, Arc<PodInfo>>,
    /// Pods for which room is being made on a node.
    pub(super) nominated: BTreeMap<String, BTreeMap<ObjectName, Arc<PodInfo>>>,
    owners: HashMap<String, OwnerCounts>,
    /// How many nodes there are in each zone.
    pub(super) zones: BTreeMap<String, usize>,
}

impl Cache {
    pub(super) fn node(&self, name: &str) -> Option<&NodeInfo> {
        self.nodes.get(*self.index.get(name)?)
    }

    fn node_mut(&mut self, name: &str) -> Option<&mut NodeInfo> {
        self.nodes.get_mut(*self.index.get(name)?)
    }

    /// Writes down a node. The answer is how it was known before.
    pub(super) fn put_node(&mut self, mut node: NodeInfo) -> Option<NodeInfo> {
        let Some(place) = self.node_mut(&node.name) else {
            // Pods may have been bound to the node before it was there.
            let name = node.name.clone();
            for pod in self.pods.values().filter(|pod| pod.node == name) {
                node.add(Arc::clone(pod));
            }
            *self.zones.entry(node.zone.clone()).or_default() += 1;
            self.index.insert(node.name.clone(), self.nodes.len());
            self.nodes.push(node);
            return None;
        };
        let mut before = std::mem::replace(place, node);
        let zone = place.zone.clone();
        place.take_pods_of(&mut before);
        if before.zone != zone {
            self.leave_zone(&before.zone);
            *self.zones.entry(zone).or_default() += 1;
        }
        Some(before)
    }

    pub(super) fn remove_node(&mut self, name: &str) {
        let Some(index) = self.index.remove(name) else { return };
        let node = self.nodes.swap_remove(index);
        if let Some(moved) = self.nodes.get(index) {
            self.index.insert(moved.name.clone(), index);
        }
        self.leave_zone(&node.zone);
    }

    fn leave_zone(&mut self, zone: &str) {
        if let Some(count) = self.zones.get_mut(zone) {
            *count -= 1;
            if *count == 0 {
                self.zones.remove(zone);
            }
        }
    }

    /// Writes down a pod; a finished one takes no room.
    pub(super) fn put_pod(&mut self, pod: PodInfo) {
        self.remove_pod(&pod.name);
        if pod.is_finished {
            return;
        }
        let pod = Arc::new(pod);
        if pod.node.is_empty() {
            if !pod.nominated.is_empty() {
                let on_node = self.nominated.entry(pod.nominated.clone()).or_default();
                on_node.insert(pod.name.clone(), Arc::clone(&pod));
            }
        } else {
            self.count_owner(&pod, 1);
            if let Some(node) = self.node_mut(&pod.node) {
                node.add(Arc::clone(&pod));
            }
            if !pod.away.is_empty() {
                self.guarded.insert(pod.name.clone(), Arc::clone(&pod));
            }
            if !pod.preferred.is_empty() || !pod.near.is_empty() {
                self.attached.insert(pod.name.clone(), Arc::clone(&pod));
            }
        }
        self.pods.insert(pod.name.clone(), pod);
    }

    pub(super) fn remove_pod(&mut self, name: &ObjectName) {
        let Some(pod) = self.pods.remove(name) else { return };
        if pod.node.is_empty() {
            if let Some(on_node) = self.nominated.get_mut(&pod.nominated) {
                on_node.remove(name);
                if on_node.is_empty() {
                    self.nominated.remove(&pod.nominated);
                }
            }
            return;
        }
        self.count_owner(&pod, -1);
        if let Some(node) = self.node_mut(&pod.node) {
            node.remove(name);
        }
        self.guarded.remove(name);
        self.attached.remove(name);
    }

    fn count_owner(&mut self, pod: &PodInfo, number: i64) {
        let Some(owner) = &pod.owner else { return };
        let zone = self.node(&pod.node).map(|node| node.zone.clone());
        let counts = self.owners.entry(owner.clone()).or_default();
        shift(&mut counts.by_node, &pod.node, number);
        if let Some(zone) = zone {
            shift(&mut counts.by_zone, &zone, number);
        }
        if counts.by_node.is_empty() {
            self.owners.remove(owner);
        }
    }

    /// Where the other pods of a pod's owner are.
    pub(super) fn of_owner(&self, pod: &PodInfo) -> Option<&OwnerCounts> {
        self.owners.get(pod.owner.as_ref()?)
    }

    /// The pods of a namespace.
    pub(super) fn in_namespace<'c>(&'c self, namespace: &'c str) -> impl Iterator<Item = &'c Arc<PodInfo>> {
        let first = ObjectName::namespaced(namespace, "");
        self.pods
            .range((Bound::Included(first), Bound::Unbounded))
            .take_while(move |(name, _)| name.namespace == namespace)
            .map(|(_, pod)| pod)
    }
}

fn shift(counts: &mut BTreeMap<String, i64>, key: &str, number: i64) {
    let count = counts.entry(key.to_owned()).or_default();
    *count += number;
    if *count == 0 {
        counts.remove(key);
    }
}

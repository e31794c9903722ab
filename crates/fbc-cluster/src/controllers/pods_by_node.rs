//! Which pods are bound to which node, for controllers that act on nodes.

use std::collections::{BTreeSet, HashMap};

use crate::object::{Object, ObjectFields, ObjectName};

/// Bound pods by node.
#[derive(Debug, Default)]
pub(super) struct PodsByNode {
    pods: HashMap<String, BTreeSet<ObjectName>>,
    nodes: HashMap<ObjectName, String>,
}

impl PodsByNode {
    /// Follows a change of a pod; none if it is gone.
    pub(super) fn follow(&mut self, name: &ObjectName, pod: Option<&Object>) {
        let node = pod.map(|pod| pod.text(&["spec", "nodeName"])).filter(|node| !node.is_empty());
        if self.nodes.get(name).map(String::as_str) == node {
            return;
        }
        if let Some(before) = self.nodes.remove(name)
            && let Some(on_node) = self.pods.get_mut(&before)
        {
            on_node.remove(name);
            if on_node.is_empty() {
                self.pods.remove(&before);
            }
        }
        if let Some(node) = node {
            self.nodes.insert(name.clone(), node.to_owned());
            self.pods.entry(node.to_owned()).or_default().insert(name.clone());
        }
    }

    /// The pods of a node, by namespace and name.
    pub(super) fn on(&self, node: &str) -> impl Iterator<Item = &ObjectName> {
        self.pods.get(node).into_iter().flatten()
    }
}

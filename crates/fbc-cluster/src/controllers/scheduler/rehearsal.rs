//! Questions about nodes that others than the scheduler ask: how full one is, where its pods would go without it, and
//! which pods a further one would take.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::cache::Cache;
use super::filters::Question;
use super::node_info::NodeInfo;
use super::pod_info::PodInfo;
use crate::api::ApiServer;
use crate::object::{Object, ObjectFields, ObjectName};

/// True if these pods would all find room on other nodes, one after another, with what is bound there now.
///
/// It looks at the whole cluster, so it is for questions that come rarely.
pub fn finds_room_elsewhere(api: &ApiServer, node: &str, pods: &[Arc<Object>]) -> bool {
    let leaving: BTreeSet<ObjectName> = pods.iter().map(|pod| pod.object_name()).collect();
    let mut rehearsal = Rehearsal::without(api, node, &leaving);
    pods.iter().all(|pod| rehearsal.place(pod, |_| true).is_ok())
}

/// A copy of what the scheduler knows, in which nodes and pods come and go without consequences.
///
/// It looks at the whole cluster, so it is for questions that come rarely.
#[derive(Clone)]
pub struct Rehearsal<'a> {
    api: &'a ApiServer,
    cache: Cache,
}

impl<'a> Rehearsal<'a> {
    /// The cluster as it is.
    pub fn new(api: &'a ApiServer) -> Self {
        Self::without(api, "", &BTreeSet::new())
    }

    /// The cluster without a node and without some pods.
    fn without(api: &'a ApiServer, node: &str, pods: &BTreeSet<ObjectName>) -> Self {
        let mut cache = Cache::default();
        for other in api.all("", "Node").filter(|other| other.name() != node) {
            cache.put_node(NodeInfo::read(other));
        }
        for pod in api.all("", "Pod").filter(|pod| !pods.contains(&pod.object_name())) {
            cache.put_pod(PodInfo::read(pod));
        }
        Self { api, cache }
    }

    /// Adds a node, with pods that are on it from the beginning.
    pub fn add_node(&mut self, node: &Object, pods: &[Object]) {
        self.cache.put_node(NodeInfo::read(node));
        for pod in pods {
            let mut info = PodInfo::read(pod);
            node.name().clone_into(&mut info.node);
            self.cache.put_pod(info);
        }
    }

    /// Takes a node away that has no pods.
    pub fn remove_node(&mut self, name: &str) {
        self.cache.remove_node(name);
    }

    /// Puts a pod on the first of some nodes by name that takes it.
    ///
    /// # Errors
    /// What all of these nodes have against it, as events tell it: each reason once, in order.
    pub fn place(&mut self, pod: &Object, may_be_on: impl Fn(&str) -> bool) -> Result<(), Vec<String>> {
        let mut free = pod.clone();
        free.remove(&["spec", "nodeName"]);
        let mut info = PodInfo::read(&free);
        let question = Question::new(&info, &self.cache, &BTreeSet::new(), self.api)
            .map_err(|fault| vec![fault.to_string()])?;
        let (mut found, mut reasons) = (None::<String>, BTreeSet::new());
        for node in self.cache.nodes.iter().filter(|node| may_be_on(&node.name)) {
            match question.refusal(node) {
                None if found.as_ref().is_none_or(|found| node.name < *found) => {
                    found = Some(node.name.clone())
                }
                None => {}
                Some(refusal) => {
                    reasons.extend(refusal.reasons.iter().map(|reason| reason.general().to_string()));
                }
            }
        }
        info.node = found.ok_or_else(|| reasons.into_iter().collect::<Vec<_>>())?;
        self.cache.put_pod(info);
        Ok(())
    }
}

/// The larger of the shares of processors and memory that the pods of a node ask for; none for a node that does not say
/// what it has.
pub fn utilization(node: &Object, pods: &[Arc<Object>]) -> Option<f64> {
    let mut info = NodeInfo::read(node);
    for pod in pods {
        info.add(Arc::new(PodInfo::read(pod)));
    }
    let all = info.allocatable.as_ref()?;
    let share = |used: i64, all: i64| {
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more than the first digits")]
        let share = used as f64 / all as f64;
        (all > 0).then_some(share)
    };
    Some(share(info.used.cpu, all.cpu)?.max(share(info.used.memory, all.memory)?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::{Caller, WriteOptions};
    use crate::control_plane::api_server;
    use crate::time::Moment;

    #[test]
    fn pods_of_a_node_must_all_find_room() {
        let node = |name: &str, cpu: &str| {
            json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
                   "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "10"}}})
        };
        let pod = |name: &str| {
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": {
                "nodeName": "a",
                "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}],
            }})
        };
        for (cpu_of_other, expected) in [("2", true), ("1", false)] {
            let mut api = api_server(&[], 1, Moment::START);
            let user = Caller::administrator("user");
            let mut create = |object| api.create(&user, object, WriteOptions::default()).unwrap();
            let full = create(node("a", "4"));
            let mut other = Object::clone(&create(node("b", cpu_of_other)));
            let pods = [create(pod("one")), create(pod("two"))];
            assert_eq!(utilization(&full, &pods), Some(0.5));
            // New nodes are tainted until their kubelet says that they are ready.
            other.remove(&["spec", "taints"]);
            api.update(&user, other, crate::api::Subresource::None, WriteOptions::default()).unwrap();
            assert_eq!(finds_room_elsewhere(&api, "a", &pods), expected, "{cpu_of_other}");
        }
    }
}

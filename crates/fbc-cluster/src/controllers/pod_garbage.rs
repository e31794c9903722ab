//! Pods that nobody ends any more: those of nodes that are gone, and of nodes that somebody vouches are off.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/podgc/gc_controller.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::pods::is_finished;
use super::pods_by_node::PodsByNode;
use super::write::{manager, set_observed_condition};
use crate::api::{ApiServer, DeleteOptions, Subresource, WriteOptions};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;
use crate::taints::{OUT_OF_SERVICE, taints};
use crate::time::{Milliseconds, Moment, SECOND};

/// How often pods are looked through.
const PERIOD: Milliseconds = 20 * SECOND;
/// So long a node must be gone before its pods are removed.
const QUARANTINE: Milliseconds = 40 * SECOND;
/// The only object that the controller is told to look at: everything.
const ALL: &str = "all";

/// Removes pods that are left over.
#[derive(Debug, Default)]
pub struct PodGarbage {
    /// Nodes that were there once. Pods of others, as of virtual nodes, are nobody's garbage.
    known: BTreeSet<String>,
    /// Since when nodes are missing, as far as anybody noticed.
    missing: BTreeMap<String, Moment>,
    deleted: BTreeSet<String>,
    out_of_service: BTreeSet<String>,
    pods: PodsByNode,
}

impl Controller for PodGarbage {
    fn name(&self) -> &'static str {
        "pod-garbage-collector"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Node"), ("", "Pod")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        if kind.1 == "Pod" {
            return self.pods.follow(name, change.after.as_deref());
        }
        match &change.after {
            None => {
                self.out_of_service.remove(&name.name);
                if self.known.remove(&name.name) {
                    self.deleted.insert(name.name.clone());
                }
            }
            Some(node) => {
                self.known.insert(name.name.clone());
                self.deleted.remove(&name.name);
                self.missing.remove(&name.name);
                let is_off = taints(node).iter().any(|taint| taint.key == OUT_OF_SERVICE)
                    && node.condition_status("Ready") != "True";
                if is_off {
                    self.out_of_service.insert(name.name.clone());
                } else {
                    self.out_of_service.remove(&name.name);
                }
            }
        }
        if self.has_work() {
            requests.push(ObjectName::cluster(ALL));
        }
    }

    fn reconcile(&mut self, _request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let now = api.now();
        if now.0.is_multiple_of(PERIOD) && !self.pass(api) {
            return Outcome::After(0);
        }
        if self.has_work() { Outcome::After(PERIOD - now.0 % PERIOD) } else { Outcome::Done }
    }
}

impl PodGarbage {
    fn has_work(&self) -> bool {
        let has_pods = |node: &String| self.pods.on(node).next().is_some();
        self.deleted.iter().any(has_pods) || self.out_of_service.iter().any(has_pods)
    }

    /// Removes what is to go. False if there is so much that others come first.
    fn pass(&mut self, api: &mut ApiServer) -> bool {
        let now = api.now();
        for node in &self.out_of_service {
            for name in self.pods.on(node) {
                if api.has_written_much() {
                    return false;
                }
                let pod = api.find("", "Pod", name).filter(|pod| pod.is_terminating()).cloned();
                if let Some(pod) = pod {
                    // Who is refused here comes again in the next pass.
                    let _ = remove(api, &pod, None);
                }
            }
        }
        for node in &self.deleted {
            let since = *self.missing.entry(node.clone()).or_insert(now);
            if now.since(since) < QUARANTINE {
                continue;
            }
            for name in self.pods.on(node) {
                if api.has_written_much() {
                    return false;
                }
                if let Some(pod) = api.find("", "Pod", name).cloned() {
                    let _ = remove(api, &pod, Some("PodGC: node no longer exists"));
                }
            }
        }
        true
    }
}

/// Lets a pod fail, if it has not ended, and removes it at once.
fn remove(api: &mut ApiServer, pod: &Arc<Object>, why: Option<&str>) -> Result<(), ApiError> {
    if !is_finished(pod) {
        let mut object = Object::clone(pod);
        object.set(&["status", "phase"], "Failed");
        if let Some(text) = why {
            let mut conditions = pod.list(&["status", "conditions"]).to_vec();
            let condition = ("DisruptionTarget", "True", "DeletionByPodGC", text);
            set_observed_condition(&mut conditions, api.now(), pod.generation(), condition);
            object.set(&["status", "conditions"], conditions);
        }
        api.update(&manager(), object, Subresource::Status, WriteOptions::default())?;
    }
    let Some(kind) = api.kind_id("", "Pod") else { return Ok(()) };
    let options = DeleteOptions { grace_period: Some(0), ..DeleteOptions::default() };
    api.delete(&manager(), kind, &pod.object_name(), &options).map(drop)
}

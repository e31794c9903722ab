//! What the scheduler writes: the node of a pod, or why it has none, and what has to go.

use serde_json::json;

use super::Scheduler;
use super::preemption::Candidate;
use crate::api::{ApiServer, Caller, DeleteOptions, Subresource, WriteOptions};
use crate::controllers::write::{set_condition, set_observed_condition};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};

fn caller() -> Caller {
    Caller::administrator("kube-scheduler")
}

impl Scheduler {
    /// Binds a pod to a node.
    pub(super) fn bind(&mut self, api: &mut ApiServer, pod: &Object, node: &str) -> Result<(), ApiError> {
        // What a binding cannot change need not be copied to be sent.
        let mut object = json!({
            "apiVersion": pod.api_version(), "kind": pod.kind(),
            "metadata": {
                "name": pod.name(), "namespace": pod.namespace(),
                "resourceVersion": pod.text(&["metadata", "resourceVersion"]),
            },
            "spec": {"nodeName": node}, "status": pod.get("status").cloned().unwrap_or_default(),
        });
        let mut conditions = pod.list(&["status", "conditions"]).to_vec();
        set_condition(&mut conditions, api.now(), "PodScheduled", "True", "", "");
        object.set(&["status", "conditions"], conditions);
        object.remove(&["status", "nominatedNodeName"]);
        let stored = api.update(&caller(), object, Subresource::Binding, WriteOptions::default())?;
        let text = format!("Successfully assigned {}/{} to {node}", pod.namespace(), pod.name());
        self.events.action(api, &stored, "Normal", "Scheduled", "Binding", &text);
        Ok(())
    }

    /// Writes why a pod has no node, and where room is made for it.
    pub(super) fn refuse(
        &mut self,
        api: &mut ApiServer,
        pod: &Object,
        reason: &str,
        nominated: Option<&str>,
    ) -> Result<(), ApiError> {
        let mut object = pod.clone();
        let mut conditions = pod.list(&["status", "conditions"]).to_vec();
        let condition = ("PodScheduled", "False", "Unschedulable", reason);
        set_observed_condition(&mut conditions, api.now(), pod.generation(), condition);
        object.set(&["status", "conditions"], conditions);
        if let Some(node) = nominated {
            object.set(&["status", "nominatedNodeName"], node);
        }
        if object != *pod {
            api.update(&caller(), object, Subresource::Status, WriteOptions::default())?;
        }
        self.events.action(api, pod, "Warning", "FailedScheduling", "Scheduling", reason);
        Ok(())
    }

    /// Writes into pods that they have to make room.
    pub(super) fn mark_victims(
        &mut self,
        api: &mut ApiServer,
        candidate: &Candidate,
    ) -> Result<(), ApiError> {
        let text = "default-scheduler: preempting to accommodate a higher priority pod";
        for victim in &candidate.victims {
            let Some(pod) = api.find("", "Pod", &victim.name).cloned() else { continue };
            let mut object = Object::clone(&pod);
            let mut conditions = pod.list(&["status", "conditions"]).to_vec();
            let condition = ("DisruptionTarget", "True", "PreemptionByScheduler", text);
            set_observed_condition(&mut conditions, api.now(), pod.generation(), condition);
            object.set(&["status", "conditions"], conditions);
            api.update(&caller(), object, Subresource::Status, WriteOptions::default())?;
        }
        Ok(())
    }

    /// Deletes the pods that have to make room.
    pub(super) fn remove_victims(
        &mut self,
        api: &mut ApiServer,
        pod: &Object,
        candidate: &Candidate,
    ) -> Result<(), ApiError> {
        let Some(kind) = api.kind_id("", "Pod") else { return Ok(()) };
        for victim in &candidate.victims {
            let Some(object) = api.find("", "Pod", &victim.name).cloned() else { continue };
            match api.delete(&caller(), kind, &victim.name, &DeleteOptions::default()) {
                Err(error) if !error.is_not_found() => return Err(error),
                _ => {}
            }
            let text = format!("Preempted by pod {} on node {}", pod.uid(), candidate.node);
            self.events.action(api, &object, "Normal", "Preempted", "Preempting", &text);
        }
        Ok(())
    }
}

//! What keeps the pods of workloads from running, read off the objects of a cluster.

use std::collections::BTreeSet;
use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields};

/// A workload whose pods do not run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Obstacle {
    /// Kind, namespace and name: `Deployment sea/ferry-controller`.
    pub workload: String,
    /// Why in a word: `CreateContainerConfigError`.
    pub reason: String,
    /// What is missing or wrong.
    pub message: String,
}

/// Reasons of containers that wait as containers of any new pod do; an event says why it lasts.
const STARTING: [&str; 2] = ["ContainerCreating", "PodInitializing"];

/// Kinds whose controllers make pods, or what makes them.
const WORKLOADS: [&str; 6] = ["CronJob", "DaemonSet", "Deployment", "Job", "ReplicaSet", "StatefulSet"];

/// The workloads whose pods do not run, each with every cause once, by name.
pub fn obstacles(objects: &[Arc<Object>]) -> Vec<Obstacle> {
    let view = View { objects };
    let mut found = BTreeSet::new();
    for object in objects {
        match object.kind() {
            "Pod" => found.extend(view.of_pod(object)),
            "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" => found.extend(view.of_controller(object)),
            _ => {}
        }
    }
    found.into_iter().collect()
}

struct View<'s> {
    objects: &'s [Arc<Object>],
}

impl View<'_> {
    /// Why a pod waits.
    fn of_pod(&self, pod: &Object) -> Option<Obstacle> {
        if pod.is_terminating() || pod.condition_status("Ready") == "True" {
            return None;
        }
        let scheduled = pod.condition("PodScheduled").filter(|condition| condition["status"] == "False");
        if let Some(condition) = scheduled {
            return Some(self.obstacle(pod, condition.text(&["reason"]), condition.text(&["message"])));
        }
        let statuses = ["initContainerStatuses", "containerStatuses"].map(|list| pod.list(&["status", list]));
        let mut waiting =
            statuses.into_iter().flatten().filter_map(|status| status.at(&["state", "waiting"]));
        let waiting = waiting.find(|waiting| {
            !STARTING.contains(&waiting.text(&["reason"])) || self.warning(pod, "FailedMount").is_some()
        })?;
        let reason = waiting.text(&["reason"]);
        if STARTING.contains(&reason) {
            return Some(self.obstacle(pod, "FailedMount", self.warning(pod, "FailedMount")?));
        }
        Some(self.obstacle(pod, reason, waiting.text(&["message"])))
    }

    /// Why a controller makes no pods.
    fn of_controller(&self, controller: &Object) -> Option<Obstacle> {
        let fails = match controller.kind() {
            "ReplicaSet" => controller.condition_status("ReplicaFailure") == "True",
            _ => !self.objects.iter().any(|object| {
                object.kind() == "Pod"
                    && object.controller().is_some_and(|owner| owner["uid"] == controller.uid())
            }),
        };
        let message = self.warning(controller, "FailedCreate").filter(|_| fails)?;
        Some(self.obstacle(controller, "FailedCreate", message.trim_start_matches("Error creating: ")))
    }

    /// The message of the last warning about an object.
    fn warning(&self, about: &Object, reason: &str) -> Option<&str> {
        let events = self.objects.iter().filter(|object| {
            object.kind() == "Event"
                && object["reason"] == reason
                && object.text(&["involvedObject", "uid"]) == about.uid()
        });
        events.max_by_key(|event| event.text(&["lastTimestamp"])).map(|event| event.text(&["message"]))
    }

    fn obstacle(&self, object: &Object, reason: &str, message: &str) -> Obstacle {
        let top = self.top(object);
        let workload = format!("{} {}", top.kind(), top.object_name());
        let message = if message.is_empty() { reason } else { message };
        Obstacle { workload, reason: reason.to_owned(), message: message.to_owned() }
    }

    /// The workload at the end of the chain of controllers: who installed it is no workload.
    fn top<'o>(&'o self, object: &'o Object) -> &'o Object {
        let owner = object
            .controller()
            .filter(|reference| WORKLOADS.contains(&reference.text(&["kind"])))
            .and_then(|reference| self.objects.iter().find(|owner| owner.uid() == reference.text(&["uid"])));
        owner.map_or(object, |owner| self.top(owner))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn workloads_are_named_with_what_their_pods_wait_for() {
        let owner =
            |kind: &str, uid: &str| json!([{"kind": kind, "name": uid, "uid": uid, "controller": true}]);
        let object = |kind: &str, uid: &str, owners: serde_json::Value, status: serde_json::Value| {
            Arc::new(json!({
                "apiVersion": "v1", "kind": kind, "status": status,
                "metadata": {"name": uid, "namespace": "sea", "uid": uid, "ownerReferences": owners},
            }))
        };
        let waiting = json!({"containerStatuses": [
            {"state": {"waiting": {"reason": "CreateContainerConfigError", "message": "secret \"a\" not found"}}}]});
        let event = Arc::new(json!({
            "apiVersion": "v1", "kind": "Event", "reason": "FailedCreate", "involvedObject": {"uid": "batch"},
            "message": "Error creating: pods \"batch-\" is forbidden: no account",
        }));
        let objects = [
            object("ClusterExtension", "harbour", json!([]), json!({})),
            object("Deployment", "ferry", owner("ClusterExtension", "harbour"), json!({})),
            object("ReplicaSet", "ferry-1", owner("Deployment", "ferry"), json!({})),
            object("Pod", "ferry-1-a", owner("ReplicaSet", "ferry-1"), waiting.clone()),
            object("Pod", "ferry-1-b", owner("ReplicaSet", "ferry-1"), waiting),
            object("CronJob", "nightly", owner("ClusterExtension", "harbour"), json!({})),
            object("Job", "batch", owner("CronJob", "nightly"), json!({})),
            event,
        ];
        let found: Vec<String> = obstacles(&objects)
            .into_iter()
            .map(|Obstacle { workload, reason, message }| format!("{workload}: {reason}: {message}"))
            .collect();
        assert_eq!(
            found,
            [
                "CronJob sea/nightly: FailedCreate: pods \"batch-\" is forbidden: no account",
                "Deployment sea/ferry: CreateContainerConfigError: secret \"a\" not found",
            ]
        );
    }
}

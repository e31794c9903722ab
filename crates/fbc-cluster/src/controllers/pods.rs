//! What controllers ask of pods, and how they make them.
//!
//! Source: `kubernetes/kubernetes:pkg/api/v1/pod/util.go`, `pkg/controller/controller_utils.go`.

use std::cmp::Reverse;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::object::{Object, ObjectFields, controller_reference};
use crate::time::{Moment, SECOND};

/// True if the pod serves.
pub(super) fn is_ready(pod: &Object) -> bool {
    pod.condition_status("Ready") == "True"
}

/// True for pods that run to an end of their own and have reached it.
pub(super) fn is_finished(pod: &Object) -> bool {
    ["Succeeded", "Failed"].contains(&pod.text(&["status", "phase"]))
}

/// True for pods that count: neither finished nor on their way out.
pub(super) fn is_active(pod: &Object) -> bool {
    !is_finished(pod) && !pod.is_terminating()
}

/// From when on a pod counts as available; `None` as long as it is not ready.
pub(super) fn available_from(pod: &Object, min_ready_seconds: u64) -> Option<Moment> {
    let condition = pod.condition("Ready").filter(|condition| condition["status"] == "True")?;
    let since = Moment::parse(condition.text(&["lastTransitionTime"])).unwrap_or(Moment(0));
    Some(since + min_ready_seconds * SECOND)
}

/// True for pods that have been ready long enough.
pub(super) fn is_available(pod: &Object, min_ready_seconds: u64, now: Moment) -> bool {
    available_from(pod, min_ready_seconds).is_some_and(|from| from <= now)
}

/// When the next of these pods becomes available by waiting alone.
pub(super) fn next_available(pods: &[Arc<Object>], min_ready_seconds: u64, now: Moment) -> Option<Moment> {
    pods.iter().filter_map(|pod| available_from(pod, min_ready_seconds)).filter(|from| *from > now).min()
}

/// A pod of a template. It has no name yet.
pub(super) fn from_template(template: &Value, owner: &Object) -> Object {
    let mut metadata = Map::new();
    for field in ["labels", "annotations", "finalizers"] {
        if let Some(value) = template.at(&["metadata", field]) {
            metadata.insert(field.into(), value.clone());
        }
    }
    metadata.insert("namespace".into(), owner.namespace().into());
    metadata.insert("ownerReferences".into(), json!([controller_reference(owner)]));
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]})
}

/// Which pods a replica set deletes first: those whose loss hurts least. `neighbours` tells how many pods of the same
/// owner run on a node.
///
/// Source: `ActivePodsWithRanks` in `kubernetes/kubernetes:pkg/controller/controller_utils.go`.
pub(super) fn sort_for_deletion(pods: &mut [Arc<Object>], neighbours: impl Fn(&str) -> usize) {
    pods.sort_by_cached_key(|pod| {
        let node = pod.text(&["spec", "nodeName"]);
        let phase = match pod.text(&["status", "phase"]) {
            "Pending" | "" => 0,
            "Running" => 2,
            _ => 1,
        };
        let cost: i64 = pod
            .annotation("controller.kubernetes.io/pod-deletion-cost")
            .and_then(|cost| cost.parse().ok())
            .unwrap_or_default();
        let restarts = pod.list(&["status", "containerStatuses"]).iter();
        let restarts: i64 = restarts.filter_map(|status| status["restartCount"].as_i64()).sum();
        let ready_since = pod.condition("Ready").map(|condition| condition.text(&["lastTransitionTime"]));
        (
            (!node.is_empty(), phase, is_ready(pod), cost),
            Reverse(neighbours(node)),
            Reverse(ready_since.unwrap_or_default().to_owned()),
            Reverse(restarts),
            Reverse(pod.text(&["metadata", "creationTimestamp"]).to_owned()),
            pod.uid().to_owned(),
        )
    });
}

//! Whether the pods behind an APIService are only being moved.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/apiservices.go`
//! (`isAPIServiceBackendDisrupted`).

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::selector::LabelSelector;
use fbc_cluster::time::{MINUTE, Milliseconds, Moment};
use serde_json::Value;

use super::object::deployments;

/// How old a pod may be for its absence to pass.
const LONGEST: Milliseconds = 5 * MINUTE;
/// What pods wait for that will come.
const PASSING: [&str; 2] = ["ContainerCreating", "PodInitializing"];
/// What pods wait for that will not come by itself.
const LASTING: [&str; 5] = [
    "ImagePullBackOff",
    "ErrImagePull",
    "CrashLoopBackOff",
    "CreateContainerConfigError",
    "InvalidImageName",
];

/// Whether pods of any Deployment of the operator are on their way out or in.
pub fn is_disrupted(api: &ApiServer, version: &Object) -> bool {
    let found = deployments(version).iter().filter_map(|deployment| {
        api.find(
            "apps",
            "Deployment",
            &ObjectName::namespaced(version.namespace(), deployment.text(&["name"])),
        )
    });
    found.filter(|deployment| lacks_replicas(deployment)).any(|deployment| {
        let selector = LabelSelector::of_object(deployment.at(&["spec", "selector"]));
        let selector = selector.unwrap_or(LabelSelector::nothing());
        let pods = api.all("", "Pod").filter(|pod| pod.namespace() == version.namespace());
        pods.into_iter().any(|pod| selector.matches_object(pod) && is_moving(pod, api.now()))
    })
}

fn lacks_replicas(deployment: &Object) -> bool {
    let count = |field| deployment.number(&["status", field]).unwrap_or_default();
    count("unavailableReplicas") > 0 || count("updatedReplicas") < count("replicas")
}

fn is_moving(pod: &Object, now: Moment) -> bool {
    let created = Moment::parse(pod.text(&["metadata", "creationTimestamp"])).unwrap_or(now);
    if now.since(created) > LONGEST {
        return false;
    }
    if pod.is_terminating() {
        return true;
    }
    let containers = waits(pod, "containerStatuses");
    if pod.text(&["status", "phase"]) == "Pending" {
        let all: Vec<&str> = containers.iter().copied().chain(waits(pod, "initContainerStatuses")).collect();
        let is_unschedulable = pod.condition("PodScheduled").is_some_and(|condition| {
            condition["status"] == "False" && condition["reason"] == "Unschedulable"
        });
        if is_unschedulable || all.iter().any(|reason| LASTING.contains(reason)) {
            return false;
        }
        if all.iter().any(|reason| PASSING.contains(reason)) {
            return true;
        }
        let has_none = |list| pod.list(&["status", list]).is_empty();
        if has_none("containerStatuses") && has_none("initContainerStatuses") {
            return true;
        }
    }
    containers.iter().any(|reason| PASSING.contains(reason))
}

/// What the containers of a list wait for.
fn waits<'p>(pod: &'p Object, list: &str) -> Vec<&'p str> {
    let states = pod.list(&["status", list]).iter();
    let waiting = states.filter_map(|container: &Value| container.at(&["state", "waiting", "reason"]));
    waiting.filter_map(Value::as_str).collect()
}

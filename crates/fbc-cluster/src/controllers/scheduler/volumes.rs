//! Volumes, as far as claims go: a claim must exist, and be bound unless it waits for its first pod.
//!
//! Source: `kubernetes/kubernetes:pkg/scheduler/framework/plugins/volumebinding/volume_binding.go`.

use serde_json::Value;

use super::filters::Reason;
use super::node_info::NodeInfo;
use super::node_selection::NodeSelection;
use super::pod_info::PodInfo;
use crate::api::ApiServer;
use crate::object::{Object, ObjectFields, ObjectName};

/// What the volumes of a pod ask of nodes.
#[derive(Debug, Default)]
pub(super) struct Volumes {
    /// Where the bound volumes are.
    places: Vec<NodeSelection>,
}

/// What is wrong with a claim of a pod, in the words of the condition of the pod.
#[derive(Debug, thiserror::Error)]
pub(super) enum ClaimFault {
    #[error("persistentvolumeclaim {0:?} not found")]
    NotFound(String),
    #[error("persistentvolumeclaim {0:?} is being deleted")]
    Terminating(String),
    #[error("pod has unbound immediate PersistentVolumeClaims")]
    Unbound,
}

impl Volumes {
    /// Looks the claims of a pod up.
    ///
    /// # Errors
    /// [`ClaimFault`]: no node comes into question.
    pub(super) fn new(pod: &PodInfo, api: &ApiServer) -> Result<Self, ClaimFault> {
        let mut volumes = Self::default();
        for claim in &pod.claims {
            let name = ObjectName::namespaced(&pod.name.namespace, claim);
            let Some(claim) = api.find("", "PersistentVolumeClaim", &name) else {
                return Err(ClaimFault::NotFound(name.name));
            };
            if claim.is_terminating() {
                return Err(ClaimFault::Terminating(name.name));
            }
            let volume = claim.text(&["spec", "volumeName"]);
            if volume.is_empty() {
                if !waits_for_pod(claim, api) {
                    return Err(ClaimFault::Unbound);
                }
                continue;
            }
            if let Some(volume) = api.find("", "PersistentVolume", &ObjectName::cluster(volume)) {
                volumes.places.extend(place(volume));
            }
        }
        Ok(volumes)
    }

    /// True if no node is refused.
    pub(super) fn refuses_nothing(&self) -> bool {
        self.places.is_empty()
    }

    pub(super) fn refusal(&self, node: &NodeInfo) -> Option<Reason> {
        let is_here = |place: &NodeSelection| place.accepts(&node.name, &node.labels);
        (!self.places.iter().all(is_here)).then_some(Reason::VolumeElsewhere)
    }
}

fn waits_for_pod(claim: &Object, api: &ApiServer) -> bool {
    let class = ObjectName::cluster(claim.text(&["spec", "storageClassName"]));
    let class = api.find("storage.k8s.io", "StorageClass", &class);
    class.is_some_and(|class| class["volumeBindingMode"] == "WaitForFirstConsumer")
}

/// The nodes that a volume can be used on; all without.
fn place(volume: &Object) -> Option<NodeSelection> {
    let required = volume.given(&["spec", "nodeAffinity", "required"])?;
    let mut pod = Value::Null;
    let path = ["spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
    pod.set(&path, required.clone());
    Some(NodeSelection::of(&pod))
}

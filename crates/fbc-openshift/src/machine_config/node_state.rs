//! What the annotations and conditions of a node say about its configuration.
//!
//! Source: `openshift/machine-config-operator:pkg/controller/common/layered_node_state.go` (MC-7 to MC-10).

use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

use super::annotation::{
    CONTROL_PLANE_TOPOLOGY, CURRENT_CONFIG, CURRENT_IMAGE, DESIRED_CONFIG, DESIRED_IMAGE, STATE,
};

/// The taint of nodes whose update is still to come.
pub(super) const IN_PROGRESS: &str = "UpdateInProgress";

/// A node with what the node controller asks again and again of each of many: it reads each version of a node once.
#[derive(Debug, Clone)]
pub struct NodeState {
    /// The node.
    pub node: Arc<Object>,
    /// Whether it counts against `maxUnavailable`.
    pub is_unavailable: bool,
    /// Whether pods can run on it as they should.
    pub is_ready: bool,
    /// Whether it is stuck on the way to another configuration.
    pub is_failing: bool,
    /// Whether its daemon cannot go on.
    pub is_degraded: bool,
    /// Whether it has the taint of nodes whose update is still to come.
    pub is_marked: bool,
    /// The topology of the control plane as it knows it.
    pub topology: Option<String>,
    is_done: bool,
    desired_config: String,
    has_desired_image: bool,
    has_current_image: bool,
}

impl NodeState {
    /// Reads a node.
    #[must_use]
    pub fn new(node: &Arc<Object>) -> Self {
        let has = |key| node.annotation(key).is_some();
        Self {
            is_unavailable: is_unavailable(node),
            is_ready: check_ready(node).is_ok(),
            is_done: is_done(node),
            is_failing: is_failing(node),
            is_degraded: is_degraded(node),
            is_marked: node.list(&["spec", "taints"]).iter().any(is_in_progress_taint),
            topology: node.annotation(CONTROL_PLANE_TOPOLOGY).map(str::to_owned),
            desired_config: node.annotation(DESIRED_CONFIG).unwrap_or_default().to_owned(),
            has_desired_image: has(DESIRED_IMAGE),
            has_current_image: has(CURRENT_IMAGE),
            node: Arc::clone(node),
        }
    }

    /// True if it has to be told to take this configuration, from the operating system of the cluster.
    #[must_use]
    pub fn needs(&self, config: &str) -> bool {
        self.desired_config != config || self.has_desired_image
    }

    /// True if it is to be avoided by new pods, since its update to this configuration is still to come.
    #[must_use]
    pub fn awaits(&self, config: &str) -> bool {
        self.desired_config != config || self.has_desired_image && self.has_current_image
    }

    /// True if it has this configuration and nothing is left to do.
    #[must_use]
    pub fn is_updated(&self, config: &str) -> bool {
        self.is_done && !self.needs(config)
    }
}

/// Whether a taint is that of nodes whose update is still to come.
pub(super) fn is_in_progress_taint(taint: &Value) -> bool {
    taint.text(&["key"]) == IN_PROGRESS && taint.text(&["effect"]) == "PreferNoSchedule"
}

/// Why pods cannot run on a node as they should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("node {node} is reporting {what}")]
pub struct Unready {
    node: String,
    /// Its first condition of this kind.
    what: String,
}

/// Whether pods can run on a node as they should.
///
/// # Errors
/// [`Unready`]
pub fn check_ready(node: &Object) -> Result<(), Unready> {
    // Words and wanted values of the conditions that count.
    const CONDITIONS: [(&str, &str, &str); 3] = [
        ("Ready", "True", "NotReady"),
        ("DiskPressure", "False", "OutOfDisk"),
        ("NetworkUnavailable", "False", "NetworkUnavailable"),
    ];
    let unready = |what: String| Err(Unready { node: node.name().to_owned(), what });
    for condition in node.list(&["status", "conditions"]) {
        let (condition_type, status) = (condition.text(&["type"]), condition.text(&["status"]));
        let known = CONDITIONS.iter().find(|(name, wanted, _)| *name == condition_type && *wanted != status);
        if let Some((_, _, word)) = known {
            return unready(format!("{word}={status}"));
        }
    }
    if is_cordoned(node) {
        return unready("Unschedulable".to_owned());
    }
    Ok(())
}

/// True if no new pods are to come to a node.
pub fn is_cordoned(node: &Object) -> bool {
    node.at(&["spec", "unschedulable"]).is_some_and(|value| value == true)
}

/// True if a node has reached the configuration and image that it is to have.
pub fn is_done(node: &Object) -> bool {
    let text = |key| node.annotation(key).unwrap_or_default();
    let images_agree = match (node.annotation(DESIRED_IMAGE), node.annotation(CURRENT_IMAGE)) {
        (None, None) => true,
        (desired, current) => desired == current && desired.is_some_and(|image| !image.is_empty()),
    };
    let config = text(CURRENT_CONFIG);
    !config.is_empty() && config == text(DESIRED_CONFIG) && images_agree && text(STATE) == "Done"
}

/// True if a node is stuck on the way to another configuration, so that another one may be tried.
pub fn is_failing(node: &Object) -> bool {
    node.annotation(CURRENT_CONFIG).unwrap_or_default() != node.annotation(DESIRED_CONFIG).unwrap_or_default()
        && is_degraded(node)
}

/// True if the daemon of a node cannot go on.
pub fn is_degraded(node: &Object) -> bool {
    matches!(node.annotation(STATE), Some("Degraded" | "Unreconcilable"))
}

/// True if a node counts against `maxUnavailable`.
pub fn is_unavailable(node: &Object) -> bool {
    check_ready(node).is_err() || !(is_done(node) || is_failing(node))
}

/// True if a daemon has reported from the node before.
pub fn is_managed(node: &Object) -> bool {
    node.label("kubernetes.io/os") != Some("windows")
        && node.annotation(CURRENT_CONFIG).is_some_and(|config| !config.is_empty())
}

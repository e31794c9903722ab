//! What the annotations and conditions of a node say about its configuration.
//!
//! Source: `openshift/machine-config-operator:pkg/controller/common/layered_node_state.go` (MC-7 to MC-10).

use fbc_cluster::object::{Object, ObjectFields};

use super::annotation::{CURRENT_CONFIG, CURRENT_IMAGE, DESIRED_CONFIG, DESIRED_IMAGE, STATE};

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

/// True if a node is to have this configuration, from the operating system of the cluster.
fn aims_at(node: &Object, config: &str) -> bool {
    node.annotation(DESIRED_CONFIG).unwrap_or_default() == config && node.annotation(DESIRED_IMAGE).is_none()
}

/// True if a node has to be told to take this configuration.
pub fn needs(node: &Object, config: &str) -> bool {
    !aims_at(node, config)
}

/// True if a node is to be avoided by new pods, since its update to this configuration is still to come.
pub fn awaits(node: &Object, config: &str) -> bool {
    let has_images = node.annotation(DESIRED_IMAGE).is_some() && node.annotation(CURRENT_IMAGE).is_some();
    node.annotation(DESIRED_CONFIG).unwrap_or_default() != config || has_images
}

/// True if a node has this configuration and nothing is left to do.
pub fn is_updated(node: &Object, config: &str) -> bool {
    is_done(node) && aims_at(node, config)
}

/// True if a daemon has reported from the node before.
pub fn is_managed(node: &Object) -> bool {
    node.label("kubernetes.io/os") != Some("windows")
        && node.annotation(CURRENT_CONFIG).is_some_and(|config| !config.is_empty())
}

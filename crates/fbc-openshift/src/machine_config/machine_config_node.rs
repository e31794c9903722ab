//! What a MachineConfigNode says about its node.
//!
//! Source: `openshift/machine-config-operator:pkg/controller/node/status.go` (MC-28).

use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

/// A MachineConfigNode with what it says about its node; it is read once for each version of it.
#[derive(Debug, Clone)]
pub struct MachineConfigNodeState {
    /// The MachineConfigNode.
    pub object: Arc<Object>,
    /// Whether it has conditions.
    pub(super) has_conditions: bool,
    /// Those conditions that may decide and are true, in their order.
    pub(super) verdicts: Vec<Verdict>,
    /// The configuration that it aims at; nothing if there is an image besides.
    pub(super) desired: Option<String>,
}

/// A condition that decides.
#[derive(Debug, Clone)]
pub(super) enum Verdict {
    /// With the message.
    Degraded(String),
    Updated,
}

impl MachineConfigNodeState {
    /// Reads a MachineConfigNode.
    #[must_use]
    pub fn new(object: &Arc<Object>) -> Self {
        let conditions = object.list(&["status", "conditions"]);
        let verdict = |condition: &Value| match condition.text(&["type"]) {
            "NodeDegraded" => Some(Verdict::Degraded(condition.text(&["message"]).to_owned())),
            "Updated" => Some(Verdict::Updated),
            _ => None,
        };
        let has_image = !object.text(&["status", "configImage", "desiredImage"]).is_empty();
        let desired = object.text(&["status", "configVersion", "desired"]).to_owned();
        Self {
            has_conditions: !conditions.is_empty(),
            verdicts: conditions
                .iter()
                .filter(|one| one.text(&["status"]) == "True")
                .filter_map(verdict)
                .collect(),
            desired: (!has_image).then_some(desired),
            object: Arc::clone(object),
        }
    }
}

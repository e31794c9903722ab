//! Conditions of MachineConfigNodes: each step of an update is told there, with the phase that it belongs to.
//!
//! Source: `openshift/machine-config-operator:pkg/upgrademonitor/upgrade_monitor.go` (MC-26).

use fbc_cluster::api::ApiServer;
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

use super::GROUP;
use super::annotation::{CURRENT_CONFIG, DESIRED_CONFIG};
use crate::writer::Writer;

/// A condition to write.
pub(super) struct Report<'r> {
    pub(super) condition_type: &'r str,
    pub(super) status: &'r str,
    pub(super) reason: &'r str,
    pub(super) message: &'r str,
}

/// Writes conditions into the MachineConfigNode of a node, if it has one.
pub(super) fn report(
    writer: &Writer,
    api: &mut ApiServer,
    node: &Object,
    reports: &[Report<'_>],
) -> Result<(), ApiError> {
    let now = api.now();
    writer
        .change_status(api, GROUP, "MachineConfigNode", &node.object_name(), |object| {
            let mut conditions = object.list(&["status", "conditions"]).to_vec();
            for report in reports {
                set_condition(&mut conditions, now, report);
            }
            object.set(&["status", "conditions"], conditions);
            for (field, key) in [("current", CURRENT_CONFIG), ("desired", DESIRED_CONFIG)] {
                if let Some(config) = node.annotation(key) {
                    object.set(&["status", "configVersion", field], config);
                }
            }
        })
        .map(drop)
}

fn set_condition(conditions: &mut Vec<Value>, now: Moment, report: &Report<'_>) {
    let position = conditions.iter().position(|condition| condition["type"] == report.condition_type);
    let since = position
        .and_then(|index| conditions.get(index))
        .filter(|condition| condition["status"] == report.status)
        .map_or_else(|| now.to_string(), |condition| condition.text(&["lastTransitionTime"]).to_owned());
    let condition = json!({
        "type": report.condition_type, "status": report.status, "reason": report.reason,
        "message": report.message, "lastTransitionTime": since,
    });
    match position.and_then(|index| conditions.get_mut(index)) {
        Some(place) => *place = condition,
        None => conditions.push(condition),
    }
}

//! Phases of ClusterServiceVersions, and the history that their status keeps.
//!
//! Source: `openshift/operator-framework-olm:staging/api/pkg/operators/v1alpha1/clusterserviceversion.go` (`SetPhase`).

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

/// How long the history is.
const LONGEST_HISTORY: usize = 20;

/// Puts a ClusterServiceVersion into a phase. The time of the transition moves with the phase only; the history gets an entry
/// when phase or reason differ from its last one (V0-091).
pub fn set(version: &mut Object, now: Moment, phase: &str, reason: &str, message: &str) {
    let now = now.to_string();
    let status = version.place(&["status"]);
    status.set(&["lastUpdateTime"], now.as_str());
    if status.text(&["phase"]) != phase {
        status.set(&["phase"], phase);
        status.set(&["lastTransitionTime"], now.as_str());
    }
    status.set(&["reason"], reason);
    status.set(&["message"], message);
    let is_new = status
        .list(&["conditions"])
        .last()
        .is_none_or(|last| last.text(&["phase"]) != phase || last.text(&["reason"]) != reason);
    if !is_new {
        return;
    }
    let entry = json!({
        "phase": phase, "reason": reason, "message": message,
        "lastUpdateTime": now, "lastTransitionTime": status["lastTransitionTime"],
    });
    match status.place(&["conditions"]) {
        Value::Array(history) => {
            history.push(entry);
            let surplus = history.len().saturating_sub(LONGEST_HISTORY);
            history.drain(..surplus);
        }
        place => *place = json!([entry]),
    }
}

/// Whether a ClusterServiceVersion is in a phase for a reason already.
pub fn is(version: &Object, phase: &str, reason: &str, message: &str) -> bool {
    let status = |field| version.text(&["status", field]);
    status("phase") == phase && status("reason") == reason && status("message") == message
}

/// Whether nothing of a status differs for whose sake it would be written: the state of requirements alone does not
/// count (V0-148).
pub fn is_as_before(before: &Object, after: &Object) -> bool {
    ["phase", "reason", "message", "lastUpdateTime"]
        .iter()
        .all(|field| before.text(&["status", field]) == after.text(&["status", field]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_has_an_entry_for_each_phase_and_reason() {
        let mut version = json!({});
        let now = Moment::START;
        set(&mut version, now, "Pending", "RequirementsUnknown", "requirements not yet checked");
        set(&mut version, now + 1000, "Pending", "RequirementsUnknown", "again");
        assert_eq!(version.list(&["status", "conditions"]).len(), 1);
        assert_eq!(version.text(&["status", "lastTransitionTime"]), now.to_string());
        assert_eq!(version.text(&["status", "lastUpdateTime"]), (now + 1000).to_string());
        for round in 0..15 {
            set(&mut version, now, "Failed", "OwnerConflict", &round.to_string());
            set(&mut version, now, "Pending", "NeedsReinstall", "");
        }
        assert_eq!(version.list(&["status", "conditions"]).len(), LONGEST_HISTORY);
        assert!(is(&version, "Pending", "NeedsReinstall", ""));
    }
}

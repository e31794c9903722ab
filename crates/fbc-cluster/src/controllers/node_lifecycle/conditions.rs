//! Which taints go with which conditions, and the conditions of nodes that are silent.

use serde_json::{Value, json};

use crate::object::{Object, ObjectFields};
use crate::taints::{
    DISK_PRESSURE, Effect, MEMORY_PRESSURE, NETWORK_UNAVAILABLE, NOT_READY, PID_PRESSURE, Taint, UNREACHABLE,
    UNSCHEDULABLE,
};
use crate::time::Moment;

/// Condition, status, key of the taint.
const TAINTS: [(&str, &str, &str); 6] = [
    ("Ready", "False", NOT_READY),
    ("Ready", "Unknown", UNREACHABLE),
    ("MemoryPressure", "True", MEMORY_PRESSURE),
    ("DiskPressure", "True", DISK_PRESSURE),
    ("NetworkUnavailable", "True", NETWORK_UNAVAILABLE),
    ("PIDPressure", "True", PID_PRESSURE),
];

/// The conditions that become unknown with a silent node.
const SILENCED: [&str; 4] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/// The taints of effect `NoSchedule` that a node should have by its conditions and its cordon.
pub(super) fn condition_taints(node: &Object) -> Vec<Taint> {
    let key = |condition: &Value| {
        let (name, status) = (condition.text(&["type"]), condition.text(&["status"]));
        TAINTS.iter().find(|(one, value, _)| *one == name && *value == status).map(|(.., key)| *key)
    };
    let by_condition = node.list(&["status", "conditions"]).iter().filter_map(key);
    let is_cordoned = node.at(&["spec", "unschedulable"]).is_some_and(|value| value == true);
    let keys = by_condition.chain(is_cordoned.then_some(UNSCHEDULABLE));
    keys.map(|key| Taint::new(key, Effect::NoSchedule)).collect()
}

/// True for taints that only conditions and the cordon may set.
pub(super) fn kept_by_conditions(taint: &Taint) -> bool {
    taint.effect == Effect::NoSchedule
        && (taint.key == UNSCHEDULABLE || TAINTS.iter().any(|(.., key)| *key == taint.key))
}

/// The conditions of a node of which nothing is known any more.
pub(super) fn silenced(node: &Object, now: Moment) -> Vec<Value> {
    let mut conditions = node.list(&["status", "conditions"]).to_vec();
    for name in SILENCED {
        match conditions.iter_mut().find(|condition| condition["type"] == name) {
            Some(condition) if condition["status"] == "Unknown" => {}
            Some(condition) => {
                condition.set(&["status"], "Unknown");
                condition.set(&["reason"], "NodeStatusUnknown");
                condition.set(&["message"], "Kubelet stopped posting node status.");
                condition.set(&["lastTransitionTime"], now.to_string());
            }
            None => conditions.push(json!({
                "type": name, "status": "Unknown", "reason": "NodeStatusNeverUpdated",
                "message": "Kubelet never posted node status.",
                "lastHeartbeatTime": node.at(&["metadata", "creationTimestamp"]),
                "lastTransitionTime": now.to_string(),
            })),
        }
    }
    conditions
}

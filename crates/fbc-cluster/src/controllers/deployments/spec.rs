//! What the specification of a deployment comes to in numbers.

use serde_json::Value;

use crate::object::{Object, ObjectFields};

/// The number of a revision, in deployments and replica sets.
pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";
/// The numbers that a replica set had before.
pub(super) const REVISION_HISTORY: &str = "deployment.kubernetes.io/revision-history";
/// How many replicas the deployment wanted when the replica set was sized.
pub(super) const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
/// How many there could be at most.
pub(super) const MOST: &str = "deployment.kubernetes.io/max-replicas";
/// The label that tells the pods of revisions apart.
pub(super) const HASH_LABEL: &str = "pod-template-hash";
/// What stands for "no deadline".
const NO_DEADLINE: i64 = 2_147_483_647;

/// `spec.replicas`, 1 by default.
pub(super) fn wanted(deployment: &Object) -> i64 {
    deployment.number(&["spec", "replicas"]).unwrap_or(1)
}

/// `spec.replicas` of a replica set.
pub(super) fn size(set: &Object) -> i64 {
    set.number(&["spec", "replicas"]).unwrap_or(1)
}

/// A number of the status of a replica set.
pub(super) fn count(set: &Object, field: &str) -> i64 {
    set.number(&["status", field]).unwrap_or_default()
}

/// True if all old pods go before new ones come.
pub(super) fn is_recreate(deployment: &Object) -> bool {
    deployment.text(&["spec", "strategy", "type"]) == "Recreate"
}

/// Seconds that a rollout may stand still, 600 by default; `None` for ever.
pub(super) fn deadline(deployment: &Object) -> Option<u64> {
    let seconds = deployment.number(&["spec", "progressDeadlineSeconds"]).unwrap_or(600);
    (seconds != NO_DEADLINE).then(|| u64::try_from(seconds).unwrap_or_default())
}

/// True if rollouts are watched for standing still.
pub(super) fn has_deadline(deployment: &Object) -> bool {
    deadline(deployment).is_some()
}

/// How many pods more than wanted there may be, and how many fewer.
fn fences(deployment: &Object) -> (i64, i64) {
    let total = wanted(deployment);
    let part = |field: &str, round_up: bool| {
        let value = deployment.at(&["spec", "strategy", "rollingUpdate", field]);
        share(value.unwrap_or(&Value::from("25%")), total, round_up)
    };
    let (surge, unavailable) = (part("maxSurge", true), part("maxUnavailable", false));
    if surge == 0 && unavailable == 0 { (0, 1) } else { (surge, unavailable) }
}

/// A number, or the part of a total that a percentage means.
///
/// Source: `kubernetes/apimachinery:pkg/util/intstr/intstr.go`.
pub(in crate::controllers) fn share(value: &Value, total: i64, round_up: bool) -> i64 {
    if let Some(number) = value.as_i64() {
        return number;
    }
    let percent: i64 =
        value.as_str().and_then(|text| text.strip_suffix('%')?.parse().ok()).unwrap_or_default();
    let product = percent.saturating_mul(total);
    if round_up { product.saturating_add(99).div_euclid(100) } else { product / 100 }
}

/// How many pods more than wanted there may be.
pub(super) fn surge(deployment: &Object) -> i64 {
    if is_recreate(deployment) { 0 } else { fences(deployment).0 }
}

/// How many of the wanted pods may be unavailable.
pub(super) fn may_lack(deployment: &Object) -> i64 {
    let wanted = wanted(deployment);
    if is_recreate(deployment) || wanted == 0 { 0 } else { fences(deployment).1.min(wanted) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn percentages_are_rounded_in_favour_of_availability() {
        for (replicas, max_surge, max_unavailable, expected) in [
            (4, json!("25%"), json!("25%"), (1, 1)),
            (4, json!("10%"), json!("10%"), (1, 0)),
            (10, json!(3), json!("15%"), (3, 1)),
            (4, json!(0), json!("10%"), (0, 1)),
            (2, json!("100%"), json!(5), (2, 2)),
        ] {
            let deployment = json!({"spec": {"replicas": replicas, "strategy": {
                "rollingUpdate": {"maxSurge": max_surge, "maxUnavailable": max_unavailable},
            }}});
            assert_eq!((surge(&deployment), may_lack(&deployment)), expected);
        }
        assert_eq!(surge(&json!({"spec": {"replicas": 3}})), 1);
    }
}

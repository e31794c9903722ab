//! What pods ask for and may take at the most, by resource.

use std::collections::BTreeMap;

use fbc_kubernetes::quantity::Quantity;
use serde_json::Value;

use crate::object::{Object, ObjectFields};
use crate::pod_resources::{Resources, of_containers};

/// Amounts by the name of the resource.
pub(crate) type Amounts = BTreeMap<String, Quantity>;

/// The amounts of a map in an object; what is no quantity is left out.
pub(crate) fn read(map: Option<&Value>) -> Amounts {
    let members = map.and_then(Value::as_object).into_iter().flatten();
    members.filter_map(|(name, value)| Some((name.clone(), Quantity::from_json(value)?))).collect()
}

impl Resources for Amounts {
    fn add(&mut self, other: &Self) {
        for (name, amount) in other {
            let present = self.entry(name.clone()).or_default();
            *present = present.plus(*amount);
        }
    }

    fn raise(&mut self, other: &Self) {
        for (name, amount) in other {
            let present = self.entry(name.clone()).or_default();
            *present = (*present).max(*amount);
        }
    }
}

/// Takes away what was added.
pub(crate) fn take(amounts: &mut Amounts, other: &Amounts) {
    for (name, amount) in other {
        if let Some(present) = amounts.get_mut(name) {
            *present = present.checked_sub(amount).unwrap_or(*present);
        }
    }
}

/// The `requests` or the `limits` of a pod: of its containers together, and the overhead.
///
/// Source: `kubernetes/component-helpers:resource/helpers.go` (`PodRequests`, `PodLimits`).
pub(super) fn of_pod(pod: &Object, part: &str) -> Amounts {
    let mut amounts: Amounts = of_containers(pod, &|container| read(container.at(&["resources", part])));
    let mut overhead = read(pod.at(&["spec", "overhead"]));
    if part == "limits" {
        // What has no limit gets none by its overhead.
        overhead.retain(|name, _| amounts.contains_key(name));
    }
    amounts.add(&overhead);
    amounts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn containers_add_up_and_init_containers_run_before_them() {
        let asks = |cpu: &str| json!({"resources": {"requests": {"cpu": cpu}, "limits": {"cpu": cpu}}});
        let mut beside = asks("100m");
        beside.set(&["restartPolicy"], "Always");
        for (containers, init, overhead, requests, limits) in [
            (vec![asks("1"), asks("500m")], vec![], json!({}), "1500m", "1500m"),
            (vec![asks("1")], vec![asks("3")], json!({}), "3", "3"),
            (vec![asks("1")], vec![beside.clone(), asks("3")], json!({}), "3100m", "3100m"),
            (vec![asks("1")], vec![asks("500m"), beside], json!({"cpu": "10m"}), "1110m", "1110m"),
        ] {
            let pod =
                json!({"spec": {"containers": containers, "initContainers": init, "overhead": overhead}});
            for (part, expected) in [("requests", requests), ("limits", limits)] {
                assert_eq!(of_pod(&pod, part)["cpu"].to_string(), expected, "{pod}");
            }
        }
    }
}

//! What pods ask for and may take at the most, by resource.

use std::collections::BTreeMap;

use fbc_kubernetes::quantity::Quantity;
use serde_json::Value;

use crate::object::{Object, ObjectFields};

/// Amounts by the name of the resource.
pub(super) type Amounts = BTreeMap<String, Quantity>;

/// The amounts of a map in an object; what is no quantity is left out.
pub(crate) fn read(map: Option<&Value>) -> Amounts {
    let members = map.and_then(Value::as_object).into_iter().flatten();
    members.filter_map(|(name, value)| Some((name.clone(), Quantity::from_json(value)?))).collect()
}

/// Adds the amounts of each resource.
pub(super) fn add(sum: &mut Amounts, other: &Amounts) {
    for (name, amount) in other {
        let present = sum.entry(name.clone()).or_default();
        *present = present.plus(*amount);
    }
}

fn raise(most: &mut Amounts, other: &Amounts) {
    for (name, amount) in other {
        let present = most.entry(name.clone()).or_default();
        *present = (*present).max(*amount);
    }
}

/// The `requests` or the `limits` of a pod: its containers together, or one of the init containers that run before them,
/// with those that go on beside whatever follows; and the overhead.
///
/// Source: `kubernetes/component-helpers:resource/helpers.go` (`PodRequests`, `PodLimits`).
pub(super) fn of_pod(pod: &Object, part: &str) -> Amounts {
    let of = |container: &Value| read(container.at(&["resources", part]));
    let mut running = Amounts::new();
    for container in pod.list(&["spec", "containers"]) {
        add(&mut running, &of(container));
    }
    let (mut beside, mut starting) = (Amounts::new(), Amounts::new());
    for container in pod.list(&["spec", "initContainers"]) {
        let own = of(container);
        if container.text(&["restartPolicy"]) == "Always" {
            add(&mut running, &own);
            add(&mut beside, &own);
            raise(&mut starting, &beside);
        } else {
            let mut together = own;
            add(&mut together, &beside);
            raise(&mut starting, &together);
        }
    }
    raise(&mut running, &starting);
    let overhead = read(pod.at(&["spec", "overhead"]));
    match part {
        "requests" => add(&mut running, &overhead),
        // What has no limit gets none by its overhead.
        _ => {
            for (name, amount) in overhead {
                if let Some(limit) = running.get_mut(&name) {
                    *limit = limit.plus(amount);
                }
            }
        }
    }
    running
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

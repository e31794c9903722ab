//! What the containers of a pod use together.

use serde_json::Value;

use crate::object::{Object, ObjectFields};

/// Amounts of resources that add up.
pub(crate) trait Resources: Default {
    /// Adds the amount of each resource.
    fn add(&mut self, other: &Self);

    /// Takes the larger amount of each resource.
    fn raise(&mut self, other: &Self);
}

/// What the containers of a pod use together, each of them what `of` says, without the overhead of the pod.
///
/// Init containers run one after another, before the others, but for those that are restarted always: these go on
/// beside whatever follows.
///
/// Source: `kubernetes/component-helpers:resource/helpers.go` (`PodRequests`, `PodLimits`).
pub(crate) fn of_containers<R: Resources>(pod: &Object, of: &dyn Fn(&Value) -> R) -> R {
    let mut total = R::default();
    for container in pod.list(&["spec", "containers"]) {
        total.add(&of(container));
    }
    let (mut beside, mut peak) = (R::default(), R::default());
    for container in pod.list(&["spec", "initContainers"]) {
        let mut amounts = of(container);
        if container["restartPolicy"] == "Always" {
            beside.add(&amounts);
            peak.raise(&beside);
        } else {
            amounts.add(&beside);
            peak.raise(&amounts);
        }
    }
    total.add(&beside);
    total.raise(&peak);
    total
}

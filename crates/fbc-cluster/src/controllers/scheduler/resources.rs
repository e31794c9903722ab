//! Amounts of resources as whole numbers: processors in thousandths, everything else in units.

use std::collections::BTreeMap;

use fbc_kubernetes::quantity::Quantity;
use serde_json::Value;

use crate::object::{Object, ObjectFields};
use crate::pod_resources::{self, of_containers};

/// What a pod that asks for no processor time counts for when nodes are compared.
///
/// Source: `kubernetes/kubernetes:pkg/scheduler/util/pod_resources.go`.
const ASSUMED_CPU: i64 = 100;
/// The same for memory.
const ASSUMED_MEMORY: i64 = 200 << 20;

/// Amounts of resources: processor time in thousandths of a core, memory and storage in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Resources {
    pub(super) cpu: i64,
    pub(super) memory: i64,
    pub(super) storage: i64,
    /// Resources of other names, such as `example.com/gpu`.
    pub(super) others: BTreeMap<String, i64>,
}

impl Resources {
    /// Reads a map of quantities.
    pub(super) fn read(amounts: Option<&Value>) -> Self {
        let mut resources = Self::default();
        for (name, amount) in amounts.and_then(Value::as_object).into_iter().flatten() {
            let Some(quantity) = Quantity::from_json(amount) else { continue };
            match name.as_str() {
                "cpu" => resources.cpu = quantity.thousandths(),
                "memory" => resources.memory = quantity.units(),
                "ephemeral-storage" => resources.storage = quantity.units(),
                "pods" => {}
                _ => {
                    resources.others.insert(name.clone(), quantity.units());
                }
            }
        }
        resources
    }

    pub(super) fn add(&mut self, other: &Self, sign: i64) {
        self.cpu += sign * other.cpu;
        self.memory += sign * other.memory;
        self.storage += sign * other.storage;
        for (name, amount) in &other.others {
            *self.others.entry(name.clone()).or_default() += sign * amount;
        }
    }
}

impl pod_resources::Resources for Resources {
    fn add(&mut self, other: &Self) {
        self.add(other, 1);
    }

    fn raise(&mut self, other: &Self) {
        self.cpu = self.cpu.max(other.cpu);
        self.memory = self.memory.max(other.memory);
        self.storage = self.storage.max(other.storage);
        for (name, amount) in &other.others {
            let present = self.others.entry(name.clone()).or_default();
            *present = (*present).max(*amount);
        }
    }
}

/// How many pods a node takes; `None` if it does not say.
pub(super) fn most_pods(allocatable: Option<&Value>) -> Option<i64> {
    allocatable
        .and_then(|amounts| amounts.get("pods"))
        .and_then(Quantity::from_json)
        .map(|quantity| quantity.units())
}

/// What a pod asks for, and processors and memory as they count when nodes are compared.
///
/// The overhead comes on top of what the containers ask for.
pub(super) fn requests(pod: &Object) -> (Resources, (i64, i64)) {
    let exact = sum(pod, &|container| Resources::read(container.at(&["resources", "requests"])));
    let compared = sum(pod, &|container| {
        let requests = container.at(&["resources", "requests"]);
        let mut amounts = Resources::read(requests);
        let asks = |name: &str| requests.is_some_and(|requests| requests.get(name).is_some());
        if !asks("cpu") {
            amounts.cpu = ASSUMED_CPU;
        }
        if !asks("memory") {
            amounts.memory = ASSUMED_MEMORY;
        }
        amounts
    });
    (exact, (compared.cpu, compared.memory))
}

fn sum(pod: &Object, of: &dyn Fn(&Value) -> Resources) -> Resources {
    let mut total = of_containers(pod, of);
    total.add(&Resources::read(pod.at(&["spec", "overhead"])), 1);
    total
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn init_containers_and_overhead_count() {
        let container = |cpu: &str| json!({"resources": {"requests": {"cpu": cpu}}});
        let mut sidecar = container("50m");
        sidecar["restartPolicy"] = "Always".into();
        for (pod, cpu) in [
            (json!({"spec": {"containers": [container("1"), container("500m")]}}), 1500),
            (json!({"spec": {"containers": [container("1")], "initContainers": [container("2")]}}), 2000),
            (
                json!({"spec": {"containers": [container("1")], "initContainers": [sidecar, container("2")]}}),
                2050,
            ),
            (json!({"spec": {"containers": [container("1")], "initContainers": [sidecar]}}), 1050),
            (json!({"spec": {"containers": [container("1")], "overhead": {"cpu": "0.25"}}}), 1250),
        ] {
            assert_eq!(requests(&pod).0.cpu, cpu, "{pod}");
        }
        let (exact, compared) = requests(&json!({"spec": {"containers": [{}]}}));
        assert_eq!((exact, compared), (Resources::default(), (ASSUMED_CPU, ASSUMED_MEMORY)));
    }
}

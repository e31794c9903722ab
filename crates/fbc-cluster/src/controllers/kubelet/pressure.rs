//! Nodes that run short of memory or disk: they say so, take no more pods, and evict.
//!
//! How much pods use comes from their behaviours. Source: `kubernetes/kubernetes:pkg/kubelet/eviction/{eviction_manager,helpers}.go`,
//! `pkg/kubelet/apis/config/v1beta1/defaults_linux.go`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_kubernetes::quantity::Quantity;
use serde_json::Value;

use crate::object::{Object, ObjectFields};
use crate::taints::{Effect, Taint, tolerates, tolerations};
use crate::time::{MINUTE, Milliseconds, Moment, SECOND};

/// How often a node looks, and ends one pod.
pub(super) const PERIOD: Milliseconds = 10 * SECOND;
/// A shortage is told for so long after it was seen last.
const TRANSITION: Milliseconds = 5 * MINUTE;
/// Pods of this priority and above are critical: they are not evicted.
const CRITICAL: i64 = 2_000_000_000;

/// What a pod uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Thousandths of a processor.
    pub cpu: i64,
    /// Bytes of memory.
    pub memory: i64,
    /// Bytes of the disk of the node.
    pub storage: i64,
}

/// Something that a node can run short of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resource {
    /// As quantities name it.
    name: &'static str,
    /// The condition of the node.
    pub(super) condition: &'static str,
    /// Reason and message of the condition while there is too little, and while there is enough.
    pub(super) short: (&'static str, &'static str),
    pub(super) enough: (&'static str, &'static str),
    used: fn(&Usage) -> i64,
    /// The least that must be free, of so much, with its text.
    least: fn(i64) -> (i64, String),
}

/// There is no default for process identifiers.
pub(super) const RESOURCES: [Resource; 2] = [
    Resource {
        name: "memory",
        condition: "MemoryPressure",
        short: ("KubeletHasInsufficientMemory", "kubelet has insufficient memory available"),
        enough: ("KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        used: |usage| usage.memory,
        least: |_| (100 << 20, "100Mi".to_owned()),
    },
    Resource {
        name: "ephemeral-storage",
        condition: "DiskPressure",
        short: ("KubeletHasDiskPressure", "kubelet has disk pressure"),
        enough: ("KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        used: |usage| usage.storage,
        least: |capacity| (capacity / 10, (capacity / 10).to_string()),
    },
];

/// What a node knows of its shortages.
#[derive(Debug, Clone, Default)]
pub(super) struct Pressures {
    /// When each condition was seen last.
    seen: BTreeMap<&'static str, Moment>,
    /// When a pod was evicted last.
    evicted: Option<Moment>,
}

/// What a node does about its shortages.
#[derive(Debug, Default)]
pub(super) struct Measures {
    /// Conditions that hold.
    pub(super) conditions: Vec<&'static str>,
    /// The pod that is evicted, and why.
    pub(super) evict: Option<(Arc<Object>, String)>,
    /// How long until the node looks again.
    pub(super) again: Option<Milliseconds>,
}

impl Pressures {
    /// Looks at a node and its pods with what they use.
    pub(super) fn look(&mut self, node: &Object, pods: &[(Arc<Object>, Usage)], now: Moment) -> Measures {
        let mut measures = Measures::default();
        for resource in RESOURCES {
            let capacity = amount(node.at(&["status", "capacity", resource.name]));
            let Some(capacity) = capacity else { continue };
            let used: i64 = pods.iter().map(|(_, usage)| (resource.used)(usage)).sum();
            let (least, text) = (resource.least)(capacity);
            let is_short = used > 0 && capacity - used < least;
            if is_short {
                self.seen.insert(resource.condition, now);
                measures.again = Some(PERIOD);
                let waits = self.evicted.is_some_and(|last| now.since(last) < PERIOD);
                if measures.evict.is_none() && !waits {
                    let available = binary_text((capacity - used).max(0));
                    let low = format!(
                        "The node was low on resource: {}. Threshold quantity: {text}, available: {available}. ",
                        resource.name
                    );
                    measures.evict = victim(&resource, pods).map(|(pod, more)| (pod, low + &more));
                }
            }
            let Some(seen) = self.seen.get(resource.condition).copied() else { continue };
            if now.since(seen) < TRANSITION {
                measures.conditions.push(resource.condition);
                let left = TRANSITION - now.since(seen);
                measures.again = Some(measures.again.map_or(left, |again| again.min(left)));
            } else {
                self.seen.remove(resource.condition);
            }
        }
        if measures.evict.is_some() {
            self.evicted = Some(now);
        }
        measures
    }

    /// Why a node that is short of something takes no new pod, if it does not.
    pub(super) fn refusal(&self, pod: &Object) -> Option<String> {
        let conditions: Vec<&str> = self.seen.keys().copied().collect();
        if conditions.is_empty() || is_critical(pod) {
            return None;
        }
        if conditions == ["MemoryPressure"] {
            let taint = Taint::new("node.kubernetes.io/memory-pressure", Effect::NoSchedule);
            let is_welcome =
                pod.text(&["status", "qosClass"]) != "BestEffort" || tolerates(&tolerations(pod), &taint);
            if is_welcome {
                return None;
            }
        }
        Some(format!("The node had condition: [{}]. ", conditions.join(", ")))
    }
}

fn is_critical(pod: &Object) -> bool {
    pod.number(&["spec", "priority"]).is_some_and(|priority| priority >= CRITICAL)
}

/// The pod that uses most beyond what it asked for, the least important first.
fn victim(resource: &Resource, pods: &[(Arc<Object>, Usage)]) -> Option<(Arc<Object>, String)> {
    let beyond = |(pod, usage): &(Arc<Object>, Usage)| (resource.used)(usage) - requested(pod, resource.name);
    let candidates = pods.iter().filter(|(pod, _)| !is_critical(pod));
    let chosen = candidates.min_by_key(|one| {
        let priority = one.0.number(&["spec", "priority"]).unwrap_or_default();
        (beyond(one) <= 0, priority, Reverse(beyond(one)), one.0.object_name())
    })?;
    let (pod, usage) = chosen;
    // What a pod uses counts for its first container.
    let container = pod.list(&["spec", "containers"]).first()?;
    let asked = amount(container.at(&["resources", "requests", resource.name])).unwrap_or_default();
    let used = (resource.used)(usage);
    let text = if used > asked {
        format!(
            "Container {} was using {}, request is {}, has larger consumption of {}. ",
            container.text(&["name"]),
            binary_text(used),
            binary_text(asked),
            resource.name
        )
    } else {
        String::new()
    };
    Some((Arc::clone(pod), text))
}

fn requested(pod: &Object, name: &str) -> i64 {
    let containers = pod.list(&["spec", "containers"]).iter();
    containers.filter_map(|container| amount(container.at(&["resources", "requests", name]))).sum()
}

/// A quantity in units.
fn amount(value: Option<&Value>) -> Option<i64> {
    value.and_then(Quantity::from_json).map(|quantity| quantity.units())
}

/// `300Mi`, as quantities of binary numbers are written.
fn binary_text(bytes: i64) -> String {
    let mut number = bytes;
    for suffix in ["", "Ki", "Mi", "Gi", "Ti"] {
        if number == 0 || number % 1024 != 0 {
            return format!("{number}{suffix}");
        }
        number /= 1024;
    }
    format!("{number}Pi")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(name: &str, request: Option<&str>, priority: i64, used: i64) -> (Arc<Object>, Usage) {
        let mut container = json!({"name": "c"});
        if let Some(request) = request {
            container.set(&["resources", "requests", "memory"], request);
        }
        let pod = json!({
            "metadata": {"name": name}, "spec": {"containers": [container], "priority": priority},
            "status": {"qosClass": if request.is_some() { "Burstable" } else { "BestEffort" }},
        });
        (Arc::new(pod), Usage { memory: used << 20, ..Usage::default() })
    }

    #[test]
    fn who_uses_more_than_it_asked_for_goes_first() {
        let node = json!({"status": {"capacity": {"memory": "1Gi"}}});
        let now = Moment::START;
        for (pods, expected) in [
            (vec![pod("a", None, 0, 500)], None),
            (vec![pod("a", Some("600Mi"), 0, 600), pod("b", None, 0, 400)], Some("b")),
            // Beyond their requests: the less important one, and then the greedier one.
            (vec![pod("a", None, 5, 600), pod("b", None, 0, 400)], Some("b")),
            (vec![pod("a", None, 0, 600), pod("b", None, 0, 400)], Some("a")),
            (vec![pod("a", None, CRITICAL, 900), pod("b", Some("100Mi"), 0, 100)], Some("b")),
        ] {
            let measures = Pressures::default().look(&node, &pods, now);
            assert_eq!(measures.evict.as_ref().map(|(pod, _)| pod.name()), expected);
        }
        let text =
            Pressures::default().look(&node, &[pod("a", Some("100Mi"), 0, 1000)], now).evict.unwrap().1;
        assert_eq!(
            text,
            "The node was low on resource: memory. Threshold quantity: 100Mi, available: 24Mi. Container c was using 1000Mi, request is 100Mi, has larger consumption of memory. "
        );
    }

    /// D-TT-12
    #[test]
    fn there_is_no_default_for_process_identifiers() {
        assert!(RESOURCES.iter().all(|resource| resource.condition != "PIDPressure"));
    }

    #[test]
    fn a_shortage_is_told_for_five_minutes_more() {
        let node = json!({"status": {"capacity": {"memory": "1Gi"}}});
        let mut pressures = Pressures::default();
        let at = |seconds: u64| Moment::START + seconds * SECOND;
        let short = [pod("a", None, 0, 1000)];
        assert_eq!(pressures.look(&node, &short, at(0)).conditions, ["MemoryPressure"]);
        assert!(pressures.refusal(&pod("new", None, 0, 0).0).is_some());
        assert!(pressures.refusal(&pod("new", Some("1Mi"), 0, 0).0).is_none());
        assert_eq!(pressures.look(&node, &[], at(299)).conditions, ["MemoryPressure"]);
        assert!(pressures.look(&node, &[], at(300)).conditions.is_empty());
        assert!(pressures.refusal(&pod("new", None, 0, 0).0).is_none());
    }
}

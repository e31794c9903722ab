//! The nodes of the recorded tables, each with the event of its registration.

use fbc_cluster::object::ObjectFields;
use serde_json::{Map, Value, json};

use super::{TIME, event, object};

pub(super) fn node(
    name: &str,
    zone: &str,
    roles: &[&str],
    taints: Value,
    ready: (&str, &str, &str),
    cordoned: bool,
) -> Vec<Value> {
    let mut labels: Map<String, Value> =
        json!({"beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
        "topology.kubernetes.io/region": "r1", "topology.kubernetes.io/zone": zone})
        .as_object()
        .unwrap()
        .clone();
    labels.extend(roles.iter().map(|role| (format!("node-role.kubernetes.io/{role}"), json!(""))));
    let unknown = ready.0 == "Unknown";
    let pressure = name == "t-norole";
    let condition = |kind: &str, status: &str, reason: &str, message: &str| {
        let (status, reason, message) = if unknown {
            ("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
        } else {
            (status, reason, message)
        };
        json!({"type": kind, "status": status, "reason": reason, "message": message, "lastHeartbeatTime": TIME, "lastTransitionTime": TIME})
    };
    let amounts = json!({"cpu": "4", "ephemeral-storage": "100Gi", "memory": "8Gi", "pods": "110"});
    let memory = if pressure {
        condition(
            "MemoryPressure",
            "True",
            "KubeletHasInsufficientMemory",
            "kubelet has insufficient memory available",
        )
    } else {
        condition(
            "MemoryPressure",
            "False",
            "KubeletHasSufficientMemory",
            "kubelet has sufficient memory available",
        )
    };
    let mut spec = json!({"taints": taints});
    if cordoned {
        spec.set(&["unschedulable"], true);
    }
    vec![
        object(
            "v1",
            "Node",
            "",
            name,
            json!({
                "metadata": {"labels": labels, "annotations": {"node.alpha.kubernetes.io/ttl": "0"}},
                "spec": spec,
                "status": {
                    "conditions": [memory,
                        condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
                        condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
                        condition("Ready", ready.0, ready.1, ready.2)],
                    "addresses": [{"type": "InternalIP", "address": "<ip>"}, {"type": "Hostname", "address": name}],
                    "capacity": amounts, "allocatable": amounts,
                    "nodeInfo": {"machineID": "m", "systemUUID": "s", "bootID": "b", "kernelVersion": "6.12.0-1.el10.x86_64",
                        "osImage": "Example Linux 10", "operatingSystem": "linux", "architecture": "amd64",
                        "containerRuntimeVersion": "cri-o://1.36.0", "kubeletVersion": "v1.36.2"},
                },
            }),
        ),
        object(
            "coordination.k8s.io/v1",
            "Lease",
            "kube-node-lease",
            name,
            json!({"spec": {"holderIdentity": name, "renewTime": TIME}}),
        ),
        event(
            "",
            &format!("{name}.1"),
            ("Node", name),
            ("Normal", "RegisteredNode", "node-controller"),
            &format!("Node {name} event: Registered Node {name} in Controller"),
            1,
        ),
    ]
}

//! The pods behind the recorded tables.

use fbc_cluster::object::ObjectFields;
use serde_json::{Value, json};

use super::{N, TIME, merge, object, owned};

/// A pod on a node; `state` is its phase, whether it is ready, and how its container ended.
fn pod(name: &str, node: &str, state: (&str, bool, Option<&str>), rest: Value) -> Value {
    let (phase, ready, ended) = state;
    let zone = if node == "t-unknown" { "zb" } else { "za" };
    let status = |ready: bool| if ready { "True" } else { "False" };
    let state = match ended {
        Some(reason) => json!({"terminated": {"reason": reason, "exitCode": i32::from(reason == "Error")}}),
        None => json!({"running": {"startedAt": TIME}}),
    };
    let container_status = |name: &str| json!({"name": name, "containerID": "cri-o://1", "imageID": "img", "ready": ready, "restartCount": 0, "state": state});
    let mount = json!([{"name": "kube-api-access-<rnd>", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": true}]);
    let tolerations: Vec<Value> = ["not-ready", "unreachable"]
        .iter()
        .map(|key| json!({"key": format!("node.kubernetes.io/{key}"), "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}))
        .collect();
    let mut object = object(
        "v1",
        "Pod",
        N,
        name,
        json!({
            "spec": {"priority": 0, "serviceAccountName": "default",
                "containers": [{"name": "c", "image": "registry.example/app:1", "volumeMounts": mount}],
                "tolerations": tolerations,
                "volumes": [{"name": "kube-api-access-<rnd>", "projected": {"sources": [
                    {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}, {"configMap": {"name": "kube-root-ca.crt"}},
                    {"downwardAPI": {}}, {"configMap": {"name": "openshift-service-ca.crt"}}]}}]},
            "status": {"phase": phase, "qosClass": "BestEffort"},
        }),
    );
    if !node.is_empty() {
        merge(
            &mut object,
            json!({
                "metadata": {"labels": {"topology.kubernetes.io/region": "r1", "topology.kubernetes.io/zone": zone}},
                "spec": {"nodeName": node},
                "status": {"hostIP": "<ip>", "podIP": "<ip>", "podIPs": [{"ip": "<ip>"}], "startTime": TIME,
                    "containerStatuses": [container_status("a"), container_status("b"), container_status("c")],
                    "conditions": [{"type": "PodReadyToStartContainers", "status": "True"}, {"type": "Initialized", "status": "True"},
                        {"type": "Ready", "status": status(ready && name != "lost")}, {"type": "ContainersReady", "status": status(ready)}]},
            }),
        );
    }
    merge(&mut object, rest);
    let names: Vec<Value> =
        object["spec"].list(&["containers"]).iter().map(|container| container["name"].clone()).collect();
    if let Some(statuses) = object.pointer_mut("/status/containerStatuses").and_then(Value::as_array_mut) {
        statuses.retain(|status| names.contains(&status["name"]));
    }
    object
}

pub(super) fn pods() -> Vec<Value> {
    let running = ("Running", true, None);
    let labels = |labels: Value| json!({"metadata": {"labels": labels}});
    let of_web = || labels(json!({"app": "web", "pod-template-hash": "574cb547d4"}));
    let of_db = |index: &str| {
        labels(
            json!({"app": "db", "apps.kubernetes.io/pod-index": index, "controller-revision-hash": "db-854c96978f",
        "statefulset.kubernetes.io/pod-name": format!("db-{index}")}),
        )
    };
    let of_job = |name: &str| {
        labels(
            json!({"batch.kubernetes.io/controller-uid": "<uid>", "batch.kubernetes.io/job-name": name, "controller-uid": "<uid>", "job-name": name}),
        )
    };
    let owner = |mut rest: Value, kind: &str, name: &str| {
        rest.set(&["metadata", "ownerReferences"], owned(kind, name));
        rest
    };
    let mount = json!([{"name": "kube-api-access-<rnd>", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": true}]);
    let gated = json!([{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]);
    let two = json!({"spec": {
            "containers": [{"name": "a", "image": "i:1", "volumeMounts": mount, "resources": {
                "limits": {"cpu": "200m", "memory": "128Mi"}, "requests": {"cpu": "100m", "memory": "64Mi"}}},
                {"name": "b", "image": "i:2", "volumeMounts": mount}],
            "tolerations": [{"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"},
                {"key": "e", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60},
                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
                {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
                {"key": "node.kubernetes.io/memory-pressure", "operator": "Exists", "effect": "NoSchedule"}]},
        "status": {"qosClass": "Burstable"}});
    vec![
        pod(
            "agent-<r01>",
            "t-ready",
            running,
            owner(
                labels(
                    json!({"app": "agent", "controller-revision-hash": "57d98964cc", "pod-template-generation": "1"}),
                ),
                "DaemonSet",
                "agent",
            ),
        ),
        pod(
            "broken-5d47954795-<r02>",
            "t-ready",
            ("Running", false, None),
            labels(json!({"app": "broken", "pod-template-hash": "5d47954795"})),
        ),
        pod("db-0", "t-ready", running, owner(of_db("0"), "StatefulSet", "db")),
        pod("db-1", "t-ready", running, owner(of_db("1"), "StatefulSet", "db")),
        pod("done-<r03>", "t-ready", ("Succeeded", false, Some("Completed")), of_job("done")),
        pod("failed-<r04>", "t-ready", ("Failed", false, Some("Error")), of_job("failed")),
        pod("gated", "", ("Pending", false, None), json!({"status": {"conditions": gated}})),
        pod("lost", "t-unknown", running, json!({"spec": {"tolerations": [{"operator": "Exists"}]}})),
        pod(
            "pending",
            "",
            ("Pending", false, None),
            json!({"spec": {"nodeSelector": {"no": "where"}}, "status": {"conditions": [{"type": "PodScheduled", "status": "False"}]}}),
        ),
        pod(
            "terminating",
            "t-ready",
            running,
            json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:01Z", "deletionGracePeriodSeconds": 1}}),
        ),
        pod("two", "t-ready", running, two),
        pod(
            "unready",
            "t-ready",
            ("Running", false, None),
            json!({"metadata": {"annotations": {"fake/ready": "never"}}}),
        ),
        pod("web-574cb547d4-<r05>", "t-ready", running, of_web()),
        pod("web-574cb547d4-<r06>", "t-ready", running, of_web()),
        pod("web-574cb547d4-<r07>", "t-ready", running, of_web()),
    ]
}

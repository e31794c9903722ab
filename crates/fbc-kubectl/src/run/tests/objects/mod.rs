//! The objects behind the recorded tables.

mod nodes;
mod pods;

use serde_json::{Value, json};

use fbc_cluster::object::ObjectFields;

use self::nodes::node;

const TIME: &str = "2025-12-31T23:56:00Z";
const N: &str = "tables";

fn object(api_version: &str, kind: &str, namespace: &str, name: &str, rest: Value) -> Value {
    let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "creationTimestamp": TIME, "uid": format!("{kind}-{name}")}});
    if !namespace.is_empty() {
        object.set(&["metadata", "namespace"], namespace);
    }
    merge(&mut object, rest);
    object
}

fn merge(target: &mut Value, other: Value) {
    match (target, other) {
        (Value::Object(target), Value::Object(other)) => {
            for (key, value) in other {
                merge(target.entry(key).or_insert(Value::Null), value);
            }
        }
        (target, other) => *target = other,
    }
}

fn event(
    namespace: &str,
    name: &str,
    about: (&str, &str),
    what: (&str, &str, &str),
    message: &str,
    count: i64,
) -> Value {
    let scheduler = what.2 == "default-scheduler";
    let source = if scheduler {
        json!({"component": what.2, "host": "default-scheduler-<host>"})
    } else {
        json!({"component": what.2})
    };
    object(
        "v1",
        "Event",
        if namespace.is_empty() { "default" } else { namespace },
        name,
        json!({
        "involvedObject": {"kind": about.0, "name": about.1, "namespace": namespace}, "type": what.0, "reason": what.1,
        "source": source, "message": message, "count": count, "firstTimestamp": TIME, "lastTimestamp": TIME}),
    )
}

fn owned(kind: &str, name: &str) -> Value {
    json!([{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": format!("{kind}-{name}"), "controller": true}])
}

fn template(labels: Value, image: &str, annotations: Value) -> Value {
    let mut template = json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": image}],
        "nodeSelector": {"kubernetes.io/hostname": "t-ready"}}});
    if annotations.is_object() {
        template.set(&["metadata", "annotations"], annotations);
    }
    template
}

fn deployment(
    name: &str,
    hash: &str,
    replicas: i64,
    ready: i64,
    reasons: [&str; 2],
    annotations: &Value,
) -> Vec<Value> {
    let labels = json!({"app": name});
    let hashed = json!({"app": name, "pod-template-hash": hash});
    let set = format!("{name}-{hash}");
    let status = |ok: bool| if ok { "True" } else { "False" };
    let ok = ready == replicas;
    let image = "registry.example/app:1";
    let mut objects = vec![
        object(
            "apps/v1",
            "Deployment",
            N,
            name,
            json!({
                "metadata": {"annotations": {"deployment.kubernetes.io/revision": "1"}},
                "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template(labels, image, annotations.clone()),
                    "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}}},
                "status": {"replicas": replicas, "updatedReplicas": replicas, "readyReplicas": ready, "availableReplicas": ready,
                    "unavailableReplicas": replicas - ready,
                    "conditions": [{"type": "Available", "status": status(ok), "reason": reasons[0]},
                        {"type": "Progressing", "status": status(ok), "reason": reasons[1]}]},
            }),
        ),
        object(
            "apps/v1",
            "ReplicaSet",
            N,
            &set,
            json!({
                "metadata": {"annotations": {"deployment.kubernetes.io/revision": "1"}, "ownerReferences": owned("Deployment", name)},
                "spec": {"replicas": replicas, "selector": {"matchLabels": hashed}, "template": template(hashed, image, annotations.clone())},
                "status": {"replicas": replicas, "readyReplicas": ready},
            }),
        ),
    ];
    if replicas > 0 {
        let text = format!("Scaled up replica set {set} from 0 to {replicas}");
        objects.push(event(
            N,
            &format!("{name}.1"),
            ("Deployment", name),
            ("Normal", "ScalingReplicaSet", "deployment-controller"),
            &text,
            1,
        ));
    }
    objects
}

fn job(name: &str, random: &str, done: bool, annotation: &str) -> Vec<Value> {
    let labels = json!({"batch.kubernetes.io/controller-uid": "<uid>", "batch.kubernetes.io/job-name": name, "controller-uid": "<uid>", "job-name": name});
    let mut template = template(labels.clone(), "i", json!({annotation: "1"}));
    template.set(&["spec", "restartPolicy"], "Never");
    let mut status = json!({"startTime": TIME, "succeeded": i32::from(done), "failed": i32::from(!done),
        "conditions": [{"type": if done { "Complete" } else { "Failed" }, "status": "True"}]});
    if done {
        status.set(&["completionTime"], "2025-12-31T23:56:05Z");
    }
    let (kind, reason, text) = if done {
        ("Normal", "Completed", "Job completed")
    } else {
        ("Warning", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
    };
    let about = ("Job", name);
    vec![
        object(
            "batch/v1",
            "Job",
            N,
            name,
            json!({
                "metadata": {"labels": labels},
                "spec": {"parallelism": 1, "completions": 1, "completionMode": "NonIndexed", "suspend": false,
                    "backoffLimit": if done { 6 } else { 0 },
                    "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "<uid>"}}, "template": template},
                "status": status,
            }),
        ),
        event(
            N,
            &format!("{name}.1"),
            about,
            ("Normal", "SuccessfulCreate", "job-controller"),
            &format!("Created pod: {name}-{random}"),
            1,
        ),
        event(N, &format!("{name}.2"), about, (kind, reason, "job-controller"), text, 1),
    ]
}

fn scheduling_events() -> Vec<Value> {
    let reasons = [
        "1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 4 node(s) didn't match Pod's node affinity/selector",
        "1 node(s) were unschedulable, 2 node(s) had untolerated taint(s), 3 node(s) didn't match Pod's node affinity/selector",
        "1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector, 3 node(s) had untolerated taint(s)",
        "1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable, 4 node(s) had untolerated taint(s)",
    ];
    let about_pending = |(index, reason): (usize, &&str)| {
        let text = format!(
            "0/6 nodes are available: {reason}. no new claims to deallocate, preemption: 0/6 nodes are available: 6 \
             Preemption is not helpful for scheduling."
        );
        let what = ("Warning", "FailedScheduling", "default-scheduler");
        event(N, &format!("pending.{index}"), ("Pod", "pending"), what, &text, [1, 2, 2, 1][index])
    };
    reasons.iter().enumerate().map(about_pending).collect()
}

/// The columns of the recorded definition.
pub(crate) fn widget_columns() -> Value {
    json!([{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}, {"name": "Mode", "type": "string", "jsonPath": ".spec.mode"},
        {"name": "Phase", "type": "string", "jsonPath": ".status.phase", "priority": 1},
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}])
}

/// All objects.
pub(crate) fn all() -> Vec<Value> {
    let ready = ("True", "KubeletReady", "kubelet is posting ready status");
    let taint = |key: &str, effect: &str| json!({"key": key, "effect": effect});
    let both = |key: &str| json!([taint(key, "NoSchedule"), taint(key, "NoExecute")]);
    let mut objects = [
        node("t-ready", "za", &["worker"], Value::Null, ready, false),
        node(
            "t-cordoned",
            "za",
            &["worker"],
            json!([taint("node.kubernetes.io/unschedulable", "NoSchedule")]),
            ready,
            true,
        ),
        node(
            "t-notready",
            "zb",
            &["infra"],
            both("node.kubernetes.io/not-ready"),
            ("False", "KubeletNotReady", "container runtime is down"),
            false,
        ),
        node(
            "t-unknown",
            "zb",
            &["worker"],
            both("node.kubernetes.io/unreachable"),
            ("Unknown", "", ""),
            false,
        ),
        node(
            "t-norole",
            "zc",
            &[],
            json!([taint("node.kubernetes.io/memory-pressure", "NoSchedule")]),
            ready,
            false,
        ),
        node(
            "t-master",
            "zb",
            &["master", "control-plane"],
            json!([taint("node-role.kubernetes.io/master", "NoSchedule")]),
            ready,
            false,
        ),
        deployment(
            "web",
            "574cb547d4",
            3,
            3,
            ["MinimumReplicasAvailable", "NewReplicaSetAvailable"],
            &Value::Null,
        ),
        deployment(
            "broken",
            "5d47954795",
            1,
            0,
            ["MinimumReplicasUnavailable", "ProgressDeadlineExceeded"],
            &json!({"fake/ready": "never"}),
        ),
        deployment(
            "zero",
            "5b585cffd7",
            0,
            0,
            ["MinimumReplicasAvailable", "NewReplicaSetAvailable"],
            &Value::Null,
        ),
        job("done", "<r03>", true, "fake/complete-after"),
        job("failed", "<r04>", false, "fake/fail-after"),
        pods::pods(),
        scheduling_events(),
    ]
    .concat();
    let app = |name: &str| template(json!({"app": name}), "registry.example/app:1", Value::Null);
    let created = |name: &str, message: &str, controller: &str, kind: &str, index: u8| {
        event(
            N,
            &format!("{name}.{index}"),
            (kind, name),
            ("Normal", "SuccessfulCreate", controller),
            message,
            1,
        )
    };
    objects.extend([
        event("", "t-unknown.2", ("Node", "t-unknown"), ("Normal", "NodeNotReady", "node-controller"), "Node t-unknown status is now: NodeNotReady", 1),
        event(N, "lost.1", ("Pod", "lost"), ("Warning", "NodeNotReady", "node-controller"), "Node is not ready", 1),
        object("apps/v1", "StatefulSet", N, "db", json!({
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "db"}}, "template": app("db"),
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}},
            "status": {"replicas": 2, "readyReplicas": 2}})),
        created("db", "Create Pod db-0 in StatefulSet db successful", "statefulset-controller", "StatefulSet", 1),
        created("db", "Create Pod db-1 in StatefulSet db successful", "statefulset-controller", "StatefulSet", 2),
        object("apps/v1", "DaemonSet", N, "agent", json!({
            "metadata": {"annotations": {"deprecated.daemonset.template.generation": "1"}},
            "spec": {"selector": {"matchLabels": {"app": "agent"}}, "template": app("agent")},
            "status": {"desiredNumberScheduled": 1, "currentNumberScheduled": 1, "numberReady": 1, "updatedNumberScheduled": 1, "numberAvailable": 1}})),
        created("agent", "Created pod: agent-<r01>", "daemonset-controller", "DaemonSet", 1),
        object("policy/v1", "PodDisruptionBudget", N, "web", json!({
            "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}},
            "status": {"disruptionsAllowed": 1, "currentHealthy": 3, "desiredHealthy": 2, "expectedPods": 3}})),
        object("policy/v1", "PodDisruptionBudget", N, "db", json!({"spec": {"maxUnavailable": "50%"}, "status": {"disruptionsAllowed": 1}})),
        object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "widgets.example.com", json!({})),
        object("example.com/v1", "Widget", "default", "u", json!({
            "metadata": {"generation": 1, "resourceVersion": "<rv>", "uid": "<uid>"},
            "spec": {"defs": {"q": "dq", "w": 7}, "imm": "one", "mode": "A", "size": 1}})),
    ]);
    for namespace in [
        "default",
        "evict",
        "gcother",
        "kube-node-lease",
        "kube-public",
        "kube-system",
        "sched",
        "tables",
        "tol-bad",
        "tol-conf",
        "tol-def",
        "tol-wl",
        "tol-wl0",
    ] {
        objects.push(object("v1", "Namespace", "", namespace, json!({
            "metadata": {"labels": {"kubernetes.io/metadata.name": namespace}}, "status": {"phase": "Active"}})));
    }
    for (name, value) in
        [("high", 1000), ("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)]
    {
        objects.push(object(
            "scheduling.k8s.io/v1",
            "PriorityClass",
            "",
            name,
            json!({"value": value, "preemptionPolicy": "PreemptLowerPriority"}),
        ));
    }
    objects
}

//! What the kubelet writes into the status of a pod.
//!
//! Source: `kubernetes/kubernetes:pkg/kubelet/status/generate.go`, `pkg/kubelet/kubelet_pods.go`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Run, State, caller};
use crate::api::{ApiServer, Subresource, WriteOptions};
use crate::controllers::write::set_condition;
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};
use crate::time::Moment;

/// Writes how a pod is, unless its status says so already.
pub(super) fn write_status(
    api: &mut ApiServer,
    pod: &Arc<Object>,
    state: &State,
    run: &Run,
) -> Result<(), ApiError> {
    let now = api.now();
    let mut object = Object::clone(pod);
    let phase = match state {
        State::Ended(0) => "Succeeded",
        State::Ended(_) => "Failed",
        State::Waiting("CrashLoopBackOff") | State::Running { .. } => "Running",
        State::Waiting(_) | State::Blocked(_) => "Pending",
    };
    object.set(&["status", "phase"], phase);
    if object.at(&["status", "startTime"]).is_none() {
        object.set(&["status", "startTime"], now.to_string());
    }
    if !matches!(state, State::Waiting(_) | State::Blocked(_)) && object.at(&["status", "podIP"]).is_none() {
        let [_, high, middle, low] = run.address.to_be_bytes();
        let address = format!("10.{}.{middle}.{low}", u16::from(high) + 128);
        object.set(&["status", "podIPs"], json!([{"ip": address}]));
        object.set(&["status", "podIP"], address);
    }
    let mut conditions = pod.list(&["status", "conditions"]).to_vec();
    for (condition, status, reason, message) in conditions_of(pod, state) {
        set_condition(&mut conditions, now, condition, status, reason, &message);
    }
    object.set(&["status", "conditions"], conditions);
    let statuses: Vec<Value> = pod
        .list(&["spec", "containers"])
        .iter()
        .map(|container| container_status(pod, container, state, run.restarts, now))
        .collect();
    object.set(&["status", "containerStatuses"], statuses);
    if object == **pod {
        return Ok(());
    }
    api.update(&caller(), object, Subresource::Status, WriteOptions::default()).map(|_| ())
}

type Condition = (&'static str, &'static str, &'static str, String);

fn conditions_of(pod: &Object, state: &State) -> [Condition; 4] {
    let names: Vec<&str> =
        pod.list(&["spec", "containers"]).iter().map(|container| container.text(&["name"])).collect();
    let unready = format!("containers with unready status: [{}]", names.join(" "));
    let (sandbox, ready, reason, message) = match state {
        State::Running { ready: true } => ("True", "True", "", String::new()),
        State::Blocked(missing) if missing.container.is_none() => {
            ("False", "False", "ContainersNotReady", unready)
        }
        State::Running { ready: false } | State::Waiting(_) | State::Blocked(_) => {
            ("True", "False", "ContainersNotReady", unready)
        }
        State::Ended(0) => ("False", "False", "PodCompleted", String::new()),
        State::Ended(_) => ("False", "False", "PodFailed", String::new()),
    };
    let completed = if *state == State::Ended(0) { "PodCompleted" } else { "" };
    [
        ("PodReadyToStartContainers", sandbox, "", String::new()),
        ("Initialized", "True", completed, String::new()),
        ("Ready", ready, reason, message.clone()),
        ("ContainersReady", ready, reason, message),
    ]
}

fn container_status(pod: &Object, container: &Value, state: &State, restarts: u32, now: Moment) -> Value {
    let name = container.text(&["name"]);
    let statuses = pod.list(&["status", "containerStatuses"]);
    let present = statuses.iter().find(|status| status["name"] == name);
    let since = |path: &[&str]| {
        let same_run = present.filter(|status| status["restartCount"] == restarts);
        let text = same_run.map(|status| status.text(path)).filter(|text| !text.is_empty());
        text.map_or_else(|| now.to_string(), str::to_owned)
    };
    let value = match state {
        State::Waiting(reason) => json!({"waiting": {"reason": reason}}),
        State::Blocked(missing) if missing.container.as_deref() == Some(name) => {
            json!({"waiting": {"reason": missing.waiting, "message": missing.message}})
        }
        State::Blocked(missing) => {
            let others = if missing.container.is_none() { missing.waiting } else { "ContainerCreating" };
            json!({"waiting": {"reason": others}})
        }
        State::Running { .. } => json!({"running": {"startedAt": since(&["state", "running", "startedAt"])}}),
        State::Ended(code) => {
            let reason = if *code == 0 { "Completed" } else { "Error" };
            json!({"terminated": {
                "exitCode": code, "reason": reason, "startedAt": since(&["state", "running", "startedAt"]),
                "finishedAt": since(&["state", "terminated", "finishedAt"]),
            }})
        }
    };
    json!({
        "name": name, "image": container["image"], "restartCount": restarts,
        "ready": *state == State::Running { ready: true },
        "started": matches!(state, State::Running { .. }), "state": value,
    })
}

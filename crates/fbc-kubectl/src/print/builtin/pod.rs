//! Pods.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::{Column, Definition, always, name, object_age, text_or, wide};
use crate::age::{human_duration, seconds_between};
use crate::print::NONE;

pub(super) const TABLES: &[Definition] = &[Definition { group: "", kind: "Pod", columns: COLUMNS, cells }];

const COLUMNS: &[Column] = &[
    always("NAME"),
    always("READY"),
    always("STATUS"),
    always("RESTARTS"),
    always("AGE"),
    wide("IP"),
    wide("NODE"),
    wide("NOMINATED NODE"),
    wide("READINESS GATES"),
];

fn cells(pod: &Value, now: Moment) -> Vec<String> {
    let summary = summary(pod);
    let restarts = match summary.last_restart {
        Some(moment) if summary.restarts > 0 => {
            format!("{} ({} ago)", summary.restarts, human_duration(seconds_between(moment, now)))
        }
        _ => summary.restarts.to_string(),
    };
    vec![
        name(pod),
        format!("{}/{}", summary.ready, summary.total),
        summary.status,
        restarts,
        object_age(pod, now),
        pod_ip(pod),
        text_or(pod, &["spec", "nodeName"], NONE),
        text_or(pod, &["status", "nominatedNodeName"], NONE),
        readiness_gates(pod),
    ]
}

fn pod_ip(pod: &Value) -> String {
    let first = pod.list(&["status", "podIPs"]).first().map(|entry| entry.text(&["ip"]).to_owned());
    first.filter(|ip| !ip.is_empty()).unwrap_or_else(|| text_or(pod, &["status", "podIP"], NONE))
}

fn readiness_gates(pod: &Value) -> String {
    let gates = pod.list(&["spec", "readinessGates"]);
    if gates.is_empty() {
        return NONE.to_owned();
    }
    let met =
        gates.iter().filter(|gate| pod.condition_status(gate.text(&["conditionType"])) == "True").count();
    format!("{met}/{}", gates.len())
}

/// What a row says of a pod's containers.
struct Summary {
    status: String,
    ready: usize,
    total: usize,
    restarts: i64,
    last_restart: Option<Moment>,
}

impl Summary {
    fn count_restarts(&mut self, container: &Value) {
        self.restarts += container.number(&["restartCount"]).unwrap_or_default();
        let finished = Moment::parse(container.text(&["lastState", "terminated", "finishedAt"]));
        self.last_restart = self.last_restart.max(finished);
    }
}

fn summary(pod: &Value) -> Summary {
    let phase = pod.text(&["status", "phase"]);
    let gated =
        pod.condition("PodScheduled").is_some_and(|condition| condition["reason"] == "SchedulingGated");
    let status =
        if gated { "SchedulingGated".to_owned() } else { text_or(pod, &["status", "reason"], phase) };
    let init_containers = pod.list(&["spec", "initContainers"]);
    let restartable = |name: &str| {
        init_containers
            .iter()
            .any(|container| container["name"] == name && container["restartPolicy"] == "Always")
    };
    let sidecars = init_containers.iter().filter(|container| container["restartPolicy"] == "Always").count();
    let total = pod.list(&["spec", "containers"]).len() + sidecars;
    let mut summary = Summary { status, ready: 0, total, restarts: 0, last_restart: None };
    let mut sidecar_restarts =
        Summary { status: String::new(), ready: 0, total: 0, restarts: 0, last_restart: None };
    let mut initializing = false;
    for (index, container) in pod.list(&["status", "initContainerStatuses"]).iter().enumerate() {
        summary.count_restarts(container);
        let is_sidecar = restartable(container.text(&["name"]));
        if is_sidecar {
            sidecar_restarts.count_restarts(container);
        }
        let terminated = container.at(&["state", "terminated"]).filter(|state| state.is_object());
        let waiting = container.text(&["state", "waiting", "reason"]);
        summary.status = match terminated {
            Some(state) if state.number(&["exitCode"]).unwrap_or_default() == 0 => continue,
            _ if is_sidecar && container["started"] == true => {
                summary.ready += usize::from(container["ready"] == true);
                continue;
            }
            Some(state) => format!("Init:{}", termination(state)),
            None if !waiting.is_empty() && waiting != "PodInitializing" => format!("Init:{waiting}"),
            None => format!("Init:{index}/{}", init_containers.len()),
        };
        initializing = true;
        break;
    }
    if !initializing || pod.condition_status("Initialized") == "True" {
        summary.restarts = sidecar_restarts.restarts;
        summary.last_restart = sidecar_restarts.last_restart;
        let mut has_running = false;
        for container in pod.list(&["status", "containerStatuses"]).iter().rev() {
            summary.count_restarts(container);
            let waiting = container.text(&["state", "waiting", "reason"]);
            match container.at(&["state", "terminated"]).filter(|state| state.is_object()) {
                _ if !waiting.is_empty() => summary.status = waiting.to_owned(),
                Some(state) => summary.status = termination(state),
                None if container["ready"] == true && container.at(&["state", "running"]).is_some() => {
                    has_running = true;
                    summary.ready += 1;
                }
                None => {}
            }
        }
        if summary.status == "Completed" && has_running {
            let ready = pod.condition_status("Ready") == "True";
            summary.status = if ready { "Running" } else { "NotReady" }.to_owned();
        }
    }
    if pod.is_terminating() {
        if pod["status"]["reason"] == "NodeLost" {
            summary.status = "Unknown".to_owned();
        } else if !matches!(phase, "Succeeded" | "Failed") {
            summary.status = "Terminating".to_owned();
        }
    }
    summary
}

/// Why a container ended.
fn termination(state: &Value) -> String {
    let reason = state.text(&["reason"]);
    match state.number(&["signal"]) {
        _ if !reason.is_empty() => reason.to_owned(),
        Some(signal) if signal != 0 => format!("Signal:{signal}"),
        _ => format!("ExitCode:{}", state.number(&["exitCode"]).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_status_is_the_most_telling_reason() {
        let containers = json!([{"name": "c"}, {"name": "d"}]);
        for (status, deleted, ready, text) in [
            (json!({"phase": "Pending"}), false, "0/2", "Pending"),
            (
                json!({"phase": "Running", "containerStatuses": [{"ready": true, "state": {"running": {}}}]}),
                false,
                "1/2",
                "Running",
            ),
            (
                json!({"phase": "Running", "containerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}),
                false,
                "0/2",
                "CrashLoopBackOff",
            ),
            (json!({"phase": "Failed", "reason": "Evicted"}), false, "0/2", "Evicted"),
            (
                json!({"phase": "Failed", "containerStatuses": [{"state": {"terminated": {"exitCode": 3}}}]}),
                false,
                "0/2",
                "ExitCode:3",
            ),
            (
                json!({"phase": "Failed", "containerStatuses": [{"state": {"terminated": {"signal": 9}}}]}),
                false,
                "0/2",
                "Signal:9",
            ),
            (json!({"phase": "Running"}), true, "0/2", "Terminating"),
            (json!({"phase": "Succeeded"}), true, "0/2", "Succeeded"),
            (json!({"phase": "Running", "reason": "NodeLost"}), true, "0/2", "Unknown"),
            (
                json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}], "containerStatuses": [
                    {"state": {"terminated": {"reason": "Completed"}}}, {"ready": true, "state": {"running": {}}}]}),
                false,
                "1/2",
                "NotReady",
            ),
        ] {
            let mut pod = json!({"spec": {"containers": containers}, "status": status});
            if deleted {
                pod.set(&["metadata", "deletionTimestamp"], "2026-01-01T00:00:00Z");
            }
            let cells = cells(&pod, Moment::START);
            assert_eq!((cells[1].as_str(), cells[2].as_str()), (ready, text), "{pod}");
        }
    }

    #[test]
    fn init_containers_come_first() {
        let pod = |status: Value| {
            json!({"spec": {"initContainers": [{"name": "i"}, {"name": "j"}], "containers": [{"name": "c"}]},
                "status": {"phase": "Pending", "initContainerStatuses": status}})
        };
        for (status, text) in [
            (json!([{"name": "i", "state": {"running": {}}}]), "Init:0/2"),
            (
                json!([{"name": "i", "state": {"terminated": {"exitCode": 0}}}, {"name": "j", "state": {"waiting": {"reason": "PodInitializing"}}}]),
                "Init:1/2",
            ),
            (
                json!([{"name": "i", "state": {"terminated": {"exitCode": 1, "reason": "Error"}}}]),
                "Init:Error",
            ),
            (json!([{"name": "i", "state": {"waiting": {"reason": "ErrImagePull"}}}]), "Init:ErrImagePull"),
        ] {
            assert_eq!(cells(&pod(status), Moment::START)[2], text);
        }
    }

    #[test]
    fn restarts_tell_when_the_last_one_was() {
        let pod = json!({"status": {"phase": "Running", "containerStatuses": [{"restartCount": 2,
            "lastState": {"terminated": {"finishedAt": "2025-12-31T23:58:30Z"}}}]}});
        assert_eq!(cells(&pod, Moment::START)[3], "2 (90s ago)");
    }
}

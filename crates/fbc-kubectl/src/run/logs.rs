//! `logs`: what became of the containers of a pod. They print nothing themselves, so the lines are those of their lives.
//!
//! Refusals are those of `kubernetes/kubernetes:pkg/registry/core/pod/strategy.go` (`LogLocation`) and of the kubelet.

use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::Value;

use super::{Failure, Runner, Server};
use crate::command_line::Logs;

impl<S: Server> Runner<'_, S> {
    pub(super) fn logs(&mut self, logs: &Logs) -> Result<(), Failure> {
        let kind = self.server.kinds().iter().find(|(_, kind)| kind.group.is_empty() && kind.kind == "Pod");
        let Some(kind) = kind.map(|(id, _)| id) else { return Ok(()) };
        let name = logs.pod.strip_prefix("pod/").or(logs.pod.strip_prefix("pods/")).unwrap_or(&logs.pod);
        let name = ObjectName::namespaced(&*self.namespace, name);
        let pod = self.server.get(&self.request, kind, &name)?;
        let containers = containers(&pod);
        let names: Vec<&str> = containers.iter().map(|container| container.text(&["name"])).collect();
        let chosen: Vec<&str> = match &logs.container {
            _ if logs.all_containers => names,
            Some(wanted) if names.contains(&wanted.as_str()) => vec![wanted],
            Some(wanted) => {
                return Err(Failure::Text(format!("container {wanted} is not valid for pod {}", pod.name())));
            }
            None => {
                let own = pod.list(&["spec", "containers"]);
                let first = own.first().map_or("", |container| container.text(&["name"]));
                if names.len() > 1 {
                    let text = format!("Defaulted container {first:?} out of: {}\n", listed(&pod));
                    self.stderr.push_str(&text);
                }
                vec![first]
            }
        };
        for container in chosen {
            let lines = lines(&pod, container, logs.previous)?;
            let skipped = logs.tail.map_or(0, |tail| lines.len().saturating_sub(tail));
            for line in lines.iter().skip(skipped) {
                self.stdout.push_str(&format!("{line}\n"));
            }
        }
        Ok(())
    }
}

fn containers(pod: &Object) -> Vec<&Value> {
    pod.list(&["spec", "containers"]).iter().chain(pod.list(&["spec", "initContainers"])).collect()
}

/// `main, side, prepare (init)`
fn listed(pod: &Object) -> String {
    let names = |field: &str, suffix: &str| -> Vec<String> {
        let containers = pod.list(&["spec", field]).iter();
        containers.map(|container| format!("{}{suffix}", container.text(&["name"]))).collect()
    };
    [names("containers", ""), names("initContainers", " (init)")].concat().join(", ")
}

fn lines(pod: &Object, container: &str, previous: bool) -> Result<Vec<String>, ApiError> {
    if pod.text(&["spec", "nodeName"]).is_empty() {
        return Err(ApiError::bad_request(format!("pod {} does not have a host assigned", pod.name())));
    }
    let statuses = ["containerStatuses", "initContainerStatuses"];
    let status = statuses
        .iter()
        .flat_map(|field| pod.list(&["status", field]))
        .find(|status| status["name"] == container);
    let state = |field: &str| status.and_then(|status| status.get(field)).unwrap_or(&Value::Null).clone();
    let shown = if previous { state("lastState") } else { state("state") };
    let mut lines = Vec::new();
    for life in ["running", "terminated"] {
        let Some(life) = shown.get(life) else { continue };
        lines.push(format!("{} container {container} started", life.text(&["startedAt"])));
        if let Some(code) = life.number(&["exitCode"]) {
            let reason = life.text(&["reason"]);
            lines.push(format!(
                "{} container {container} ended with exit code {code} ({reason})",
                life.text(&["finishedAt"])
            ));
        }
    }
    if !lines.is_empty() {
        return Ok(lines);
    }
    let place = format!("container {container:?} in pod {:?}", pod.name());
    if previous {
        return Err(ApiError::bad_request(format!("previous terminated {place} not found")));
    }
    let reason = shown.at(&["waiting", "reason"]).and_then(Value::as_str).unwrap_or("ContainerCreating");
    // A container that waits to be started again shows how it ended.
    let ended = state("lastState");
    if let Some(life) = ended.get("terminated").filter(|_| reason == "CrashLoopBackOff") {
        let code = life.number(&["exitCode"]).unwrap_or_default();
        return Ok(vec![
            format!("{} container {container} started", life.text(&["startedAt"])),
            format!(
                "{} container {container} ended with exit code {code} ({})",
                life.text(&["finishedAt"]),
                life.text(&["reason"])
            ),
        ]);
    }
    let text = match reason {
        "ErrImagePull" | "ImagePullBackOff" => {
            format!("{place} is waiting to start: trying and failing to pull image")
        }
        reason => format!("{place} is waiting to start: {reason}"),
    };
    Err(ApiError::bad_request(text))
}

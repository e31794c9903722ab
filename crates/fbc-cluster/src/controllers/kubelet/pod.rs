//! A pod on its node: its containers one by one, and what its status says of them.
//!
//! Source: `kubernetes/kubernetes:pkg/kubelet/kubelet_pods.go` (`getPhase`), `pkg/kubelet/status/generate.go`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::course::{Cause, Course, End, Look, Restart, State};
use super::images::Pulls;
use super::references::Missing;
use crate::controllers::behaviour::Fate;
use crate::controllers::write::set_condition;
use crate::object::{Object, ObjectFields};
use crate::time::{Milliseconds, Moment, SECOND};

/// What becomes of the containers of a pod, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fates {
    pub(super) init: Vec<Fate>,
    pub(super) main: Vec<Fate>,
}

/// The containers of a pod at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Looks {
    init: Vec<Look>,
    main: Vec<Look>,
    /// True once all init containers are done, or have started if they go on beside the others.
    is_initialized: bool,
    /// True if an init container has failed for good.
    has_failed: bool,
    /// True once volumes are mounted and the pod has its network.
    has_sandbox: bool,
}

impl Looks {
    /// What the containers do whose pod begins at a moment.
    pub(super) fn at(pod: &Object, fates: &Fates, pulls: &Pulls, begin: Moment, now: Moment) -> Self {
        let restart = Restart::of(pod);
        let id = format!("{}_{}({})", pod.name(), pod.namespace(), pod.uid());
        let grace = pod.number(&["spec", "terminationGracePeriodSeconds"]).unwrap_or(30);
        let grace: Milliseconds = u64::try_from(grace).unwrap_or_default() * SECOND;
        let course = |container, fate, restart, begin| {
            let fate = if pulls.is_missing(container) { Fate::ImagePullError } else { fate };
            let begin = pulls.begin(container, begin);
            Course { container, fate, restart, grace, begin, pod: &id }
        };
        let waiting = || Look::waiting("PodInitializing", "", None);
        let (mut init, mut has_failed) = (Vec::new(), false);
        // When the next container starts; nothing if one before it has not come far enough.
        let mut free = Some(begin);
        for (container, fate) in pod.list(&["spec", "initContainers"]).iter().zip(&fates.init) {
            let Some(begin) = free.filter(|free| *free <= now) else {
                init.push(waiting());
                continue;
            };
            if container["restartPolicy"] == "Always" {
                let course = course(container, *fate, Restart::Always, begin);
                free = course.starts_up();
                init.push(course.look(now));
                continue;
            }
            let once = if restart == Restart::Never { Restart::Never } else { Restart::OnFailure };
            let look = course(container, *fate, once, begin).look(now);
            free = match &look.state {
                State::Ended(end) if end.code == 0 => Some(end.finished),
                State::Ended(_) => {
                    has_failed |= once == Restart::Never;
                    None
                }
                _ => None,
            };
            init.push(look);
        }
        let is_initialized = free.is_some_and(|free| free <= now);
        let main = pod.list(&["spec", "containers"]).iter().zip(&fates.main);
        let main = main
            .map(|(container, fate)| match free.filter(|_| is_initialized) {
                Some(begin) => course(container, *fate, restart, begin).look(now),
                None => waiting(),
            })
            .collect();
        Self { init, main, is_initialized, has_failed, has_sandbox: true }
    }

    /// Containers that wait for something that they refer to.
    pub(super) fn blocked(pod: &Object, missing: &Missing) -> Self {
        let look = |container: &Value| match &missing.container {
            None => Look::waiting(missing.waiting, "", None),
            Some(name) if container["name"] == **name => {
                Look::waiting(missing.waiting, &*missing.message, None)
            }
            Some(_) => Look::waiting("ContainerCreating", "", None),
        };
        let all = |list: &str| -> Vec<Look> { pod.list(&["spec", list]).iter().map(look).collect() };
        let init = all("initContainers");
        Self {
            is_initialized: init.is_empty(),
            init,
            main: all("containers"),
            has_failed: false,
            has_sandbox: missing.container.is_some(),
        }
    }

    /// When something changes next.
    pub(super) fn next(&self) -> Option<Moment> {
        self.init.iter().chain(&self.main).filter_map(|look| look.next).min()
    }

    /// The containers with what they do, init containers first.
    pub(super) fn of<'p>(
        &'p self,
        pod: &'p Object,
    ) -> impl Iterator<Item = (&'p Value, &'p Look, &'static str)> {
        let init = pod.list(&["spec", "initContainers"]).iter().zip(&self.init);
        let main = pod.list(&["spec", "containers"]).iter().zip(&self.main);
        init.map(|(container, look)| (container, look, "initContainerStatuses"))
            .chain(main.map(|(container, look)| (container, look, "containerStatuses")))
    }

    fn phase(&self, restart: Restart) -> &'static str {
        if self.has_failed {
            return "Failed";
        }
        let is_new = |look: &Look| matches!(look.state, State::Waiting(..)) && look.last.is_none();
        if !self.is_initialized || self.main.iter().any(is_new) {
            return "Pending";
        }
        let is_over = |look: &Look| !matches!(look.state, State::Running(_));
        let succeeded = |look: &Look| matches!(look.state, State::Ended(end) if end.code == 0);
        if !self.main.iter().all(is_over) || restart == Restart::Always {
            "Running"
        } else if self.main.iter().all(succeeded) {
            "Succeeded"
        } else if restart == Restart::Never {
            "Failed"
        } else {
            "Running"
        }
    }
}

/// The status of a pod whose containers do this.
pub(super) fn status(pod: &Arc<Object>, looks: &Looks, address: u32, now: Moment) -> Value {
    let mut status = pod.get("status").cloned().unwrap_or_else(|| json!({}));
    let phase = looks.phase(Restart::of(pod));
    status.set(&["phase"], phase);
    if status.get("startTime").is_none() {
        status.set(&["startTime"], now.to_string());
    }
    let has_sandbox =
        looks.of(pod).any(|(_, look, _)| !matches!(look.state, State::Waiting(..)) || look.last.is_some());
    if has_sandbox && status.get("podIP").is_none() {
        let [_, high, middle, low] = address.to_be_bytes();
        let address = format!("10.{}.{middle}.{low}", u16::from(high) + 128);
        status.set(&["podIPs"], json!([{"ip": address}]));
        status.set(&["podIP"], address);
    }
    let mut conditions = pod.list(&["status", "conditions"]).to_vec();
    for (condition, status, reason, message) in conditions_of(pod, looks, phase) {
        set_condition(&mut conditions, now, condition, status, reason, &message);
    }
    status.set(&["conditions"], conditions);
    for field in ["initContainerStatuses", "containerStatuses"] {
        let containers = looks.of(pod).filter(|(_, _, place)| *place == field);
        let statuses: Vec<Value> =
            containers.map(|(container, look, place)| container_status(container, look, place)).collect();
        if !statuses.is_empty() {
            status.set(&[field], statuses);
        }
    }
    let known = pod.list(&["status", "ephemeralContainerStatuses"]);
    let added = pod.list(&["spec", "ephemeralContainers"]).iter().map(|container| {
        let known = known.iter().find(|status| status["name"] == container["name"]).cloned();
        known.unwrap_or_else(|| {
            json!({
                "name": container["name"], "image": container["image"], "restartCount": 0, "ready": false,
                "state": {"running": {"startedAt": now.to_string()}},
            })
        })
    });
    let added: Vec<Value> = added.collect();
    if !added.is_empty() {
        status.set(&["ephemeralContainerStatuses"], added);
    }
    status
}

type Condition = (&'static str, &'static str, &'static str, String);

fn conditions_of(pod: &Object, looks: &Looks, phase: &str) -> [Condition; 4] {
    let is_sidecar = |container: &Value| container["restartPolicy"] == "Always";
    let names = |is_named: &dyn Fn(&Value, &Look, &str) -> bool| -> String {
        let containers = looks.of(pod).filter(|(container, look, place)| is_named(container, look, place));
        let names: Vec<&str> = containers.map(|(container, ..)| container.text(&["name"])).collect();
        names.join(" ")
    };
    let is_done = |look: &Look| matches!(look.state, State::Ended(end) if end.code == 0);
    let incomplete = names(&|container, look, place| {
        place == "initContainerStatuses"
            && if is_sidecar(container) { !look.is_started } else { !is_done(look) }
    });
    let unready = names(&|container, look, place| {
        (place == "containerStatuses" || is_sidecar(container)) && !look.is_ready
    });
    let (sandbox, ready, reason, message) = match phase {
        "Succeeded" => ("False", "False", "PodCompleted", String::new()),
        "Failed" => ("False", "False", "PodFailed", String::new()),
        _ if !unready.is_empty() => {
            let sandbox = if looks.has_sandbox { "True" } else { "False" };
            (sandbox, "False", "ContainersNotReady", format!("containers with unready status: [{unready}]"))
        }
        _ => ("True", "True", "", String::new()),
    };
    let initialized = if looks.is_initialized {
        ("Initialized", "True", if phase == "Succeeded" { "PodCompleted" } else { "" }, String::new())
    } else {
        let message = format!("containers with incomplete status: [{incomplete}]");
        ("Initialized", "False", "ContainersNotInitialized", message)
    };
    let gates = pod.list(&["spec", "readinessGates"]).iter().map(|gate| gate.text(&["conditionType"]));
    let closed: Vec<String> = gates.filter_map(|gate| closed_gate(pod, gate)).collect();
    let pod_ready = if ready == "True" && !closed.is_empty() {
        ("Ready", "False", "ReadinessGatesNotReady", closed.join(", "))
    } else {
        ("Ready", ready, reason, message.clone())
    };
    [
        ("PodReadyToStartContainers", sandbox, "", String::new()),
        initialized,
        pod_ready,
        ("ContainersReady", ready, reason, message),
    ]
}

/// Why a readiness gate keeps a pod from being ready.
fn closed_gate(pod: &Object, gate: &str) -> Option<String> {
    match pod.condition(gate) {
        None => Some(format!("corresponding condition of pod readiness gate {gate:?} does not exist.")),
        Some(condition) if condition["status"] != "True" => Some(format!(
            "the status of pod readiness gate {gate:?} is not \"True\", but {}",
            condition.text(&["status"])
        )),
        Some(_) => None,
    }
}

fn container_status(container: &Value, look: &Look, place: &str) -> Value {
    // Init containers that are done count as ready.
    let is_done =
        place == "initContainerStatuses" && matches!(look.state, State::Ended(end) if end.code == 0);
    let mut status = json!({
        "name": container["name"], "image": container["image"], "restartCount": look.restarts,
        "ready": look.is_ready || is_done,
        "started": look.is_started,
        "state": match &look.state {
            State::Waiting(reason, message) if message.is_empty() => json!({"waiting": {"reason": reason}}),
            State::Waiting(reason, message) => json!({"waiting": {"reason": reason, "message": message}}),
            State::Running(since) => json!({"running": {"startedAt": since.to_string()}}),
            State::Ended(end) => terminated(end),
        },
    });
    if let Some(last) = &look.last {
        status.set(&["lastState"], terminated(last));
    }
    status
}

fn terminated(end: &End) -> Value {
    let reason = if end.code == 0 { "Completed" } else { "Error" };
    json!({"terminated": {
        "exitCode": end.code, "reason": reason,
        "startedAt": end.started.to_string(), "finishedAt": end.finished.to_string(),
    }})
}

/// The status of a pod that the kubelet ends for good, as when its node runs short of something.
pub(super) fn failed(pod: &Object, reason: &str, message: &str, now: Moment) -> Value {
    let mut status = over(pod, "Failed", "PodFailed", (137, "ContainerStatusUnknown"), now);
    status.set(&["reason"], reason);
    status.set(&["message"], message);
    status
}

/// The status of a pod whose containers ended because it is deleted.
///
/// Source: `kubernetes/kubernetes:pkg/kubelet/kubelet.go` (`SyncTerminatingPod`), since 1.27.
pub(super) fn ended(pod: &Object, code: i64, now: Moment) -> Value {
    let has_failed = pod.list(&["status", "containerStatuses"]).iter().any(|container| {
        container.number(&["state", "terminated", "exitCode"]).is_some_and(|code| code != 0)
    });
    if code == 0 && !has_failed {
        over(pod, "Succeeded", "PodCompleted", (code, "Completed"), now)
    } else {
        over(pod, "Failed", "PodFailed", (code, "Error"), now)
    }
}

/// The status of a pod whose containers run no more; `container` is the exit code and the reason of those that ran.
fn over(pod: &Object, phase: &str, reason: &str, container: (i64, &str), now: Moment) -> Value {
    let (code, reason_of_container) = container;
    let mut status = pod.get("status").cloned().unwrap_or_else(|| json!({}));
    status.set(&["phase"], phase);
    let mut conditions = pod.list(&["status", "conditions"]).to_vec();
    for (condition, reason) in
        [("PodReadyToStartContainers", ""), ("Ready", reason), ("ContainersReady", reason)]
    {
        set_condition(&mut conditions, now, condition, "False", reason, "");
    }
    status.set(&["conditions"], conditions);
    let mut statuses = pod.list(&["status", "containerStatuses"]).to_vec();
    for container in &mut statuses {
        container.set(&["ready"], false);
        container.set(&["started"], false);
        let started = container.text(&["state", "running", "startedAt"]).to_owned();
        if !started.is_empty() {
            let ended = json!({"terminated": {
                "exitCode": code, "reason": reason_of_container, "startedAt": started, "finishedAt": now.to_string(),
            }});
            container.set(&["state"], ended);
        }
    }
    if !statuses.is_empty() {
        status.set(&["containerStatuses"], statuses);
    }
    status
}

/// What happened since a status was written, as events tell it: whether it is a warning, a reason and a message.
pub(super) fn happenings(pod: &Object, looks: &Looks) -> Vec<(bool, &'static str, String)> {
    let mut told = Vec::new();
    for (container, look, place) in looks.of(pod) {
        let name = container.text(&["name"]);
        let before = pod.list(&["status", place]).iter().find(|status| status["name"] == name);
        let waited = before.map_or("", |status| status.text(&["state", "waiting", "reason"]));
        let finished = before.map_or("", |status| status.text(&["lastState", "terminated", "finishedAt"]));
        let address = pod.text(&["status", "podIP"]);
        if let State::Waiting(reason, message) = &look.state
            && *reason != waited
        {
            match *reason {
                "CrashLoopBackOff" => {
                    let id = format!("{}_{}({})", pod.name(), pod.namespace(), pod.uid());
                    let message = format!("Back-off restarting failed container {name} in pod {id}");
                    told.push((true, "BackOff", message));
                }
                "ErrImagePull" => {
                    let text = format!("Failed to pull image {:?}: {message}", container.text(&["image"]));
                    told.push((true, "Failed", text));
                    told.push((true, "Failed", "Error: ErrImagePull".to_owned()));
                }
                "ImagePullBackOff" => {
                    told.push((false, "BackOff", message.clone()));
                    told.push((true, "Failed", "Error: ImagePullBackOff".to_owned()));
                }
                _ => {}
            }
        }
        let ended = match &look.state {
            State::Ended(end) => Some(end),
            _ => look.last.as_ref(),
        };
        let was_ended = before.map_or("", |status| status.text(&["state", "terminated", "finishedAt"]));
        if let Some(end) = ended
            && let Cause::Probe(probe) = end.cause
            && ![finished, was_ended].contains(&end.finished.to_string().as_str())
        {
            let word = if probe == "startupProbe" { "startup" } else { "liveness" };
            told.push((true, "Unhealthy", super::probe::failure(container, probe, address)));
            told.push((false, "Killing", format!("Container {name} failed {word} probe, will be restarted")));
        }
        let was_ready = before.is_some_and(|status| status["ready"] == true);
        if was_ready && !look.is_ready && matches!(look.state, State::Running(_)) {
            told.push((true, "Unhealthy", super::probe::failure(container, "readinessProbe", address)));
        }
    }
    told
}

//! `rollout`: status and restart.

use fbc_cluster::kind::KindId;
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::json;

use super::waiting::Check;
use super::{Failure, Runner, Server};
use crate::command_line::{DryRun, PatchType, Rollout, RolloutAction};
use crate::print::full_name;

const REVISION: &str = "deployment.kubernetes.io/revision";
const RESTARTED_AT: &str = "kubectl.kubernetes.io/restartedAt";

/// Why there is nothing to say of a rollout, or why it ended.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoStatus {
    #[error("desired revision ({wanted}) is different from the running revision ({running})")]
    OtherRevision { wanted: i64, running: i64 },
    #[error("deployment {0:?} exceeded its progress deadline")]
    Deadline(String),
    #[error("rollout status is only available for RollingUpdate strategy type")]
    OtherStrategy,
    #[error("no status viewer has been implemented for {0}")]
    Kind(String),
}

/// What `rollout status` says of a workload, and whether it is complete.
///
/// Source: `kubernetes/kubectl:pkg/polymorphichelpers/rollout_status.go`.
pub(super) fn status(object: &Object, revision: Option<i64>) -> Result<(String, bool), NoStatus> {
    let name = object.name();
    let status = |field: &str| object.number(&["status", field]).unwrap_or_default();
    let observed = object.generation() <= status("observedGeneration");
    let rolling = object.text(&["spec", "updateStrategy", "type"]) == "RollingUpdate";
    let waiting = |what: &str, text: String| {
        Ok((format!("Waiting for {what} {name:?} rollout to finish: {text}\n"), false))
    };
    match object.kind() {
        "Deployment" => {
            let running =
                object.annotation(REVISION).and_then(|text| text.parse::<i64>().ok()).unwrap_or_default();
            if let Some(wanted) = revision.filter(|wanted| *wanted != running) {
                return Err(NoStatus::OtherRevision { wanted, running });
            }
            if !observed {
                return Ok(("Waiting for deployment spec update to be observed...\n".to_owned(), false));
            }
            let exceeded =
                object.condition("Progressing").is_some_and(|c| c["reason"] == "ProgressDeadlineExceeded");
            let wanted = object.number(&["spec", "replicas"]).unwrap_or(1);
            let (updated, available) = (status("updatedReplicas"), status("availableReplicas"));
            let old = status("replicas").saturating_sub(updated);
            match () {
                () if exceeded => Err(NoStatus::Deadline(name.to_owned())),
                () if updated < wanted => waiting(
                    "deployment",
                    format!("{updated} out of {wanted} new replicas have been updated..."),
                ),
                () if old > 0 => {
                    waiting("deployment", format!("{old} old replicas are pending termination..."))
                }
                () if available < updated => waiting(
                    "deployment",
                    format!("{available} of {updated} updated replicas are available..."),
                ),
                () => Ok((format!("deployment {name:?} successfully rolled out\n"), true)),
            }
        }
        "DaemonSet" if rolling => {
            let (wanted, updated) = (status("desiredNumberScheduled"), status("updatedNumberScheduled"));
            let available = status("numberAvailable");
            match () {
                () if !observed => {
                    Ok(("Waiting for daemon set spec update to be observed...\n".to_owned(), false))
                }
                () if updated < wanted => {
                    waiting("daemon set", format!("{updated} out of {wanted} new pods have been updated..."))
                }
                () if available < wanted => {
                    waiting("daemon set", format!("{available} of {wanted} updated pods are available..."))
                }
                () => Ok((format!("daemon set {name:?} successfully rolled out\n"), true)),
            }
        }
        "StatefulSet" if rolling => Ok(stateful_set_status(object)),
        "DaemonSet" | "StatefulSet" => Err(NoStatus::OtherStrategy),
        kind => Err(NoStatus::Kind(kind.to_owned())),
    }
}

fn stateful_set_status(object: &Object) -> (String, bool) {
    let status = |field: &str| object.number(&["status", field]).unwrap_or_default();
    let wanted = object.number(&["spec", "replicas"]).unwrap_or(1);
    let partition =
        object.number(&["spec", "updateStrategy", "rollingUpdate", "partition"]).unwrap_or_default();
    let (ready, updated) = (status("readyReplicas"), status("updatedReplicas"));
    let revision = object.text(&["status", "updateRevision"]);
    if object.generation() > status("observedGeneration") {
        return ("Waiting for statefulset spec update to be observed...\n".to_owned(), false);
    }
    if ready < wanted {
        return (format!("Waiting for {} pods to be ready...\n", wanted.saturating_sub(ready)), false);
    }
    if partition > 0 {
        let new = wanted.saturating_sub(partition);
        return if updated < new {
            let text = format!("{updated} out of {new} new pods have been updated...");
            (format!("Waiting for partitioned roll out to finish: {text}\n"), false)
        } else {
            (format!("partitioned roll out complete: {updated} new pods have been updated...\n"), true)
        };
    }
    if revision != object.text(&["status", "currentRevision"]) {
        let text = format!(
            "waiting for statefulset rolling update to complete {updated} pods at revision {revision}...\n"
        );
        return (text, false);
    }
    let current = status("currentReplicas");
    (format!("statefulset rolling update complete {current} pods at revision {revision}...\n"), true)
}

impl<S: Server> Runner<'_, S> {
    pub(super) fn rollout(&mut self, rollout: &Rollout) -> Result<(), Failure> {
        self.request.field_manager = "kubectl-rollout".to_owned();
        let found = self.select(&rollout.selection)?;
        let mut checks = Vec::new();
        for group in &found {
            for object in &group.objects {
                let result = match &rollout.action {
                    RolloutAction::Status { watch: true, revision, .. } => {
                        checks.push(Check::rolled_out(group.kind, object, *revision));
                        Ok(())
                    }
                    RolloutAction::Status { revision, .. } => status(object, *revision)
                        .map(|(text, _)| self.stdout.push_str(&text))
                        .map_err(Failure::from_error),
                    RolloutAction::Restart => self.restart(group.kind, object),
                };
                if let Err(failure) = result {
                    self.failures.push(failure);
                }
            }
        }
        if let RolloutAction::Status { timeout, .. } = rollout.action
            && !checks.is_empty()
        {
            self.wait_until(checks, timeout);
        }
        Ok(())
    }

    fn restart(&mut self, kind: KindId, object: &Object) -> Result<(), Failure> {
        if !matches!(object.kind(), "Deployment" | "DaemonSet" | "StatefulSet") {
            return Err(Failure::Text(format!("{} restarting is not supported", full_name(object))));
        }
        if object["spec"]["paused"] == true {
            let text = "can't restart paused deployment (run rollout resume first)";
            return Err(Failure::Text(format!("{} {:?} {text}", plural_of(object), object.name())));
        }
        let now = self.server.now().to_string();
        let patch = json!({"spec": {"template": {"metadata": {"annotations": {RESTARTED_AT: now}}}}});
        let how = (PatchType::Merge, &patch);
        let object = self.server.patch(&self.request, kind, &object.object_name(), how, None)?;
        self.print_changed(&object, "restarted", DryRun::None)
    }
}

/// The resource's word in front of the group: `deployments.apps`.
fn plural_of(object: &Object) -> String {
    let name = full_name(object);
    let kind = name.split_once('/').map_or(name.as_str(), |(kind, _)| kind);
    kind.split_once('.').map_or_else(|| kind.to_owned(), |(kind, group)| format!("{kind}s.{group}"))
}

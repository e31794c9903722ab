//! What is waited for after a manifest was applied.
//!
//! Sources: `openshift/cluster-version-operator:pkg/cvo/internal/operatorstatus.go`, `lib/resourcebuilder/{apps,batch,apiext}.go`.

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

use super::update_error::{Effect, UpdateError};
use crate::release::Mode;

/// Whether an operator has what its manifest says.
pub(super) fn operator(manifest: &Object, live: &Object, mode: Mode) -> Result<(), Box<UpdateError>> {
    let name = manifest.name();
    let is_installing = mode == Mode::Initializing;
    let error = |effect, reason: &str, text: &str, plural| {
        Box::new(UpdateError {
            effect: Some(effect),
            name: name.to_owned(),
            plural: Some(plural),
            ..UpdateError::new(reason, format!("Cluster operator {name} {text}"))
        })
    };
    const OPERATORS: &str = "Cluster operators ";
    let expected = manifest.list(&["status", "versions"]);
    if expected.is_empty() {
        let plural = ("ClusterOperatorsNoVersions", OPERATORS, " do not declare expected versions");
        return Err(error(
            Effect::Fail,
            "ClusterOperatorNoVersions",
            "does not declare expected versions",
            plural,
        ));
    }
    if live.condition_status("Available") != "True" {
        let plural = ("ClusterOperatorsNotAvailable", OPERATORS, " are not available");
        return Err(error(Effect::Fail, "ClusterOperatorNotAvailable", "is not available", plural));
    }
    if live.condition_status("Degraded") != "False" {
        let plural = ("ClusterOperatorsDegraded", OPERATORS, " are degraded");
        let effect = if is_installing { Effect::Report } else { Effect::FailAfterInterval };
        return Err(error(effect, "ClusterOperatorDegraded", "is degraded", plural));
    }
    let has = |wanted: &Value| {
        let versions = live.list(&["status", "versions"]).iter();
        let live =
            versions.filter(|version| version["name"] == wanted["name"]).map(|version| &version["version"]);
        live.take(1).any(|version| *version == wanted["version"])
    };
    if !is_installing && !expected.iter().all(has) {
        let plural = ("ClusterOperatorsUpdating", OPERATORS, " are updating versions");
        return Err(error(Effect::None, "ClusterOperatorUpdating", "is updating versions", plural));
    }
    Ok(())
}

/// Why a workload or definition holds the update up. The second member is an error that is tried again.
pub(super) fn object(live: &Object, mode: Mode) -> Result<(), WaitError> {
    let is_installing = mode == Mode::Initializing;
    let identity = live.object_name();
    match live.kind() {
        "Deployment" if !is_installing => deployment(live, &identity.to_string()),
        "DaemonSet" if !is_installing && live.is_terminating() => {
            Err(WaitError::Retry(format!("daemonset {identity} is being deleted")))
        }
        "Job" => job(live),
        "CustomResourceDefinition" => definition(live),
        _ => Ok(()),
    }
}

/// Why something is not ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WaitError {
    /// The task ends.
    Final(Box<UpdateError>),
    /// The task is tried again.
    Retry(String),
}

fn deployment(live: &Object, identity: &str) -> Result<(), WaitError> {
    if live.is_terminating() {
        return Err(WaitError::Retry(format!("deployment {identity} is being deleted")));
    }
    let text = |kind: &str, field: &str| {
        live.condition(kind).map(|one| one.text(&[field])).unwrap_or_default().to_owned()
    };
    let status = |kind: &str| live.condition_status(kind);
    let error = |reason: &str, message: String| {
        Err(WaitError::Final(Box::new(UpdateError {
            name: identity.to_owned(),
            ..UpdateError::new(reason, format!("deployment {identity} {message}"))
        })))
    };
    if status("ReplicaFailure") == "True" {
        let (reason, message) = (text("ReplicaFailure", "reason"), text("ReplicaFailure", "message"));
        return error("WorkloadNotProgressing", format!("has a replica failure {reason}: {message}"));
    }
    let (reason, message) = (text("Progressing", "reason"), text("Progressing", "message"));
    if status("Available") == "False" && status("Progressing") == "False" {
        let (why, told) = (text("Available", "reason"), text("Available", "message"));
        let message = format!("is not available {why} ({told}) or progressing {reason} ({message})");
        return error("WorkloadNotAvailable", message);
    }
    if status("Progressing") == "False" && reason == "ProgressDeadlineExceeded" {
        return error("WorkloadNotProgressing", format!("is Progressing=False: {reason}: {message}"));
    }
    Ok(())
}

fn job(live: &Object) -> Result<(), WaitError> {
    let count = |field: &str| live.number(&["status", field]).unwrap_or_default();
    if count("succeeded") > 0 || count("active") > 0 {
        return Ok(());
    }
    let failed = live.condition("Failed").filter(|condition| condition["status"] == "True");
    let (reason, message) = match failed {
        Some(condition) => (condition.text(&["reason"]), condition.text(&["message"])),
        None => ("DeadlineExceeded", "Job was active longer than specified deadline"),
    };
    if count("failed") > 0 || failed.is_some() && reason == "DeadlineExceeded" {
        return Err(WaitError::Retry(format!("deadline exceeded, reason: {reason:?}, message: {message:?}")));
    }
    Ok(())
}

fn definition(live: &Object) -> Result<(), WaitError> {
    let name = live.name();
    match live.condition("Established") {
        Some(condition) if condition["status"] == "True" => Ok(()),
        Some(condition) => Err(WaitError::Retry(format!(
            "CustomResourceDefinition {name} Established={}, {}: {}",
            condition.text(&["status"]),
            condition.text(&["reason"]),
            condition.text(&["message"])
        ))),
        None => Err(WaitError::Retry(format!(
            "CustomResourceDefinition {name} does not declare an Established status condition: []"
        ))),
    }
}

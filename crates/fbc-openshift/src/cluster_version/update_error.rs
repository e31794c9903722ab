//! What went wrong in a pass, and what it means for the update.
//!
//! Sources: `openshift/cluster-version-operator:pkg/payload/task.go`, `pkg/cvo/sync_worker.go` (`summarizeTaskGraphErrors`),
//! `pkg/cvo/status.go` (`convertErrorToProgressing`).

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::error::{ApiError, Reason};
use fbc_cluster::time::{MINUTE, Milliseconds, Moment};

/// So long an operator may be degraded before the update counts as failing.
const DEGRADED_FOR: Milliseconds = 40 * MINUTE;
/// So long an operator may take.
const SLOW_AFTER: Milliseconds = 30 * MINUTE;
/// The operator that takes longer, because it changes nodes.
const MACHINE_CONFIG: &str = "machine-config";

/// What an error means for the update, from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    /// It is told, and holds nothing up.
    Report,
    /// Something takes its time.
    None,
    /// It is a failure if it lasts.
    FailAfterInterval,
    /// It is a failure.
    Fail,
}

/// An error of a pass.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct UpdateError {
    pub(super) effect: Option<Effect>,
    /// Empty for errors that nobody classified.
    pub(super) reason: String,
    pub(super) message: String,
    /// The operator or workload that it is about, or several joined by commas.
    pub(super) name: String,
    pub(super) names: Vec<String>,
    /// The errors that it was made of.
    pub(super) nested: Vec<UpdateError>,
    /// How several of them are told: the reason, and what stands before and behind the names.
    pub(super) plural: Option<(&'static str, &'static str, &'static str)>,
}

impl UpdateError {
    /// An error with a reason.
    pub(super) fn new(reason: &str, message: impl Into<String>) -> Self {
        Self { reason: reason.to_owned(), message: message.into(), ..Self::default() }
    }
}

/// An error of the API server, once a task gives up: the reason, and the cause as users read it.
pub(super) fn of_task(task: &str, error: Option<&ApiError>) -> UpdateError {
    let (reason, cause) = match error {
        None => ("UpdatePayloadFailed", ""),
        Some(error) if error.message.starts_with("no matches for kind") => (
            "UpdatePayloadResourceTypeMissing",
            "the server does not recognize this resource, check extension API servers",
        ),
        Some(error) => match error.reason {
            Reason::NotFound | Reason::AlreadyExists => {
                ("UpdatePayloadResourceNotFound", "resource may have been deleted")
            }
            Reason::Conflict => ("UpdatePayloadResourceConflict", "someone else is updating this resource"),
            Reason::InternalError => {
                ("UpdatePayloadClusterError", "the server is reporting an internal error")
            }
            Reason::Invalid => (
                "UpdatePayloadResourceInvalid",
                "the object is invalid, possibly due to local cluster configuration",
            ),
            Reason::Unauthorized => {
                ("UpdatePayloadClusterUnauthorized", "could not authenticate to the server")
            }
            Reason::Forbidden => {
                ("UpdatePayloadResourceForbidden", "the server has forbidden updates to this resource")
            }
            Reason::TooManyRequests => {
                ("UpdatePayloadClusterOverloaded", "the server is overloaded and is not accepting updates")
            }
            _ => ("UpdatePayloadFailed", ""),
        },
    };
    let cause = if cause.is_empty() { String::new() } else { format!(": {cause}") };
    UpdateError::new(reason, format!("Could not update {task}{cause}"))
}

/// What a reason means, in a few words.
pub(super) fn summary(reason: &str, name: &str) -> String {
    let of = |with: &str, without: &str| match name {
        "" => without.to_owned(),
        name => with.replace("{}", name),
    };
    match reason {
        "UpdatePayloadResourceNotFound" | "UpdatePayloadResourceConflict" => {
            "some resources could not be updated".to_owned()
        }
        "UpdatePayloadClusterDown" => "the control plane is down or not responding".to_owned(),
        "UpdatePayloadClusterError" => "the control plane is reporting an internal error".to_owned(),
        "UpdatePayloadClusterOverloaded" => {
            "the control plane is overloaded and is not accepting updates".to_owned()
        }
        "UpdatePayloadClusterUnauthorized" => "could not authenticate to the server".to_owned(),
        "UpdatePayloadRetrievalFailed" => "could not download the update".to_owned(),
        "UpdatePayloadResourceForbidden" => "the server is rejecting updates".to_owned(),
        "UpdatePayloadResourceTypeMissing" => "a required extension is not available to update".to_owned(),
        "UpdatePayloadResourceInvalid" => "some cluster configuration is invalid".to_owned(),
        "UpdatePayloadIntegrity" => "the contents of the update are invalid".to_owned(),
        "ImageVerificationFailed" => "the image may not be safe to use".to_owned(),
        "UpgradePreconditionCheckFailed" => "it may not be safe to apply this update".to_owned(),
        "ClusterOperatorDegraded" => {
            of("the cluster operator {} is degraded", "a cluster operator is degraded")
        }
        "ClusterOperatorNotAvailable" => {
            of("the cluster operator {} is not available", "a cluster operator is not available")
        }
        "ClusterOperatorsNotAvailable" => "some cluster operators are not available".to_owned(),
        "ClusterOperatorNoVersions" => of(
            "the cluster operator {} does not declare expected versions",
            "a cluster operator does not declare expected versions",
        ),
        "WorkloadNotAvailable" => {
            of("the workload {} has not yet successfully rolled out", "a workload has not yet rolled out")
        }
        "WorkloadNotProgressing" => of("the workload {} cannot roll out", "a workload cannot roll out"),
        _ if reason.starts_with("UpdatePayload") => "the update could not be applied".to_owned(),
        _ => of(
            &format!("{{}} has an unknown error: {reason}"),
            &format!("an unknown error has occurred: {reason}"),
        ),
    }
}

/// All errors of a pass as one.
pub(super) fn summarize(errors: Vec<UpdateError>) -> Option<UpdateError> {
    let (operators, mut condensed): (Vec<_>, Vec<_>) =
        errors.into_iter().partition(|error| error.plural.is_some());
    let mut by_reason: BTreeMap<String, Vec<UpdateError>> = BTreeMap::new();
    for error in operators {
        by_reason.entry(error.reason.clone()).or_default().push(error);
    }
    for (_, mut errors) in by_reason {
        let plural = errors.first().and_then(|error| error.plural);
        match (errors.len(), plural) {
            (1, _) | (_, None) => condensed.extend(errors.pop()),
            (_, Some((reason, before, behind))) => {
                let mut names: Vec<String> = errors.iter().map(|error| error.name.clone()).collect();
                names.sort();
                let name = names.join(", ");
                condensed.push(UpdateError {
                    effect: errors.iter().filter_map(|error| error.effect).max(),
                    reason: reason.to_owned(),
                    message: format!("{before}{name}{behind}"),
                    name,
                    names,
                    nested: errors,
                    plural: None,
                });
            }
        }
    }
    several(condensed)
}

/// Errors of different kinds as one.
fn several(mut errors: Vec<UpdateError>) -> Option<UpdateError> {
    if errors.len() <= 1 {
        return errors.pop();
    }
    let texts: BTreeSet<&str> = errors.iter().map(|error| error.message.as_str()).collect();
    let texts: Vec<&str> = texts.into_iter().collect();
    let message = format!("Multiple errors are preventing progress:\n* {}", texts.join("\n* "));
    Some(UpdateError { nested: errors, ..UpdateError::new("MultipleErrors", message) })
}

/// The error as `Failing` tells it while a cluster is updated: what only takes its time is left out.
pub(super) fn without_waiting(error: &UpdateError) -> Option<UpdateError> {
    if error.reason != "MultipleErrors" {
        return Some(error.clone());
    }
    several(error.nested.iter().filter(|one| one.effect != Some(Effect::None)).cloned().collect())
}

/// What `Progressing` says about an error while a cluster is updated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Waiting {
    pub(super) reason: String,
    pub(super) text: String,
    /// Whether the error is tolerated.
    pub(super) is_tolerated: bool,
    /// Whether something takes longer than it should.
    pub(super) is_slow: bool,
}

/// Takes an error as waiting, where it is.
pub(super) fn waiting(error: &UpdateError, since: &BTreeMap<String, Moment>, now: Moment) -> Waiting {
    let names = if error.names.is_empty() { vec![error.name.clone()] } else { error.names.clone() };
    let exceeds =
        |name: &String, limit: Milliseconds| since.get(name).is_some_and(|start| now.since(*start) > limit);
    let of = |text: String, is_tolerated: bool, is_slow: bool| Waiting {
        reason: error.reason.clone(),
        text,
        is_tolerated,
        is_slow,
    };
    match error.effect {
        Some(Effect::Report) => of(error.message.clone(), false, false),
        Some(Effect::None) => {
            let slow: Vec<&str> = names
                .iter()
                .filter(|name| *name != MACHINE_CONFIG && exceeds(name, SLOW_AFTER))
                .map(String::as_str)
                .collect();
            let machine_config =
                names.iter().any(|name| name == MACHINE_CONFIG && exceeds(name, 3 * SLOW_AFTER));
            let slow = slow.join(", ");
            let text = match (slow.is_empty(), machine_config) {
                (true, false) => format!("waiting on {}", names.join(", ")),
                (true, true) => {
                    "waiting on machine-config over 90 minutes which is longer than expected".to_owned()
                }
                (false, false) => format!("waiting on {slow} over 30 minutes which is longer than expected"),
                (false, true) => format!(
                    "waiting on {slow} over 30 minutes and machine-config over 90 minutes which is longer than expected"
                ),
            };
            of(text, true, machine_config || !slow.is_empty())
        }
        Some(Effect::FailAfterInterval) => {
            let exceeded: Vec<&str> = names
                .iter()
                .filter(|name| !since.contains_key(*name) || exceeds(name, DEGRADED_FOR))
                .map(String::as_str)
                .collect();
            if exceeded.is_empty() {
                of(format!("waiting up to 40 minutes on {}", error.name), true, false)
            } else {
                let text =
                    format!("wait has exceeded 40 minutes for these operators: {}", exceeded.join(", "));
                of(text, false, false)
            }
        }
        Some(Effect::Fail) | None => Waiting::default(),
    }
}

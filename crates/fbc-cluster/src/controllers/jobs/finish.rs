//! When a job is over, and why.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::indexes;
use crate::object::{Object, ObjectFields};
use crate::time::{Moment, SECOND};

/// Why a job ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct End {
    /// True if it did what it should.
    pub(super) succeeded: bool,
    /// The reason, for the condition and the event.
    pub(super) reason: String,
    /// In words.
    pub(super) message: String,
}

impl End {
    fn failure(reason: &str, message: impl Into<String>) -> Self {
        Self { succeeded: false, reason: reason.to_owned(), message: message.into() }
    }

    pub(super) fn success(reason: &str, message: impl Into<String>) -> Self {
        Self { succeeded: true, reason: reason.to_owned(), message: message.into() }
    }

    /// The condition that says so while pods are still being counted.
    pub(super) fn announcement(&self) -> &'static str {
        if self.succeeded { "SuccessCriteriaMet" } else { "FailureTarget" }
    }

    /// The condition that says so at last.
    pub(super) fn condition(&self) -> &'static str {
        if self.succeeded { "Complete" } else { "Failed" }
    }
}

/// True if the job is over.
pub(super) fn is_finished(job: &Object) -> bool {
    ["Complete", "Failed"].iter().any(|condition| job.condition_status(condition) == "True")
}

/// The end that was announced before.
pub(super) fn announced(job: &Object) -> Option<End> {
    let read = |name: &str, succeeded| {
        let condition = job.condition(name).filter(|one| one["status"] == "True")?;
        let text = |field: &str| condition.text(&[field]).to_owned();
        Some(End { succeeded, reason: text("reason"), message: text("message") })
    };
    read("FailureTarget", false).or_else(|| read("SuccessCriteriaMet", true))
}

/// The end of a job that failed too often, by a rule, or that takes too long.
pub(super) fn failed(job: &Object, pods: &[Arc<Object>], failures: i64, now: Moment) -> Option<End> {
    let by_rule = pods.iter().find_map(|pod| match rule(job, pod) {
        Some((action, text)) if action == "FailJob" => Some(End::failure("PodFailurePolicy", text)),
        _ => None,
    });
    if by_rule.is_some() {
        return by_rule;
    }
    let limit = job.number(&["spec", "backoffLimit"]).unwrap_or_else(|| {
        if job.at(&["spec", "backoffLimitPerIndex"]).is_some() { i64::from(i32::MAX) } else { 6 }
    });
    if failures > limit || restarted_too_often(job, pods, limit) {
        return Some(End::failure("BackoffLimitExceeded", "Job has reached the specified backoff limit"));
    }
    let is_late = deadline(job).is_some_and(|deadline| deadline <= now);
    is_late.then(|| End::failure("DeadlineExceeded", "Job was active longer than specified deadline"))
}

/// When a job has been active for too long.
pub(super) fn deadline(job: &Object) -> Option<Moment> {
    let seconds = u64::try_from(job.number(&["spec", "activeDeadlineSeconds"])?).ok()?;
    Some(Moment::parse(job.text(&["status", "startTime"]))? + seconds * SECOND)
}

/// Containers that are started again in their pods count by their restarts.
fn restarted_too_often(job: &Object, pods: &[Arc<Object>], limit: i64) -> bool {
    if job.text(&["spec", "template", "spec", "restartPolicy"]) != "OnFailure" {
        return false;
    }
    let statuses = pods.iter().flat_map(|pod| pod.list(&["status", "containerStatuses"]));
    let restarts: i64 = statuses.filter_map(|status| status["restartCount"].as_i64()).sum();
    if limit == 0 { restarts > 0 } else { restarts >= limit }
}

/// The rule of the pod failure policy that a failed pod fits: its action, and the rule in words.
pub(super) fn rule(job: &Object, pod: &Object) -> Option<(String, String)> {
    if pod["status"]["phase"] != "Failed" {
        return None;
    }
    let (namespace, name) = (pod.namespace(), pod.name());
    let rules = job.list(&["spec", "podFailurePolicy", "rules"]).iter().enumerate();
    for (index, rule) in rules {
        let action = rule.text(&["action"]);
        let exit = rule.get("onExitCodes").and_then(|codes| exit_code(pod, codes));
        if let Some((container, code)) = exit {
            let text = format!(
                "Container {container} for pod {namespace}/{name} failed with exit code {code} matching {action} rule at \
                 index {index}"
            );
            return Some((action.to_owned(), text));
        }
        for pattern in rule.list(&["onPodConditions"]) {
            let wanted = pattern.text(&["status"]);
            let wanted = if wanted.is_empty() { "True" } else { wanted };
            let condition = pattern.text(&["type"]);
            if pod.condition_status(condition) == wanted {
                let text = format!(
                    "Pod {namespace}/{name} has condition {condition} matching {action} rule at index {index}"
                );
                return Some((action.to_owned(), text));
            }
        }
    }
    None
}

fn exit_code(pod: &Object, codes: &Value) -> Option<(String, i64)> {
    let (container, values) = (codes.text(&["containerName"]), codes.list(&["values"]));
    let is_in = codes["operator"] != "NotIn";
    pod.list(&["status", "containerStatuses"]).iter().find_map(|status| {
        let code = status.number(&["state", "terminated", "exitCode"]).filter(|code| *code != 0)?;
        let name = status.text(&["name"]);
        let fits = (container.is_empty() || container == name)
            && values.iter().any(|value| value.as_i64() == Some(code)) == is_in;
        fits.then(|| (name.to_owned(), code))
    })
}

/// The rule of the success policy that the finished indexes fulfil.
pub(super) fn policy_success(job: &Object, succeeded: &BTreeSet<u64>) -> Option<End> {
    let rules = job.list(&["spec", "successPolicy", "rules"]).iter().enumerate();
    rules.into_iter().find_map(|(index, rule)| {
        let wanted = rule.get("succeededIndexes").and_then(Value::as_str).map(indexes::read);
        let counted = match &wanted {
            Some(wanted) => succeeded.intersection(wanted).count(),
            None => succeeded.len(),
        };
        let needed = match (rule.number(&["succeededCount"]), &wanted) {
            (Some(count), _) => usize::try_from(count).unwrap_or(usize::MAX),
            (None, Some(wanted)) => wanted.len(),
            (None, None) => return None,
        };
        (counted >= needed).then(|| End::success("SuccessPolicy", format!("Matched rules at index {index}")))
    })
}

/// The end of a job whose indexes failed for good.
pub(super) fn failed_indexes(job: &Object, failed: &BTreeSet<u64>, succeeded: usize) -> Option<End> {
    let most = job.number(&["spec", "maxFailedIndexes"]).and_then(|most| usize::try_from(most).ok());
    if most.is_some_and(|most| failed.len() > most) {
        let text = "Job has exceeded the specified maximal number of failed indexes";
        return Some(End::failure("MaxFailedIndexesExceeded", text));
    }
    let all = job.number(&["spec", "completions"]).and_then(|count| usize::try_from(count).ok())?;
    (!failed.is_empty() && failed.len() + succeeded >= all)
        .then(|| End::failure("FailedIndexes", "Job has failed indexes"))
}

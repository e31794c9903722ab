//! What a revision says about itself.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/controllers/clusterobjectset_controller.go`,
//! `progress_deadline.go`.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{MINUTE, Milliseconds, Moment};

use super::objects::Outcome;
use super::probe::Status;
use super::reference::title;
use super::rollout::PhaseOutcome;
use crate::conditions::{self, Condition};
use crate::names;

const PROGRESSING: &str = "Progressing";
const AVAILABLE: &str = "Available";
const SUCCEEDED: &str = "Succeeded";

/// Writes the conditions of a revision at a moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reporter {
    now: Moment,
    /// How long the revision may still take; `None` if it may take as long as it likes.
    remaining: Option<Milliseconds>,
}

impl Reporter {
    /// For a revision as it is now.
    pub(super) fn of(revision: &Object, now: Moment) -> Self {
        Self { now, remaining: remaining(revision, now) }
    }

    /// How long to wait at most before the deadline shows.
    pub(super) fn until_deadline(&self) -> Option<Milliseconds> {
        self.remaining.filter(|remaining| *remaining > 0)
    }

    fn set(self, revision: &mut Object, condition: Condition) -> bool {
        conditions::set(revision, &condition, self.now)
    }

    /// It goes on, unless it took too long.
    fn progressing(self, revision: &mut Object, reason: &str, message: &str) {
        if self.remaining == Some(0) {
            let minutes = revision.number(&["spec", "progressDeadlineMinutes"]).unwrap_or_default();
            let message =
                format!("Revision has not rolled out for {minutes} minute(s). Last status: {message}");
            self.set(revision, Condition::new(PROGRESSING, "False", "ProgressDeadlineExceeded", message));
        } else {
            self.set(revision, Condition::new(PROGRESSING, "True", reason, message));
        }
    }

    /// It failed and will be tried again.
    pub(super) fn retrying(self, revision: &mut Object, message: &str) {
        self.progressing(revision, "Retrying", message);
        if revision.condition(AVAILABLE).is_some() {
            self.set(revision, Condition::new(AVAILABLE, "Unknown", "Reconciling", message));
        }
    }

    /// It cannot go on until somebody fixes it.
    pub(super) fn blocked(self, revision: &mut Object, message: &str) {
        self.set(revision, Condition::new(PROGRESSING, "False", "Blocked", message));
    }

    /// Some objects are not as they should be yet.
    pub(super) fn rolling_out(self, revision: &mut Object, phases: &[PhaseOutcome]) {
        let message = format!("Revision {} is rolling out.", version(revision));
        let failures = probe_failures(phases);
        let available = if failures.is_empty() {
            Condition::new(AVAILABLE, "False", "RollingOut", message.as_str())
        } else {
            Condition::new(AVAILABLE, "False", "ProbeFailure", failures.join("\n"))
        };
        if is_in_transition(revision, phases) {
            self.progressing(revision, "RollingOut", &message);
        }
        self.set(revision, available);
        self.progressing(revision, "RollingOut", &message);
    }

    /// All objects are as they should be.
    pub(super) fn succeeded(self, revision: &mut Object) {
        let message = format!("Revision {} has rolled out.", version(revision));
        let available = "Objects are available and pass all probes.";
        self.set(revision, Condition::new(PROGRESSING, "True", "Succeeded", message));
        self.set(revision, Condition::new(AVAILABLE, "True", "ProbesSucceeded", available));
        let succeeded = "Revision succeeded rolling out.";
        self.set(revision, Condition::new(SUCCEEDED, "True", "Succeeded", succeeded));
    }

    /// Nothing of it is left. True if that is news.
    pub(super) fn archived(self, revision: &mut Object) -> bool {
        let message = "revision is archived";
        let is_news = self.set(revision, Condition::new(PROGRESSING, "False", "Archived", message));
        self.set(revision, Condition::new(AVAILABLE, "Unknown", "Archived", message)) || is_news
    }
}

fn version(revision: &Object) -> &str {
    revision.annotation(names::BUNDLE_VERSION).unwrap_or_default()
}

/// How long a revision may still take to roll out. One that rolled out once may take as long as it likes.
fn remaining(revision: &Object, now: Moment) -> Option<Milliseconds> {
    let minutes = revision.number(&["spec", "progressDeadlineMinutes"])?;
    let minutes = u64::try_from(minutes).ok().filter(|minutes| *minutes > 0)?;
    let is_over = revision.condition_status(SUCCEEDED) == "True"
        || revision.text(&["spec", "lifecycleState"]) == "Archived"
        || revision.is_terminating();
    let created = Moment::parse(revision.text(&["metadata", "creationTimestamp"]))?;
    (!is_over).then(|| (created + minutes * MINUTE).since(now))
}

/// True if phases have not begun, or have passed to a newer revision in part.
fn is_in_transition(revision: &Object, phases: &[PhaseOutcome]) -> bool {
    phases.len() < revision.list(&["spec", "phases"]).len() || phases.iter().any(PhaseOutcome::is_passing_on)
}

/// For each phase that is not complete, its first object that is not as it should be.
fn probe_failures(phases: &[PhaseOutcome]) -> Vec<String> {
    let failing = phases.iter().filter(|phase| !phase.is_complete());
    let first = failing
        .filter_map(|phase| phase.objects.iter().find(|object| object.probed.status != Status::Succeeded));
    first
        .map(|Outcome { object, probed, .. }| format!("{}: {}", title(object), probed.messages.join(" and ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn deadlines() {
        let created = Moment::START;
        let revision = |minutes: i64, state: &str, succeeded: &str| {
            json!({
                "metadata": {"creationTimestamp": created.to_string()},
                "spec": {"progressDeadlineMinutes": minutes, "lifecycleState": state},
                "status": {"conditions": [{"type": "Succeeded", "status": succeeded}]},
            })
        };
        for (minutes, state, succeeded, later, expected) in [
            (0, "Active", "False", 0, None),
            (10, "Active", "False", 4, Some(6 * MINUTE)),
            (10, "Active", "False", 10, Some(0)),
            (10, "Active", "False", 99, Some(0)),
            (10, "Active", "True", 99, None),
            (10, "Archived", "False", 99, None),
        ] {
            assert_eq!(remaining(&revision(minutes, state, succeeded), created + later * MINUTE), expected);
        }
    }

    #[test]
    fn a_passed_deadline_shows_until_the_revision_succeeds() {
        let mut revision = json!({
            "metadata": {"creationTimestamp": Moment::START.to_string(), "annotations": {names::BUNDLE_VERSION: "1.0.0"}},
            "spec": {"progressDeadlineMinutes": 10, "lifecycleState": "Active"},
        });
        let late = Moment::START + 10 * MINUTE;
        Reporter::of(&revision, late).retrying(&mut revision, "no luck");
        let progressing = |revision: &Object| {
            let condition = revision.condition("Progressing").cloned().unwrap_or_default();
            (condition.text(&["reason"]).to_owned(), condition.text(&["message"]).to_owned())
        };
        let exceeded = "Revision has not rolled out for 10 minute(s). Last status: no luck";
        assert_eq!(progressing(&revision), ("ProgressDeadlineExceeded".into(), exceeded.into()));
        assert_eq!(revision.condition("Available"), None);
        Reporter::of(&revision, late).blocked(&mut revision, "mutable");
        assert_eq!(progressing(&revision), ("Blocked".into(), "mutable".into()));
        Reporter::of(&revision, late).succeeded(&mut revision);
        assert_eq!(progressing(&revision), ("Succeeded".into(), "Revision 1.0.0 has rolled out.".into()));
        Reporter::of(&revision, late).retrying(&mut revision, "drift");
        assert_eq!(progressing(&revision), ("Retrying".into(), "drift".into()));
        assert_eq!(revision.condition_status("Available"), "Unknown");
    }
}

//! Which machines a health check wants replaced, and whether it may.
//!
//! Source: `openshift/machine-api-operator:pkg/controller/machinehealthcheck/machinehealthcheck_controller.go` (MA-17,
//! MA-18).

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{HOUR, MINUTE, Milliseconds, Moment, SECOND};
use serde_json::Value;

use super::duration;
use crate::int_or_percent::{PlainText, ShareError, scaled};

/// How long a machine may take to get a node, unless the check says otherwise.
const STARTUP: Milliseconds = 10 * MINUTE;

/// What a health check thinks of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is wrong, or nothing that time will make worse.
    Fine,
    /// Something is wrong; it is too much after so long.
    Waiting(Milliseconds),
    /// It is to be replaced.
    Unhealthy,
}

/// The node of a machine.
#[derive(Debug, Clone, Copy)]
pub enum NodeOf<'n> {
    /// The machine has none yet.
    None,
    /// The machine has one that does not exist.
    Missing,
    /// It exists.
    Present(&'n Object),
}

/// Judges a machine.
pub fn verdict(check: &Object, machine: &Object, node: NodeOf<'_>, now: Moment) -> Verdict {
    if machine.text(&["status", "phase"]) == "Failed" {
        return Verdict::Unhealthy;
    }
    match node {
        NodeOf::Missing => Verdict::Unhealthy,
        NodeOf::None => {
            let timeout = match check.at(&["spec", "nodeStartupTimeout"]).and_then(Value::as_str) {
                Some(text) => duration::parse(text).unwrap_or(STARTUP),
                None => STARTUP,
            };
            match Moment::parse(machine.text(&["status", "lastUpdated"])) {
                _ if timeout == 0 => Verdict::Fine,
                None => Verdict::Waiting(timeout),
                Some(since) => beyond(since, timeout, now),
            }
        }
        NodeOf::Present(node) => {
            let verdicts = check.list(&["spec", "unhealthyConditions"]).iter().filter_map(|unhealthy| {
                let condition = node.condition(unhealthy.text(&["type"]))?;
                let since = Moment::parse(condition.text(&["lastTransitionTime"]))?;
                let timeout = duration::parse(unhealthy.text(&["timeout"]))?;
                (condition["status"] == unhealthy["status"]).then(|| beyond(since, timeout, now))
            });
            verdicts.fold(Verdict::Fine, |worst, verdict| match (worst, verdict) {
                (Verdict::Unhealthy, _) | (_, Verdict::Unhealthy) => Verdict::Unhealthy,
                (Verdict::Waiting(one), Verdict::Waiting(other)) => Verdict::Waiting(one.min(other)),
                (Verdict::Fine, other) | (other, Verdict::Fine) => other,
            })
        }
    }
}

/// Waits until strictly more than the timeout has gone by; the next look is a second later than needed, an hour from
/// now at most.
fn beyond(since: Moment, timeout: Milliseconds, now: Moment) -> Verdict {
    if since + timeout < now {
        return Verdict::Unhealthy;
    }
    Verdict::Waiting((timeout + SECOND).saturating_sub(now.since(since)).min(HOUR))
}

/// How many of these machines may be unhealthy.
///
/// # Errors
/// [`ShareError`]
pub fn max_unhealthy(check: &Object, total: usize) -> Result<usize, ShareError> {
    match check.given(&["spec", "maxUnhealthy"]) {
        None => Ok(total),
        // What is below zero means none.
        Some(value) => {
            scaled(value, total, PlainText::Number).map(|number| usize::try_from(number).unwrap_or(0))
        }
    }
}

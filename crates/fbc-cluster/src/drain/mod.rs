//! Moving the pods off a node: which of them go, and the loop that evicts them and waits.
//!
//! `kubectl drain` and controllers that drain machines do the same thing with other clients, so [`Drain`] is a state
//! machine over a [`Client`]: [`Drain::advance`] does what is due and says when it wants to be called again.
//!
//! Source: `kubernetes/kubectl:pkg/drain/drain.go`.

mod choice;
mod client;
#[cfg(test)]
mod tests;

pub use choice::{Choice, Filters, choose};
pub use client::{ApiClient, Client};

use crate::error::{ApiError, Cause, CauseReason, Reason};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::time::{Milliseconds, Moment, SECOND};

/// The wait before an eviction that a budget refused is tried again.
pub const RETRY: Milliseconds = 5 * SECOND;
/// The wait of the API server when several requests want to write one budget at once.
const CONFLICT: Milliseconds = 500;
/// How often a drain looks whether an evicted pod is gone.
const POLL: Milliseconds = SECOND;

/// How the chosen pods are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removal {
    /// Delete, whatever disruption budgets say.
    pub without_eviction: bool,
    /// Seconds that each pod gets to end; its own number without.
    pub grace_period: Option<u64>,
    /// When to give up; never without.
    pub timeout: Option<Milliseconds>,
    /// The wait before an eviction that a budget refused is tried again; [`RETRY`] without.
    pub retry: Option<Milliseconds>,
    /// Pods whose deletion was due so many milliseconds ago are not waited for.
    pub skip_wait_for_delete: Option<Milliseconds>,
    /// Ask the server as if, and wait for nothing.
    pub dry_run: bool,
}

/// Something that a drain has to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// The eviction of a pod is asked for.
    Evicting(ObjectName),
    /// A refused eviction, which is tried again.
    Retrying(ObjectName, String),
    /// A pod that is gone.
    Gone(ObjectName),
}

/// Where a drain stands after [`Drain::advance`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Call again at this moment.
    Waiting(Moment),
    /// Every pod is gone, or has failed for good with one of these texts.
    Over(Vec<String>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Stage {
    Evicting,
    Ending,
    Over,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pod {
    name: ObjectName,
    uid: String,
    stage: Stage,
    due: Moment,
    /// The API server has the request and tries again by itself.
    is_asked: bool,
}

/// The removal of some pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drain {
    removal: Removal,
    pods: Vec<Pod>,
    deadline: Option<Moment>,
    failures: Vec<String>,
}

impl Drain {
    /// A removal of these pods that begins now.
    pub fn new(pods: &[Object], removal: Removal, now: Moment) -> Self {
        let pods = pods.iter().map(|pod| Pod {
            name: pod.object_name(),
            uid: pod.uid().to_owned(),
            stage: Stage::Evicting,
            due: now,
            is_asked: false,
        });
        let deadline = removal.timeout.map(|timeout| now + timeout);
        Self { removal, pods: pods.collect(), deadline, failures: Vec::new() }
    }

    /// The pods that are not gone yet.
    pub fn remaining(&self) -> impl Iterator<Item = &ObjectName> {
        self.pods.iter().filter(|pod| pod.stage != Stage::Over).map(|pod| &pod.name)
    }

    /// Does what is due now.
    pub fn advance(&mut self, client: &mut dyn Client, reports: &mut Vec<Report>) -> Progress {
        let now = client.now();
        for pod in &mut self.pods {
            if pod.stage == Stage::Evicting && pod.due <= now {
                self.failures.extend(pod.begin(&self.removal, self.deadline, client, reports));
            }
        }
        for pod in &mut self.pods {
            if pod.stage == Stage::Ending && (pod.due <= now || self.deadline.is_some_and(|end| end <= now)) {
                self.failures.extend(pod.look(&self.removal, self.deadline, client, reports));
            }
        }
        match self.pods.iter().filter(|pod| pod.stage != Stage::Over).map(|pod| pod.due).min() {
            Some(next) => Progress::Waiting(next),
            None => Progress::Over(self.failures.clone()),
        }
    }
}

impl Pod {
    /// Asks for the eviction. The answer is the failure, if it is final.
    fn begin(
        &mut self,
        removal: &Removal,
        deadline: Option<Moment>,
        client: &mut dyn Client,
        reports: &mut Vec<Report>,
    ) -> Option<String> {
        let (now, ObjectName { namespace, name }) = (client.now(), &self.name);
        if removal.without_eviction {
            return match client.delete(&self.name, removal) {
                Err(error) if !error.is_not_found() => {
                    self.stage = Stage::Over;
                    Some(error.message)
                }
                _ => {
                    self.end(removal, now);
                    None
                }
            };
        }
        if !std::mem::take(&mut self.is_asked) {
            reports.push(Report::Evicting(self.name.clone()));
        }
        let failed = |what: &str| format!("error when evicting pods/{name:?} -n {namespace:?}: {what}");
        if let Some(timeout) = removal.timeout.filter(|_| deadline.is_some_and(|end| end <= now)) {
            self.stage = Stage::Over;
            return Some(failed(&format!("global timeout reached: {}", span(timeout))));
        }
        match client.evict(&self.name, removal) {
            Ok(()) => self.end(removal, now),
            Err(error) if error.is_not_found() => self.stage = Stage::Over,
            Err(error) if error.reason == Reason::Conflict => {
                self.due = now + CONFLICT;
                self.is_asked = true;
            }
            Err(error) if comes_again(&error) => {
                self.due = now + removal.retry.unwrap_or(RETRY);
                reports.push(Report::Retrying(self.name.clone(), error.message));
            }
            Err(error) => {
                let text = failed(&error.message);
                self.stage = Stage::Over;
                return Some(text);
            }
        }
        None
    }

    fn end(&mut self, removal: &Removal, now: Moment) {
        self.stage = if removal.dry_run { Stage::Over } else { Stage::Ending };
        self.due = now;
    }

    /// Looks whether the pod is gone.
    fn look(
        &mut self,
        removal: &Removal,
        deadline: Option<Moment>,
        client: &mut dyn Client,
        reports: &mut Vec<Report>,
    ) -> Option<String> {
        let now = client.now();
        let ObjectName { namespace, name } = &self.name;
        let failed = |what: &str| {
            format!("error when waiting for pod {name:?} in namespace {namespace:?} to terminate: {what}")
        };
        let is_gone = match client.pod(&self.name) {
            Ok(pod) => pod.is_none_or(|pod| pod.uid() != self.uid || is_overdue(&pod, removal, now)),
            Err(error) => {
                let text = failed(&error.message);
                self.stage = Stage::Over;
                return Some(text);
            }
        };
        if is_gone {
            reports.push(Report::Gone(self.name.clone()));
            self.stage = Stage::Over;
        } else if deadline.is_some_and(|end| end <= now) {
            let text = failed("context deadline exceeded");
            self.stage = Stage::Over;
            return Some(text);
        } else {
            self.due = deadline.map_or(now + POLL, |end| end.min(now + POLL));
        }
        None
    }
}

/// True for refusals that may not last: budgets, and namespaces that go anyway.
fn comes_again(error: &ApiError) -> bool {
    let ends = |cause: &Cause| cause.reason == Some(CauseReason::NamespaceTerminating);
    error.reason == Reason::TooManyRequests
        || error.reason == Reason::Forbidden && error.details.causes.iter().any(ends)
}

fn is_overdue(pod: &Object, removal: &Removal, now: Moment) -> bool {
    let Some(limit) = removal.skip_wait_for_delete.filter(|limit| *limit > 0) else { return false };
    let due = Moment::parse(pod.text(&["metadata", "deletionTimestamp"]));
    due.is_some_and(|due| now.since(due) > limit)
}

/// A span as Go writes it: `1m30s`.
pub fn span(milliseconds: Milliseconds) -> String {
    let (seconds, rest) = (milliseconds / SECOND, milliseconds % SECOND);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours == 0 && minutes == 0 && seconds == 0 {
        return if rest == 0 { "0s".to_owned() } else { format!("{rest}ms") };
    }
    let fraction = format!("{:.3}", f64::from(u32::try_from(rest).unwrap_or_default()) / 1000.0);
    let fraction = fraction.trim_start_matches('0').trim_end_matches('0').trim_end_matches('.');
    match (hours, minutes) {
        (0, 0) => format!("{seconds}{fraction}s"),
        (0, _) => format!("{minutes}m{seconds}{fraction}s"),
        _ => format!("{hours}h{minutes}m{seconds}{fraction}s"),
    }
}

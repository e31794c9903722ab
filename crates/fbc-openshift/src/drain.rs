//! Emptying a node: pods are evicted side by side, and those that go are waited for, until a time-out.
//!
//! An attempt is a value that its owner looks at again and again; nothing blocks. Source:
//! `kubernetes/kubectl:pkg/drain/drain.go`, `filters.go` (SC-6, SC-7).

use std::collections::BTreeMap;

use fbc_cluster::api::{ApiServer, DeleteOptions};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{Milliseconds, Moment, SECOND};

use crate::writer::Writer;

mod eviction;

use eviction::{Refusal, evict};

/// How often pods are looked at.
const POLL: Milliseconds = SECOND;

/// How a node is emptied.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// How long an attempt takes at most.
    pub(crate) timeout: Milliseconds,
    /// How it is called in errors.
    pub(crate) timeout_text: &'static str,
    /// The wait after an eviction that was refused.
    pub(crate) retry: Milliseconds,
    /// Pods get this many seconds instead of their own.
    pub(crate) grace_period: Option<u64>,
    /// Pods whose time is over for longer than this are not waited for.
    pub(crate) skip_overdue: Option<Milliseconds>,
}

/// What an attempt came to so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The node is empty.
    Drained,
    /// Look again after a while.
    Busy(Milliseconds),
    /// It is over, with this text.
    Failed(String),
}

/// An attempt to empty a node.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    rules: Rules,
    started: Moment,
    pods: BTreeMap<ObjectName, Pod>,
    errors: Vec<String>,
}

#[derive(Debug, Clone)]
struct Pod {
    uid: String,
    step: Step,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// To be evicted at this moment.
    Evict(Moment),
    /// Evicted; it is waited for.
    Leave,
}

impl Attempt {
    /// Begins with the pods that are on a node now. A pod that has just been told to go is waited for as well.
    pub(crate) fn start(api: &ApiServer, node: &str, rules: Rules) -> Self {
        let now = api.now();
        let is_overdue = |pod: &Object| {
            rules.skip_overdue.is_some_and(|limit| {
                Moment::parse(pod.text(&["metadata", "deletionTimestamp"]))
                    .is_some_and(|end| now.since(end) > limit)
            })
        };
        let pods = api
            .all("", "Pod")
            .filter(|pod| pod.text(&["spec", "nodeName"]) == node && must_go(api, pod) && !is_overdue(pod))
            .map(|pod| (pod.object_name(), Pod { uid: pod.uid().to_owned(), step: Step::Evict(now) }))
            .collect();
        Self { rules, started: now, pods, errors: Vec::new() }
    }

    /// Does what is due.
    pub(crate) fn advance(&mut self, api: &mut ApiServer, writer: &Writer) -> Progress {
        let (now, rules) = (api.now(), self.rules);
        let is_late = now >= self.started + rules.timeout;
        let mut errors = std::mem::take(&mut self.errors);
        self.pods.retain(|name, pod| {
            if let Step::Evict(at) = pod.step
                && at <= now
            {
                if is_late {
                    errors.push(format!(
                        "error when evicting pods/{:?} -n {:?}: global timeout reached: {}",
                        name.name, name.namespace, rules.timeout_text
                    ));
                    return false;
                }
                let options = DeleteOptions { grace_period: rules.grace_period, ..DeleteOptions::default() };
                match evict(api, writer, name, &options) {
                    Ok(()) => pod.step = Step::Leave,
                    Err(Refusal::Gone) => return false,
                    Err(Refusal::Later) => pod.step = Step::Evict(now + rules.retry),
                    Err(Refusal::Never(text)) => {
                        errors.push(format!(
                            "error when evicting pods/{:?} -n {:?}: {text}",
                            name.name, name.namespace
                        ));
                        return false;
                    }
                }
            }
            let present = api.find("", "Pod", name).filter(|present| present.uid() == pod.uid);
            let Some(present) = present else { return false };
            if pod.step == Step::Leave {
                let end = Moment::parse(present.text(&["metadata", "deletionTimestamp"]));
                let skipped = rules.skip_overdue.zip(end).is_some_and(|(limit, end)| now.since(end) > limit);
                if !skipped && is_late {
                    errors.push(format!(
                        "error when waiting for pod {:?} in namespace {:?} to terminate: context deadline exceeded",
                        name.name, name.namespace
                    ));
                }
                return !skipped && !is_late;
            }
            true
        });
        self.errors = errors;
        if self.pods.is_empty() {
            return match self.errors.as_slice() {
                [] => Progress::Drained,
                [only] => Progress::Failed(only.clone()),
                several => Progress::Failed(format!("[{}]", several.join(", "))),
            };
        }
        let end = (self.started + rules.timeout).since(now);
        Progress::Busy(if end == 0 { rules.retry.max(1) } else { POLL.min(end) })
    }

    /// True if a pod is among those that are waited for.
    pub(crate) fn concerns(&self, pod: &ObjectName) -> bool {
        self.pods.contains_key(pod)
    }
}

/// True for pods that leave a node when it is drained with force: not those of a DaemonSet, which would come back at
/// once, and not those that the node itself keeps.
fn must_go(api: &ApiServer, pod: &Object) -> bool {
    if pod.annotation("kubernetes.io/config.mirror").is_some() {
        return false;
    }
    let is_finished = ["Succeeded", "Failed"].contains(&pod.text(&["status", "phase"]));
    match pod.controller().filter(|owner| owner["kind"] == "DaemonSet" && !is_finished) {
        // Pods of a set that is gone go by force.
        Some(owner) => {
            let name = ObjectName::namespaced(pod.namespace(), owner.text(&["name"]));
            api.find("apps", "DaemonSet", &name).is_none()
        }
        None => true,
    }
}

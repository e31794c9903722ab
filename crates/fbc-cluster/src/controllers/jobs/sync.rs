//! One look at one job: count the pods that ended, see whether it is over, make or delete pods.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::TRACKING;
use super::finish::{self, End, announced, deadline, policy_success};
use super::indexes::{self, INDEX, index_of};
use crate::api::{ApiServer, DeleteOptions, Patch, Subresource, WriteOptions};
use crate::controllers::claims::claim;
use crate::controllers::events::Recorder;
use crate::controllers::pods::{from_template, is_active, is_finished, is_ready};
use crate::controllers::write::{create, manager, set_condition};
use crate::error::ApiError;
use crate::kind::KindId;
use crate::object::{Object, ObjectFields};
use crate::selector::LabelSelector;
use crate::time::{MINUTE, Milliseconds, Moment, SECOND};

/// The wait after a first failure; every further one doubles it.
const FIRST_BACK_OFF: Milliseconds = 10 * SECOND;
/// The longest wait.
const LONGEST_BACK_OFF: Milliseconds = 10 * MINUTE;
/// The most pods that are made or deleted in one look (`MaxPodCreateDeletePerSync`).
const BURST: usize = 500;

/// One look at one job.
pub(super) struct Sync<'c> {
    pub(super) api: &'c mut ApiServer,
    pub(super) events: &'c mut Recorder,
    pub(super) job: Arc<Object>,
    pub(super) kind: KindId,
    pods: Vec<Arc<Object>>,
    pub(super) status: Value,
    /// When to look again.
    next: Option<Moment>,
}

/// Pods that ended and are not counted yet.
#[derive(Default)]
pub(super) struct Uncounted {
    pub(super) succeeded: Vec<Arc<Object>>,
    pub(super) failed: Vec<Arc<Object>>,
}

impl Uncounted {
    /// Keeps so many of them, and says whether that is all.
    pub(super) fn keep(&mut self, most: usize) -> bool {
        let all = self.succeeded.len() + self.failed.len();
        self.succeeded.truncate(most);
        self.failed.truncate(most - self.succeeded.len());
        all <= most
    }
}

/// Lets a pod go.
pub(super) fn remove_finalizer(api: &mut ApiServer, kind: KindId, pod: &Object) -> Result<(), ApiError> {
    if !is_tracked(pod) {
        return Ok(());
    }
    let others: Vec<&str> = pod.finalizers().filter(|finalizer| *finalizer != TRACKING).collect();
    let finalizers = if others.is_empty() { Value::Null } else { json!(others) };
    let patch = Patch::Merge(json!({"metadata": {"finalizers": finalizers}}));
    let options = WriteOptions::default();
    match api.patch(&manager(), kind, &pod.object_name(), &patch, Subresource::None, options) {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}

fn is_tracked(pod: &Object) -> bool {
    pod.finalizers().any(|finalizer| finalizer == TRACKING)
}

fn is_suspended(job: &Object) -> bool {
    job.at(&["spec", "suspend"]).is_some_and(|suspend| suspend == true)
}

pub(super) fn is_indexed(job: &Object) -> bool {
    job["spec"]["completionMode"] == "Indexed"
}

pub(super) fn number(of: &Object, path: &[&str]) -> i64 {
    of.number(path).unwrap_or_default()
}

impl<'c> Sync<'c> {
    /// Looks at a job.
    pub(super) fn new(
        api: &'c mut ApiServer,
        events: &'c mut Recorder,
        job: &Arc<Object>,
    ) -> Result<Self, ApiError> {
        let Some(kind) = api.kind_id("", "Pod") else {
            return Err(ApiError::internal("pods are not served"));
        };
        let selector = LabelSelector::of_object(job.at(&["spec", "selector"]))
            .unwrap_or_else(|_| LabelSelector::nothing());
        let pods = claim(api, job, kind, &selector)?;
        let mut status = job.get("status").cloned().unwrap_or_else(|| json!({}));
        if status.get("startTime").is_none() && !is_suspended(job) {
            status.set(&["startTime"], api.now().to_string());
        }
        if status.get("uncountedTerminatedPods").is_none() {
            status.set(&["uncountedTerminatedPods"], json!({}));
        }
        let mut job = Object::clone(job);
        job.set(&["status"], status.clone());
        Ok(Self { api, events, job: Arc::new(job), kind, pods, status, next: None })
    }

    /// Does what is to be done and says when to look again.
    pub(super) fn run(mut self) -> Result<Option<Moment>, ApiError> {
        let uncounted = self.uncounted(false);
        let count = |pods: &[Arc<Object>]| i64::try_from(pods.len()).unwrap_or_default();
        let counted_failures: Vec<Arc<Object>> = uncounted
            .failed
            .iter()
            .filter(|pod| finish::rule(&self.job, pod).is_none_or(|(action, _)| action != "Ignore"))
            .cloned()
            .collect();
        let failures = number(&self.job, &["status", "failed"]) + count(&counted_failures);
        let (done, lost) = self.indexes(&uncounted);
        let succeeded = if is_indexed(&self.job) {
            i64::try_from(done.len()).unwrap_or_default()
        } else {
            number(&self.job, &["status", "succeeded"]) + count(&uncounted.succeeded)
        };
        let active: Vec<Arc<Object>> = self.pods.iter().filter(|pod| is_active(pod)).cloned().collect();
        let terminating = self.pods.iter().filter(|pod| pod.is_terminating() && !is_finished(pod)).count();
        let ready = active.iter().filter(|pod| is_ready(pod)).count();
        let mut end = announced(&self.job)
            .or_else(|| finish::failed(&self.job, &self.pods, failures, self.api.now()))
            .or_else(|| finish::failed_indexes(&self.job, &lost, done.len()))
            .or_else(|| policy_success(&self.job, &done));
        let mut numbers = Numbers { active: active.len(), terminating, ready };
        if end.is_some() {
            let removed = self.delete(&active, false)?;
            numbers =
                Numbers { active: active.len() - removed, terminating: terminating + removed, ready: 0 };
        } else {
            if !self.job.is_terminating() {
                self.manage(&mut numbers, active, succeeded, &done, &lost, failures)?;
            }
            end = self.reached(succeeded, numbers.active);
            if end.is_none() && !self.job.is_terminating() {
                self.note_suspension();
            }
        }
        if !is_suspended(&self.job) && end.is_none() {
            self.look_again(deadline(&self.job));
        }
        self.write(numbers, end.as_ref(), &done, &lost)?;
        Ok(self.next)
    }

    pub(super) fn look_again(&mut self, at: Option<Moment>) {
        self.next = [self.next, at].into_iter().flatten().min();
    }

    /// Tracked pods that ended. Once the job is over, every pod that did not succeed has failed.
    pub(super) fn uncounted(&self, is_over: bool) -> Uncounted {
        let mut uncounted = Uncounted::default();
        for pod in self.pods.iter().filter(|pod| is_tracked(pod)) {
            let phase = pod.text(&["status", "phase"]);
            if phase == "Succeeded" {
                uncounted.succeeded.push(Arc::clone(pod));
            } else if phase == "Failed" || pod.is_terminating() || is_over {
                uncounted.failed.push(Arc::clone(pod));
            }
        }
        uncounted
    }

    /// Indexes that are done, and those that failed for good.
    fn indexes(&self, uncounted: &Uncounted) -> (BTreeSet<u64>, BTreeSet<u64>) {
        if !is_indexed(&self.job) {
            return Default::default();
        }
        let mut done = indexes::read(self.job.text(&["status", "completedIndexes"]));
        done.extend(uncounted.succeeded.iter().filter_map(|pod| index_of(pod)));
        let mut lost = indexes::read(self.job.text(&["status", "failedIndexes"]));
        if let Some(limit) = self.job.number(&["spec", "backoffLimitPerIndex"]) {
            for pod in &uncounted.failed {
                let before = pod.annotation("batch.kubernetes.io/job-index-failure-count");
                let before: i64 = before.and_then(|count| count.parse().ok()).unwrap_or_default();
                let gives_up = finish::rule(&self.job, pod).is_some_and(|(action, _)| action == "FailIndex");
                if before >= limit || gives_up {
                    lost.extend(index_of(pod));
                }
            }
        }
        (done, lost)
    }

    /// The end of a job that has as many successes as it wants.
    fn reached(&self, succeeded: i64, active: usize) -> Option<End> {
        let is_reached = match self.job.number(&["spec", "completions"]) {
            Some(completions) => succeeded >= completions,
            None => succeeded > 0 && active == 0,
        };
        let text = "Reached expected number of succeeded pods";
        is_reached.then(|| End::success("CompletionsReached", text))
    }

    /// Makes pods that are missing, deletes what is too much.
    fn manage(
        &mut self,
        numbers: &mut Numbers,
        active: Vec<Arc<Object>>,
        succeeded: i64,
        done: &BTreeSet<u64>,
        lost: &BTreeSet<u64>,
        failures: i64,
    ) -> Result<(), ApiError> {
        if is_suspended(&self.job) {
            let removed = self.delete(&active, true)?;
            numbers.active -= removed;
            numbers.terminating += removed;
            numbers.ready = 0;
            return Ok(());
        }
        let parallelism = self.job.number(&["spec", "parallelism"]).unwrap_or(1);
        let open = self
            .job
            .number(&["spec", "completions"])
            .map(|completions| completions - succeeded - i64::try_from(lost.len()).unwrap_or_default());
        let wanted = match open {
            Some(open) => open.min(parallelism),
            None if succeeded > 0 => i64::try_from(active.len()).unwrap_or_default(),
            None => parallelism,
        };
        let wanted = usize::try_from(wanted).unwrap_or_default();
        if active.len() > wanted {
            let surplus: Vec<Arc<Object>> = active.iter().skip(wanted).take(BURST).cloned().collect();
            let removed = self.delete(&surplus, true)?;
            numbers.active -= removed;
            numbers.terminating += removed;
            return Ok(());
        }
        let missing = wanted - active.len();
        if missing == 0 {
            return Ok(());
        }
        if let Some(wait_until) = self.back_off(failures).filter(|until| *until > self.api.now()) {
            self.look_again(Some(wait_until));
            return Ok(());
        }
        let missing = missing.min(BURST);
        let mut free = self.free_indexes(&active, done, lost, missing).into_iter();
        for _ in 0..missing {
            let index = if is_indexed(&self.job) { free.next() } else { None };
            if is_indexed(&self.job) && index.is_none() || self.api.has_written_much() {
                break;
            }
            self.make(index)?;
            numbers.active += 1;
        }
        Ok(())
    }

    /// The first indexes that no pod works for.
    fn free_indexes(
        &self,
        active: &[Arc<Object>],
        done: &BTreeSet<u64>,
        lost: &BTreeSet<u64>,
        count: usize,
    ) -> Vec<u64> {
        let taken: BTreeSet<u64> = active.iter().filter_map(|pod| index_of(pod)).collect();
        let all = u64::try_from(number(&self.job, &["spec", "completions"])).unwrap_or_default();
        let is_free = |index: &u64| ![done, lost, &taken].iter().any(|set| set.contains(index));
        (0..all).filter(is_free).take(count).collect()
    }

    /// When a pod may follow those that failed since the last success.
    fn back_off(&self, failures: i64) -> Option<Moment> {
        if self.job.at(&["spec", "backoffLimitPerIndex"]).is_some() || failures == 0 {
            return None;
        }
        let ended = |pod: &Arc<Object>| {
            let statuses = pod.list(&["status", "containerStatuses"]).iter();
            let ends =
                statuses.filter_map(|one| Moment::parse(one.text(&["state", "terminated", "finishedAt"])));
            ends.max()
        };
        let of_phase = |phase: &str| {
            let pods = self.pods.iter().filter(|pod| pod["status"]["phase"] == phase);
            pods.filter_map(ended).collect::<Vec<Moment>>()
        };
        let success = of_phase("Succeeded").into_iter().max();
        let failed: Vec<Moment> =
            of_phase("Failed").into_iter().filter(|at| success.is_none_or(|success| *at > success)).collect();
        let last = failed.iter().max()?;
        let doublings = u32::try_from(failed.len() - 1).unwrap_or(u32::MAX).min(10);
        Some(*last + (FIRST_BACK_OFF << doublings).min(LONGEST_BACK_OFF))
    }

    fn make(&mut self, index: Option<u64>) -> Result<(), ApiError> {
        let mut pod = from_template(&self.job["spec"]["template"], &self.job);
        let mut finalizers = pod.list(&["metadata", "finalizers"]).to_vec();
        finalizers.push(TRACKING.into());
        pod.set(&["metadata", "finalizers"], finalizers);
        let name = self.job.name().to_owned();
        match index {
            None => pod.set(&["metadata", "generateName"], format!("{name}-")),
            Some(index) => {
                pod.set(&["metadata", "generateName"], format!("{name}-{index}-"));
                pod.set(&["metadata", "labels", INDEX], index.to_string());
                pod.set(&["metadata", "annotations", INDEX], index.to_string());
                pod.set(&["spec", "hostname"], format!("{name}-{index}"));
                if self.job.at(&["spec", "backoffLimitPerIndex"]).is_some() {
                    let failed = self
                        .pods
                        .iter()
                        .filter(|pod| index_of(pod) == Some(index) && pod["status"]["phase"] == "Failed");
                    let path = ["metadata", "annotations", "batch.kubernetes.io/job-index-failure-count"];
                    pod.set(&path, failed.count().to_string());
                }
            }
        }
        match create(self.api, pod) {
            Ok(pod) => {
                let text = format!("Created pod: {}", pod.name());
                self.events.normal(self.api, &self.job, "SuccessfulCreate", &text);
                Ok(())
            }
            Err(error) => {
                let text = format!("Error creating: {error}");
                self.events.warning(self.api, &self.job, "FailedCreate", &text);
                Err(error)
            }
        }
    }

    /// Deletes pods; those that shall not be counted as failures are let go first.
    fn delete(&mut self, pods: &[Arc<Object>], let_go: bool) -> Result<usize, ApiError> {
        for (removed, pod) in pods.iter().enumerate() {
            if self.api.has_written_much() {
                return Ok(removed);
            }
            if let_go {
                remove_finalizer(self.api, self.kind, pod)?;
            }
            match self.api.delete(&manager(), self.kind, &pod.object_name(), &DeleteOptions::default()) {
                Err(error) if !error.is_not_found() => return Err(error),
                _ => {}
            }
            let text = format!("Deleted pod: {}", pod.name());
            self.events.normal(self.api, &self.job, "SuccessfulDelete", &text);
        }
        Ok(pods.len())
    }

    /// Says in the conditions and in an event that the job was suspended or goes on.
    fn note_suspension(&mut self) {
        let present = self.job.condition_status("Suspended").to_owned();
        let (status, reason, text, event) = match (is_suspended(&self.job), present.as_str()) {
            (true, "" | "False") => ("True", "JobSuspended", "Job suspended", "Suspended"),
            (false, "True") => ("False", "JobResumed", "Job resumed", "Resumed"),
            _ => return,
        };
        self.put_condition("Suspended", status, reason, text);
        if status == "True" {
            self.status.remove(&["startTime"]);
        } else {
            self.status.set(&["startTime"], self.api.now().to_string());
        }
        self.events.normal(self.api, &self.job, event, text);
    }

    pub(super) fn put_condition(&mut self, name: &str, status: &str, reason: &str, message: &str) {
        let mut conditions = self.status.list(&["conditions"]).to_vec();
        set_condition(&mut conditions, self.api.now(), name, status, reason, message);
        self.status.set(&["conditions"], conditions);
    }
}

/// Pods by what they do.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    pub(super) active: usize,
    pub(super) terminating: usize,
    pub(super) ready: usize,
}

//! Jobs: pods that run to an end, counted exactly once.
//!
//! Changes of pods are gathered for a second. A pod keeps a finalizer until its end is written down in the job.
//! Source: `kubernetes/kubernetes:pkg/controller/job/{job_controller,backoff_utils,indexed_job_utils,
//! pod_failure_policy,success_policy}.go`, `pkg/controller/ttlafterfinished/`.

mod count;
mod finish;
mod indexes;
mod sync;

use std::collections::BTreeMap;

use self::sync::Sync;
use super::claims::owned;
use super::events::Recorder;
use super::write::{manager, outcome};
use crate::api::{ApiServer, DeleteOptions, Propagation};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;
use crate::time::{Milliseconds, Moment, SECOND};

/// The finalizer of pods whose end is not counted yet.
const TRACKING: &str = "batch.kubernetes.io/job-tracking";
/// How long changes are gathered.
const GATHER: Milliseconds = SECOND;

/// Runs jobs.
#[derive(Debug)]
pub struct Jobs {
    events: Recorder,
    due: BTreeMap<ObjectName, Moment>,
    /// Uids of jobs that are gone and whose pods may still be held.
    gone: BTreeMap<ObjectName, Vec<String>>,
}

impl Default for Jobs {
    fn default() -> Self {
        Self { events: Recorder::new("job-controller"), due: BTreeMap::new(), gone: BTreeMap::new() }
    }
}

impl Controller for Jobs {
    fn name(&self) -> &'static str {
        "job-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("batch", "Job"), ("", "Pod")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let Some(object) = change.latest() else { return };
        let (name, wait) = if kind.1 == "Job" {
            if change.after.is_none() {
                self.gone.entry(change.key.name.clone()).or_default().push(object.uid().to_owned());
            }
            let same_wish =
                change.before.as_ref().is_some_and(|before| before.generation() == object.generation());
            (change.key.name.clone(), if same_wish && change.after.is_some() { GATHER } else { 0 })
        } else {
            let Some(owner) = object.controller().filter(|owner| owner["kind"] == "Job") else { return };
            (ObjectName::namespaced(object.namespace(), owner.text(&["name"])), GATHER)
        };
        self.wake(&name, api.now() + wait);
        requests.push(name);
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let now = api.now();
        let mut gone = self.gone.remove(request).unwrap_or_default();
        while let Some(uid) = gone.first() {
            let outcome = match let_go(api, uid) {
                Ok(true) => {
                    gone.remove(0);
                    continue;
                }
                Ok(false) => Outcome::After(0),
                Err(error) => outcome(Err::<(), _>(error)),
            };
            self.gone.insert(request.clone(), gone);
            return outcome;
        }
        let Some(job) = api.find("batch", "Job", request).cloned() else {
            self.due.remove(request);
            return Outcome::Done;
        };
        match self.due.get(request) {
            Some(due) if *due > now => return Outcome::After(due.since(now)),
            _ => self.due.remove(request),
        };
        let next = if finish::is_finished(&job) {
            expire(api, &job)
        } else {
            Sync::new(api, &mut self.events, &job).and_then(Sync::run)
        };
        match next {
            Ok(Some(next)) => {
                self.wake(request, next);
                Outcome::After(next.since(now).max(1))
            }
            Ok(None) => Outcome::Done,
            Err(error) => outcome(Err::<(), _>(error)),
        }
    }
}

impl Jobs {
    fn wake(&mut self, name: &ObjectName, at: Moment) {
        let due = self.due.entry(name.clone()).or_insert(at);
        *due = (*due).min(at);
    }
}

/// Deletes a job that has been over for as long as it says.
fn expire(api: &mut ApiServer, job: &Object) -> Result<Option<Moment>, ApiError> {
    let seconds =
        job.number(&["spec", "ttlSecondsAfterFinished"]).and_then(|seconds| u64::try_from(seconds).ok());
    let (Some(seconds), Some(kind)) = (seconds, api.kind_id("batch", "Job")) else { return Ok(None) };
    if job.is_terminating() {
        return Ok(None);
    }
    let over = ["Complete", "Failed"].iter().find_map(|one| job.condition(one));
    let over = over.and_then(|one| Moment::parse(one.text(&["lastTransitionTime"])));
    let end = over.unwrap_or(api.now()) + seconds * SECOND;
    if api.now() < end {
        return Ok(Some(end));
    }
    let uid = Some(job.uid().to_owned());
    let options = DeleteOptions { propagation: Propagation::Foreground, uid, ..DeleteOptions::default() };
    api.delete(&manager(), kind, &job.object_name(), &options)?;
    Ok(None)
}

/// Lets go of the pods of a job that is gone. False if there are so many that others come first.
fn let_go(api: &mut ApiServer, uid: &str) -> Result<bool, ApiError> {
    let Some(kind) = api.kind_id("", "Pod") else { return Ok(true) };
    let job = serde_json::json!({"metadata": {"uid": uid}});
    for pod in owned(api, &job, kind) {
        if api.has_written_much() {
            return Ok(false);
        }
        sync::remove_finalizer(api, kind, &pod)?;
    }
    Ok(true)
}

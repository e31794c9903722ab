//! Cron jobs: a job at every time of a schedule.
//!
//! Times are UTC: `spec.timeZone` is not understood, since the simulation has no table of time zones; a cron job with
//! another one says so in an event and makes no jobs. Source:
//! `kubernetes/kubernetes:pkg/controller/cronjob/{cronjob_controllerv2,utils}.go`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::claims::owned;
use super::events::Recorder;
use super::schedule::Schedule;
use super::write::{create, manager, outcome, update_status};
use crate::api::{ApiServer, DeleteOptions};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::kind::KindId;
use crate::object::{Object, ObjectFields, ObjectName, controller_reference};
use crate::store::Change;
use crate::time::{MINUTE, Moment, SECOND};

/// More missed times than this are not made up for.
const MISSED: usize = 100;

/// Makes jobs by schedules.
#[derive(Debug)]
pub struct CronJobs {
    events: Recorder,
}

impl Default for CronJobs {
    fn default() -> Self {
        Self { events: Recorder::new("cronjob-controller") }
    }
}

impl Controller for CronJobs {
    fn name(&self) -> &'static str {
        "cronjob-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("batch", "CronJob"), ("batch", "Job")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if kind.1 == "CronJob" {
            requests.extend(change.after.is_some().then(|| change.key.name.clone()));
            return;
        }
        let owner =
            change.latest().and_then(|job| job.controller()).filter(|owner| owner["kind"] == "CronJob");
        let namespace = &change.key.name.namespace;
        requests.extend(owner.map(|owner| ObjectName::namespaced(namespace, owner.text(&["name"]))));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let (Some(cron), Some(jobs)) =
            (api.find("batch", "CronJob", request).cloned(), api.kind_id("batch", "Job"))
        else {
            return Outcome::Done;
        };
        if cron.is_terminating() {
            return Outcome::Done;
        }
        self.sync(api, &cron, jobs).unwrap_or_else(|error| outcome(Err::<(), _>(error)))
    }
}

fn is_over(job: &Object) -> bool {
    ["Complete", "Failed"].iter().any(|condition| job.condition_status(condition) == "True")
}

fn moment(of: &Object, path: &[&str]) -> Option<Moment> {
    Moment::parse(of.text(path))
}

impl CronJobs {
    fn sync(&mut self, api: &mut ApiServer, cron: &Arc<Object>, kind: KindId) -> Result<Outcome, ApiError> {
        let now = api.now();
        let jobs = owned(api, cron, kind);
        let mut status = cron.get("status").cloned().unwrap_or_else(|| json!({}));
        self.note_ends(api, cron, &jobs, &mut status);
        self.clean_up(api, cron, kind, &jobs)?;
        let mut active: Vec<Value> =
            jobs.iter().filter(|job| !is_over(job)).map(|job| reference(job)).collect();
        let zone = cron.text(&["spec", "timeZone"]);
        let schedule = Schedule::parse(cron.text(&["spec", "schedule"]));
        let is_suspended = cron.at(&["spec", "suspend"]).is_some_and(|suspend| suspend == true);
        let schedule = match schedule {
            Ok(schedule) if ["", "UTC", "Etc/UTC"].contains(&zone) => schedule,
            Ok(_) => {
                let text = format!("invalid timeZone: {zone:?}: unknown time zone {zone}");
                self.events.warning(api, cron, "UnknownTimeZone", &text);
                write(api, cron, status, active)?;
                return Ok(Outcome::Done);
            }
            Err(error) => {
                let text = format!("unparseable schedule: {:?} : {error}", cron.text(&["spec", "schedule"]));
                self.events.warning(api, cron, "UnparseableSchedule", &text);
                write(api, cron, status, active)?;
                return Ok(Outcome::Done);
            }
        };
        if is_suspended {
            write(api, cron, status, active)?;
            return Ok(Outcome::Done);
        }
        let missed = self.missed(api, cron, &schedule);
        if let Some(time) = missed
            && self.may_start(api, cron, kind, &jobs, &mut active)?
        {
            let job = self.start(api, cron, time)?;
            active.extend(job.map(|job| reference(&job)));
            status.set(&["lastScheduleTime"], time.to_string());
        }
        write(api, cron, status, active)?;
        let next = schedule.next(now);
        Ok(next.map_or(Outcome::Done, |next| Outcome::Routinely(next.since(now) + 100)))
    }

    /// The last time that came and for which there is no job yet, unless it is too late for it.
    fn missed(&mut self, api: &mut ApiServer, cron: &Object, schedule: &Schedule) -> Option<Moment> {
        let now = api.now();
        let made = moment(cron, &["metadata", "creationTimestamp"]).unwrap_or(now);
        let mut earliest = moment(cron, &["status", "lastScheduleTime"]).unwrap_or(made);
        let patience = cron.number(&["spec", "startingDeadlineSeconds"]);
        let patience =
            patience.and_then(|seconds| u64::try_from(seconds).ok()).map(|seconds| seconds * SECOND);
        if let Some(patience) = patience {
            earliest = earliest.max(now - patience);
        }
        let (mut last, mut count) = (None, 0);
        let mut next = schedule.next(earliest);
        while let Some(time) = next.filter(|time| *time <= now) {
            last = Some(time);
            count += 1;
            if count > MISSED {
                let text = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
                self.events.warning(api, cron, "TooManyMissedTimes", text);
                break;
            }
            next = schedule.next(time);
        }
        last
    }

    /// True unless jobs that still run forbid another one. Those that are to be replaced are deleted.
    fn may_start(
        &mut self,
        api: &mut ApiServer,
        cron: &Object,
        kind: KindId,
        jobs: &[Arc<Object>],
        active: &mut Vec<Value>,
    ) -> Result<bool, ApiError> {
        if active.is_empty() {
            return Ok(true);
        }
        match cron.text(&["spec", "concurrencyPolicy"]) {
            "Forbid" => {
                let text =
                    "Not starting job because prior execution is running and concurrency policy is Forbid";
                self.events.normal(api, cron, "JobAlreadyActive", text);
                Ok(false)
            }
            "Replace" => {
                for job in jobs.iter().filter(|job| !is_over(job)) {
                    self.remove(api, cron, kind, job)?;
                }
                active.clear();
                Ok(true)
            }
            _ => Ok(true),
        }
    }

    fn start(
        &mut self,
        api: &mut ApiServer,
        cron: &Object,
        time: Moment,
    ) -> Result<Option<Arc<Object>>, ApiError> {
        let template = &cron["spec"]["jobTemplate"];
        let name = format!("{}-{}", cron.name(), time.0 / MINUTE);
        let mut job = json!({
            "apiVersion": "batch/v1", "kind": "Job", "spec": template["spec"],
            "metadata": {
                "name": name, "namespace": cron.namespace(), "ownerReferences": [controller_reference(cron)],
            },
        });
        for field in ["labels", "annotations"] {
            if let Some(value) = template.at(&["metadata", field]) {
                job.set(&["metadata", field], value.clone());
            }
        }
        let path = ["metadata", "annotations", "batch.kubernetes.io/cronjob-scheduled-timestamp"];
        job.set(&path, time.to_string());
        match create(api, job) {
            Ok(job) => {
                let text = format!("Created job {}", job.name());
                self.events.normal(api, cron, "SuccessfulCreate", &text);
                Ok(Some(job))
            }
            Err(error) if error.is_already_exists() => Ok(None),
            Err(error) => {
                self.events.warning(api, cron, "FailedCreate", &format!("Error creating job: {error}"));
                Err(error)
            }
        }
    }

    /// Tells of jobs that ended since the last look.
    fn note_ends(&mut self, api: &mut ApiServer, cron: &Object, jobs: &[Arc<Object>], status: &mut Value) {
        let was_active = |job: &Object| {
            cron.list(&["status", "active"]).iter().any(|active| active.text(&["uid"]) == job.uid())
        };
        for job in jobs.iter().filter(|job| is_over(job) && was_active(job)) {
            let succeeded = job.condition_status("Complete") == "True";
            let end = if succeeded { "Complete" } else { "Failed" };
            let text = format!("Saw completed job: {}, condition: {end}", job.name());
            self.events.normal(api, cron, "SawCompletedJob", &text);
            let time = job.text(&["status", "completionTime"]);
            if succeeded && time > status.text(&["lastSuccessfulTime"]) {
                status.set(&["lastSuccessfulTime"], time);
            }
        }
    }

    /// Deletes the oldest jobs beyond the limits of the history.
    fn clean_up(
        &mut self,
        api: &mut ApiServer,
        cron: &Object,
        kind: KindId,
        jobs: &[Arc<Object>],
    ) -> Result<(), ApiError> {
        for (condition, field, default) in
            [("Complete", "successfulJobsHistoryLimit", 3), ("Failed", "failedJobsHistoryLimit", 1)]
        {
            let limit = cron.number(&["spec", field]).unwrap_or(default);
            let mut over: Vec<&Arc<Object>> = jobs
                .iter()
                .filter(|job| job.condition_status(condition) == "True" && !job.is_terminating())
                .collect();
            over.sort_by_cached_key(|job| {
                (job.text(&["status", "startTime"]).to_owned(), job.name().to_owned())
            });
            let surplus = over.len().saturating_sub(usize::try_from(limit).unwrap_or_default());
            for job in over.into_iter().take(surplus) {
                self.remove(api, cron, kind, job)?;
            }
        }
        Ok(())
    }

    fn remove(
        &mut self,
        api: &mut ApiServer,
        cron: &Object,
        kind: KindId,
        job: &Object,
    ) -> Result<(), ApiError> {
        match api.delete(&manager(), kind, &job.object_name(), &DeleteOptions::default()) {
            Err(error) if !error.is_not_found() => return Err(error),
            _ => {}
        }
        self.events.normal(api, cron, "SuccessfulDelete", &format!("Deleted job {}", job.name()));
        Ok(())
    }
}

fn reference(job: &Object) -> Value {
    json!({
        "apiVersion": job.api_version(), "kind": job.kind(), "name": job.name(), "namespace": job.namespace(),
        "uid": job.uid(),
    })
}

fn write(
    api: &mut ApiServer,
    cron: &Arc<Object>,
    mut status: Value,
    active: Vec<Value>,
) -> Result<(), ApiError> {
    if active.is_empty() {
        status.remove(&["active"]);
    } else {
        status.set(&["active"], active);
    }
    update_status(api, cron, status).map(|_| ())
}

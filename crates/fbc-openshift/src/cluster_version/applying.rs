//! The loop that applies payloads: when a pass begins, what it reports, and when the next one comes.
//!
//! Source: `openshift/cluster-version-operator:pkg/cvo/sync_worker.go` (`Start`, `apply`, `statusWrapper`).

use fbc_cluster::api::ApiServer;
use fbc_cluster::time::Moment;

use super::options::Options;
use super::pass::{Job, Pass, Progress};
use super::process::Process;
use super::status::WorkerStatus;
use super::sync::Work;
use crate::release::Mode;

impl Process {
    /// Reports what the pass is at, unless it tells less than the failure before it.
    fn report(&mut self, report: WorkerStatus) {
        let before = &self.before_pass;
        let fraction = |status: &WorkerStatus| match status.total {
            0 => 0.0,
            total => status.done as f32 / total as f32,
        };
        let is_earlier = before.failure.is_some()
            && report.failure.is_none()
            && before.actual.image == report.actual.image
            && fraction(&report) < fraction(before);
        if is_earlier {
            return;
        }
        let (load, capabilities) = (self.status.load.clone(), self.status.capabilities.clone());
        let implicit = self.status.implicit.clone();
        self.status = WorkerStatus { load, capabilities, implicit, ..report };
        self.queue_report();
    }

    /// The applying loop: begins passes, and goes on with them.
    pub(super) fn apply(&mut self, api: &mut ApiServer, options: &Options) -> bool {
        let now = api.now();
        if self.pass.is_some() {
            return self.go_on(api, options);
        }
        let is_waited = self.next_pass.is_some_and(|at| at <= now);
        if !is_waited && !self.has_new_work && !self.is_notified {
            return false;
        }
        let Some(wanted) = self.work.clone() else {
            self.is_notified = false;
            return false;
        };
        if is_waited {
            self.next_pass = None;
        } else if self.has_new_work {
            self.has_new_work = false;
        } else {
            self.is_notified = false;
        }
        let changed = self.applied.as_ref().is_none_or(|applied| !applied.is_same(&wanted));
        let mode = match &self.applied {
            None => wanted.mode,
            Some(applied) if changed && applied.mode != Mode::Initializing => Mode::Updating,
            Some(applied) => applied.mode,
        };
        let waits = !is_waited
            && self.applied.as_ref().is_some_and(|applied| matches!(applied.mode, Mode::Reconciling { .. }));
        if self.applied.is_none() || changed && mode == Mode::Updating {
            self.attempt = 0;
        }
        self.applied = Some(Work { mode, ..wanted });
        if !changed && waits {
            return true;
        }
        self.begin(now, options);
        true
    }

    fn begin(&mut self, now: Moment, options: &Options) {
        let (Some(payload), Some(work)) = (self.payload.clone(), self.applied.clone()) else { return };
        if self.attempt == 0 {
            self.since.clear();
        }
        let mode = match work.mode {
            Mode::Reconciling { .. } => Mode::Reconciling { attempt: self.attempt },
            mode => mode,
        };
        let limit = if mode == Mode::Initializing { options.interval } else { 2 * options.interval };
        self.before_pass = self.status.clone();
        self.pass = Some(Pass::new(Job {
            payload,
            mode,
            overrides: work.overrides,
            capabilities: work.capabilities,
            gates: work.gates,
            task_duration: options.task_duration,
            request_duration: options.request_duration,
            deadline: now + limit,
        }));
        self.next_pass = None;
        self.pass_at = Some(now);
    }

    /// What a pass reports besides how far it is.
    fn pass_status(&self, pass: &Pass, done: usize) -> WorkerStatus {
        let work = self.applied.as_ref();
        let payload = self.payload.as_ref();
        WorkerStatus {
            generation: work.map_or(0, |work| work.generation).max(self.before_pass.generation),
            is_reconciling: work.is_some_and(|work| matches!(work.mode, Mode::Reconciling { .. })),
            hash: payload.map(|payload| payload.hash.clone()).unwrap_or_default(),
            actual: payload.map(|payload| payload.release.clone()).unwrap_or_default(),
            is_verified: self.is_payload_verified,
            done,
            total: pass.total(),
            ..WorkerStatus::default()
        }
    }

    fn go_on(&mut self, api: &mut ApiServer, options: &Options) -> bool {
        let now = api.now();
        if self.pass_at.is_some_and(|at| at > now) && !self.has_new_work {
            return false;
        }
        let Some(mut pass) = self.pass.take() else { return false };
        let mut reached = Vec::new();
        let progress = pass.step(api, &mut self.since, &mut self.deletions, &mut reached);
        for done in reached {
            let report = self.pass_status(&pass, done);
            self.report(report);
        }
        let finished = match progress {
            Progress::Until(at) => {
                self.pass_at = Some(at);
                self.pass = Some(pass);
                // Nothing else is due of a pass that goes on later, unless it is to be ended.
                return at <= now;
            }
            Progress::Complete(told) => {
                let report = self.pass_status(&pass, pass.done);
                let report = WorkerStatus { completed: self.completed + 1, is_reconciling: true, ..report };
                self.report(report);
                if told.is_some() {
                    let report = WorkerStatus { failure: told, ..self.pass_status(&pass, pass.done) };
                    self.report(report);
                }
                true
            }
            Progress::Failed(error) => {
                if error.is_some() {
                    let report = WorkerStatus { failure: error, ..self.pass_status(&pass, pass.done) };
                    self.report(report);
                }
                false
            }
        };
        self.pass_at = None;
        if finished {
            self.completed += 1;
            self.attempt = 0;
            if let Some(applied) = &mut self.applied {
                applied.mode = Mode::Reconciling { attempt: 0 };
            }
            self.next_pass = Some(now + options.interval);
        } else {
            self.failures += 1;
            let wait = match self.failures {
                1 => options.interval / 8,
                2 => options.interval / 4,
                3 => options.interval / 2,
                _ => options.interval,
            };
            let chance = options.extra_waits.get(self.failed_passes).copied().unwrap_or(0);
            self.failed_passes += 1;
            self.next_pass = Some(now + wait + chance);
            self.completed = 0;
            self.attempt += 1;
        }
        true
    }
}

//! Time: it stands still between requests, flows with the clock, or moves when it is told to.
//!
//! What happens in it is a job, done a step at a time: a reconciliation, or the timers of a moment. Slices are measured in work,
//! which is counted and not timed.

use fbc_cluster::budget::Exhausted;
use fbc_cluster::time::{MINUTE, Milliseconds, Moment};

use super::Actor;

/// What time does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeMode {
    /// After each write, and when a client waits for an object, it runs on until the cluster is still.
    Still,
    /// It moves when it is told to.
    Paused,
    /// It follows a clock.
    Flowing,
}

/// When a cluster counts as still: nothing but routine is due for so long.
#[derive(Debug, Clone, Copy)]
pub struct Stillness {
    /// After a write. Longer than the grace period of most pods, so that who deletes and looks sees them gone.
    pub after_writes: Milliseconds,
    /// When a client has watched a single object for a while, as programs do that wait for it: up to so far ahead is
    /// looked for something that changes.
    pub for_waiting: Milliseconds,
    /// A cluster that does not come to rest is left alone after so long.
    pub patience: Milliseconds,
}

impl Default for Stillness {
    fn default() -> Self {
        Self { after_writes: MINUTE, for_waiting: 15 * MINUTE, patience: 30 * MINUTE }
    }
}

/// A slice ends with the step that goes beyond this work: a few milliseconds.
const SLICE: u64 = 5_000;

/// What the controllers are about.
#[derive(Debug)]
pub(super) struct Job {
    goal: Goal,
    /// What was done since the last request from outside.
    work: u64,
    writes: u64,
}

/// When a job is done.
#[derive(Clone, Copy, Debug)]
enum Goal {
    /// Nothing but routine is due for a while, counted from here or from the last change.
    Rest { start: Moment },
    /// Something has changed since this version of the store, or the moment has come; then the cluster is to come to rest.
    Change { since: u64, end: Moment },
    /// The moment has come; a request may wait for it.
    Time { end: Moment, is_asked: bool },
}

impl Actor<'_> {
    /// Lets time run until nothing but routine is due for a while.
    pub(super) fn settle(&mut self) {
        if self.settings.time == TimeMode::Still {
            self.begin_job(Goal::Rest { start: self.cluster.now() });
        }
    }

    /// Lets time run until something changes, because a client waits for that, and then until the cluster is still.
    pub(super) fn await_change(&mut self) {
        if self.settings.time == TimeMode::Still {
            let since = self.cluster.api.store().revision();
            let end = self.cluster.now() + self.settings.stillness.for_waiting;
            self.begin_job(Goal::Change { since, end });
        }
    }

    /// Lets a span of time go by, after the one that goes by already.
    pub(super) fn begin_pass(&mut self, span: Milliseconds, is_asked: bool) {
        match &mut self.job {
            // The clock gives nobody another budget.
            Some(Job { goal: Goal::Time { end, .. }, .. }) if span > 0 && !is_asked => *end = *end + span,
            Some(Job { goal: Goal::Time { end, is_asked: was_asked }, .. }) => {
                let goal = Goal::Time { end: *end + span, is_asked: is_asked || *was_asked };
                self.begin_job(goal);
            }
            _ => self.begin_job(Goal::Time { end: self.cluster.now() + span, is_asked }),
        }
    }

    /// Begins a job, or gives the one that is going on a budget anew.
    fn begin_job(&mut self, goal: Goal) {
        if !self.is_ending() {
            self.job = Some(Job { goal, work: 0, writes: 0 });
        }
    }

    /// Does all that is left to do.
    pub fn rest(&mut self) {
        while self.job.is_some() {
            self.slice_of_job();
        }
    }

    /// Does a part of what is to be done.
    pub(super) fn slice(&mut self) {
        if self.is_ending() {
            (self.job, self.task) = (None, None);
        } else if self.task.is_some() {
            // It answers by itself.
            self.slice_of_task();
        } else {
            self.slice_of_job();
        }
        if self.is_at_rest() {
            self.busy = 0;
        }
    }

    pub(super) fn slice_of_job(&mut self) {
        let before = self.cluster.api.store().looks();
        while self.step() && self.cluster.api.store().looks() - before < SLICE {}
        self.hand_out();
    }

    /// Does the next thing of the job. False if nothing is left.
    pub(super) fn step(&mut self) -> bool {
        let Some(job) = &mut self.job else { return false };
        let Stillness { after_writes, patience, .. } = self.settings.stillness;
        let revision = self.cluster.api.store().revision();
        if let Goal::Change { since, .. } = job.goal
            && revision != since
        {
            job.goal = Goal::Rest { start: self.cluster.now() };
        }
        let goal = job.goal;
        let until = match goal {
            Goal::Time { end, .. } => Some(end),
            Goal::Change { end, .. } => self.cluster.next_activity().filter(|at| *at <= end),
            Goal::Rest { start } => {
                let rest = (self.cluster.last_change().max(start) + after_writes).min(start + patience);
                self.cluster.next_activity().filter(|at| *at <= rest)
            }
        };
        let work = self.cluster.api.store().looks();
        let stepped = until.map_or(Ok(false), |until| self.cluster.step(until));
        self.hand_out_if_many();
        // What is done for a request is written down with it.
        self.steps += u64::from(!matches!(goal, Goal::Time { is_asked: true, .. }));
        let store = self.cluster.api.store();
        let (work, writes) = (store.looks() - work, store.revision() - revision);
        self.busy += work;
        let Some(job) = &mut self.job else { return false };
        job.work += work;
        job.writes += writes;
        let budget = self.cluster.api.budget();
        let exhausted = if job.work > budget.work {
            Some(Exhausted::Work(budget.work))
        } else {
            (job.writes > budget.writes).then_some(Exhausted::Writes(budget.writes))
        };
        match (stepped, exhausted) {
            (Ok(true), None) => return true,
            (Ok(false), _) => self.unfinished = None,
            (Ok(true), Some(exhausted)) => {
                if self.unfinished.replace(exhausted).is_none() {
                    let limit = exhausted.limit();
                    tracing::warn!(
                        "{exhausted} without coming to rest: they go on with the next request; `--limit {limit}=N` allows more"
                    );
                }
            }
            (Err(error), _) => tracing::warn!(%error, "controllers do not come to rest"),
        }
        self.job = None;
        // Whoever asked for time learns that it did not go by; the clock cannot be told.
        if let Goal::Time { end, is_asked } = goal
            && !(is_asked && self.unfinished.is_some())
        {
            self.cluster.api.advance_to(end);
        }
        false
    }
}

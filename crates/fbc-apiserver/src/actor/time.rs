//! Time: it stands still between requests, flows with the clock, or moves when it is told to.
//!
//! What happens in it is a job, done a step at a time: a reconciliation, or the timers of a moment. Slices are measured in work,
//! which is counted and not timed.

use fbc_cluster::budget::{Budget, Exhausted};
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

/// Who asks for time gets the whole budget for each span of it: what nodes do in weeks is much, and all of it routine.
const SPAN_OF_A_BUDGET: Milliseconds = MINUTE;
/// A write gives the controllers this part of the budget back, or a slice, until they have come to rest: a thousand writes
/// in a row cost no thousand budgets.
const SHARE_OF_A_WRITE: u64 = 100;

/// What the controllers are about.
#[derive(Debug)]
pub(super) struct Job {
    goal: Goal,
}

/// What was done within the budget, which is whole again when the controllers have come to rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spent {
    /// When the budget was whole.
    since: Moment,
    work: u64,
    writes: u64,
}

impl Spent {
    pub(super) fn none(since: Moment) -> Self {
        Self { since, work: 0, writes: 0 }
    }

    fn beyond(self, budget: Budget) -> Option<Exhausted> {
        if self.work > budget.work {
            Some(Exhausted::Work(budget.work))
        } else {
            (self.writes > budget.writes).then_some(Exhausted::Writes(budget.writes))
        }
    }
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
            self.refill();
            self.begin_job(Goal::Change { since, end });
        }
    }

    /// Lets a span of time go by, after the one that goes by already.
    pub(super) fn begin_pass(&mut self, span: Milliseconds, is_asked: bool) {
        let goal = match self.job {
            Some(Job { goal: Goal::Time { end, is_asked: was_asked } }) => {
                Goal::Time { end: end + span, is_asked: is_asked || was_asked }
            }
            _ => Goal::Time { end: self.cluster.now() + span, is_asked },
        };
        // The clock gives nobody another budget who is at work.
        if is_asked || (span > 0 && self.job.is_none()) {
            self.refill();
        }
        self.begin_job(goal);
    }

    fn begin_job(&mut self, goal: Goal) {
        if !self.is_ending() {
            self.job = Some(Job { goal });
        }
    }

    /// Gives the controllers the whole budget.
    fn refill(&mut self) {
        self.spent = Spent::none(self.cluster.now());
    }

    /// Gives the controllers a part of the budget, for a write.
    pub(super) fn refill_in_part(&mut self) {
        let Budget { work, writes, .. } = self.cluster.api.budget();
        let left =
            |spent: u64, most: u64| spent.min(most).saturating_sub((most / SHARE_OF_A_WRITE).max(SLICE));
        self.spent.work = left(self.spent.work, work);
        self.spent.writes = left(self.spent.writes, writes);
    }

    /// Does all that is left to do, unless the server ends.
    pub fn rest(&mut self) {
        while self.job.is_some() && !self.is_ending() {
            self.slice_of_job();
        }
        self.end_if_asked();
        if self.is_at_rest() {
            self.busy = 0;
        }
    }

    fn end_if_asked(&mut self) {
        if self.is_ending() {
            (self.job, self.task) = (None, None);
        }
    }

    /// Does a part of what is to be done.
    pub(super) fn slice(&mut self) {
        self.end_if_asked();
        if self.task.is_some() {
            // It answers by itself.
            self.slice_of_task();
            self.pass_held();
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
        let is_asked = matches!(goal, Goal::Time { is_asked: true, .. });
        if is_asked && self.cluster.now().since(self.spent.since) >= SPAN_OF_A_BUDGET {
            self.refill();
        }
        self.spent.work += work;
        self.spent.writes += writes;
        let exhausted = self.spent.beyond(self.cluster.api.budget());
        match (stepped, exhausted) {
            (Ok(true), None) => return true,
            (Ok(true), Some(exhausted)) => {
                self.short = Some(exhausted).filter(|_| is_asked);
                self.give_up(goal, exhausted);
            }
            (Ok(false), _) => {
                self.unfinished = None;
                self.refill();
            }
            (Err(error), _) => {
                tracing::warn!(%error, "controllers do not come to rest");
                self.refill();
            }
        }
        self.job = None;
        // Whoever asked for time learns that it did not go by; the clock cannot be told.
        if let Goal::Time { end, .. } = goal
            && self.short.is_none()
        {
            self.cluster.api.advance_to(end);
        }
        false
    }

    /// The controllers are at the end of their budget. While time goes by that may be for routine alone.
    fn give_up(&mut self, goal: Goal, exhausted: Exhausted) {
        let now = self.cluster.now();
        let is_routine = matches!(goal, Goal::Time { .. })
            && self.cluster.next_activity().is_none_or(|activity| activity > now);
        if !is_routine && self.unfinished.replace(exhausted).is_none() {
            let limit = exhausted.limit();
            tracing::warn!(
                "{exhausted} without coming to rest: they go on with the next request; `--limit {limit}=N` allows more"
            );
        }
    }
}

//! Plays a scenario: time, steps, and what is expected of them.

mod pending;
mod run;
mod session;
mod step;
mod test;
#[cfg(test)]
mod tests;
mod timeline;
mod trace;

use std::cell::RefCell;
use std::rc::Rc;

use fbc_go::allowance::Allowance;
use serde_json::json;

pub use run::{ExpectationResult, Happening, Run, StepResult, TimelineEntry, Verdict};
pub use session::Session;

use fbc_cluster::budget::{Budget, SharedWork};
use fbc_cluster::engine::{RunError, Tracer};
use fbc_cluster::kind::Kind;
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, Moment};

use self::pending::{Pending, next_deadline, not_reached, patience_end};
use self::trace::Trace;
use super::model::{Check, Expectation, Limit, Predicate, Scenario, Start, Step};
use super::prepare::Prepared;
use super::setting::Setting;

/// How to play.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Another seed than that of the scenario.
    pub seed: Option<u64>,
    /// End after so much virtual time at the latest.
    pub until: Option<Milliseconds>,
    /// Keep the lines of the trace, not only their hash.
    pub keep_trace: bool,
    /// What the cluster may take.
    pub budget: Budget,
}

/// Plays a scenario from its start to its end.
pub fn play(prepared: &Prepared, options: Options) -> Run {
    end(Player::new(prepared, options))
}

/// As [`play`], with work that counts together with that of other runs.
pub(crate) fn play_sharing(prepared: &Prepared, options: Options, work: &SharedWork) -> Run {
    let mut player = Player::new(prepared, options);
    player.setting.cluster.api.share_work(work.clone());
    end(player)
}

fn end(mut player: Player<'_>) -> Run {
    let stopped = player.play().err().map(|error| error.to_string());
    player.finish(stopped)
}

/// What time is to run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// A moment.
    Moment(Moment),
    /// Nothing changes any more.
    Rest,
    /// The pending expectation with this number is decided.
    Decided(usize),
}

/// A run that is going on.
struct Player<'s> {
    prepared: &'s Prepared,
    scenario: &'s Scenario,
    setting: Setting<'s>,
    seed: u64,
    start: Moment,
    /// The last moment, if the run has one.
    end: Option<Moment>,
    seen_revision: u64,
    /// When an object changed last, or a step was done.
    last_activity: Moment,
    pendings: Vec<Pending<'s>>,
    /// How many expectations there were so far.
    expected: usize,
    /// How many steps were reached: what they expect is among the pending expectations.
    reached: usize,
    steps: Vec<StepResult>,
    /// What the commands of all steps may print, which is kept until the end.
    printed: Allowance,
    timeline: Vec<TimelineEntry>,
    trace: Rc<RefCell<Trace>>,
}

impl<'s> Player<'s> {
    fn new(prepared: &'s Prepared, options: Options) -> Self {
        let scenario = &prepared.scenario;
        let seed = options.seed.unwrap_or(scenario.seed);
        let mut setting = Setting::new(prepared, seed);
        setting.cluster.api.set_budget(options.budget);
        let trace = Rc::new(RefCell::new(Trace::new(options.keep_trace)));
        let sink = Rc::clone(&trace);
        let start = scenario.start;
        setting.cluster.trace_to(Tracer::new(start, Box::new(move |entry| sink.borrow_mut().add(entry))));
        let seen_revision = setting.installed_revision;
        let end = options.until.or(scenario.until).map(|span| start + span);
        Self {
            prepared,
            scenario,
            setting,
            seed,
            start,
            end,
            seen_revision,
            last_activity: start,
            pendings: Vec::new(),
            expected: 0,
            reached: 0,
            steps: Vec::new(),
            printed: Allowance::default(),
            timeline: Vec::new(),
            trace,
        }
    }

    fn now(&self) -> Moment {
        self.setting.cluster.now()
    }

    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| self.now() >= end)
    }

    fn play(&mut self) -> Result<(), RunError> {
        self.trace.borrow_mut().add(&json!({"scenario": self.scenario.title, "seed": self.seed}));
        self.set_up();
        self.observe();
        self.expect(0, &self.scenario.expectations);
        for (index, step) in self.scenario.steps.iter().enumerate() {
            let begun = self.wait_for(step)?;
            if self.is_over() {
                break;
            }
            self.observe();
            self.look_at_rest(false)?;
            if begun {
                let manifests = self.prepared.of_steps.get(index).map(Vec::as_slice).unwrap_or_default();
                self.perform(step, manifests)?;
                self.last_activity = self.now();
            }
            self.observe();
            self.reached = index + 1;
            self.expect(step.number, &step.expectations);
        }
        self.settle()
    }

    /// Waits until a step is to be done. False if its condition never held, which is told.
    fn wait_for(&mut self, step: &'s Step) -> Result<bool, RunError> {
        let last = self.steps.last().map_or(self.start, |step| self.start + step.at);
        match &step.start {
            Start::Still => self.settle()?,
            Start::At(span) => self.advance(Goal::Moment(self.start + *span))?,
            Start::After(span) => self.advance(Goal::Moment(last + *span))?,
            Start::When(predicate, limit) => {
                // A state that is waited for is an expectation that holds the steps up.
                let expectation = Expectation {
                    place: predicate.object.place,
                    check: Check::State(Predicate::clone(predicate)),
                    limit: Limit::Within(*limit),
                };
                return self.wait_until(step, &expectation);
            }
        }
        Ok(true)
    }

    fn wait_until(&mut self, step: &Step, expectation: &Expectation) -> Result<bool, RunError> {
        let mut waiting = Pending::new(usize::MAX, step.number, expectation, &self.setting.cluster.api);
        let limit = waiting.deadline().unwrap_or_else(|| self.now());
        while !waiting.is_decided() {
            let is_left = self.setting.cluster.step(self.end.map_or(limit, |end| end.min(limit)))?;
            if !is_left {
                break;
            }
            let now = self.now();
            for (change, kind) in self.observe() {
                waiting.see(&change, &kind, now);
            }
        }
        let is_met = waiting.is_decided();
        if !is_met {
            self.setting.cluster.api.advance_to(self.end.map_or(limit, |end| end.min(limit)));
        }
        let at = self.now().since(self.start);
        if !is_met {
            let result = {
                waiting.conclude(self.now());
                waiting.result(self.start)
            };
            let seen = match &result.verdict {
                Verdict::Failed(_, seen) => seen.clone(),
                Verdict::Met(_) => String::new(),
            };
            self.steps.push(StepResult {
                fault: Some(format!("not done, because it waits for: {}; {seen}", result.wanted)),
                ..StepResult::new(step, at, self.timeline.len())
            });
        }
        Ok(is_met)
    }

    /// Registers what is expected from now on.
    fn expect(&mut self, step: usize, expectations: &'s [Expectation]) {
        for expectation in expectations {
            let pending = Pending::new(self.expected, step, expectation, &self.setting.cluster.api);
            self.expected += 1;
            self.pendings.push(pending);
        }
    }

    /// Lets time run until the cluster is still and all that has a time limit is decided; then looks at what is
    /// expected at rest.
    fn settle(&mut self) -> Result<(), RunError> {
        let is_last = self.steps.len() >= self.scenario.steps.len();
        self.advance(Goal::Rest)?;
        while let Some((number, deadline)) = next_deadline(&self.pendings, is_last) {
            if self.is_over() || self.now() > deadline {
                break;
            }
            self.advance(Goal::Decided(number))?;
            self.advance(Goal::Rest)?;
        }
        self.look_at_rest(is_last)
    }

    /// Decides what steps expect at rest, and at the end what the whole scenario does.
    fn look_at_rest(&mut self, is_last: bool) -> Result<(), RunError> {
        self.look_at_output(true, is_last)?;
        let now = self.now();
        for pending in &mut self.pendings {
            if pending.expectation.limit == Limit::AtRest && (pending.step > 0 || is_last) {
                pending.conclude(now);
            }
        }
        Ok(())
    }

    fn waits_for_rest(&self) -> bool {
        let waits = |pending: &Pending<'_>| {
            pending.step > 0 && !pending.is_decided() && pending.expectation.limit == Limit::AtRest
        };
        self.pendings.iter().any(waits)
    }

    /// Lets time run until a goal is reached, or the end of the run.
    fn advance(&mut self, goal: Goal) -> Result<(), RunError> {
        let began = self.now();
        let patience = patience_end(began, self.scenario.patience, self.end);
        loop {
            self.observe();
            let mut is_rest = false;
            let target = match goal {
                Goal::Moment(moment) => {
                    let rest = (self.last_activity + self.scenario.quiet).max(self.now());
                    is_rest = self.waits_for_rest() && rest < moment;
                    let moment = if is_rest { rest } else { moment };
                    self.end.map_or(moment, |end| end.min(moment))
                }
                Goal::Rest => (self.last_activity + self.scenario.quiet).max(self.now()).min(patience),
                Goal::Decided(number) => {
                    let open = self.pendings.iter().find(|pending| pending.number == number);
                    let Some(open) = open.filter(|pending| !pending.is_decided()) else { return Ok(()) };
                    let deadline = open.deadline().unwrap_or(patience);
                    self.end.map_or(deadline, |end| end.min(deadline))
                }
            };
            let has_changes = self.setting.cluster.api.store().revision() != self.seen_revision;
            if !has_changes && !self.setting.cluster.step(target)? {
                self.setting.cluster.api.advance_to(target);
                self.observe();
                if is_rest && !self.is_over() {
                    self.look_at_rest(false)?;
                    continue;
                }
                if let Goal::Decided(number) = goal {
                    let at = self.now();
                    let open = self.pendings.iter_mut().find(|pending| pending.number == number);
                    open.into_iter().for_each(|pending| pending.conclude(at));
                }
                return Ok(());
            }
            if matches!(goal, Goal::Decided(_)) {
                self.look_at_output(false, false)?;
            }
        }
    }

    /// Runs the commands whose output is expected: those with a time limit at any moment, others at rest.
    fn look_at_output(&mut self, is_at_rest: bool, is_last: bool) -> Result<(), RunError> {
        let now = self.now();
        for pending in &mut self.pendings {
            let Check::Output(command) = &pending.expectation.check else { continue };
            let has_limit = matches!(pending.expectation.limit, Limit::Within(_));
            let is_due = has_limit || (is_at_rest && (pending.step > 0 || is_last));
            if pending.is_decided() || !is_due {
                continue;
            }
            let printed = self.setting.run(&command.line, &Allowance::default())?;
            pending.printed(printed.fault(command), now);
        }
        Ok(())
    }

    /// Takes in what changed since the last time, and answers with it.
    fn observe(&mut self) -> Vec<(Change, Kind)> {
        let now = self.now();
        let at = now.since(self.start);
        let api = &self.setting.cluster.api;
        if self.seen_revision == api.store().revision() {
            return Vec::new();
        }
        let changes: Vec<Change> = match api.store().changes_since(self.seen_revision) {
            Some(changes) => changes.cloned().collect(),
            // More changed at once than the store remembers: take every object as new.
            None => api
                .store()
                .iter()
                .map(|(kind, name, object)| Change {
                    revision: api.store().revision(),
                    key: fbc_cluster::store::ObjectKey { kind, name: name.clone() },
                    before: None,
                    after: Some(object.clone()),
                })
                .collect(),
        };
        self.seen_revision = api.store().revision();
        self.last_activity = now;
        let mut seen = Vec::with_capacity(changes.len());
        for change in changes {
            let Some(kind) = api.registry().get(change.key.kind).cloned() else { continue };
            self.timeline.extend(timeline::entries(at, &kind.kind, &change));
            for pending in &mut self.pendings {
                pending.see(&change, &kind, now);
            }
            seen.push((change, kind));
        }
        seen
    }

    fn finish(mut self, stopped: Option<String>) -> Run {
        self.observe();
        let now = self.now();
        for pending in &mut self.pendings {
            if stopped.is_none() || pending.is_never() {
                pending.conclude(now);
            }
        }
        let mut pendings = std::mem::take(&mut self.pendings);
        pendings.sort_by_key(|pending| (pending.expectation.place, pending.number));
        let start = self.start;
        let unchecked = self.unchecked();
        self.steps.extend(unchecked);
        let not_reached = not_reached(&self.scenario.steps, self.reached, now.since(start));
        let results = pendings.into_iter().map(|pending| pending.result(start));
        let mut expectations: Vec<ExpectationResult> = results.chain(not_reached).collect();
        expectations.sort_by_key(|result| result.place);
        let trace = std::mem::take(&mut *self.trace.borrow_mut());
        let (hash, trace) = trace.finish();
        Run {
            file: self.scenario.file.clone(),
            title: self.scenario.title.clone(),
            seed: self.seed,
            shows: self.scenario.all_shown(),
            start: start.to_string(),
            end: now.since(start),
            planned_steps: self.scenario.steps.len(),
            steps: self.steps,
            expectations,
            timeline: self.timeline,
            state: self.setting.cluster.api.store().iter().map(|(_, _, object)| object.clone()).collect(),
            exhausted: self.setting.cluster.api.exhausted().filter(|_| stopped.is_some()),
            stopped,
            hash,
            trace,
            reconciliations: self.setting.cluster.reconciliations(),
            work: self.setting.cluster.api.store().looks(),
        }
    }
}

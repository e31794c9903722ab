//! Expectations that wait for what they expect.

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::kind::Kind;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, Moment};

use super::run::{ExpectationResult, Verdict};
use super::test::{event_fits, holds, seen_words, wanted_words};
use crate::duration::duration_text;
use crate::kinds::means;
use crate::model::{Check, Expectation, Limit, ObjectReference, Predicate, Step, Test};

/// A state that is watched.
struct Watched<'s> {
    predicate: &'s Predicate,
    latest: Option<Arc<Object>>,
    holds: bool,
}

impl<'s> Watched<'s> {
    fn new(predicate: &'s Predicate, api: &ApiServer) -> Self {
        let latest = find(api, &predicate.object);
        let holds = holds(&predicate.test, latest.as_deref());
        Self { predicate, latest, holds }
    }

    /// Takes a change in.
    fn see(&mut self, change: &Change, kind: &Kind) {
        let wanted = &self.predicate.object;
        if let Test::Event(event) = &self.predicate.test {
            if let Some(found) = change.after.as_deref().filter(|_| kind.kind == "Event") {
                let object = &found["involvedObject"];
                let is_about = object.kind().eq_ignore_ascii_case(&wanted.kind)
                    && object.text(&["name"]) == wanted.name.name
                    && object.text(&["namespace"]) == wanted.name.namespace;
                self.holds |= is_about && event_fits(event, found);
            }
            return;
        }
        if change.key.name == wanted.name && means(wanted, kind) {
            self.latest.clone_from(&change.after);
            self.holds = holds(&self.predicate.test, self.latest.as_deref());
        }
    }

    fn seen(&self) -> String {
        seen_words(&self.predicate.test, self.latest.as_deref())
    }
}

/// An object by reference.
pub(super) fn find(api: &ApiServer, reference: &ObjectReference) -> Option<Arc<Object>> {
    let (id, _) = api.registry().iter().find(|(_, kind)| means(reference, kind))?;
    api.store().get(id, &reference.name).cloned()
}

/// What is waited for.
enum Waiting<'s> {
    State(Watched<'s>),
    /// States, and how many of them were reached.
    Order(Vec<Watched<'s>>, usize),
    /// What a command printed last.
    Output(String),
}

/// An expectation that is not decided yet.
pub(super) struct Pending<'s> {
    /// Its place among all results.
    pub(super) number: usize,
    pub(super) step: usize,
    pub(super) expectation: &'s Expectation,
    began: Moment,
    waiting: Waiting<'s>,
    verdict: Option<Verdict>,
}

impl<'s> Pending<'s> {
    pub(super) fn new(number: usize, step: usize, expectation: &'s Expectation, api: &ApiServer) -> Self {
        let waiting = match &expectation.check {
            Check::State(predicate) => Waiting::State(Watched::new(predicate, api)),
            Check::Order(states) => {
                Waiting::Order(states.iter().map(|state| Watched::new(state, api)).collect(), 0)
            }
            Check::Output(_) => Waiting::Output(String::new()),
        };
        let mut pending = Self { number, step, expectation, began: api.now(), waiting, verdict: None };
        if let Waiting::Order(states, reached) = &mut pending.waiting {
            *reached = usize::from(states.first().is_some_and(|state| state.holds));
        }
        pending.decide(api.now());
        pending
    }

    /// The last moment that counts, if there is one.
    pub(super) fn deadline(&self) -> Option<Moment> {
        match self.expectation.limit {
            Limit::AtRest | Limit::Never(None) => None,
            Limit::Within(span) | Limit::Never(Some(span)) => Some(self.began + span),
        }
    }

    pub(super) fn is_never(&self) -> bool {
        matches!(self.expectation.limit, Limit::Never(_))
    }

    pub(super) fn is_decided(&self) -> bool {
        self.verdict.is_some()
    }

    /// Takes a change in, which happened now.
    pub(super) fn see(&mut self, change: &Change, kind: &Kind, now: Moment) {
        if self.is_decided() || self.expire(now) {
            return;
        }
        match &mut self.waiting {
            Waiting::State(state) => state.see(change, kind),
            Waiting::Order(states, reached) => {
                let next = *reached;
                let mut is_reached = false;
                for (index, state) in states.iter_mut().enumerate() {
                    let before = state.holds;
                    state.see(change, kind);
                    is_reached |= index == next && state.holds && !before;
                }
                *reached += usize::from(is_reached);
            }
            Waiting::Output(_) => {}
        }
        self.decide(now);
    }

    /// Decides if the state allows it already.
    fn decide(&mut self, now: Moment) {
        let holds = match &self.waiting {
            Waiting::State(state) => state.holds,
            Waiting::Order(states, reached) => *reached == states.len(),
            Waiting::Output(_) => false,
        };
        if !holds {
            return;
        }
        match self.expectation.limit {
            Limit::AtRest if matches!(self.waiting, Waiting::State(_)) => {}
            Limit::AtRest | Limit::Within(_) => self.verdict = Some(Verdict::Met(now.0)),
            Limit::Never(_) => {
                let seen = match &self.waiting {
                    Waiting::State(state) => state.seen(),
                    _ => String::new(),
                };
                self.verdict = Some(Verdict::Failed(now.0, seen));
            }
        }
    }

    /// Decides what has no time left. True if it is decided.
    pub(super) fn expire(&mut self, now: Moment) -> bool {
        if self.is_decided() {
            return true;
        }
        if self.deadline().is_some_and(|deadline| now > deadline) {
            let at = self.deadline().unwrap_or(now);
            self.conclude(at);
        }
        self.is_decided()
    }

    /// Takes in what a command printed; `fault` says what is wrong with it.
    pub(super) fn printed(&mut self, fault: Option<String>, now: Moment) {
        let Waiting::Output(seen) = &mut self.waiting else { return };
        match fault {
            None => self.verdict = Some(Verdict::Met(now.0)),
            Some(fault) => *seen = fault,
        }
    }

    /// Decides now: nothing more is waited for.
    pub(super) fn conclude(&mut self, now: Moment) {
        if self.is_decided() {
            return;
        }
        let seen = match &self.waiting {
            _ if self.is_never() => {
                self.verdict = Some(Verdict::Met(now.0));
                return;
            }
            Waiting::State(state) if state.holds => {
                self.verdict = Some(Verdict::Met(now.0));
                return;
            }
            Waiting::State(state) => state.seen(),
            Waiting::Order(states, reached) => order_seen(states, *reached),
            Waiting::Output(seen) => seen.clone(),
        };
        self.verdict = Some(Verdict::Failed(now.0, seen));
    }

    /// The result so far; what is not decided counts as failed.
    pub(super) fn result(&self, start: Moment) -> ExpectationResult {
        let since = |at: u64| Moment(at).since(start);
        let verdict = match &self.verdict {
            Some(Verdict::Met(at)) => Verdict::Met(since(*at)),
            Some(Verdict::Failed(at, seen)) => Verdict::Failed(since(*at), seen.clone()),
            None => Verdict::Failed(0, "the run ended before".to_owned()),
        };
        let wanted = words(self.expectation);
        ExpectationResult { step: self.step, place: self.expectation.place, wanted, verdict }
    }
}

fn order_seen(states: &[Watched<'_>], reached: usize) -> String {
    let Some(next) = states.get(reached) else { return String::new() };
    let wanted = format!("{} {}", next.predicate.object, wanted_words(&next.predicate.test));
    let after = match reached.checked_sub(1).and_then(|last| states.get(last)) {
        Some(last) => format!(" after {} {}", last.predicate.object, wanted_words(&last.predicate.test)),
        None => String::new(),
    };
    let held = if next.holds { ", but it did so before" } else { "" };
    format!("never seen that {wanted}{after}{held}; {}", next.seen())
}

/// What is expected, in words.
pub(super) fn words(expectation: &Expectation) -> String {
    let state = |predicate: &Predicate| format!("{} {}", predicate.object, wanted_words(&predicate.test));
    let what = match &expectation.check {
        Check::State(predicate) => state(predicate),
        Check::Order(states) => {
            let states: Vec<String> = states.iter().map(state).collect();
            format!("in this order: {}", states.join(", then "))
        }
        Check::Output(command) => format!("`{}` prints what is expected", command.line),
    };
    match expectation.limit {
        Limit::AtRest => what,
        Limit::Within(span) => format!("{what} within {}", duration_text(span)),
        Limit::Never(None) => format!("never: {what}"),
        Limit::Never(Some(span)) => format!("never within {}: {what}", duration_text(span)),
    }
}

/// What steps expect to which the run did not come before its end: none of it is met.
pub(super) fn not_reached(steps: &[Step], reached: usize, end: Milliseconds) -> Vec<ExpectationResult> {
    let steps = steps.iter().skip(reached);
    let expected = steps.flat_map(|step| step.expectations.iter().map(move |one| (step.number, one)));
    let result = |(step, expectation): (usize, &Expectation)| ExpectationResult {
        step,
        place: expectation.place,
        wanted: words(expectation),
        verdict: Verdict::Failed(end, format!("not reached: the run ended before step {step}")),
    };
    expected.map(result).collect()
}

/// What must be decided first of all that can still be met, and until when.
///
/// What the scenario as a whole expects holds no step up: its time limit counts from the start, and it is waited for at
/// the end only.
pub(super) fn next_deadline(pendings: &[Pending<'_>], is_last: bool) -> Option<(usize, Moment)> {
    let counts = |pending: &&Pending<'_>| pending.step > 0 || is_last;
    let open = pendings.iter().filter(counts).filter(|pending| !pending.is_decided() && !pending.is_never());
    open.filter_map(|pending| Some((pending.number, pending.deadline()?)))
        .min_by_key(|(_, deadline)| *deadline)
}

/// A span after which something that nobody waits for is given up.
pub(super) fn patience_end(now: Moment, patience: Milliseconds, end: Option<Moment>) -> Moment {
    let limit = now + patience;
    end.map_or(limit, |end| end.min(limit))
}

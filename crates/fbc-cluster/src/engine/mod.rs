//! The engine: virtual time, controllers and their work queues.
//!
//! A run is a sequence of reconciliations. Controllers are level-triggered: they are told only which object to look
//! at, read the state, and write what is missing. Changes wake the controllers that watch their kind, at the same
//! moment and in the order of the writes; failures come again after a back-off; time jumps to the next timer when
//! nothing is left to do. Same objects, same seed: same run.

mod controller;
mod fight;
mod queue;
#[cfg(test)]
mod tests;
mod timers;
mod trace;

use std::any::Any;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

pub use controller::{Controller, Outcome, Requeue};
pub use fight::Fight;
pub use queue::WorkQueue;
use timers::{Timer, Timers};
pub use trace::{TraceEntry, Tracer};

use crate::api::ApiServer;
use crate::budget::Exhausted;
use crate::kind::KindId;
use crate::object::ObjectName;
use crate::store::Change;
use crate::time::{Milliseconds, Moment};

/// Why a run stopped before what it was run for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// Controllers undo each other's work without end.
    #[error(transparent)]
    Fight(#[from] Fight),
    /// The cluster takes more than it may.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

/// What stands in timers for all objects, of controllers that hear of all of them again: the name that no object has.
const RESYNC: ObjectName = ObjectName { namespace: String::new(), name: String::new() };

/// A cluster: its API server and its controllers.
pub struct Cluster {
    /// The API server.
    pub api: ApiServer,
    controllers: Vec<Box<dyn Controller>>,
    queues: Vec<WorkQueue>,
    watchers: BTreeMap<KindId, Vec<usize>>,
    ready: BinaryHeap<Reverse<(u64, usize)>>,
    timers: Timers,
    /// The one timer of each object that counts; a heap cannot drop the others at once.
    due: HashMap<(usize, ObjectName), Moment>,
    number: u64,
    seen_revision: u64,
    last_change: Moment,
    fights: fight::Watcher,
    tracer: Option<Tracer>,
    reconciliations: u64,
}

impl Cluster {
    /// A cluster without controllers.
    pub fn new(api: ApiServer) -> Self {
        let last_change = api.now();
        Self {
            seen_revision: api.store().revision(),
            api,
            controllers: Vec::new(),
            queues: Vec::new(),
            watchers: BTreeMap::new(),
            ready: BinaryHeap::new(),
            timers: Timers::default(),
            due: HashMap::new(),
            number: 0,
            last_change,
            fights: fight::Watcher::default(),
            tracer: None,
            reconciliations: 0,
        }
    }

    /// Adds a controller. It is told of every object that is there already.
    pub fn add_controller(&mut self, controller: Box<dyn Controller>) {
        self.deliver();
        let index = self.controllers.len();
        self.controllers.push(controller);
        self.queues.push(WorkQueue::default());
        self.watchers.clear();
        self.resync(index);
        self.schedule_resync(index);
    }

    /// Stops a controller, as when its pod goes away, and forgets its queue.
    pub fn remove_controller(&mut self, name: &str) {
        self.deliver();
        let Some(index) = self.controllers.iter().position(|controller| controller.name() == name) else {
            return;
        };
        self.controllers.remove(index);
        self.queues.remove(index);
        self.ready.clear();
        self.due.clear();
        for timer in std::mem::take(&mut self.timers).into_sorted() {
            if timer.controller != index {
                let controller = timer.controller - usize::from(timer.controller > index);
                self.wake(controller, timer.request, timer.at, timer.routine);
            }
        }
        self.watchers.clear();
        for (index, queue) in self.queues.iter_mut().enumerate() {
            for _ in 0..queue.waiting() {
                self.number += 1;
                self.ready.push(Reverse((self.number, index)));
            }
        }
    }

    /// The names of the controllers, in the order in which they were added.
    pub fn controllers(&self) -> impl Iterator<Item = &'static str> {
        self.controllers.iter().map(|controller| controller.name())
    }

    /// A controller by its type, to set it up while it runs.
    pub fn controller<C: 'static>(&mut self) -> Option<&mut C> {
        self.controllers.iter_mut().find_map(|controller| {
            let controller: &mut dyn Any = controller.as_mut();
            controller.downcast_mut()
        })
    }

    /// Makes a controller look at an object now.
    pub fn poke(&mut self, name: &str, request: ObjectName) {
        if let Some(index) = self.controllers.iter().position(|controller| controller.name() == name) {
            self.event(index, request);
        }
    }

    /// Why a controller failed with an object the last time, if it did: what its log says.
    pub fn failure(&self, name: &str, request: &ObjectName) -> Option<&str> {
        let index = self.controllers.iter().position(|controller| controller.name() == name)?;
        self.queues.get(index)?.failure(request)
    }

    /// Writes every change and every reconciliation to a trace from now on.
    pub fn trace_to(&mut self, tracer: Tracer) {
        self.tracer = Some(tracer);
    }

    /// Writes no trace any more.
    pub fn stop_trace(&mut self) {
        self.tracer = None;
    }

    /// How many reconciliations there were.
    pub fn reconciliations(&self) -> u64 {
        self.reconciliations
    }

    /// The present moment.
    pub fn now(&self) -> Moment {
        self.api.now()
    }

    /// When an object changed last.
    pub fn last_change(&self) -> Moment {
        self.last_change
    }

    /// When something that is not routine is due next, if anything is.
    pub fn next_activity(&mut self) -> Option<Moment> {
        self.deliver();
        if !self.ready.is_empty() {
            return Some(self.now());
        }
        while let Some(timer) = self.timers.next_activity() {
            let (at, key) = (timer.at, (timer.controller, timer.request.clone()));
            if self.due.get(&key) == Some(&at) {
                return Some(at);
            }
            self.timers.drop_next_activity();
        }
        None
    }

    /// Runs until a moment; time is that moment afterwards.
    pub fn run_until(&mut self, end: Moment) -> Result<(), RunError> {
        while self.step(end)? {}
        self.api.advance_to(end);
        Ok(())
    }

    /// Runs until nothing has changed for a while, or until a moment. True if it became still.
    pub fn run_until_still(&mut self, quiet: Milliseconds, end: Moment) -> Result<bool, RunError> {
        let start = self.now();
        loop {
            self.deliver();
            let still_at = self.last_change.max(start) + quiet;
            if !self.step(still_at.min(end))? {
                let reached = still_at.min(end);
                self.api.advance_to(reached);
                return Ok(still_at <= end);
            }
        }
    }

    /// Does the next thing that is due until a moment. False if there is none.
    pub fn step(&mut self, end: Moment) -> Result<bool, RunError> {
        if let Some(exhausted) = self.api.exhausted() {
            return Err(exhausted.into());
        }
        self.deliver();
        while let Some(Reverse((_, index))) = self.ready.pop() {
            let Some(request) = self.queues.get_mut(index).and_then(WorkQueue::take) else { continue };
            self.reconcile(index, &request);
            self.deliver();
            self.fights.check(self.now())?;
            return Ok(true);
        }
        let Some(moment) = self.timers.next().filter(|at| *at <= end) else { return Ok(false) };
        // All that is due at one moment comes before what follows from it: who looks at many objects looks once.
        while self.timers.next() == Some(moment) {
            let Some(timer) = self.timers.pop() else { break };
            let key = (timer.controller, timer.request);
            if self.due.get(&key) == Some(&timer.at) {
                self.due.remove(&key);
                self.api.advance_to(timer.at);
                let period = self.controllers.get(key.0).and_then(|controller| controller.resync_period());
                if key.1 == RESYNC && period.is_some() {
                    self.resync(key.0);
                    self.schedule_resync(key.0);
                } else {
                    self.enqueue(key.0, key.1);
                }
            }
        }
        Ok(true)
    }

    fn reconcile(&mut self, index: usize, request: &ObjectName) {
        let (Some(controller), Some(queue)) = (self.controllers.get_mut(index), self.queues.get_mut(index))
        else {
            return;
        };
        self.reconciliations += 1;
        self.api.count_step();
        let outcome = controller.reconcile(request, &mut self.api);
        let requeues = controller.requeues();
        if let Some(tracer) = &mut self.tracer {
            tracer.reconciled(self.api.now(), controller.name(), request, &outcome);
        }
        let again = match outcome {
            Outcome::Done => {
                queue.forget(request);
                None
            }
            Outcome::After(wait) => {
                queue.forget(request);
                Some((wait, false))
            }
            Outcome::Routinely(wait) => {
                queue.forget(request);
                Some((wait, true))
            }
            Outcome::Failed(error) => Some((queue.back_off(request, error), false)),
            Outcome::FailedWithin(error, longest) => {
                Some((queue.back_off(request, error).min(longest), false))
            }
        };
        if let Some((wait, routine)) = again {
            self.wake(index, request.clone(), self.api.now() + wait, routine);
        }
        // Watches tell of what was written a little later.
        requeues.into_iter().for_each(|requeue| self.requeue(requeue));
    }

    fn requeue(&mut self, Requeue { controller, request, after }: Requeue) {
        let Some(index) = self.controllers.iter().position(|one| one.name() == controller) else { return };
        if after == 0 {
            self.event(index, request);
        } else {
            self.wake(index, request, self.api.now() + after, true);
        }
    }

    /// Sets the timer at which a controller hears of every object anew, if it wants to.
    fn schedule_resync(&mut self, index: usize) {
        if let Some(period) = self.controllers.get(index).and_then(|controller| controller.resync_period()) {
            self.wake(index, RESYNC, self.api.now() + period, true);
        }
    }

    /// Sets the timer of an object, unless it has one that is due no later.
    ///
    /// Source: `kubernetes/client-go:util/workqueue/delaying_queue.go`.
    fn wake(&mut self, controller: usize, request: ObjectName, at: Moment, routine: bool) {
        let key = (controller, request);
        if self.due.get(&key).is_some_and(|due| *due <= at) {
            return;
        }
        self.due.insert(key.clone(), at);
        self.number += 1;
        self.timers.push(Timer { at, number: self.number, controller, request: key.1, routine });
    }

    /// Puts an object into the queue because something happened to it.
    fn event(&mut self, index: usize, request: ObjectName) {
        if self.controllers.get(index).is_some_and(|controller| controller.events_end_waits()) {
            self.due.remove(&(index, request.clone()));
        }
        self.enqueue(index, request);
    }

    fn enqueue(&mut self, index: usize, request: ObjectName) {
        if self.queues.get_mut(index).is_some_and(|queue| queue.add(request)) {
            self.number += 1;
            self.ready.push(Reverse((self.number, index)));
        }
    }

    /// Tells controllers what changed since the last time.
    fn deliver(&mut self) {
        if self.seen_revision == self.api.store().revision() {
            return;
        }
        let changes =
            self.api.store().changes_since(self.seen_revision).map(|changes| changes.cloned().collect());
        let Some(changes): Option<Vec<Change>> = changes else {
            // More happened in one reconciliation than the log holds: look at everything, as after a lost watch.
            self.seen_revision = self.api.store().revision();
            self.last_change = self.now();
            self.controllers.iter_mut().for_each(|controller| controller.start_over());
            for index in 0..self.controllers.len() {
                self.resync(index);
            }
            return;
        };
        self.seen_revision = self.api.store().revision();
        self.last_change = self.now();
        for change in &changes {
            self.fights.count(change, self.api.now());
            if let Some(tracer) = &mut self.tracer {
                tracer.changed(self.api.now(), change, &self.api);
            }
            self.tell(change, None);
        }
    }

    fn resync(&mut self, index: usize) {
        let all: Vec<Change> = self
            .api
            .store()
            .iter()
            .map(|(kind, name, object)| Change {
                revision: self.seen_revision,
                key: crate::store::ObjectKey { kind, name: name.clone() },
                before: None,
                after: Some(object.clone()),
            })
            .collect();
        for change in &all {
            self.tell(change, Some(index));
        }
    }

    /// Tells all controllers that watch the kind, or only one of them.
    fn tell(&mut self, change: &Change, only: Option<usize>) {
        let Some(kind) = self.api.registry().shared(change.key.kind) else { return };
        let name = (kind.group.as_str(), kind.kind.as_str());
        let controllers = &self.controllers;
        let watchers = self.watchers.entry(change.key.kind).or_insert_with(|| {
            let wants = |controller: &dyn Controller| {
                controller.watches().iter().any(|watch| *watch == name || *watch == ("*", "*"))
            };
            (0..controllers.len())
                .filter(|index| controllers.get(*index).is_some_and(|one| wants(one.as_ref())))
                .collect()
        });
        let indexes: Vec<usize> = match only {
            Some(index) => watchers.iter().copied().filter(|one| *one == index).collect(),
            None => watchers.clone(),
        };
        let mut requests = Vec::new();
        for index in indexes {
            if let Some(controller) = self.controllers.get_mut(index) {
                controller.requests(change, name, &self.api, &mut requests);
            }
            for request in requests.drain(..) {
                self.event(index, request);
            }
        }
    }
}

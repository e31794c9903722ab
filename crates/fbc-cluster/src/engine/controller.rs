//! What a controller is to the engine.

use std::any::Any;

use crate::api::ApiServer;
use crate::object::ObjectName;
use crate::store::Change;
use crate::time::Milliseconds;

/// What a reconciliation came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is left to do until something changes.
    Done,
    /// Look again after a while, whatever happens.
    After(Milliseconds),
    /// As [`Outcome::After`], for routine that says nothing about whether the cluster is still, such as polling.
    Routinely(Milliseconds),
    /// It failed and comes again after the back-off.
    Failed(String),
    /// As [`Outcome::Failed`], but it comes again after this while at the latest.
    FailedWithin(String, Milliseconds),
}

/// An object that a controller is to look at although it did not change: what one queue of a program asks of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requeue {
    /// The name of the controller.
    pub controller: &'static str,
    /// The object.
    pub request: ObjectName,
    /// After which while; none for at once. A wait says nothing about whether the cluster is still.
    pub after: Milliseconds,
}

impl Requeue {
    /// To look at an object at once.
    pub fn now(controller: &'static str, request: ObjectName) -> Self {
        Self { controller, request, after: 0 }
    }
}

/// A controller: a function from the state of the cluster to writes.
pub trait Controller: Any {
    /// Its name, for traces and for its generator of random numbers.
    fn name(&self) -> &'static str;

    /// The kinds whose changes it wants to hear of, by group and kind. `*` in both stands for every kind.
    fn watches(&self) -> &'static [(&'static str, &'static str)];

    /// Adds the objects that a change makes it look at: unless a controller says otherwise, the one that changed.
    fn requests(
        &mut self,
        change: &Change,
        _kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        requests.push(change.key.name.clone());
    }

    /// Forgets what it learned from changes: it hears of every object anew, and not of those that went in the meantime.
    fn start_over(&mut self) {}

    /// Looks at one object.
    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome;

    /// What the reconciliation that has just ended asks for besides its outcome.
    fn requeues(&mut self) -> Vec<Requeue> {
        Vec::new()
    }

    /// After which while the controller hears of every object anew, again and again, as informers do that are told to.
    fn resync_period(&self) -> Option<Milliseconds> {
        None
    }

    /// Whether an event takes the place of a wait of the same object that is still going on, as in the priority queue of
    /// controller-runtime. In the queue of client-go both come.
    fn events_end_waits(&self) -> bool {
        false
    }
}

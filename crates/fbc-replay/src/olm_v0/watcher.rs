//! Every write of a step, as a watch sees it.

use std::cell::RefCell;
use std::rc::Rc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::ObjectName;
use fbc_cluster::store::Change;

/// The writes so far, with the kinds of their objects.
pub(super) type Seen = Rc<RefCell<Vec<(String, Change)>>>;

/// Writes down what it hears of.
pub(super) struct Watcher {
    pub(super) seen: Seen,
}

impl Controller for Watcher {
    fn name(&self) -> &'static str {
        "watcher"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("*", "*")]
    }

    fn requests(&mut self, change: &Change, kind: (&str, &str), _: &ApiServer, _: &mut Vec<ObjectName>) {
        self.seen.borrow_mut().push((kind.1.to_owned(), change.clone()));
    }

    fn reconcile(&mut self, _: &ObjectName, _: &mut ApiServer) -> Outcome {
        Outcome::Done
    }
}

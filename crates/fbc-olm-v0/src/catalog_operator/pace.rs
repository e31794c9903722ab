//! How fast catalog-operator works: its client may send five requests in a second, and a plan takes many.
//!
//! So a namespace is not looked at again before the versions of its plan had time to take the place of others. This decides whether
//! a resolution meets both.
//!
//! Source: `openshift/operator-framework-olm:vendor/k8s.io/client-go/rest/config.go` (`DefaultQPS`, `DefaultBurst`).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use fbc_cluster::time::{Milliseconds, Moment};

/// How long a plan keeps the client busy.
const PLAN: Milliseconds = 1500;

/// Until when namespaces wait.
#[derive(Debug, Clone, Default)]
pub(super) struct Pace(Rc<RefCell<BTreeMap<String, Moment>>>);

impl Pace {
    /// Notes that a plan of a namespace was made or carried out.
    pub(super) fn spend(&self, namespace: &str, now: Moment) {
        self.0.borrow_mut().insert(namespace.to_owned(), now + PLAN);
    }

    /// How long a namespace waits still.
    pub(super) fn rest(&self, namespace: &str, now: Moment) -> Option<Milliseconds> {
        let until = *self.0.borrow().get(namespace)?;
        if now < until {
            return Some(until.since(now));
        }
        self.0.borrow_mut().remove(namespace);
        None
    }
}

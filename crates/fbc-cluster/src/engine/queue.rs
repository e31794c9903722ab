//! The work queue of a controller: each object once, in the order of arrival, with a back-off for failures.
//!
//! Source: `kubernetes/client-go:util/workqueue/queue.go`, `default_rate_limiters.go`.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::object::ObjectName;
use crate::time::{Milliseconds, SECOND};

/// The wait after a first failure; every further one doubles it.
const FIRST_BACK_OFF: Milliseconds = 5;
/// The longest wait.
const LONGEST_BACK_OFF: Milliseconds = 1000 * SECOND;

/// Objects that a controller is to look at.
#[derive(Debug, Clone, Default)]
pub struct WorkQueue {
    order: VecDeque<ObjectName>,
    waiting: HashSet<ObjectName>,
    failures: HashMap<ObjectName, Failures>,
}

/// Failures in a row.
#[derive(Debug, Clone, Default)]
struct Failures {
    count: u32,
    /// What was wrong the last time.
    last: String,
}

impl WorkQueue {
    /// Adds an object unless it waits already. True if it was added.
    pub fn add(&mut self, request: ObjectName) -> bool {
        let is_new = self.waiting.insert(request.clone());
        if is_new {
            self.order.push_back(request);
        }
        is_new
    }

    /// The next object.
    pub fn take(&mut self) -> Option<ObjectName> {
        let request = self.order.pop_front()?;
        self.waiting.remove(&request);
        Some(request)
    }

    /// How many objects wait.
    pub fn waiting(&self) -> usize {
        self.order.len()
    }

    /// Counts a failure and answers how long to wait.
    pub fn back_off(&mut self, request: &ObjectName, error: String) -> Milliseconds {
        let failures = self.failures.entry(request.clone()).or_default();
        let doubled = FIRST_BACK_OFF.checked_shl(failures.count).unwrap_or(LONGEST_BACK_OFF);
        *failures = Failures { count: (failures.count + 1).min(40), last: error };
        doubled.min(LONGEST_BACK_OFF)
    }

    /// What was wrong with an object the last time, if it failed then.
    pub fn failure(&self, request: &ObjectName) -> Option<&str> {
        self.failures.get(request).map(|failures| failures.last.as_str())
    }

    /// Forgets the failures of an object.
    pub fn forget(&mut self, request: &ObjectName) {
        self.failures.remove(request);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_wait_once_and_failures_wait_longer() {
        let mut queue = WorkQueue::default();
        let name = ObjectName::cluster("a");
        assert!(queue.add(name.clone()));
        assert!(!queue.add(name.clone()));
        assert_eq!(queue.take(), Some(name.clone()));
        assert_eq!(queue.take(), None);
        let waits: Vec<_> = (0..20).map(|count| queue.back_off(&name, format!("failure {count}"))).collect();
        assert_eq!(waits[..4], [5, 10, 20, 40]);
        assert_eq!(waits[18..], [1_000_000, 1_000_000]);
        assert_eq!(queue.failure(&name), Some("failure 19"));
        queue.forget(&name);
        assert_eq!(queue.failure(&name), None);
        assert_eq!(queue.back_off(&name, String::new()), 5);
    }
}

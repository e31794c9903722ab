//! Queues that act a while after the first of several events, as `AddAfter` of client-go's queues does: a later event
//! does not move the time.

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::object::ObjectName;
use fbc_cluster::time::{Milliseconds, Moment};

/// When objects are looked at next.
#[derive(Debug, Clone, Default)]
pub(crate) struct Delays {
    due: BTreeMap<ObjectName, Moment>,
    /// Objects whose time came while nobody could look.
    overdue: BTreeSet<ObjectName>,
}

impl Delays {
    /// An object is to be looked at after a while, unless it is to be looked at earlier.
    pub(crate) fn add(&mut self, name: &ObjectName, now: Moment, wait: Milliseconds) {
        self.notice(name, now);
        let due = self.due.entry(name.clone()).or_insert(now + wait);
        *due = (*due).min(now + wait);
    }

    /// How long an object is still to wait; nothing if it is not waited for.
    pub(crate) fn wait(&self, name: &ObjectName, now: Moment) -> Option<Milliseconds> {
        if self.overdue.contains(name) { Some(0) } else { self.due.get(name).map(|due| due.since(now)) }
    }

    /// True if the time of an object has come; it is forgotten then.
    pub(crate) fn take(&mut self, name: &ObjectName, now: Moment) -> bool {
        self.notice(name, now);
        self.overdue.remove(name)
    }

    /// A time that has come does not stand in the way of the next one.
    fn notice(&mut self, name: &ObjectName, now: Moment) {
        if self.due.get(name).is_some_and(|due| *due <= now) {
            self.due.remove(name);
            self.overdue.insert(name.clone());
        }
    }
}

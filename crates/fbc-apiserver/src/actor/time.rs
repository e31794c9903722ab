//! Time: it stands still between requests, flows with the clock, or moves when it is told to.

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

impl Actor<'_> {
    /// Lets time run until nothing but routine is due for a while.
    pub(crate) fn settle(&mut self) {
        if self.settings.time != TimeMode::Still {
            return;
        }
        let start = self.cluster.now();
        let Stillness { after_writes, patience, .. } = self.settings.stillness;
        loop {
            let rest = (self.cluster.last_change().max(start) + after_writes).min(start + patience);
            let due = self.cluster.next_activity().filter(|at| *at <= rest);
            if due.and_then(|at| self.step(at)).is_none() {
                break;
            }
        }
        self.hand_out();
    }

    /// Lets time run until something changes, because a client waits for that, and then until the cluster is still.
    pub fn run_until_change(&mut self) {
        if self.settings.time != TimeMode::Still {
            return;
        }
        let end = self.cluster.now() + self.settings.stillness.for_waiting;
        let before = self.cluster.api.store().revision();
        while self.cluster.api.store().revision() == before {
            let due = self.cluster.next_activity().filter(|at| *at <= end);
            if due.and_then(|at| self.step(at)).is_none() {
                return;
            }
        }
        self.settle();
    }

    /// Lets a span of time go by.
    pub fn pass(&mut self, span: Milliseconds) {
        let end = self.cluster.now() + span;
        while self.step(end) == Some(true) {}
        self.cluster.api.advance_to(end);
        self.hand_out();
    }

    /// Does what is due next until then, and says whether there was anything; none if the controllers do not come to rest,
    /// and more steps would change nothing about that.
    fn step(&mut self, end: Moment) -> Option<bool> {
        let stepped = self.cluster.step(end);
        self.hand_out_if_many();
        stepped.map_err(|error| tracing::warn!(%error, "controllers do not come to rest")).ok()
    }
}

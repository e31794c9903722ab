//! The resync of the Machine API's caches: everything is looked at again about every ten minutes.
//!
//! Source: the recordings: a period of ten minutes less what chance takes off, and no first tick.

use fbc_cluster::engine::Outcome;
use fbc_cluster::time::{Milliseconds, Moment, SECOND};

/// The period, with the chance of the recordings.
const PERIOD: Milliseconds = 590 * SECOND;

/// Since when a controller runs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Resync {
    started: Option<Moment>,
}

impl Resync {
    /// A controller hears of something for the first time when it starts.
    pub(super) fn start(&mut self, now: Moment) {
        self.started.get_or_insert(now);
    }

    /// How long it is until the next resync.
    pub(super) fn next(&self, now: Moment) -> Milliseconds {
        let since = self.started.map_or(0, |started| now.since(started));
        // The first tick is missed.
        (since / PERIOD + 1).max(2) * PERIOD - since
    }

    /// An outcome that comes again at the next resync at the latest.
    pub(super) fn bound(&self, now: Moment, outcome: Outcome) -> Outcome {
        let next = self.next(now);
        match outcome {
            Outcome::After(wait) if wait <= next => Outcome::After(wait),
            Outcome::Routinely(wait) => Outcome::Routinely(wait.min(next)),
            Outcome::Done | Outcome::After(_) => Outcome::Routinely(next),
            Outcome::Failed(text) => Outcome::FailedWithin(text, next),
            Outcome::FailedWithin(text, wait) => Outcome::FailedWithin(text, wait.min(next)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_tick_is_missed() {
        let mut resync = Resync::default();
        resync.start(Moment::START);
        let next = |seconds: u64| resync.next(Moment::START + seconds * SECOND) / SECOND;
        assert_eq!((next(0), next(600), next(1179), next(1180), next(1800)), (1180, 580, 1, 590, 560));
    }
}

//! How fast the time of a cluster goes.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fbc_apiserver::actor::{Mailbox, TimeMode};
use fbc_app::invalid_value::InvalidValue;
use fbc_cluster::time::{MINUTE, Milliseconds, Moment};

/// Between two looks at the clock.
const TICK: Duration = Duration::from_millis(20);
/// The fastest: a year in some nine hours.
const FASTEST: u32 = 1000;

/// So much time at most goes by in a cluster until it has come up.
const COMING_UP: Milliseconds = 2 * MINUTE;

/// The time of the clock.
fn clock() -> Moment {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    Moment(u64::try_from(now).unwrap_or_default())
}

/// How fast the time of a cluster goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// It stands still while nothing is due.
    Still,
    /// It moves when it is told to.
    Paused,
    /// So many times as fast as the clock.
    Times(u32),
}

impl std::fmt::Display for Pace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Still => formatter.write_str("still"),
            Self::Paused => formatter.write_str("paused"),
            Self::Times(1) => formatter.write_str("real"),
            Self::Times(times) => write!(formatter, "fast={times}"),
        }
    }
}

impl Pace {
    /// Reads `still`, `paused`, `real` or `fast=60`.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let form = || format!("expected still, paused, real or fast=N, with N from 1 to {FASTEST}").into();
        match text {
            "still" => Ok(Self::Still),
            "paused" => Ok(Self::Paused),
            "real" => Ok(Self::Times(1)),
            _ => {
                let times = text.strip_prefix("fast=").and_then(|times| times.parse().ok());
                times.filter(|times| (1..=FASTEST).contains(times)).map(Self::Times).ok_or_else(form)
            }
        }
    }

    /// What the front door does with time.
    pub(super) fn mode(self) -> TimeMode {
        match self {
            Self::Still => TimeMode::Still,
            Self::Paused => TimeMode::Paused,
            Self::Times(_) => TimeMode::Flowing,
        }
    }

    /// When a cluster starts that follows the clock: so much earlier that it is not ahead when it has come up.
    pub(super) fn start(self) -> Option<Moment> {
        matches!(self, Self::Times(_)).then(|| Moment(clock().0.saturating_sub(COMING_UP)))
    }

    /// Brings a cluster that has come up to the time of the clock.
    pub(super) async fn catch_up(self, cluster: Moment, mailbox: &Mailbox) {
        let behind = clock().since(cluster);
        if matches!(self, Self::Times(_)) && behind > 0 {
            // A cluster that is gone needs no time.
            mailbox.pass(behind).await;
        }
    }

    /// Lets time go by until the cluster ends.
    pub(super) async fn keep(self, mailbox: Mailbox) {
        let Self::Times(times) = self else { return };
        let begun = Instant::now();
        let mut passed = 0;
        loop {
            tokio::time::sleep(TICK).await;
            let due = u64::try_from(begun.elapsed().as_millis())
                .unwrap_or(u64::MAX)
                .saturating_mul(u64::from(times));
            if !mailbox.pass(due - passed).await {
                return;
            }
            passed = due;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pace;

    #[test]
    fn paces() {
        assert_eq!(Pace::parse("fast=60"), Ok(Pace::Times(60)));
        assert_eq!(Pace::parse("real"), Ok(Pace::Times(1)));
        for bad in ["", "fast", "fast=0", "fast=1001", "slow"] {
            assert!(Pace::parse(bad).is_err(), "{bad}");
        }
    }
}

//! The time, and waiting for it, for the client.

use std::time::{Duration, SystemTime};

use fbc_registry::Clock;
use futures_util::future::BoxFuture;

/// The clock of the system.
pub(super) struct TokioClock;

impl Clock for TokioClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}

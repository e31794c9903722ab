//! How slow a registry may be: whole answers in some time, and blobs at a least rate.

use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::{self, StreamExt as _};
use tokio::time::{Instant, timeout};

use crate::error::{Problem, Result};
use crate::limits::LEAST_RATE;

/// What a future comes to in some time, else that it is slow.
pub(crate) async fn within<T>(
    whole: Duration,
    future: impl Future<Output = std::result::Result<T, Problem>>,
) -> std::result::Result<T, Problem> {
    timeout(whole, future).await.unwrap_or_else(|_| {
        Err(Problem::Slow { text: format!("it is not whole after {}", seconds(whole)), is_silent: false })
    })
}

/// No answer has begun in that time.
pub(crate) fn silence(wait: Duration) -> Problem {
    Problem::Slow { text: format!("there is no answer after {}", seconds(wait)), is_silent: true }
}

fn seconds(wait: Duration) -> String {
    format!("{} s", wait.as_secs_f64())
}

/// What has come since when; only waiting counts, not what is done with the bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meter {
    waited: Duration,
    bytes: u64,
}

impl Meter {
    /// Adds a wait and what came of it. Each time that a window has passed, its bytes must have been enough.
    pub(crate) fn add(
        &mut self,
        waited: Duration,
        bytes: u64,
        window: Duration,
    ) -> std::result::Result<(), Problem> {
        self.waited += waited;
        self.bytes += bytes;
        if self.waited < window {
            return Ok(());
        }
        let least = u64::try_from(window.as_millis()).unwrap_or(u64::MAX).saturating_mul(LEAST_RATE) / 1000;
        let Self { bytes, .. } = std::mem::take(self);
        if bytes >= least {
            return Ok(());
        }
        let text = format!("only {bytes} bytes moved in {}", seconds(window));
        Err(Problem::Slow { text, is_silent: bytes == 0 })
    }

    /// How long it may wait before the window has passed.
    pub(crate) fn left(&self, window: Duration) -> Duration {
        window.saturating_sub(self.waited)
    }
}

/// The next block of what keeps the least rate; `bytes` says how large one is.
pub(crate) async fn next<T>(
    meter: &mut Meter,
    window: Duration,
    bytes: impl Fn(&T) -> u64,
    block: impl Future<Output = T>,
) -> std::result::Result<T, Problem> {
    let mut block = std::pin::pin!(block);
    loop {
        let began = Instant::now();
        let next = timeout(meter.left(window), block.as_mut()).await;
        meter.add(began.elapsed(), next.as_ref().map_or(0, &bytes), window)?;
        if let Ok(block) = next {
            return Ok(block);
        }
    }
}

/// The blocks of a stream that keeps the least rate; behind one that does not, its end.
pub(crate) fn paced(
    blocks: impl Stream<Item = Result<Bytes>> + Send + Unpin + 'static,
    window: Duration,
    failure: impl Fn(Problem) -> Box<super::error::RegistryError> + Send + 'static,
) -> impl Stream<Item = Result<Bytes>> + Send {
    stream::unfold(Some((blocks, Meter::default(), failure)), move |state| async move {
        let (mut blocks, mut meter, failure) = state?;
        loop {
            let began = Instant::now();
            let next = timeout(meter.left(window), blocks.next()).await;
            let bytes = match &next {
                Ok(Some(Ok(block))) => block.len() as u64,
                Ok(None | Some(Err(_))) => return next.ok().flatten().map(|block| (block, None)),
                Err(_) => 0,
            };
            // A timer may ring a little early by another clock.
            let waited = if next.is_err() { meter.left(window) } else { began.elapsed() };
            if let Err(problem) = meter.add(waited, bytes, window) {
                return Some((Err(failure(problem)), None));
            }
            if let Ok(Some(block)) = next {
                return Some((block, Some((blocks, meter, failure))));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_needs_its_bytes() {
        let window = Duration::from_secs(10);
        let second = Duration::from_secs(1);
        let mut meter = Meter::default();
        for _ in 0..9 {
            assert!(meter.add(second, 1, window).is_ok());
        }
        assert_eq!(meter.left(window), second);
        let slow = meter.add(second, 1, window).unwrap_err();
        assert_eq!(slow.to_string(), "too slow: only 10 bytes moved in 10 s");
        assert!(slow.passing().is_none(), "who trickles is not asked again");
        let silent = meter.add(window, 0, window).unwrap_err();
        assert!(silent.passing().is_some(), "who says nothing may have lost the connection");
        for _ in 0..100 {
            assert!(meter.add(second, LEAST_RATE, window).is_ok());
        }
    }
}

//! When to try again, and how long to wait before.

use std::time::{Duration, SystemTime};

use futures_util::future::BoxFuture;

/// The time, and waiting for it to pass. The library has no clock of its own, so that tests need none.
pub trait Clock: Send + Sync {
    /// The time of day; tokens expire by it.
    fn now(&self) -> SystemTime;

    /// Ready when that much time has passed.
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()>;
}

/// How often a request is repeated. There is no jitter: a program that pulls one catalog is no herd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often a thing is tried altogether; at least once.
    pub attempts: u32,
    /// The wait after the first failure; it doubles with each further one.
    pub first_delay: Duration,
    /// No wait that we choose ourselves is longer.
    pub longest_delay: Duration,
    /// A registry that asks for a longer wait than this is not waited for.
    pub longest_asked_delay: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 6,
            first_delay: Duration::from_millis(500),
            longest_delay: Duration::from_secs(30),
            longest_asked_delay: Duration::from_secs(300),
        }
    }
}

impl RetryPolicy {
    /// The wait after `failures` failures in a row, or none if that was the last attempt or the registry asks for
    /// more patience than there is.
    pub(crate) fn delay(&self, failures: u32, asked: Option<Duration>) -> Option<Duration> {
        if failures >= self.attempts {
            return None;
        }
        match asked {
            Some(asked) => (asked <= self.longest_asked_delay).then_some(asked),
            None => {
                let factor = 2_u32.saturating_pow(failures.saturating_sub(1));
                Some(self.first_delay.saturating_mul(factor).min(self.longest_delay))
            }
        }
    }
}

/// The wait that a `Retry-After` header asks for: a number of seconds or a date (RFC 9110, section 10.2.3).
pub(crate) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if !header.is_empty() && header.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(header.parse().unwrap_or(u64::MAX)));
    }
    let date = httpdate::parse_http_date(header).ok()?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}

/// Statuses that may be gone the next time.
pub(crate) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit() {
        let policy = RetryPolicy { attempts: 5, longest_delay: Duration::from_secs(2), ..Default::default() };
        let waits: Vec<_> =
            (1..=5).map(|failures| policy.delay(failures, None).map(|w| w.as_millis())).collect();
        assert_eq!(waits, [Some(500), Some(1000), Some(2000), Some(2000), None]);
        assert_eq!(policy.delay(1, Some(Duration::from_secs(7))), Some(Duration::from_secs(7)));
        assert_eq!(policy.delay(1, Some(Duration::from_secs(301))), None);
        assert_eq!(policy.delay(5, Some(Duration::from_secs(7))), None);
    }

    #[test]
    fn retry_after_in_both_forms() {
        let now = httpdate::parse_http_date("Sat, 21 Nov 2026 15:00:00 GMT").unwrap();
        for (header, expected) in [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("Sat, 21 Nov 2026 15:00:30 GMT", Some(30)),
            ("Sat, 21 Nov 2026 14:00:00 GMT", Some(0)),
            ("soon", None),
            ("-1", None),
            ("", None),
        ] {
            assert_eq!(retry_after(header, now), expected.map(Duration::from_secs), "{header:?}");
        }
    }
}

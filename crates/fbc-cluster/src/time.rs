//! Virtual time in whole milliseconds, and how Kubernetes writes it.

use std::fmt;
use std::ops::{Add, Sub};

/// A span of virtual time in milliseconds.
pub type Milliseconds = u64;

/// One second.
pub const SECOND: Milliseconds = 1000;
/// One minute.
pub const MINUTE: Milliseconds = 60 * SECOND;
/// One hour.
pub const HOUR: Milliseconds = 60 * MINUTE;

/// A moment of virtual time: milliseconds since the start of 1970, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub u64);

impl Moment {
    /// When every simulation starts unless it is told otherwise: 1 January 2026, midnight.
    pub const START: Self = Self(1_767_225_600_000);

    /// The last moment of the year 9999, the last that texts can name.
    pub const LAST: Self = Self(253_402_300_799_999);

    /// The time that has gone by since an earlier moment, 0 if it is later.
    pub fn since(self, earlier: Self) -> Milliseconds {
        self.0.saturating_sub(earlier.0)
    }

    /// Reads what [`Moment`] writes: `2026-01-01T00:00:00Z`, with or without a fraction of a second.
    pub fn parse(text: &str) -> Option<Self> {
        let text = Some(text).filter(|text| text.ends_with('Z') && text.is_ascii())?;
        let (seconds, nanoseconds) = fbc_go::time::parse_rfc3339(text).ok()?;
        let milliseconds = u64::from(nanoseconds) / 1_000_000;
        Some(Self(u64::try_from(seconds).ok()?.checked_mul(SECOND)? + milliseconds))
    }
}

impl Add<Milliseconds> for Moment {
    type Output = Self;
    fn add(self, span: Milliseconds) -> Self {
        Self(self.0.saturating_add(span))
    }
}

impl Sub<Milliseconds> for Moment {
    type Output = Self;
    fn sub(self, span: Milliseconds) -> Self {
        Self(self.0.saturating_sub(span))
    }
}

impl fmt::Display for Moment {
    /// As `metav1.Time` is written: whole seconds in UTC (`kubernetes/apimachinery:pkg/apis/meta/v1/time.go`).
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&fbc_go::time::rfc3339(i64::try_from(self.0 / SECOND).unwrap_or(i64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_and_read_back() {
        for (milliseconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (Moment::START.0, "2026-01-01T00:00:00Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (951_868_799_000, "2000-02-29T23:59:59Z"),
            (951_868_800_000, "2000-03-01T00:00:00Z"),
            (1_735_689_599_000, "2024-12-31T23:59:59Z"),
            (4_102_444_800_000, "2100-01-01T00:00:00Z"),
        ] {
            assert_eq!(Moment(milliseconds).to_string(), text);
            assert_eq!(Moment::parse(text), Some(Moment(milliseconds)), "{text}");
        }
        assert_eq!(Moment::parse("2026-01-01T00:00:00.25Z"), Some(Moment::START + 250));
        assert_eq!(Moment(Moment::LAST.0 + 1).to_string(), Moment::LAST.to_string());
        assert_eq!(Moment::START + Milliseconds::MAX, Moment(u64::MAX));
        for bad in
            ["", "2026-01-01", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00+01:00", "2026-01-01T00:00:00xZ"]
        {
            assert_eq!(Moment::parse(bad), None, "{bad}");
        }
    }
}

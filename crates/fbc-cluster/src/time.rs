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

    /// The time that has gone by since an earlier moment, 0 if it is later.
    pub fn since(self, earlier: Self) -> Milliseconds {
        self.0.saturating_sub(earlier.0)
    }

    /// Reads what [`Moment`] writes: `2026-01-01T00:00:00Z`, with or without a fraction of a second.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<u64>().ok();
        let fits = text.is_ascii() && text.ends_with('Z') && text.len() >= 20;
        let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
        let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
        let fits = fits && (1..=12).contains(&month) && (1..=31).contains(&day);
        if !fits || hour > 23 || minute > 59 || second > 59 || year < 1970 {
            return None;
        }
        let fraction = text.get(19..text.len() - 1)?;
        let milliseconds = match fraction.strip_prefix('.') {
            None if fraction.is_empty() => 0,
            None => return None,
            Some(digits) => format!("{digits:0<3}").get(..3)?.parse::<u64>().ok()?,
        };
        let days = days_before(year, month) + day - 1;
        Some(Self((((days * 24 + hour) * 60 + minute) * 60 + second) * SECOND + milliseconds))
    }
}

impl Add<Milliseconds> for Moment {
    type Output = Self;
    fn add(self, span: Milliseconds) -> Self {
        Self(self.0 + span)
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
        let seconds = self.0 / SECOND;
        let (days, of_day) = (seconds / 86_400, seconds % 86_400);
        let mut year = 1970 + days / 366;
        while days_before(year + 1, 1) <= days {
            year += 1;
        }
        let mut month = 1;
        while month < 12 && days_before(year, month + 1) <= days {
            month += 1;
        }
        let day = days - days_before(year, month) + 1;
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        write!(formatter, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// Days from the start of 1970 to the first day of a month.
fn days_before(year: u64, month: u64) -> u64 {
    const BEFORE_MONTH: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let past = year - 1;
    let leap_days = past / 4 - past / 100 + past / 400 - 477;
    let in_year =
        usize::try_from(month - 1).ok().and_then(|index| BEFORE_MONTH.get(index)).copied().unwrap_or(0);
    (year - 1970) * 365 + leap_days + in_year + u64::from(leap && month > 2)
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
        for bad in
            ["", "2026-01-01", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00+01:00", "2026-01-01T00:00:00xZ"]
        {
            assert_eq!(Moment::parse(bad), None, "{bad}");
        }
    }
}

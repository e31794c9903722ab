//! Days of the calendar.

use std::fmt;

/// A day. Ordered as the calendar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// The year.
    pub year: u16,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
}

impl Date {
    /// Reads `2027-03-31`; nothing for any other form, or a day that does not exist.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || (year.len(), month.len(), day.len()) != (4, 2, 2) {
            return None;
        }
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if ![year, month, day].into_iter().all(is_number) {
            return None;
        }
        Self::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
    }

    /// A day; nothing if it does not exist.
    #[must_use]
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let [month_of_year, day_of_month] = [month, day].map(|part| i8::try_from(part).unwrap_or_default());
        let exists = fbc_go::time::exists(i16::try_from(year).ok()?, month_of_year, day_of_month);
        exists.then_some(Self { year, month, day })
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    #[test]
    fn days_that_exist() {
        for text in ["2027-03-31", "2024-02-29", "2000-02-29"] {
            assert_eq!(Date::parse(text).unwrap().to_string(), text);
        }
        for text in
            ["2027-02-29", "1900-02-29", "2027-13-01", "2027-04-31", "2027-4-1", "27-04-01", "", "+027-04-01"]
        {
            assert_eq!(Date::parse(text), None, "{text}");
        }
        assert!(Date::parse("2026-12-31") < Date::parse("2027-01-01"));
    }
}

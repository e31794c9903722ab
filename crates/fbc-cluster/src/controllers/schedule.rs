//! Times as cron writes them: minute, hour, day of the month, month, day of the week; all in UTC.
//!
//! Source: `robfig/cron:parser.go`, `spec.go`, which Kubernetes reads schedules with.

use crate::time::{MINUTE, Milliseconds, Moment};

const DAY: Milliseconds = 24 * 60 * MINUTE;
/// A schedule that does not come up within so many days, as the 30th of February, never does.
const HORIZON: u64 = 5 * 366;
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// When something happens again and again. Each field is a set of bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Any day of the month, or of the week, will do: then only the other one counts.
    any_day: bool,
    any_weekday: bool,
    /// `@every`: a span instead of times.
    every: Option<Milliseconds>,
}

/// A text that is not a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// What follows `@every` is not a span.
    #[error("failed to parse duration {0}")]
    Duration(String),
    /// There are not five fields.
    #[error("expected exactly 5 fields, found {}: [{}]", .0.len(), .0.join(" "))]
    Fields(Vec<String>),
    /// Something is neither a number nor a name.
    #[error("failed to parse int from {0:?}")]
    Number(String),
    /// What follows a slash is not a number.
    #[error("bad step in {0:?}")]
    Step(String),
    /// A part of a field leads beyond it.
    #[error("{part:?} is not within {least} and {most}")]
    Range {
        /// The part.
        part: String,
        /// The least that the field takes.
        least: u64,
        /// The most.
        most: u64,
    },
}

impl Schedule {
    /// Reads a schedule: five fields, or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`, `@every 90s`.
    ///
    /// # Errors
    /// [`ScheduleError`]
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        let text = text.trim();
        if let Some(span) = text.strip_prefix("@every ") {
            let every = span_of(span.trim()).ok_or_else(|| ScheduleError::Duration(text.to_owned()))?;
            return Ok(Self { every: Some(every), ..Self::parse("* * * * *")? });
        }
        let text = match text {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            other => other,
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields.as_slice() else {
            return Err(ScheduleError::Fields(fields.iter().map(|field| (*field).to_owned()).collect()));
        };
        let is_any = |field: &str| field.starts_with(['*', '?']);
        Ok(Self {
            minutes: set(minutes, 0, 59, &[])?,
            hours: set(hours, 0, 23, &[])?,
            days: set(days, 1, 31, &[])?,
            months: set(months, 1, 12, &MONTHS)?,
            weekdays: set(weekdays, 0, 6, &WEEKDAYS)?,
            any_day: is_any(days),
            any_weekday: is_any(weekdays),
            every: None,
        })
    }

    /// The first time after a moment.
    pub fn next(&self, after: Moment) -> Option<Moment> {
        if let Some(every) = self.every {
            return Some(Moment(after.0 / 1000 * 1000) + every);
        }
        let first = after.0 / MINUTE * MINUTE + MINUTE;
        let today = first / DAY;
        for day in (today..today + HORIZON).filter(|day| self.has_day(*day)) {
            let from = if day == today { first % DAY / MINUTE } else { 0 };
            let fits = |minute: &u64| has(self.hours, minute / 60) && has(self.minutes, minute % 60);
            if let Some(minute) = (from..24 * 60).find(fits) {
                return Some(Moment(day * DAY + minute * MINUTE));
            }
        }
        None
    }

    fn has_day(&self, day: u64) -> bool {
        let date = Moment(day * DAY).to_string();
        let part = |range: std::ops::Range<usize>| {
            date.get(range).and_then(|digits| digits.parse::<u64>().ok()).unwrap_or_default()
        };
        // 1 January 1970 was a Thursday.
        let (by_day, by_weekday) = (has(self.days, part(8..10)), has(self.weekdays, (day + 4) % 7));
        let fits = if self.any_day || self.any_weekday { by_day && by_weekday } else { by_day || by_weekday };
        has(self.months, part(5..7)) && fits
    }
}

fn has(set: u64, number: u64) -> bool {
    set >> number & 1 == 1
}

/// A field: lists of `*`, numbers, ranges, each with an optional step.
fn set(field: &str, least: u64, most: u64, names: &[&str]) -> Result<u64, ScheduleError> {
    let mut bits = 0;
    for part in field.split(',') {
        let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
        let number = |text: &str| {
            let named = names.iter().position(|name| text.to_lowercase() == *name);
            let named = named.and_then(|index| u64::try_from(index).ok()).map(|index| index + least);
            named.or_else(|| text.parse().ok()).ok_or_else(|| ScheduleError::Number(text.to_owned()))
        };
        let (first, last) = match range.split_once('-') {
            _ if ["*", "?"].contains(&range) => (least, most),
            Some((first, last)) => (number(first)?, number(last)?),
            None if step.is_some() => (number(range)?, most),
            None => (number(range)?, number(range)?),
        };
        let step: u64 =
            step.map_or(Ok(1), |step| step.parse()).map_err(|_| ScheduleError::Step(part.to_owned()))?;
        if step == 0 || first < least || last > most || first > last {
            return Err(ScheduleError::Range { part: part.to_owned(), least, most });
        }
        let mut number = first;
        while number <= last {
            bits |= 1 << number;
            number += step;
        }
    }
    Ok(bits)
}

/// `1h30m`, `90s`: whole seconds, at least one.
fn span_of(text: &str) -> Option<Milliseconds> {
    let (mut total, mut rest) = (0_u64, text);
    while !rest.is_empty() {
        let end = rest.find(|one: char| !one.is_ascii_digit())?;
        let number: u64 = rest.get(..end)?.parse().ok()?;
        let (unit, length) = match rest.get(end..)? {
            unit if unit.starts_with("ms") => (1, 2),
            unit if unit.starts_with('s') => (1000, 1),
            unit if unit.starts_with('m') => (MINUTE, 1),
            unit if unit.starts_with('h') => (60 * MINUTE, 1),
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(unit)?)?;
        rest = rest.get(end + length..)?;
    }
    Some((total / 1000 * 1000).max(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_come_up_when_they_should() {
        for (schedule, after, next) in [
            ("* * * * *", "2026-01-01T00:00:00Z", Some("2026-01-01T00:01:00Z")),
            ("*/15 * * * *", "2026-01-01T00:16:30Z", Some("2026-01-01T00:30:00Z")),
            ("5,10 3 * * *", "2026-01-01T03:10:00Z", Some("2026-01-02T03:05:00Z")),
            ("0 0 * * mon", "2026-01-01T00:00:00Z", Some("2026-01-05T00:00:00Z")),
            ("0 0 13 * 5", "2026-02-01T00:00:00Z", Some("2026-02-06T00:00:00Z")),
            ("0 0 29 2 *", "2026-01-01T00:00:00Z", Some("2028-02-29T00:00:00Z")),
            ("0 0 30 2 *", "2026-01-01T00:00:00Z", None),
            ("@monthly", "2026-01-01T00:00:00Z", Some("2026-02-01T00:00:00Z")),
            ("@every 1m30s", "2026-01-01T00:00:00Z", Some("2026-01-01T00:01:30Z")),
        ] {
            let found = Schedule::parse(schedule).unwrap().next(Moment::parse(after).unwrap());
            assert_eq!(found.map(|moment| moment.to_string()).as_deref(), next, "{schedule}");
        }
        for bad in ["", "* * * *", "60 * * * *", "5-1 * * * *", "*/0 * * * *", "a * * * *", "@every x"] {
            assert!(Schedule::parse(bad).is_err(), "{bad}");
        }
    }
}

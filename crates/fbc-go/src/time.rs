//! Times and durations as Go's package `time` reads and writes them; the calendar is that of `jiff`.
//!
//! Sources of the behaviour: `golang/go:src/time/format.go` and `format_rfc3339.go`.

use jiff::civil::{Date, DateTime};

use crate::text::quote;

mod duration;

pub use duration::parse_duration;

/// The layout of RFC 3339, as Go prints it.
const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";

const SECONDS_OF_A_DAY: i64 = 86_400;

/// Year, month, day and time of day in UTC of that many seconds since the start of 1970. What is beyond the year 9999, or
/// before the year -9999, is its last or first moment.
#[must_use]
pub fn civil(seconds: i64) -> DateTime {
    DateTime::from(Date::constant(1970, 1, 1)).saturating_add(jiff::SignedDuration::from_secs(seconds))
}

/// Seconds from the start of 1970 to a time in UTC.
#[must_use]
pub fn seconds(time: DateTime) -> i64 {
    time.duration_since(DateTime::from(Date::constant(1970, 1, 1))).as_secs()
}

/// Whole seconds as `metav1.Time` and logrus write them: `2006-01-02T15:04:05Z`.
#[must_use]
pub fn rfc3339(seconds: i64) -> String {
    let time = civil(seconds);
    let Ok(year) = u16::try_from(time.year()) else {
        return time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    };
    // Simulations write times by the million.
    let mut text = String::with_capacity(20);
    let mut push = |number: u16, width: u32, end: char| {
        for place in (0..width).rev() {
            text.extend(char::from_digit(u32::from(number / 10_u16.pow(place) % 10), 10));
        }
        text.push(end);
    };
    let part = |number: i8| u16::try_from(number).unwrap_or_default();
    push(year, 4, '-');
    push(part(time.month()), 2, '-');
    push(part(time.day()), 2, 'T');
    push(part(time.hour()), 2, ':');
    push(part(time.minute()), 2, ':');
    push(part(time.second()), 2, 'Z');
    text
}

/// A text that is not a time of RFC 3339, in the words of Go.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("parsing time {}{fault}", quote(.text))]
pub struct ParseError {
    text: String,
    fault: Fault,
}

/// What is wrong with a time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Fault {
    #[error(" as {}: cannot parse {} as {}", quote(LAYOUT), quote(.rest), quote(.element))]
    Element { rest: String, element: &'static str },
    #[error(": extra text: {}", quote(.0))]
    Extra(String),
    #[error(": {0} out of range")]
    OutOfRange(&'static str),
}

/// A time of RFC 3339 as `time.Parse(time.RFC3339, text)` reads it: seconds since the start of 1970, and nanoseconds.
///
/// # Errors
/// [`ParseError`]
///
/// ```
/// assert_eq!(fbc_go::time::parse_rfc3339("1970-01-02T01:00:00.5+01:00"), Ok((86_400, 500_000_000)));
/// ```
pub fn parse_rfc3339(text: &str) -> Result<(i64, u32), ParseError> {
    let error = |fault: Fault| ParseError { text: text.to_owned(), fault };
    let misfit = |rest: &str, element: &'static str| error(Fault::Element { rest: rest.to_owned(), element });
    let mut rest = text;
    let mut numbers = [0_i16; 6];
    for (number, (separator, element, width)) in numbers.iter_mut().zip([
        ("", "2006", 4),
        ("-", "01", 2),
        ("-", "02", 2),
        ("T", "15", 2),
        (":", "04", 2),
        (":", "05", 2),
    ]) {
        rest = rest.strip_prefix(separator).ok_or_else(|| misfit(rest, separator))?;
        let count = rest.bytes().take(width).take_while(u8::is_ascii_digit).count();
        // Of hours, and of nothing else, one digit will do.
        if count != width && !(element == "15" && count == 1) {
            return Err(misfit(rest, element));
        }
        let (digits, after) = rest.split_at_checked(count).unwrap_or((rest, ""));
        *number = digits.parse().unwrap_or_default();
        rest = after;
    }
    let mut nanoseconds = 0;
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
        if let Some(digits) = fraction.get(..end).filter(|digits| !digits.is_empty()) {
            nanoseconds =
                format!("{digits:0<9}").get(..9).and_then(|digits| digits.parse().ok()).unwrap_or(0);
            rest = fraction.get(end..).unwrap_or_default();
        }
    }
    let (hours, minutes, rest) = zone(rest).ok_or_else(|| misfit(rest, "Z07:00"))?;
    let [year, month, day, hour, minute, second] = numbers;
    if !rest.is_empty() {
        return Err(error(Fault::Extra(rest.to_owned())));
    }
    let small = |number: i16| i8::try_from(number).unwrap_or(i8::MAX);
    let out_of_range = |name: &'static str| error(Fault::OutOfRange(name));
    if !(1..=12).contains(&month) {
        return Err(out_of_range("month"));
    }
    let date = Date::new(year, small(month), small(day)).map_err(|_| out_of_range("day"))?;
    for (name, number, limit) in [("hour", hour, 24), ("minute", minute, 60), ("second", second, 60)] {
        if number >= limit {
            return Err(out_of_range(name));
        }
    }
    for (name, number, most) in
        [("time zone offset hour", hours, 24), ("time zone offset minute", minutes, 60)]
    {
        if number.abs() > most {
            return Err(out_of_range(name));
        }
    }
    let offset = hours * 3600 + minutes * 60;
    let time = date.at(small(hour), small(minute), small(second), 0);
    Ok((seconds(time) - offset, nanoseconds))
}

/// Hours and minutes of a zone, both with its sign, and what follows it. `Z` is nothing of both.
fn zone(text: &str) -> Option<(i64, i64, &str)> {
    if let Some(rest) = text.strip_prefix('Z') {
        return Some((0, 0, rest));
    }
    let sign = match text.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return None,
    };
    let number = |range: std::ops::Range<usize>| {
        let digits = text.get(range).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        digits.and_then(|digits| digits.parse::<i64>().ok())
    };
    let (hours, minutes) = (number(1..3)?, number(4..6)?);
    let has_colon = text.get(3..4) == Some(":");
    has_colon.then(|| (sign * hours, sign * minutes, text.get(6..).unwrap_or_default()))
}

/// Whether there is such a day.
#[must_use]
pub fn exists(year: i16, month: i8, day: i8) -> bool {
    Date::new(year, month, day).is_ok()
}

/// The day of the week, 0 for Sunday, of that many seconds since the start of 1970.
#[must_use]
pub fn weekday(seconds: i64) -> i64 {
    (seconds.div_euclid(SECONDS_OF_A_DAY) + 4).rem_euclid(7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_go_takes_them() {
        for (text, expected) in [
            ("2020-02-29T23:59:59Z", ""),
            ("2020-01-01T00:00:00.25+02:00", ""),
            ("2020-01-01", " as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"T\""),
            ("2020-1-01", " as \"2006-01-02T15:04:05Z07:00\": cannot parse \"1-01\" as \"01\""),
            ("2021-02-29T00:00:00Z", ": day out of range"),
            ("2021-13-29T00:00:00Z", ": month out of range"),
            ("2021-01-01T24:00:00Z", ": hour out of range"),
            ("2021-01-01T1:00:00,5Z", ""),
            ("2021-01-01T00:00:00+23:60", ""),
            ("2021-01-01T00:00:00+25:00", ": time zone offset hour out of range"),
            ("2021-01-01T00:00:00.Z", " as \"2006-01-02T15:04:05Z07:00\": cannot parse \".Z\" as \"Z07:00\""),
            ("2021-01-01T00:00:00Zx", ": extra text: \"x\""),
            ("2021-01-01T00:00:00", " as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"Z07:00\""),
        ] {
            match parse_rfc3339(text) {
                Ok(_) => assert_eq!(expected, "", "{text}"),
                Err(error) => {
                    assert_eq!(error.to_string(), format!("parsing time {}{expected}", quote(text)))
                }
            }
        }
        assert_eq!(parse_rfc3339("2020-01-01T00:00:00.25+02:00"), Ok((1_577_829_600, 250_000_000)));
    }

    #[test]
    fn seconds_are_written_and_read_back() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_827_696, "2000-02-29T12:34:56Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (4_102_444_799, "2099-12-31T23:59:59Z"),
        ] {
            assert_eq!(rfc3339(seconds), text);
            assert_eq!(parse_rfc3339(text), Ok((seconds, 0)));
        }
        assert_eq!((weekday(0), weekday(-86_400), weekday(3 * 86_400)), (4, 3, 0));
    }
}

//! Timestamps and durations.

use super::evaluate::{Evaluated, NO_SUCH_OVERLOAD, fault};
use super::syntax::Operator;
use super::value::Val;
use crate::schema::dates::{parse_date_time, parse_go_duration};

const SECOND: i64 = 1_000_000_000;

/// A timestamp in RFC 3339, in UTC.
pub(crate) fn timestamp_text(seconds: i64, nanoseconds: u32) -> String {
    let (year, month, day) = civil(seconds.div_euclid(86_400));
    let of_day = seconds.rem_euclid(86_400);
    let fraction = format!("{nanoseconds:09}");
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{dot}{fraction}Z")
}

/// A duration in seconds, such as `90s`.
pub(crate) fn duration_text(nanoseconds: i64) -> String {
    let (whole, rest) = (nanoseconds / SECOND, (nanoseconds % SECOND).unsigned_abs());
    let fraction = format!("{rest:09}");
    let fraction = fraction.trim_end_matches('0');
    let sign = if nanoseconds < 0 && whole == 0 { "-" } else { "" };
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{dot}{fraction}s")
}

/// Year, month and day of a number of days since 1970, in the Gregorian calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, of_year - (153 * shifted_month + 2) / 5 + 1)
}

/// `timestamp(…)` and `duration(…)`
pub(crate) fn convert<'a>(to: &str, value: &Val<'a>) -> Evaluated<'a> {
    match (to, value) {
        ("timestamp", Val::Text(text)) => match parse_date_time(text) {
            Some((seconds, rest)) => Ok(Val::Timestamp(seconds, rest)),
            None => fault(format!("parsing time {text:?}: cannot parse")),
        },
        ("timestamp", Val::Int(seconds)) => Ok(Val::Timestamp(*seconds, 0)),
        ("duration", Val::Text(text)) => match parse_go_duration(text) {
            Some(nanoseconds) => Ok(Val::Duration(nanoseconds)),
            None => fault(format!("time: invalid duration {text:?}")),
        },
        ("duration", Val::Int(nanoseconds)) => Ok(Val::Duration(*nanoseconds)),
        _ => Err(NO_SUCH_OVERLOAD),
    }
}

/// Sums and differences with times.
pub(crate) fn arithmetic<'a>(operator: Operator, left: &Val<'a>, right: &Val<'a>) -> Evaluated<'a> {
    let total = |seconds: i64, rest: u32| i128::from(seconds) * i128::from(SECOND) + i128::from(rest);
    let moment = |nanoseconds: i128| {
        let seconds = i64::try_from(nanoseconds.div_euclid(i128::from(SECOND)));
        let rest = u32::try_from(nanoseconds.rem_euclid(i128::from(SECOND)));
        match (seconds, rest) {
            (Ok(seconds), Ok(rest)) => Ok(Val::Timestamp(seconds, rest)),
            _ => fault("timestamp overflow"),
        }
    };
    let span = |nanoseconds: i128| {
        i64::try_from(nanoseconds).map_or_else(|_| fault("duration overflow"), |n| Ok(Val::Duration(n)))
    };
    match (operator, left, right) {
        (Operator::Add, Val::Timestamp(seconds, rest), Val::Duration(by))
        | (Operator::Add, Val::Duration(by), Val::Timestamp(seconds, rest)) => {
            moment(total(*seconds, *rest) + i128::from(*by))
        }
        (Operator::Subtract, Val::Timestamp(seconds, rest), Val::Duration(by)) => {
            moment(total(*seconds, *rest) - i128::from(*by))
        }
        (Operator::Subtract, Val::Timestamp(seconds, rest), Val::Timestamp(other, other_rest)) => {
            span(total(*seconds, *rest) - total(*other, *other_rest))
        }
        (Operator::Add, Val::Duration(left), Val::Duration(right)) => {
            span(i128::from(*left) + i128::from(*right))
        }
        (Operator::Subtract, Val::Duration(left), Val::Duration(right)) => {
            span(i128::from(*left) - i128::from(*right))
        }
        _ => Err(NO_SUCH_OVERLOAD),
    }
}

/// Parts of a time in UTC, and durations in other units.
pub(crate) fn part<'a>(function: &str, values: &[Val<'a>]) -> Evaluated<'a> {
    let number = match values {
        [Val::Duration(nanoseconds)] => match function {
            "getHours" => nanoseconds / (3600 * SECOND),
            "getMinutes" => nanoseconds / (60 * SECOND),
            "getSeconds" => nanoseconds / SECOND,
            "getMilliseconds" => nanoseconds / 1_000_000,
            _ => return Err(NO_SUCH_OVERLOAD),
        },
        [Val::Timestamp(seconds, rest), zone @ ..] => {
            let offset = match zone {
                [] => 0,
                [Val::Text(zone)] => zone_offset(zone)?,
                _ => return Err(NO_SUCH_OVERLOAD),
            };
            let seconds = seconds.saturating_add(offset);
            let days = seconds.div_euclid(86_400);
            let of_day = seconds.rem_euclid(86_400);
            let (year, month, day) = civil(days);
            match function {
                "getFullYear" => year,
                "getMonth" => month - 1,
                "getDate" => day,
                "getDayOfMonth" => day - 1,
                "getDayOfWeek" => (days + 4).rem_euclid(7),
                "getDayOfYear" => {
                    (0..=365).find(|back| civil(days - back) == (year, 1, 1)).unwrap_or_default()
                }
                "getHours" => of_day / 3600,
                "getMinutes" => of_day / 60 % 60,
                "getSeconds" => of_day % 60,
                "getMilliseconds" => i64::from(*rest) / 1_000_000,
                _ => return Err(NO_SUCH_OVERLOAD),
            }
        }
        _ => return Err(NO_SUCH_OVERLOAD),
    };
    Ok(Val::Int(number))
}

/// Seconds of `UTC` or `+02:00`; names of other zones are not known here.
fn zone_offset(zone: &str) -> Result<i64, super::Fault> {
    if matches!(zone, "UTC" | "Z" | "") {
        return Ok(0);
    }
    let (sign, digits) = match zone.as_bytes().first() {
        Some(b'-') => (-1, &zone[1..]),
        Some(b'+') => (1, &zone[1..]),
        _ => (1, zone),
    };
    let parts = digits
        .split_once(':')
        .and_then(|(hours, minutes)| Some((hours.parse::<u16>().ok()?, minutes.parse::<u16>().ok()?)));
    match parts {
        Some((hours, minutes)) => Ok(sign * (i64::from(hours) * 3600 + i64::from(minutes) * 60)),
        None => fault(format!("unknown time zone {zone}")),
    }
}

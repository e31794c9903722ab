//! Timestamps and durations.

use fbc_go::time::parse_duration;

use super::evaluate::{Evaluated, NO_SUCH_OVERLOAD, fault};
use super::syntax::Operator;
use super::value::Val;
use crate::dates::parse_date_time;

const SECOND: i64 = 1_000_000_000;

/// A timestamp in RFC 3339, in UTC.
pub(crate) fn timestamp_text(seconds: i64, nanoseconds: u32) -> String {
    let whole = fbc_go::time::rfc3339(seconds);
    let fraction = format!("{nanoseconds:09}");
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("{}{dot}{fraction}Z", whole.trim_end_matches('Z'))
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

/// `timestamp(…)` and `duration(…)`
pub(crate) fn convert<'a>(to: &str, value: &Val<'a>) -> Evaluated<'a> {
    match (to, value) {
        ("timestamp", Val::Text(text)) => match parse_date_time(text) {
            Some((seconds, rest)) => Ok(Val::Timestamp(seconds, rest)),
            None => fault(format!("parsing time {text:?}: cannot parse")),
        },
        ("timestamp", Val::Int(seconds)) => Ok(Val::Timestamp(*seconds, 0)),
        ("duration", Val::Text(text)) => match parse_duration(text) {
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
            let time = fbc_go::time::civil(seconds);
            match function {
                "getFullYear" => time.year().into(),
                "getMonth" => i64::from(time.month()) - 1,
                "getDate" => time.day().into(),
                "getDayOfMonth" => i64::from(time.day()) - 1,
                "getDayOfWeek" => fbc_go::time::weekday(seconds),
                "getDayOfYear" => i64::from(time.date().day_of_year()) - 1,
                "getHours" => time.hour().into(),
                "getMinutes" => time.minute().into(),
                "getSeconds" => time.second().into(),
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

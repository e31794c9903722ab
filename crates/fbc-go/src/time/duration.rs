//! Durations: `1h30m`, `300ms`, `-1.5s`.

const UNITS: [(&str, i64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// A duration in nanoseconds as `time.ParseDuration` reads it; nothing if it is none.
///
/// ```
/// assert_eq!(fbc_go::time::parse_duration("1.5m"), Some(90_000_000_000));
/// assert_eq!(fbc_go::time::parse_duration("5"), None);
/// ```
#[must_use]
pub fn parse_duration(text: &str) -> Option<i64> {
    let (is_negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    if unsigned == "0" {
        return Some(0);
    }
    if unsigned.is_empty() {
        return None;
    }
    let mut rest = unsigned;
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at_checked(end)?;
        let letters = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(letters)?;
        let (_, nanoseconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
        total = total.checked_add(nanoseconds_of(number, *nanoseconds)?)?;
        rest = after;
    }
    let total = if is_negative { -total } else { total };
    i64::try_from(total).ok()
}

/// A number with or without a fraction, times its unit. Go multiplies fractions as floating point numbers.
fn nanoseconds_of(number: &str, unit: i64) -> Option<i128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()?.into() };
    // Further digits than an int64 holds are dropped.
    let digits =
        (1..=fraction.len()).rev().find_map(|end| fraction.get(..end)?.parse::<i64>().ok().map(|n| (n, end)));
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "as Go does it")]
    let part = digits.map_or(0, |(digits, length)| {
        let scale = (0..length).fold(1.0, |scale: f64, _| scale * 10.0);
        (digits as f64 * (unit as f64 / scale)) as i128
    });
    whole.checked_mul(unit.into())?.checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_as_go_reads_them() {
        const SECOND: i64 = 1_000_000_000;
        for (text, expected) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("0s", Some(0)),
            ("300s", Some(300 * SECOND)),
            ("1h30m", Some(5400 * SECOND)),
            ("1.5m", Some(90 * SECOND)),
            ("-1.5s", Some(-SECOND - SECOND / 2)),
            (".5s", Some(SECOND / 2)),
            ("1.s", Some(SECOND)),
            ("1\u{b5}s", Some(1000)),
            ("0.3333333333333333333h", Some(1_200_000_000_000)),
            ("9223372036854775807ns", Some(i64::MAX)),
            ("-9223372036854775808ns", Some(i64::MIN)),
            ("9223372036854775808ns", None),
            ("3000000h", None),
            ("", None),
            ("-", None),
            (".s", None),
            ("1..s", None),
            ("5", None),
            ("5x", None),
            ("m", None),
        ] {
            assert_eq!(parse_duration(text), expected, "{text}");
        }
    }
}

//! Numbers, and spans of time as seconds.
//!
//! Sources: `prometheus/prometheus:promql/parser/lex.go`, `prometheus/common:model/time.go`.

use crate::update_service::promql::syntax_error::{SyntaxError, refuse};

/// Units of time in nanoseconds, in the order in which they may follow each other.
const UNITS: [(&str, u64); 7] = [
    ("y", 365 * 24 * 3_600_000_000_000),
    ("w", 7 * 24 * 3_600_000_000_000),
    ("d", 24 * 3_600_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
];

/// Whether a number stands here.
pub(super) fn starts(text: &str) -> bool {
    text.strip_prefix('.').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit())
}

/// The letters and digits from here on, with the sign of an exponent.
pub(super) fn word(text: &str) -> &str {
    let mut before = ' ';
    let end = text.find(|c: char| {
        let is_sign = matches!(c, '+' | '-') && matches!(before, 'e' | 'E');
        before = c;
        !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || is_sign)
    });
    &text[..end.unwrap_or(text.len())]
}

/// What a number says. Prometheus reads octal and hexadecimal ones and separators too, which are refused here.
pub(super) fn value(word: &str) -> Result<f64, SyntaxError> {
    let is_octal =
        word.len() > 1 && word.starts_with('0') && word.bytes().all(|digit| digit.is_ascii_digit());
    match word.parse::<f64>() {
        Ok(_) if is_octal => refuse(format!("the octal number {word} is not evaluated here")),
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => refuse(format!("error parsing number: {word:?} is out of range")),
        Err(_) if is_duration(word) => seconds(word),
        Err(_) => refuse(format!("bad number or duration syntax: {word:?}")),
    }
}

/// Whether a word has the shape of a span of time. Its units may be wrong.
fn is_duration(word: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let mut units = word.split(is_digit).filter(|unit| !unit.is_empty());
    word.starts_with(is_digit)
        && word.ends_with(|c: char| !is_digit(c))
        && units.all(|unit| {
            let first = unit.strip_suffix('s').filter(|first| !first.is_empty()).unwrap_or(unit);
            first.len() == 1 && "smhdwy".contains(first)
        })
}

/// The seconds of a span of time.
fn seconds(word: &str) -> Result<f64, SyntaxError> {
    let invalid = || SyntaxError::Text(format!("not a valid duration string: {word:?}"));
    let mut total: u64 = 0;
    let mut rest = word;
    let mut left = &UNITS[..];
    while !rest.is_empty() {
        let (number, behind) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
        let (unit, behind) =
            behind.split_at(behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len()));
        let number: u64 = number.parse().map_err(|_| invalid())?;
        if !UNITS.iter().any(|(name, _)| *name == unit) {
            return refuse(format!("unknown unit {unit:?} in duration {word:?}"));
        }
        let at = left.iter().position(|(name, _)| *name == unit).ok_or_else(invalid)?;
        let nanoseconds = left[at].1.checked_mul(number).and_then(|more| total.checked_add(more));
        let in_range = nanoseconds.filter(|total| i64::try_from(*total).is_ok());
        total = in_range.ok_or_else(|| SyntaxError::Text("duration out of range".to_owned()))?;
        (rest, left) = (behind, &left[at + 1..]);
    }
    Ok(total as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_prometheus() {
        for (text, expected) in [
            ("1.5e+3", 1500.0),
            ("2.", 2.0),
            (".5", 0.5),
            ("0.5", 0.5),
            ("5m", 300.0),
            ("1h30m", 5400.0),
            ("1y2w3d4h5m6s7ms", 33_019_506.007),
            ("0s", 0.0),
            ("292y", 292.0 * 365.0 * 86400.0),
        ] {
            assert_eq!((word(text), value(text)), (text, Ok(expected)), "{text}");
        }
        for (text, rest) in [("1e-5-2", "-2"), ("5m+1", "+1"), ("1,", ",")] {
            assert_eq!(text.strip_prefix(word(text)), Some(rest), "{text}");
        }
        for (text, message) in [
            ("0755", "the octal number 0755 is not evaluated here"),
            ("0x1F", "bad number or duration syntax: \"0x1F\""),
            ("1_000", "bad number or duration syntax: \"1_000\""),
            ("1x", "bad number or duration syntax: \"1x\""),
            ("2.5.", "bad number or duration syntax: \"2.5.\""),
            ("1e", "bad number or duration syntax: \"1e\""),
            ("5mm", "bad number or duration syntax: \"5mm\""),
            ("5m1", "bad number or duration syntax: \"5m1\""),
            ("1_0m", "bad number or duration syntax: \"1_0m\""),
            ("5m1h", "not a valid duration string: \"5m1h\""),
            ("5m1m", "not a valid duration string: \"5m1m\""),
            ("5y1hs", "unknown unit \"hs\" in duration \"5y1hs\""),
            ("293y", "duration out of range"),
            ("99999999999999999999s", "not a valid duration string: \"99999999999999999999s\""),
            ("1e999", "error parsing number: \"1e999\" is out of range"),
        ] {
            assert_eq!(value(text).unwrap_err().to_string(), message, "{text}");
        }
    }
}

//! Durations in texts, and what Go says of texts that are none.
//!
//! Source: `golang/go:src/time/format.go` (`ParseDuration`).

use crate::look_error::LookError;
use fbc_cluster::time::Milliseconds;

/// A duration in milliseconds; negative ones count as none.
///
/// # Errors
/// Go's text.
pub(super) fn parse(text: &str) -> Result<Milliseconds, LookError> {
    match fbc_go::time::parse_duration(text) {
        Some(nanoseconds) => Ok(u64::try_from(nanoseconds / 1_000_000).unwrap_or_default()),
        None => Err(refusal(text).into()),
    }
}

fn refusal(text: &str) -> String {
    let is_number = |one: char| one.is_ascii_digit() || one == '.';
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    while rest.starts_with(|one: char| one.is_ascii_digit()) {
        rest = rest.trim_start_matches(is_number);
        let unit = rest.split(is_number).next().unwrap_or_default();
        if unit.is_empty() {
            return format!("time: missing unit in duration {text:?}");
        }
        if !["ns", "us", "µs", "μs", "ms", "s", "m", "h"].contains(&unit) {
            return format!("time: unknown unit {unit:?} in duration {text:?}");
        }
        rest = rest.get(unit.len()..).unwrap_or_default();
    }
    format!("time: invalid duration {text:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_or_refused_as_in_go() {
        assert_eq!(parse("1m30s"), Ok(90_000));
        for (text, error) in [
            ("", "time: invalid duration \"\""),
            ("abc", "time: invalid duration \"abc\""),
            ("5", "time: missing unit in duration \"5\""),
            ("1h5", "time: missing unit in duration \"1h5\""),
            ("5d", "time: unknown unit \"d\" in duration \"5d\""),
        ] {
            assert_eq!(parse(text), Err(error.into()), "{text}");
        }
    }
}

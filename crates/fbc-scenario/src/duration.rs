//! Durations as scenarios and command lines write them: `500ms`, `90s`, `1h30m`.

use fbc_cluster::time::{HOUR, MINUTE, Milliseconds, SECOND};

/// Units by their names, the longest first.
const UNITS: [(&str, Milliseconds); 5] =
    [("d", 24 * HOUR), ("h", HOUR), ("m", MINUTE), ("s", SECOND), ("ms", 1)];

/// What durations look like, for messages.
pub const DURATION_FORM: &str = "a duration is written like 500ms, 90s, 10m, 1h30m or 2d";

/// Reads a duration: numbers with units, the longer units first. `0` needs no unit.
pub fn parse_duration(text: &str) -> Option<Milliseconds> {
    if text == "0" {
        return Some(0);
    }
    let mut rest = text;
    let mut total: Milliseconds = 0;
    let mut last_unit = Milliseconds::MAX;
    while !rest.is_empty() {
        let digits = rest.find(|character: char| !character.is_ascii_digit())?;
        let number: Milliseconds = rest.get(..digits)?.parse().ok()?;
        rest = rest.get(digits..)?;
        let letters = rest.find(|character: char| character.is_ascii_digit()).unwrap_or(rest.len());
        let name = rest.get(..letters)?;
        let (_, unit) = UNITS.iter().find(|(unit, _)| *unit == name)?;
        if *unit >= last_unit {
            return None;
        }
        last_unit = *unit;
        total = total.checked_add(number.checked_mul(*unit)?)?;
        rest = rest.get(letters..)?;
    }
    (!text.is_empty()).then_some(total)
}

/// Writes a duration in the form that [`parse_duration`] reads, with as few units as are needed.
pub fn duration_text(span: Milliseconds) -> String {
    let mut rest = span;
    let mut text = String::new();
    for (name, unit) in UNITS {
        let count = rest / unit;
        rest %= unit;
        if count > 0 {
            text.push_str(&format!("{count}{name}"));
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written() {
        for (text, span) in [
            ("500ms", 500),
            ("90s", 90_000),
            ("10m", 600_000),
            ("1h30m", 5_400_000),
            ("2d", 172_800_000),
            ("1m0s5ms", 60_005),
            ("0", 0),
        ] {
            assert_eq!(parse_duration(text), Some(span), "{text}");
        }
        for (span, text) in [(0, "0s"), (90_000, "1m30s"), (60_005, "1m5ms"), (172_800_000, "2d")] {
            assert_eq!(duration_text(span), text);
            assert!(parse_duration(text).is_some());
        }
        for bad in ["", "5", "m", "5x", "5 m", "-5m", "1.5h", "5m1h", "5m5m", "99999999999999999999s"] {
            assert_eq!(parse_duration(bad), None, "{bad}");
        }
    }
}

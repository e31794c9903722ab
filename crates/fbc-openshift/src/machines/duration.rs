//! Durations as Go writes them: `1h30m`, `300s`, `1.5m`.

use fbc_cluster::time::{HOUR, MINUTE, Milliseconds, SECOND};

/// Reads a duration; what is shorter than a millisecond is dropped.
pub(super) fn parse(text: &str) -> Option<Milliseconds> {
    const UNITS: [(&str, f64); 7] = [
        ("ns", 1e-6),
        ("us", 1e-3),
        ("µs", 1e-3),
        ("ms", 1.0),
        ("s", SECOND as f64),
        ("m", MINUTE as f64),
        ("h", HOUR as f64),
    ];
    if text == "0" {
        return Some(0);
    }
    let mut rest = text;
    let mut sum = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let (number, after) = rest.split_at(digits);
        let letters =
            after.find(|letter: char| letter.is_ascii_digit() || letter == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let (_, scale) = UNITS.iter().find(|(name, _)| *name == unit)?;
        sum += number.parse::<f64>().ok()? * scale;
        rest = after;
    }
    // Sums of years of milliseconds are far below 2^53, so nothing is lost.
    (!text.is_empty()).then_some(sum as Milliseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_sums_of_numbers_with_units() {
        for (text, expected) in [
            ("0", Some(0)),
            ("0s", Some(0)),
            ("300s", Some(300 * SECOND)),
            ("1h30m", Some(90 * MINUTE)),
            ("1.5m", Some(90 * SECOND)),
            ("250ms", Some(250)),
            ("", None),
            ("5", None),
            ("5x", None),
            ("m", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}

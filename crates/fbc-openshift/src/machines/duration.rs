//! Durations as Go writes them: `1h30m`, `300s`, `1.5m`.

use fbc_cluster::time::Milliseconds;

/// Reads a duration; what is shorter than a millisecond is dropped.
pub(super) fn parse(text: &str) -> Option<Milliseconds> {
    let nanoseconds = fbc_go::time::parse_duration(text)?;
    Milliseconds::try_from(nanoseconds / 1_000_000).ok()
}

#[cfg(test)]
mod tests {
    use fbc_cluster::time::{MINUTE, SECOND};

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

//! Spans of time as `oc adm upgrade status` writes them.

use fbc_cluster::time::Moment;

pub(super) const MINUTE: i64 = 60;
pub(super) const HOUR: i64 = 3600;

/// Milliseconds from one moment to another, below zero if the second one is earlier.
pub(super) fn milliseconds(from: Moment, to: Moment) -> i64 {
    let number = |moment: Moment| i64::try_from(moment.0).unwrap_or(i64::MAX);
    number(to) - number(from)
}

/// A number rounded to a multiple of another, halves away from zero.
pub(super) fn rounded(number: i64, unit: i64) -> i64 {
    let half = if number < 0 { -unit / 2 } else { unit / 2 };
    (number + half) / unit * unit
}

/// Whole seconds as `1h2m3s`, without what is zero at the end; `now` for none.
pub(super) fn short(seconds: i64) -> String {
    let (sign, seconds) = (if seconds < 0 { "-" } else { "" }, seconds.unsigned_abs());
    let text = match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0) => return "now".to_owned(),
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, 0) => format!("{minutes}m"),
        (0, minutes, seconds) => format!("{minutes}m{seconds}s"),
        (hours, 0, 0) => format!("{hours}h"),
        (hours, minutes, 0) => format!("{hours}h{minutes}m"),
        (hours, minutes, seconds) => format!("{hours}h{minutes}m{seconds}s"),
    };
    format!("{sign}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeroes_at_the_end_are_left_out() {
        for (seconds, expected) in [
            (0, "now"),
            (59, "59s"),
            (120, "2m"),
            (3600, "1h"),
            (3660, "1h1m"),
            (3601, "1h0m1s"),
            (-90, "-1m30s"),
        ] {
            assert_eq!(short(seconds), expected);
        }
        assert_eq!((rounded(89, 60), rounded(90, 60), rounded(-90, 60)), (60, 120, -120));
    }
}

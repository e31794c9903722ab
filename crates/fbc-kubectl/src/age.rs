//! Spans of time as Kubernetes shows them to people.

use fbc_cluster::time::Moment;

/// What stands for a time that is not set.
pub(crate) const UNKNOWN: &str = "<unknown>";

/// A number of seconds in at most two units.
///
/// Source: `kubernetes/apimachinery:pkg/util/duration/duration.go`, `HumanDuration`.
///
/// ```
/// # use fbc_kubectl::age::human_duration;
/// assert_eq!(human_duration(119), "119s");
/// assert_eq!(human_duration(3 * 3600 + 60), "3h1m");
/// ```
pub fn human_duration(seconds: i64) -> String {
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let days = hours / 24;
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        _ if minutes < 10 => two(minutes, 'm', seconds % 60, 's'),
        _ if minutes < 180 => format!("{minutes}m"),
        _ if hours < 8 => two(hours, 'h', minutes % 60, 'm'),
        _ if hours < 48 => format!("{hours}h"),
        _ if days < 8 => two(days, 'd', hours % 24, 'h'),
        _ if days < 365 * 2 => format!("{days}d"),
        _ if days < 365 * 8 => two(days / 365, 'y', days % 365, 'd'),
        _ => format!("{}y", days / 365),
    }
}

/// A number of seconds in one unit.
///
/// Source: `kubernetes/apimachinery:pkg/util/duration/duration.go`, `ShortHumanDuration`.
pub(crate) fn short_human_duration(seconds: i64) -> String {
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        86_400..31_536_000 => format!("{}d", seconds / 86_400),
        _ => format!("{}y", seconds / 31_536_000),
    }
}

fn two(large: i64, large_unit: char, small: i64, small_unit: char) -> String {
    if small == 0 {
        format!("{large}{large_unit}")
    } else {
        format!("{large}{large_unit}{small}{small_unit}")
    }
}

/// Whole seconds from one moment to another, negative if the second one is earlier.
pub(crate) fn seconds_between(from: Moment, to: Moment) -> i64 {
    let (from, to) = (i64::try_from(from.0).unwrap_or(i64::MAX), i64::try_from(to.0).unwrap_or(i64::MAX));
    (to - from) / 1000
}

/// The time gone by since a timestamp; `<unknown>` without one, `<invalid>` if it is none.
pub fn age(timestamp: &str, now: Moment) -> String {
    if timestamp.is_empty() {
        return UNKNOWN.to_owned();
    }
    Moment::parse(timestamp)
        .map_or_else(|| "<invalid>".to_owned(), |start| human_duration(seconds_between(start, now)))
}

/// A timestamp as Go writes it in RFC 1123 with a numeric zone: `Thu, 01 Jan 2026 00:00:00 +0000`.
pub(crate) fn rfc_1123(timestamp: &str) -> String {
    match fbc_go::time::parse_rfc3339(timestamp) {
        Ok((seconds, _)) => fbc_go::time::civil(seconds).strftime("%a, %d %b %Y %H:%M:%S +0000").to_string(),
        Err(_) => timestamp.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_keep_two_units_where_both_matter() {
        const DAY: i64 = 86_400;
        for (seconds, text) in [
            (-5, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (185, "3m5s"),
            (600, "10m"),
            (179 * 60, "179m"),
            (180 * 60, "3h"),
            (6 * 3600 + 54 * 60, "6h54m"),
            (47 * 3600, "47h"),
            (2 * DAY, "2d"),
            (2 * DAY + 3600, "2d1h"),
            (8 * DAY, "8d"),
            (729 * DAY, "729d"),
            (730 * DAY, "2y"),
            (731 * DAY, "2y1d"),
            (9 * 365 * DAY, "9y"),
        ] {
            assert_eq!(human_duration(seconds), text, "{seconds}");
        }
    }

    #[test]
    fn dates_of_descriptions() {
        assert_eq!(rfc_1123("2026-01-01T00:00:00Z"), "Thu, 01 Jan 2026 00:00:00 +0000");
        assert_eq!(rfc_1123("2024-02-29T12:30:05Z"), "Thu, 29 Feb 2024 12:30:05 +0000");
        assert_eq!(age("", Moment::START), "<unknown>");
        assert_eq!(age("yesterday", Moment::START), "<invalid>");
        assert_eq!(age("2025-12-31T23:59:00Z", Moment::START), "60s");
    }
}

//! Times as Go's `time.Parse(time.RFC3339, ...)` takes them, and what it says of others.
//!
//! Source of the behaviour: `golang/go:src/time/format.go`.

use fbc_yaml::go_text::quote;

/// The layout, as Go prints it.
const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";

/// Checks a time.
///
/// # Errors
/// Go's text.
pub(super) fn check(text: &str) -> Result<(), String> {
    let parsing = |reason: String| format!("parsing time {}{reason}", quote(text));
    let fault = |rest: &str, element: &str| {
        parsing(format!(" as {}: cannot parse {} as {}", quote(LAYOUT), quote(rest), quote(element)))
    };
    let mut rest = text;
    let mut numbers = [0_u32; 6];
    for (number, (element, width)) in
        numbers.iter_mut().zip([("2006", 4), ("01", 2), ("02", 2), ("15", 2), ("04", 2), ("05", 2)])
    {
        let separator = match element {
            "2006" => "",
            "01" | "02" => "-",
            "15" => "T",
            _ => ":",
        };
        rest = rest.strip_prefix(separator).ok_or_else(|| fault(rest, separator))?;
        let digits = rest.get(..width).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        *number = digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| fault(rest, element))?;
        rest = rest.get(width..).unwrap_or_default();
    }
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
        if end > 0 {
            rest = fraction.get(end..).unwrap_or_default();
        }
    }
    rest = zone(rest).ok_or_else(|| fault(rest, "Z07:00"))?;
    let [year, month, day, hour, minute, second] = numbers;
    if !rest.is_empty() {
        return Err(parsing(format!(": extra text: {}", quote(rest))));
    }
    let fits = [
        ("month", (1..=12).contains(&month)),
        ("day", (1..=days_of(year, month)).contains(&day)),
        ("hour", hour < 24),
        ("minute", minute < 60),
        ("second", second < 60),
    ];
    match fits.into_iter().find(|(_, fits)| !fits) {
        Some((name, _)) => Err(parsing(format!(": {name} out of range"))),
        None => Ok(()),
    }
}

/// What follows the zone: `Z`, or hours and minutes with a sign.
fn zone(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('Z') {
        return Some(rest);
    }
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_zone = matches!(bytes.first(), Some(b'+' | b'-'))
        && [1, 2, 4, 5].into_iter().all(is_digit)
        && bytes.get(3) == Some(&b':');
    is_zone.then(|| text.get(6..)).flatten()
}

fn days_of(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_go_takes_them() {
        for (text, expected) in [
            ("2020-02-29T23:59:59Z", ""),
            ("2020-01-01T00:00:00.25+02:00", ""),
            ("2020-01-01", " as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"T\""),
            ("2020-1-01", " as \"2006-01-02T15:04:05Z07:00\": cannot parse \"1-01\" as \"01\""),
            ("2021-02-29T00:00:00Z", ": day out of range"),
            ("2021-01-01T00:00:00Zx", ": extra text: \"x\""),
            ("2021-01-01T00:00:00", " as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"Z07:00\""),
        ] {
            let expected = if expected.is_empty() {
                Ok(())
            } else {
                Err(format!("parsing time {}{expected}", quote(text)))
            };
            assert_eq!(check(text), expected);
        }
    }
}

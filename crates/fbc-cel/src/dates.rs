//! Dates, times and durations as Go and `strfmt` read them.

use fbc_go::time;

/// `2006-01-02`
#[must_use]
pub fn is_date(text: &str) -> bool {
    text.len() == 10 && is_date_time(&format!("{text}T00:00:00Z"))
}

/// RFC 3339, and the shorter forms that `strfmt.DateTime` reads.
#[must_use]
pub fn is_date_time(text: &str) -> bool {
    parse_date_time(text).is_some()
}

/// Seconds since 1970 and nanoseconds.
#[must_use]
pub fn parse_date_time(text: &str) -> Option<(i64, u32)> {
    let zone_at =
        text.rfind(['Z', 'z', '+']).or_else(|| text.rfind('-').filter(|&at| at > 10)).unwrap_or(text.len());
    let (local, zone) = text.split_at_checked(zone_at)?;
    let (seconds, fraction) = local.split_once('.').unwrap_or((local, "0"));
    if fraction.is_empty() || fraction.len() > 9 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if !has_form(seconds, "0000-00-00T00:00:00") {
        return None;
    }
    let moment = calendar_seconds(seconds)?;
    let nanoseconds = format!("{fraction:0<9}").parse().ok()?;
    let offset = match zone {
        "" | "Z" | "z" => 0,
        _ => {
            let digits = zone.get(1..)?.replace(':', "");
            if !(has_form(zone, "+00:00")
                || has_form(zone, "-00:00")
                || has_form(zone, "+0000")
                || has_form(zone, "-0000"))
            {
                return None;
            }
            let number: i64 = digits.parse().ok()?;
            let minutes = number / 100 * 60 + number % 100;
            if zone.starts_with('-') { -minutes * 60 } else { minutes * 60 }
        }
    };
    Some((moment - offset, nanoseconds))
}

/// Seconds since 1970 of a date and a time that have the form.
fn calendar_seconds(text: &str) -> Option<i64> {
    let (date, time) = text.split_at_checked(10)?;
    time::parse_rfc3339(&format!("{date}T{}Z", time.get(1..)?)).ok().map(|(seconds, _)| seconds)
}

/// True if digits stand where the form has `0`, and the same characters everywhere else.
fn has_form(text: &str, form: &str) -> bool {
    text.len() == form.len()
        && text.bytes().zip(form.bytes()).all(|(byte, wanted)| match wanted {
            b'0' => byte.is_ascii_digit(),
            b'T' => matches!(byte, b'T' | b't' | b' '),
            other => byte == other,
        })
}

/// `strfmt.Duration`: what Go reads, and numbers with a longer unit such as `3 days`.
#[must_use]
pub fn parse_duration(text: &str) -> Option<i64> {
    if let Some(nanoseconds) = time::parse_duration(text) {
        return Some(nanoseconds);
    }
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: i64 = text.get(..digits)?.parse().ok()?;
    let unit = text.get(digits..)?.trim().to_ascii_lowercase();
    let nanoseconds: i64 = match unit.strip_suffix('s').filter(|unit| !unit.is_empty()).unwrap_or(&unit) {
        "n" | "nano" | "nanosecond" => 1,
        "u" | "micro" | "microsecond" => 1_000,
        "m" | "milli" | "millisecond" => 1_000_000,
        "s" | "sec" | "second" => 1_000_000_000,
        "min" | "minute" => 60_000_000_000,
        "h" | "hr" | "hour" => 3_600_000_000_000,
        "d" | "day" => 86_400_000_000_000,
        "w" | "wk" | "week" => 604_800_000_000_000,
        _ => return None,
    };
    number.checked_mul(nanoseconds)
}

//! What Go says of texts that should be times.

/// Go's words about a text that is no time: the first part of the layout that does not fit, and what stands there.
///
/// Source: `time.Parse`, with the layout of RFC 3339.
pub(super) fn bad_time(text: &str) -> String {
    const LAYOUT: [(&str, usize); 12] = [
        ("2006", 4),
        ("-", 0),
        ("01", 2),
        ("-", 0),
        ("02", 2),
        ("T", 0),
        ("15", 2),
        (":", 0),
        ("04", 2),
        (":", 0),
        ("05", 2),
        ("Z07:00", 0),
    ];
    let mut rest = text;
    for (part, digits) in LAYOUT {
        let next = match digits {
            0 if part == "Z07:00" => rest.strip_prefix('Z'),
            0 => rest.strip_prefix(part),
            _ => rest
                .get(..digits)
                .filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|_| rest.get(digits..)),
        };
        match next {
            Some(next) => rest = next,
            None => {
                return format!(
                    "parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {rest:?} as {part:?}"
                );
            }
        }
    }
    format!("parsing time {text:?}: out of range")
}

//! The conditions of a request, and the bytes that it wants.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/server/http_preconditions_check.go`, and
//! `http.ServeContent` of Go.

use std::time::{Duration, SystemTime};

use http::StatusCode;
use http::header::{self, HeaderMap, HeaderName};

use super::store::Store;

/// A header as text.
pub(super) fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The moment of a header, in whole seconds.
fn moment(headers: &HeaderMap, name: &HeaderName) -> Option<SystemTime> {
    httpdate::parse_http_date(text(headers, name)?).ok()
}

/// A moment as headers have it.
pub(super) fn whole_seconds(moment: SystemTime) -> SystemTime {
    let since = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_secs(since.as_secs())
}

/// The status that follows from the conditions of a request alone, if one does.
///
/// Source: RFC 9110, section 13.2.2.
pub(super) fn check(headers: &HeaderMap, store: &Store, has_tag: bool) -> Option<StatusCode> {
    let modified = whole_seconds(store.modified());
    let names_this = |name: &HeaderName| {
        text(headers, name).map(|tags| {
            let mut tags = tags.split(',').map(|tag| tag.trim().trim_start_matches("W/"));
            tags.any(|tag| tag == "*" || (has_tag && tag == store.entity_tag()))
        })
    };
    let fails = match names_this(&header::IF_MATCH) {
        Some(matches) => !matches,
        None => moment(headers, &header::IF_UNMODIFIED_SINCE).is_some_and(|limit| modified > limit),
    };
    if fails {
        return Some(StatusCode::PRECONDITION_FAILED);
    }
    let is_known = match names_this(&header::IF_NONE_MATCH) {
        Some(matches) => matches,
        None => moment(headers, &header::IF_MODIFIED_SINCE).is_some_and(|limit| modified <= limit),
    };
    is_known.then_some(StatusCode::NOT_MODIFIED)
}

/// The bytes that a request wants.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Range {
    Whole,
    Part(usize, usize),
    Outside,
}

impl Range {
    /// Reads `Range`; several ranges, and what is malformed, count as none, which every client must take.
    pub(super) fn read(headers: &HeaderMap, store: &Store) -> Self {
        let Some(wanted) = text(headers, &header::RANGE).and_then(|text| text.strip_prefix("bytes=")) else {
            return Self::Whole;
        };
        if let Some(condition) = text(headers, &header::IF_RANGE) {
            let is_date = httpdate::parse_http_date(condition)
                .is_ok_and(|date| date == whole_seconds(store.modified()));
            if !is_date && condition != store.entity_tag() {
                return Self::Whole;
            }
        }
        let size = store.size();
        match wanted.split_once('-').map(|(first, last)| (first.trim(), last.trim())) {
            Some(("", last)) => match last.parse::<usize>() {
                Ok(0) => Self::Outside,
                Ok(count) => Self::Part(size.saturating_sub(count), size),
                Err(_) => Self::Whole,
            },
            Some((first, last)) => match (first.parse::<usize>(), last.parse::<usize>()) {
                (Ok(first), _) if first >= size => Self::Outside,
                (Ok(first), Ok(last)) if last >= first => Self::Part(first, last.saturating_add(1).min(size)),
                (Ok(first), _) if last.is_empty() => Self::Part(first, size),
                _ => Self::Whole,
            },
            None => Self::Whole,
        }
    }
}

/// Answers below this size are not packed.
const LEAST_PACKED: usize = 1024;

/// Whether a client takes packed answers, and whether it pays; an answer of unknown size is packed.
pub(super) fn packs(headers: &HeaderMap, size: Option<usize>) -> bool {
    size.is_none_or(|size| size >= LEAST_PACKED)
        && text(headers, &header::ACCEPT_ENCODING).is_some_and(accepts_gzip)
}

/// Source: RFC 9110, section 12.5.3.
fn accepts_gzip(accepted: &str) -> bool {
    let weight_of = |name: &str| {
        let mut codings = accepted.split(',').map(|coding| coding.split(';').map(str::trim));
        let mut parameters =
            codings.find_map(|mut coding| (coding.next() == Some(name)).then_some(coding))?;
        let weight = parameters.find_map(|parameter| parameter.strip_prefix("q=")?.parse::<f32>().ok());
        Some(weight.unwrap_or(1.0))
    };
    weight_of("gzip").or_else(|| weight_of("*")).is_some_and(|weight| weight > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_say_whether_they_take_gzip() {
        for (accepted, takes) in [
            ("gzip", true),
            ("deflate, gzip;q=0.5", true),
            ("*", true),
            ("br;q=1.0, *;q=0.1", true),
            ("", false),
            ("identity", false),
            ("gzip;q=0", false),
            ("gzip; q=0.000, *", false),
            ("*;q=0", false),
        ] {
            assert_eq!(accepts_gzip(accepted), takes, "{accepted}");
        }
    }
}

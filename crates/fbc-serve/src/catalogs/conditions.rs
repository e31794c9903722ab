//! The conditions of a request, and the bytes that it wants.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/server/http_preconditions_check.go`, and
//! `http.ServeContent` of Go.

use std::time::{Duration, SystemTime};

use fbc_go::http::ByteRange;
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

/// The bytes that a request wants. `If-Range` asks for all of them once the catalog is another.
pub(super) fn wanted_bytes(headers: &HeaderMap, store: &Store) -> ByteRange {
    let is_current = |condition: &str| {
        let date = httpdate::parse_http_date(condition);
        condition == store.entity_tag() || date.is_ok_and(|date| date == whole_seconds(store.modified()))
    };
    match text(headers, &header::RANGE) {
        Some(range) if text(headers, &header::IF_RANGE).is_none_or(is_current) => {
            ByteRange::read(range, store.size() as u64)
        }
        _ => ByteRange::Whole,
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
    let accepted = accepted.to_ascii_lowercase();
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
            ("GZIP", true),
            ("gzip;Q=0", false),
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

//! The answers of catalogd's API.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/storage/http_preconditions_check.go`, `localdir.go`, and
//! `http.ServeContent` of Go.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, RwLock};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::stream;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::Frame;

use super::request::{self, Asked, Rejection};
use super::store::{Store, gzip};
use crate::current::Current;

/// The body of an answer.
pub type AnswerBody = BoxBody<Bytes, Infallible>;

/// Catalogs by name.
type Catalogs = BTreeMap<String, Arc<Current<Store>>>;

/// catalogd's API over many catalogs, each of which can change at any time.
#[derive(Debug, Default)]
pub struct CatalogService {
    catalogs: RwLock<Catalogs>,
}

/// Answers below this size are not packed.
const LEAST_PACKED: usize = 1024;

impl CatalogService {
    /// Where to put the content of a catalog; requests for it get `404 Not Found` before that.
    pub fn catalog(&self, name: &str) -> Arc<Current<Store>> {
        let mut catalogs = self.catalogs.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        Arc::clone(catalogs.entry(name.to_owned()).or_default())
    }

    /// True if all catalogs are there.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        let catalogs = self.catalogs.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        catalogs.values().all(|catalog| catalog.get().is_some())
    }

    fn find(&self, name: &str) -> Option<Arc<Store>> {
        let catalogs = self.catalogs.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        catalogs.get(name)?.get()
    }

    /// Answers a request.
    pub fn answer<B>(&self, request: &Request<B>) -> Response<AnswerBody> {
        let uri = request.uri();
        let asked = request::read(request.method(), uri.path(), uri.query().unwrap_or_default());
        let answer = asked.and_then(|asked| {
            let (Asked::All(name) | Asked::Metas(name, _)) = &asked;
            let store = self.find(name).ok_or(Rejection::new(404))?;
            Ok(match &asked {
                Asked::Metas(_, selection) if !selection.is_all() => {
                    let lines = store.select(selection);
                    metas(&store, lines, request)
                }
                Asked::Metas(..) => metas(&store, store.all(), request),
                Asked::All(_) => all(&store, request),
            })
        });
        answer.unwrap_or_else(|rejection| rejected(&rejection))
    }
}

fn rejected(rejection: &Rejection) -> Response<AnswerBody> {
    let status = StatusCode::from_u16(rejection.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let standard = || format!("{} {}", status.as_u16(), status.canonical_reason().unwrap_or_default());
    let text = rejection.text.clone().unwrap_or_else(standard);
    let mut response = Response::new(Full::new(Bytes::from(format!("{text}\n"))).boxed());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// All blobs, as `http.ServeContent` serves a file.
fn all<B>(store: &Store, request: &Request<B>) -> Response<AnswerBody> {
    if let Some(response) = precondition(store, request, true) {
        return response;
    }
    let size = store.size();
    match range_of(request.headers(), store, size) {
        Range::Whole if packs(request.headers(), size) => {
            let mut response = content(store, vec![store.all_compressed()], request.method());
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            with_tag(response, store)
        }
        Range::Whole => {
            let mut response = content(store, store.all(), request.method());
            response.headers_mut().insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
            with_tag(response, store)
        }
        Range::Part(begin, end) => {
            let mut response = content(store, store.slice(begin..end), request.method());
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            let headers = response.headers_mut();
            headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
            insert(headers, header::CONTENT_RANGE, &format!("bytes {begin}-{}/{size}", end - 1));
            with_tag(response, store)
        }
        Range::Outside => {
            let mut response =
                rejected(&Rejection { code: 416, text: Some("invalid range: failed to overlap".to_owned()) });
            insert(response.headers_mut(), header::CONTENT_RANGE, &format!("bytes */{size}"));
            response
        }
    }
}

/// Some blobs.
fn metas<B>(store: &Store, lines: Vec<Bytes>, request: &Request<B>) -> Response<AnswerBody> {
    if let Some(response) = precondition(store, request, false) {
        return response;
    }
    let size: usize = lines.iter().map(Bytes::len).sum();
    if !packs(request.headers(), size) {
        return content(store, lines, request.method());
    }
    let mut response = content(store, vec![gzip(&lines)], request.method());
    response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    response
}

fn content(store: &Store, parts: Vec<Bytes>, method: &Method) -> Response<AnswerBody> {
    let size: usize = parts.iter().map(Bytes::len).sum();
    let body = if method == Method::HEAD {
        Full::new(Bytes::new()).boxed()
    } else {
        let frames = parts.into_iter().map(|part| Ok::<_, Infallible>(Frame::data(part)));
        StreamBody::new(stream::iter(frames)).boxed()
    };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/jsonl"));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(size));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    insert(headers, header::LAST_MODIFIED, &httpdate::fmt_http_date(store.modified()));
    response
}

fn with_tag(mut response: Response<AnswerBody>, store: &Store) -> Response<AnswerBody> {
    insert(response.headers_mut(), header::ETAG, store.entity_tag());
    response
}

fn insert(headers: &mut HeaderMap, name: header::HeaderName, value: &str) {
    // Dates, ranges and tags are ASCII.
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &header::HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Whether a client takes packed answers, and whether it pays.
fn packs(headers: &HeaderMap, size: usize) -> bool {
    let accepted = text(headers, &header::ACCEPT_ENCODING).unwrap_or_default();
    let mut codings = accepted.split(',').map(|coding| coding.split(';'));
    size >= LEAST_PACKED
        && codings.any(|mut coding| {
            let name = coding.next().map(str::trim);
            let is_refused = coding.any(|weight| weight.trim().starts_with("q=0") && !weight.contains("0."));
            name.is_some_and(|name| name == "gzip" || name == "*") && !is_refused
        })
}

/// The moment of a header, in whole seconds.
fn moment(headers: &HeaderMap, name: &header::HeaderName) -> Option<SystemTime> {
    httpdate::parse_http_date(text(headers, name)?).ok()
}

/// A moment as headers have it.
fn whole_seconds(moment: SystemTime) -> SystemTime {
    let since = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_secs(since.as_secs())
}

/// An answer that follows from the conditions of a request alone.
///
/// Source: RFC 9110, section 13.2.2.
fn precondition<B>(store: &Store, request: &Request<B>, has_tag: bool) -> Option<Response<AnswerBody>> {
    let headers = request.headers();
    let modified = whole_seconds(store.modified());
    let names_this = |name: &header::HeaderName| {
        text(headers, name).map(|tags| {
            let mut tags = tags.split(',').map(|tag| tag.trim().trim_start_matches("W/"));
            tags.any(|tag| tag == "*" || (has_tag && tag == store.entity_tag()))
        })
    };
    let fails = match names_this(&header::IF_MATCH) {
        Some(matches) => !matches,
        None => moment(headers, &header::IF_UNMODIFIED_SINCE).is_some_and(|limit| modified > limit),
    };
    let status = if fails {
        StatusCode::PRECONDITION_FAILED
    } else {
        let is_known = match names_this(&header::IF_NONE_MATCH) {
            Some(matches) => matches,
            None => moment(headers, &header::IF_MODIFIED_SINCE).is_some_and(|limit| modified <= limit),
        };
        is_known.then_some(StatusCode::NOT_MODIFIED)?
    };
    let mut response = Response::new(Full::new(Bytes::new()).boxed());
    *response.status_mut() = status;
    insert(response.headers_mut(), header::LAST_MODIFIED, &httpdate::fmt_http_date(modified));
    Some(if has_tag { with_tag(response, store) } else { response })
}

/// The bytes that a request wants.
#[derive(Debug, PartialEq, Eq)]
enum Range {
    Whole,
    Part(usize, usize),
    Outside,
}

/// Reads `Range`; several ranges, and what is malformed, count as none, which every client must take.
fn range_of(headers: &HeaderMap, store: &Store, size: usize) -> Range {
    let Some(wanted) = text(headers, &header::RANGE).and_then(|text| text.strip_prefix("bytes=")) else {
        return Range::Whole;
    };
    if let Some(condition) = text(headers, &header::IF_RANGE) {
        let is_date =
            httpdate::parse_http_date(condition).is_ok_and(|date| date == whole_seconds(store.modified()));
        if !is_date && condition != store.entity_tag() {
            return Range::Whole;
        }
    }
    match wanted.split_once('-').map(|(first, last)| (first.trim(), last.trim())) {
        Some(("", last)) => match last.parse::<usize>() {
            Ok(0) => Range::Outside,
            Ok(count) => Range::Part(size.saturating_sub(count), size),
            Err(_) => Range::Whole,
        },
        Some((first, last)) => match (first.parse::<usize>(), last.parse::<usize>()) {
            (Ok(first), _) if first >= size => Range::Outside,
            (Ok(first), Ok(last)) if last >= first => Range::Part(first, last.saturating_add(1).min(size)),
            (Ok(first), _) if last.is_empty() => Range::Part(first, size),
            _ => Range::Whole,
        },
        None => Range::Whole,
    }
}

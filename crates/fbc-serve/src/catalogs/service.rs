//! The answers of catalogd's API.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/server/handlers.go`, and `http.ServeContent` of Go.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use fbc_go::http::ByteRange;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body::Body;

use super::body::{self, AnswerBody, Gzip};
use super::conditions;
use super::fields::Selected;
use super::graphql;
use super::request::{self, Asked, Rejection, What};
use super::store::Store;
use super::text::Piece;
use crate::current::Current;

/// Catalogs by name.
type Catalogs = BTreeMap<String, Arc<Current<Store>>>;

/// catalogd's API over many catalogs, each of which can change at any time.
#[derive(Debug, Default)]
pub struct CatalogService {
    catalogs: RwLock<Catalogs>,
}

const LINES: HeaderValue = HeaderValue::from_static("application/jsonl");

impl CatalogService {
    /// Where to put the content of a catalog; requests for it get `404 Not Found` before that.
    pub fn catalog(&self, name: &str) -> Arc<Current<Store>> {
        let mut catalogs = self.catalogs.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(catalogs.entry(name.to_owned()).or_default())
    }

    fn find(&self, name: &str) -> Option<Arc<Store>> {
        let catalogs = self.catalogs.read().unwrap_or_else(PoisonError::into_inner);
        catalogs.get(name)?.get()
    }

    /// Answers a request. What takes long is done beside the threads of the runtime that this runs on.
    pub async fn answer<B>(&self, request: Request<B>) -> Response<AnswerBody>
    where
        B: Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.answered(request).await.unwrap_or_else(|rejection| rejected(&rejection))
    }

    async fn answered<B>(&self, request: Request<B>) -> Result<Response<AnswerBody>, Rejection>
    where
        B: Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (head, body) = request.into_parts();
        let (method, headers) = (&head.method, &head.headers);
        let Asked { catalog, what } =
            request::read(method, head.uri.path(), head.uri.query().unwrap_or_default())?;
        let find = || self.find(&catalog).ok_or(Rejection::new(404));
        match what {
            What::All => {
                let store = find()?;
                all(&store, method, headers).await
            }
            What::Metas(selection, None) if selection.is_all() => {
                let store = find()?;
                metas(&store, method, headers, store.all())
            }
            What::Metas(selection, None) => {
                let store = find()?;
                metas(&store, method, headers, store.select(&selection))
            }
            What::Metas(selection, Some(fields)) => {
                let store = find()?;
                let lines = store.lines(&selection).into_iter();
                Ok(unmet(&store, headers)
                    .unwrap_or_else(|| computed(&store, method, headers, Selected { lines, fields })))
            }
            What::Packages => {
                let store = find()?;
                metas(&store, method, headers, vec![Piece::whole(store.packages())])
            }
            What::Graphql => {
                if find().is_ok_and(|store| store.graphql.is_none()) {
                    return Err(Rejection::unknown_path());
                }
                let asked = graphql::read(body).await?;
                let mut response = Response::new(body::whole(graphql::answer(find()?, asked).await));
                let json = HeaderValue::from_static("application/json");
                response.headers_mut().insert(header::CONTENT_TYPE, json);
                Ok(response)
            }
        }
    }
}

fn rejected(rejection: &Rejection) -> Response<AnswerBody> {
    let status = StatusCode::from_u16(rejection.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let standard = || format!("{} {}", status.as_u16(), status.canonical_reason().unwrap_or_default());
    let text = rejection.text.clone().unwrap_or_else(standard);
    let mut response = Response::new(body::whole(format!("{text}\n")));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// All blobs, as `http.ServeContent` serves a file.
async fn all(store: &Store, method: &Method, headers: &HeaderMap) -> Result<Response<AnswerBody>, Rejection> {
    if let Some(status) = conditions::check(headers, store, true) {
        return Ok(with_tag(bare(store, status), store));
    }
    let size = store.size();
    let mut response = match conditions::wanted_bytes(headers, store) {
        ByteRange::Whole if conditions::packs(headers, Some(size)) => {
            let packed = store.all_compressed().await.map_err(|_| Rejection::new(500))?;
            let mut response = lines(store, method, packed.to_vec());
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            return Ok(with_tag(response, store));
        }
        ByteRange::Whole => lines(store, method, store.all()),
        ByteRange::Part(part) => {
            let range = format!("bytes {}-{}/{size}", part.start, part.end - 1);
            let mut response = lines(store, method, store.slice(&part));
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            insert(response.headers_mut(), header::CONTENT_RANGE, &range);
            response
        }
        ByteRange::Outside => {
            let text = "invalid range: failed to overlap".to_owned();
            let mut response = rejected(&Rejection { code: 416, text: Some(text) });
            insert(response.headers_mut(), header::CONTENT_RANGE, &format!("bytes */{size}"));
            return Ok(response);
        }
    };
    response.headers_mut().insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    Ok(with_tag(response, store))
}

/// Some lines.
fn metas(
    store: &Store,
    method: &Method,
    headers: &HeaderMap,
    pieces: Vec<Piece>,
) -> Result<Response<AnswerBody>, Rejection> {
    if let Some(response) = unmet(store, headers) {
        return Ok(response);
    }
    let size = pieces.iter().map(|piece| piece.range.len()).sum();
    if !conditions::packs(headers, Some(size)) {
        return Ok(lines(store, method, pieces));
    }
    Ok(packed(store, method, body::gzip(pieces)))
}

/// The answer that follows from the conditions of a request for some blobs alone.
fn unmet(store: &Store, headers: &HeaderMap) -> Option<Response<AnswerBody>> {
    conditions::check(headers, store, false).map(|status| bare(store, status))
}

/// Lines that are made while they are sent.
fn computed(store: &Store, method: &Method, headers: &HeaderMap, chunks: Selected) -> Response<AnswerBody> {
    if conditions::packs(headers, None) {
        return packed(store, method, Gzip::new(chunks));
    }
    let body = if method == Method::HEAD { body::whole(Bytes::new()) } else { body::streamed(chunks) };
    described(store, body)
}

/// Lines of a known size.
fn lines(store: &Store, method: &Method, pieces: Vec<Piece>) -> Response<AnswerBody> {
    let size: usize = pieces.iter().map(|piece| piece.range.len()).sum();
    let body = if method == Method::HEAD { body::whole(Bytes::new()) } else { body::plain(pieces) };
    let mut response = described(store, body);
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(size));
    response
}

/// Lines that are packed while they are sent.
fn packed(
    store: &Store,
    method: &Method,
    chunks: Gzip<impl Iterator<Item = io::Result<Bytes>> + Send + Sync + 'static>,
) -> Response<AnswerBody> {
    let body = if method == Method::HEAD { body::whole(Bytes::new()) } else { body::streamed(chunks) };
    let mut response = described(store, body);
    response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    response
}

fn described(store: &Store, body: AnswerBody) -> Response<AnswerBody> {
    let mut response = bare(store, StatusCode::OK);
    *response.body_mut() = body;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, LINES);
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    response
}

/// A status, and when the catalog became what it is.
fn bare(store: &Store, status: StatusCode) -> Response<AnswerBody> {
    let mut response = Response::new(body::whole(Bytes::new()));
    *response.status_mut() = status;
    let modified = conditions::whole_seconds(store.modified());
    insert(response.headers_mut(), header::LAST_MODIFIED, &httpdate::fmt_http_date(modified));
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

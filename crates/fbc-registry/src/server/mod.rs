//! A registry over a layout directory: what clients push is there as an OCI layout, under names of the form
//! `REPOSITORY:TAG`, and what lies in the layout under such names can be pulled.
//!
//! Blobs belong to the whole registry, not to a repository. Nothing is kept in memory but uploads that have begun, so
//! that other programs may work on the same directory. It asks nobody for a password: whoever reaches it may push.
//!
//! Source: `opencontainers/distribution-spec:spec.md`; `distribution/distribution:registry/handlers`.
//!
//! | module | what it holds |
//! |---|---|
//! | `asked` | what the path of a request asks for |
//! | `blobs` | blobs that are read |
//! | `manifests` | manifests, tags and referrers |
//! | `refusal` | errors as clients read them |
//! | `sessions` | uploads that have begun |
//! | `space` | the bytes that it holds |
//! | `uploads` | blobs that are written |

mod asked;
mod blobs;
mod manifests;
mod refusal;
mod sessions;
mod space;
mod uploads;

#[cfg(test)]
mod tests;

use std::error::Error;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::combinators::{BoxBody, UnsyncBoxBody};
use http_body_util::{BodyExt as _, Full};
use oci_spec::OciSpecError;
use oci_spec::image::Digest;
use serde_json::Value;

use self::asked::Asked;
use self::refusal::Refusal;
use self::sessions::Sessions;
use self::space::Space;
use fbc_image::ImageError;
use fbc_image::layout;
use fbc_image::store::BlobFolder;

/// The body of an answer. It breaks off if what it is read from does.
pub type AnswerBody = BoxBody<Bytes, io::Error>;

type Answer = Response<AnswerBody>;

/// The body of a request, whatever server it came through.
type RequestBody = UnsyncBoxBody<Bytes, io::Error>;

const CONTENT_DIGEST: HeaderName = HeaderName::from_static("docker-content-digest");

/// What a registry needs of the process that it runs in.
pub struct Options {
    /// Random numbers: nobody may guess the name of an upload.
    pub random: Box<dyn Fn() -> io::Result<u128> + Send + Sync>,
    /// The time since any moment before the first request; it does not run backwards.
    pub clock: Box<dyn Fn() -> Duration + Send + Sync>,
    /// How many bytes it may hold, [`crate::limits::REGISTRY_BYTES`] usually.
    pub bytes: u64,
    /// How long the body of a request may come slower than 1 KiB/s, [`crate::limits::STALL`] usually.
    pub stall: Duration,
}

/// A registry.
pub struct Registry {
    directory: PathBuf,
    blobs: BlobFolder,
    sessions: Mutex<Sessions>,
    space: Arc<Space>,
    options: Options,
}

impl Registry {
    /// A registry over a directory, which becomes a layout if it is empty or absent. What a killed process has left there
    /// half-written is removed.
    ///
    /// # Errors
    /// If it is something else, or cannot be written.
    pub fn open(directory: &Path, options: Options) -> Result<Self, ImageError> {
        // With them, the directory would not be empty.
        fbc_staging::remove_leftovers(directory);
        layout::create(directory)?;
        let blobs = BlobFolder::new(directory.join("blobs"));
        blobs.remove_leftovers();
        let contents = blobs.contents()?;
        let space = Arc::new(Space::new(contents.bytes + contents.unfinished_bytes, options.bytes));
        Ok(Self { directory: directory.to_path_buf(), blobs, sessions: Mutex::default(), space, options })
    }

    /// Answers a request of a client at an address.
    pub async fn answer<B>(&self, client: IpAddr, request: Request<B>) -> Response<AnswerBody>
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let (head, body) = request.into_parts();
        let body = body.map_err(io::Error::other).boxed_unsync();
        self.sessions().end_old((self.options.clock)());
        let outcome = match Asked::read(head.uri.path()) {
            Some(asked) => self.answered(client, &asked, &head, body).await,
            None => Err(Refusal::not_found()),
        };
        let mut response = outcome.unwrap_or_else(|refusal| refusal.answer());
        let version = HeaderValue::from_static("registry/2.0");
        response.headers_mut().insert("docker-distribution-api-version", version);
        response
    }

    async fn answered(
        &self,
        client: IpAddr,
        asked: &Asked,
        head: &Parts,
        body: RequestBody,
    ) -> Result<Answer, Refusal> {
        let is_read = head.method == Method::GET || head.method == Method::HEAD;
        match asked {
            Asked::Version if is_read => Ok(json(&serde_json::json!({}))),
            Asked::Catalog if is_read => self.catalog(head),
            Asked::Tags(repository) if is_read => self.tags(repository, head),
            Asked::Referrers(repository, digest) if is_read => self.referrers(repository, digest, head),
            Asked::Manifest(repository, reference) if is_read => self.manifest(repository, reference),
            Asked::Manifest(repository, reference) if head.method == Method::PUT => {
                self.put_manifest(repository, reference, head, body).await
            }
            Asked::Manifest(repository, reference) if head.method == Method::DELETE => {
                self.delete_manifest(repository, reference)
            }
            Asked::Blob(_, digest) if is_read => self.blob(digest, head),
            Asked::Uploads(repository) if head.method == Method::POST => {
                self.begin_upload(repository, client, head, body).await
            }
            Asked::Upload(repository, id) if is_read => self.upload_status(repository, id),
            Asked::Upload(repository, id) if head.method == Method::PATCH => {
                self.continue_upload(repository, id, head, body).await
            }
            Asked::Upload(repository, id) if head.method == Method::PUT => {
                self.finish_upload(repository, id, head, body).await
            }
            Asked::Upload(repository, id) if head.method == Method::DELETE => {
                self.cancel_upload(repository, id)
            }
            _ => Err(Refusal::unsupported(asked.methods())),
        }
    }
}

/// A value of the query of a request, the first of its name.
fn parameter(head: &Parts, name: &str) -> Option<String> {
    let query = head.uri.query().unwrap_or_default();
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// A digest as clients and manifests write it.
fn digest(text: &str) -> Result<Digest, Refusal> {
    text.parse().map_err(|error: OciSpecError| Refusal::digest_invalid(error.to_string()))
}

fn text_header<'h>(head: &'h Parts, name: &HeaderName) -> Option<&'h str> {
    head.headers.get(name)?.to_str().ok()
}

fn whole(bytes: impl Into<Bytes>) -> AnswerBody {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed()
}

/// An answer without a body.
fn bare(status: StatusCode) -> Answer {
    let mut response = Response::new(whole(Bytes::new()));
    *response.status_mut() = status;
    insert(&mut response, header::CONTENT_LENGTH, "0");
    response
}

fn json(value: &Value) -> Answer {
    let mut response = Response::new(whole(value.to_string()));
    insert(&mut response, header::CONTENT_TYPE, "application/json");
    response
}

fn insert(response: &mut Answer, name: HeaderName, value: &str) {
    // Names, digests and media types were read as such; what has no place in a header is left out.
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

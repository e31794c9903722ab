//! Errors as clients of registries read them.

use fbc_image::ImageError;
use http::StatusCode;
use http::header::{self, HeaderName};
use oci_spec::image::Digest;
use serde_json::json;

use super::{Answer, insert, whole};
use crate::error::Problem;
use crate::limits;

/// Why a request is refused.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    code: &'static str,
    message: String,
    /// What else the client is to know.
    header: Option<(HeaderName, String)>,
}

impl Refusal {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), header: None }
    }

    pub(super) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "NAME_INVALID", "invalid repository name, tag or digest")
    }

    /// The path is of this API, and the method is none of these.
    pub(super) fn unsupported(allowed: &str) -> Self {
        let refusal =
            Self::new(StatusCode::METHOD_NOT_ALLOWED, "UNSUPPORTED", "The operation is unsupported.");
        Self { header: Some((header::ALLOW, allowed.to_owned())), ..refusal }
    }

    pub(super) fn page_invalid(number: &str) -> Self {
        let message = format!("the number of entries {number:?} is not a number");
        Self::new(StatusCode::BAD_REQUEST, "PAGINATION_NUMBER_INVALID", message)
    }

    pub(super) fn name_unknown() -> Self {
        Self::new(StatusCode::NOT_FOUND, "NAME_UNKNOWN", "repository name not known to registry")
    }

    pub(super) fn manifest_unknown() -> Self {
        Self::new(StatusCode::NOT_FOUND, "MANIFEST_UNKNOWN", "manifest unknown")
    }

    pub(super) fn manifest_invalid(reason: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "MANIFEST_INVALID", reason)
    }

    /// A manifest names a blob or manifest that was not pushed.
    pub(super) fn content_unknown(digest: &Digest) -> Self {
        let message = format!("{digest}: blob unknown to registry; push it before the manifest");
        Self::new(StatusCode::BAD_REQUEST, "MANIFEST_BLOB_UNKNOWN", message)
    }

    pub(super) fn blob_unknown() -> Self {
        Self::new(StatusCode::NOT_FOUND, "BLOB_UNKNOWN", "blob unknown to registry")
    }

    pub(super) fn upload_unknown() -> Self {
        Self::new(StatusCode::NOT_FOUND, "BLOB_UPLOAD_UNKNOWN", "blob upload unknown to registry")
    }

    /// Another request has not ended yet.
    pub(super) fn upload_busy() -> Self {
        let message = "another request is at work on this upload";
        Self::new(StatusCode::CONFLICT, "BLOB_UPLOAD_INVALID", message)
    }

    pub(super) fn too_many() -> Self {
        let message = format!(
            "too many uploads have begun and not ended: {} of a client, or {} of all; end some, or try again later",
            limits::UPLOADS_OF_CLIENT,
            limits::UPLOADS
        );
        let refusal = Self::new(StatusCode::TOO_MANY_REQUESTS, "TOOMANYREQUESTS", message);
        Self { header: Some((header::RETRY_AFTER, limits::UPLOAD_LEFT.as_secs().to_string())), ..refusal }
    }

    /// The bytes of a body come too slowly.
    pub(super) fn too_slow(problem: Problem) -> Self {
        let message = format!("the request body comes too slowly: {problem}");
        Self::new(StatusCode::REQUEST_TIMEOUT, "BLOB_UPLOAD_INVALID", message)
    }

    pub(super) fn no_space(held: u64, most: u64) -> Self {
        let message = format!(
            "the registry holds {held} bytes and may hold {most}; start it with --limit registry-bytes=N to allow more"
        );
        Self::new(StatusCode::FORBIDDEN, "DENIED", message)
    }

    pub(super) fn too_many_names() -> Self {
        let most = limits::REGISTRY_NAMES;
        let message = format!("the registry holds images under {most} tags and digests, and takes no more");
        Self::new(StatusCode::FORBIDDEN, "DENIED", message)
    }

    /// A part does not begin where the last one ended.
    pub(super) fn wrong_offset(range: String) -> Self {
        let message = "the chunk does not start where the upload ends";
        let refusal = Self::new(StatusCode::RANGE_NOT_SATISFIABLE, "BLOB_UPLOAD_INVALID", message);
        Self { header: Some((header::RANGE, range)), ..refusal }
    }

    pub(super) fn outside_of_blob(size: u64) -> Self {
        let message = "the range lies outside of the blob";
        let refusal = Self::new(StatusCode::RANGE_NOT_SATISFIABLE, "SIZE_INVALID", message);
        Self { header: Some((header::CONTENT_RANGE, format!("bytes */{size}"))), ..refusal }
    }

    pub(super) fn digest_invalid(reason: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "DIGEST_INVALID", reason)
    }

    pub(super) fn too_large(limit: u64) -> Self {
        let message = format!("more than {limit} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "SIZE_INVALID", message)
    }

    /// The client went away.
    pub(super) fn broken_off(error: &(dyn std::error::Error + 'static)) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "BLOB_UPLOAD_INVALID",
            format!("the request body ended early: {error}"),
        )
    }

    pub(super) fn answer(self) -> Answer {
        let body = json!({"errors": [{"code": self.code, "message": self.message}]}).to_string();
        let mut response = Answer::new(whole(body));
        *response.status_mut() = self.status;
        insert(&mut response, header::CONTENT_TYPE, "application/json");
        if let Some((name, value)) = self.header {
            insert(&mut response, name, &value);
        }
        response
    }
}

impl From<ImageError> for Refusal {
    fn from(error: ImageError) -> Self {
        match error {
            ImageError::WrongDigest { .. } | ImageError::UnknownDigest(_) => {
                Self::digest_invalid(error.to_string())
            }
            error => {
                tracing::error!(%error, "the registry cannot use its directory");
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "UNKNOWN", error.to_string())
            }
        }
    }
}

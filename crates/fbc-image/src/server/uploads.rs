//! Blobs that are written: whole, or in parts.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write as _;
use std::str::FromStr as _;
use std::sync::PoisonError;

use bytes::Bytes;
use http::StatusCode;
use http::header::{self, HeaderName};
use http::request::Parts;
use http_body::Body;
use http_body_util::BodyExt as _;
use oci_spec::image::Digest;

use super::refusal::Refusal;
use super::{Answer, CONTENT_DIGEST, Registry, bare, insert, parameter, text_header};
use crate::error::ImageError;
use crate::limits;
use crate::store::BlobWriter;

const UPLOAD_ID: HeaderName = HeaderName::from_static("docker-upload-uuid");

/// So many uploads may be open; then the oldest is given up.
const OPEN_UPLOADS: usize = 1_000;

/// Uploads that have begun. One that a request is at work on is not among them.
#[derive(Default)]
pub(super) struct Uploads {
    begun: u64,
    open: BTreeMap<u64, BlobWriter>,
}

impl Registry {
    /// Begins an upload; takes the blob at once if it is there already or comes along.
    pub(super) async fn begin_upload<B>(
        &self,
        repository: &str,
        head: &Parts,
        body: B,
    ) -> Result<Answer, Refusal>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        if let Some(digest) = parameter(head, "mount")
            && self.open_blob(&digest)?.is_some()
        {
            return Ok(created(repository, &digest));
        }
        let Some(digest) = parameter(head, "digest") else {
            let writer = self.blobs.begin()?;
            let mut uploads = self.uploads.lock().unwrap_or_else(PoisonError::into_inner);
            uploads.begun += 1;
            let id = uploads.begun;
            uploads.open.insert(id, writer);
            if uploads.open.len() > OPEN_UPLOADS {
                uploads.open.pop_first();
            }
            return Ok(accepted(repository, id, 0, StatusCode::ACCEPTED));
        };
        let digest = Digest::from_str(&digest).map_err(|error| Refusal::digest_invalid(error.to_string()))?;
        let mut writer = self.blobs.begin_as(&digest)?;
        append(&mut writer, body).await?;
        writer.finish_as(&digest)?;
        Ok(created(repository, digest.as_ref()))
    }

    /// How much of a blob is there.
    pub(super) fn upload_status(&self, repository: &str, id: &str) -> Result<Answer, Refusal> {
        let id = number(id)?;
        let uploads = self.uploads.lock().unwrap_or_else(PoisonError::into_inner);
        let written = uploads.open.get(&id).ok_or_else(Refusal::upload_unknown)?.written();
        Ok(accepted(repository, id, written, StatusCode::NO_CONTENT))
    }

    /// Takes a part of a blob.
    pub(super) async fn continue_upload<B>(
        &self,
        repository: &str,
        id: &str,
        head: &Parts,
        body: B,
    ) -> Result<Answer, Refusal>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let id = number(id)?;
        let mut writer = self.take(id)?;
        let written = writer.written();
        if starts_elsewhere(head, written) {
            self.put_back(id, writer);
            return Err(Refusal::wrong_offset(range(written)));
        }
        append(&mut writer, body).await?;
        let written = writer.written();
        self.put_back(id, writer);
        Ok(accepted(repository, id, written, StatusCode::ACCEPTED))
    }

    /// Takes the last part of a blob, and gives it its name.
    pub(super) async fn finish_upload<B>(
        &self,
        repository: &str,
        id: &str,
        head: &Parts,
        body: B,
    ) -> Result<Answer, Refusal>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let digest = parameter(head, "digest").ok_or_else(|| Refusal::digest_invalid("digest missing"))?;
        let digest = Digest::from_str(&digest).map_err(|error| Refusal::digest_invalid(error.to_string()))?;
        let mut writer = self.take(number(id)?)?;
        append(&mut writer, body).await?;
        writer.finish_as(&digest)?;
        Ok(created(repository, digest.as_ref()))
    }

    /// Gives up an upload.
    pub(super) fn cancel_upload(&self, id: &str) -> Result<Answer, Refusal> {
        self.take(number(id)?).map(|_| bare(StatusCode::NO_CONTENT))
    }

    fn take(&self, id: u64) -> Result<BlobWriter, Refusal> {
        let mut uploads = self.uploads.lock().unwrap_or_else(PoisonError::into_inner);
        uploads.open.remove(&id).ok_or_else(Refusal::upload_unknown)
    }

    fn put_back(&self, id: u64, writer: BlobWriter) {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner).open.insert(id, writer);
    }
}

fn number(id: &str) -> Result<u64, Refusal> {
    id.parse().map_err(|_| Refusal::upload_unknown())
}

/// Whether a part says that it begins elsewhere than where the last one ended. Clients write `0-99` or `bytes 0-99/*`.
fn starts_elsewhere(head: &Parts, written: u64) -> bool {
    let range = text_header(head, &header::CONTENT_RANGE).unwrap_or_default();
    let start = range.strip_prefix("bytes ").unwrap_or(range).split('-').next().unwrap_or_default();
    start.parse::<u64>().is_ok_and(|start| start != written)
}

async fn append<B>(writer: &mut BlobWriter, body: B) -> Result<(), Refusal>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let mut body = std::pin::pin!(body);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Refusal::broken_off(&*error.into()))?;
        let Ok(bytes) = frame.into_data() else { continue };
        if writer.written() + bytes.len() as u64 > limits::BLOB_BYTES {
            return Err(Refusal::too_large(limits::BLOB_BYTES));
        }
        writer.write_all(&bytes).map_err(ImageError::io("write to", writer.root()))?;
    }
    Ok(())
}

fn range(written: u64) -> String {
    format!("0-{}", written.saturating_sub(1))
}

fn accepted(repository: &str, id: u64, written: u64, status: StatusCode) -> Answer {
    let mut response = bare(status);
    insert(&mut response, header::LOCATION, &format!("/v2/{repository}/blobs/uploads/{id}"));
    insert(&mut response, header::RANGE, &range(written));
    insert(&mut response, UPLOAD_ID, &id.to_string());
    response
}

fn created(repository: &str, digest: &str) -> Answer {
    let mut response = bare(StatusCode::CREATED);
    insert(&mut response, header::LOCATION, &format!("/v2/{repository}/blobs/{digest}"));
    insert(&mut response, CONTENT_DIGEST, digest);
    response
}

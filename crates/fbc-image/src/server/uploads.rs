//! Blobs that are written: whole, or in parts.

use std::collections::VecDeque;
use std::io::Write as _;
use std::sync::PoisonError;

use http::StatusCode;
use http::header::{self, HeaderName};
use http::request::Parts;
use http_body_util::BodyExt as _;
use oci_spec::image::{Digest, DigestAlgorithm};

use super::refusal::Refusal;
use super::{Answer, CONTENT_DIGEST, Registry, RequestBody, bare, digest, insert, parameter, text_header};
use crate::error::ImageError;
use crate::limits;
use crate::store::BlobWriter;

const UPLOAD_ID: HeaderName = HeaderName::from_static("docker-upload-uuid");

/// So many uploads may wait for their next part; then the one that waits longest is given up. Each holds a file open, of
/// which many systems allow 1024 to a process.
const OPEN_UPLOADS: usize = 100;

/// Uploads that wait for their next part. One that a request is at work on is not among them.
#[derive(Default)]
pub(super) struct Uploads {
    begun: u64,
    /// The one that waits longest first.
    open: VecDeque<(u64, BlobWriter)>,
}

/// An upload that a request is at work on. However the request ends, the upload waits for its next part again, unless its
/// writer was taken out.
struct Busy<'r> {
    registry: &'r Registry,
    id: u64,
    writer: Option<BlobWriter>,
}

impl Busy<'_> {
    fn written(&self) -> u64 {
        self.writer.as_ref().map_or(0, BlobWriter::written)
    }

    async fn append(&mut self, body: RequestBody) -> Result<(), Refusal> {
        match &mut self.writer {
            Some(writer) => append(writer, body).await,
            None => Err(Refusal::upload_unknown()),
        }
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            let mut uploads = self.registry.uploads.lock().unwrap_or_else(PoisonError::into_inner);
            uploads.open.push_back((self.id, writer));
            if uploads.open.len() > OPEN_UPLOADS {
                uploads.open.pop_front();
            }
        }
    }
}

impl Registry {
    /// Begins an upload; takes the blob at once if it is there already or comes along.
    pub(super) async fn begin_upload(
        &self,
        repository: &str,
        head: &Parts,
        body: RequestBody,
    ) -> Result<Answer, Refusal> {
        if let Some(wanted) = parameter(head, "mount") {
            let wanted = digest(&wanted)?;
            if self.open_blob(&wanted)?.is_some() {
                return Ok(created(repository, &wanted));
            }
        }
        let Some(announced) = parameter(head, "digest") else {
            let writer = Some(self.blobs.begin()?);
            let id = {
                let mut uploads = self.uploads.lock().unwrap_or_else(PoisonError::into_inner);
                uploads.begun += 1;
                uploads.begun
            };
            drop(Busy { registry: self, id, writer });
            return Ok(accepted(repository, id, 0, StatusCode::ACCEPTED));
        };
        let digest = digest(&announced)?;
        let mut writer = self.blobs.begin_as(&digest)?;
        append(&mut writer, body).await?;
        writer.finish_as(&digest)?;
        Ok(created(repository, &digest))
    }

    /// How much of a blob is there.
    pub(super) fn upload_status(&self, repository: &str, id: &str) -> Result<Answer, Refusal> {
        let upload = self.take(id)?;
        Ok(accepted(repository, upload.id, upload.written(), StatusCode::NO_CONTENT))
    }

    /// Takes a part of a blob.
    pub(super) async fn continue_upload(
        &self,
        repository: &str,
        id: &str,
        head: &Parts,
        body: RequestBody,
    ) -> Result<Answer, Refusal> {
        let mut upload = self.take_for_part(id, head)?;
        upload.append(body).await?;
        Ok(accepted(repository, upload.id, upload.written(), StatusCode::ACCEPTED))
    }

    /// Takes the last part of a blob, and gives it its name.
    pub(super) async fn finish_upload(
        &self,
        repository: &str,
        id: &str,
        head: &Parts,
        body: RequestBody,
    ) -> Result<Answer, Refusal> {
        let announced = parameter(head, "digest").ok_or_else(|| Refusal::digest_invalid("digest missing"))?;
        let digest = digest(&announced)?;
        if *digest.algorithm() != DigestAlgorithm::Sha256 {
            return Err(Refusal::digest_invalid(
                "blobs that come in parts have a sha256 digest; push this one whole, with POST ?digest=",
            ));
        }
        let mut upload = self.take_for_part(id, head)?;
        upload.append(body).await?;
        upload.writer.take().ok_or_else(Refusal::upload_unknown)?.finish_as(&digest)?;
        Ok(created(repository, &digest))
    }

    /// Gives up an upload.
    pub(super) fn cancel_upload(&self, id: &str) -> Result<Answer, Refusal> {
        self.take(id)?.writer.take();
        Ok(bare(StatusCode::NO_CONTENT))
    }

    fn take(&self, id: &str) -> Result<Busy<'_>, Refusal> {
        let id: u64 = id.parse().map_err(|_| Refusal::upload_unknown())?;
        let mut uploads = self.uploads.lock().unwrap_or_else(PoisonError::into_inner);
        let place = uploads.open.iter().position(|(known, _)| *known == id);
        let found = place.and_then(|place| uploads.open.remove(place)).ok_or_else(Refusal::upload_unknown)?;
        Ok(Busy { registry: self, id, writer: Some(found.1) })
    }

    /// Takes an upload for a part that begins where the last one ended.
    fn take_for_part(&self, id: &str, head: &Parts) -> Result<Busy<'_>, Refusal> {
        let upload = self.take(id)?;
        if starts_elsewhere(head, upload.written()) {
            return Err(Refusal::wrong_offset(range(upload.written())));
        }
        Ok(upload)
    }
}

/// Whether a part says that it begins elsewhere than where the last one ended. Clients write `0-99` or `bytes 0-99/*`.
fn starts_elsewhere(head: &Parts, written: u64) -> bool {
    let range = text_header(head, &header::CONTENT_RANGE).unwrap_or_default();
    let start = range.strip_prefix("bytes ").unwrap_or(range).split('-').next().unwrap_or_default();
    start.parse::<u64>().is_ok_and(|start| start != written)
}

async fn append(writer: &mut BlobWriter, body: RequestBody) -> Result<(), Refusal> {
    let mut body = std::pin::pin!(body);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Refusal::broken_off(&error))?;
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

fn created(repository: &str, digest: &Digest) -> Answer {
    let mut response = bare(StatusCode::CREATED);
    insert(&mut response, header::LOCATION, &format!("/v2/{repository}/blobs/{digest}"));
    insert(&mut response, CONTENT_DIGEST, digest.as_ref());
    response
}

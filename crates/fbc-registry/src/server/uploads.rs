//! Blobs that are written: whole, or in parts.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, MutexGuard, PoisonError};

use bytes::Bytes;
use fbc_image::ImageError;
use http::StatusCode;
use http::header::{self, HeaderName};
use http::request::Parts;
use http_body::Frame;
use http_body_util::BodyExt as _;
use oci_spec::image::{Digest, DigestAlgorithm};

use super::refusal::Refusal;
use super::sessions::{Id, Sessions};
use super::space::Staged;
use super::{Answer, CONTENT_DIGEST, Registry, RequestBody, bare, digest, insert, parameter, text_header};
use crate::pace::{self, Meter};

const UPLOAD_ID: HeaderName = HeaderName::from_static("docker-upload-uuid");

/// An upload that a request is at work on. However the request ends, the upload waits for its next part again, unless what
/// came so far was taken out: then it has ended.
struct Busy<'r> {
    registry: &'r Registry,
    id: Id,
    staged: Option<Staged>,
}

impl Busy<'_> {
    fn written(&self) -> u64 {
        self.staged.as_ref().map_or(0, Staged::written)
    }

    /// Takes a part, if it comes no slower than clients expect of registries.
    async fn append(&mut self, body: RequestBody) -> Result<(), Refusal> {
        let staged = self.staged.as_mut().ok_or_else(Refusal::upload_unknown)?;
        let window = self.registry.options.stall;
        let (mut body, mut meter) = (std::pin::pin!(body), Meter::default());
        let bytes_of = |frame: &Option<io::Result<Frame<Bytes>>>| match frame {
            Some(Ok(frame)) => frame.data_ref().map_or(0, |bytes| bytes.len() as u64),
            _ => 0,
        };
        while let Some(frame) =
            pace::next(&mut meter, window, bytes_of, body.frame()).await.map_err(Refusal::too_slow)?
        {
            let frame = frame.map_err(|error| Refusal::broken_off(&error))?;
            if let Ok(bytes) = frame.into_data() {
                staged.append(&bytes)?;
            }
        }
        Ok(())
    }

    fn finish_as(mut self, digest: &Digest) -> Result<(), Refusal> {
        let staged = self.staged.take().ok_or_else(Refusal::upload_unknown)?;
        staged.finish_as(digest, || Ok(self.registry.open_blob(digest)?.is_some()))
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        match self.staged.take() {
            Some(staged) => {
                self.registry.sessions().put_back(self.id, staged, (self.registry.options.clock)())
            }
            None => self.registry.sessions().end(self.id),
        }
    }
}

impl Registry {
    pub(super) fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An upload that was not there before, of a blob that is to have a digest or whose digest is not known so far.
    fn begin(&self, repository: &str, client: IpAddr, digest: Option<&Digest>) -> Result<Busy<'_>, Refusal> {
        let id =
            (self.options.random)().map_err(ImageError::io("take random numbers for", &self.directory))?;
        self.sessions().begin(id, repository, client, (self.options.clock)())?;
        let mut upload = Busy { registry: self, id, staged: None };
        let writer = digest.map_or_else(|| self.blobs.begin(), |digest| self.blobs.begin_as(digest))?;
        upload.staged = Some(Staged::new(writer, Arc::clone(&self.space)));
        Ok(upload)
    }

    /// Begins an upload; takes the blob at once if it is there already or comes along.
    pub(super) async fn begin_upload(
        &self,
        repository: &str,
        client: IpAddr,
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
            let upload = self.begin(repository, client, None)?;
            return Ok(accepted(repository, upload.id, 0, StatusCode::ACCEPTED));
        };
        let digest = digest(&announced)?;
        let mut upload = self.begin(repository, client, Some(&digest))?;
        if let Err(refusal) = upload.append(body).await {
            // Nobody was told its name.
            upload.staged = None;
            return Err(refusal);
        }
        upload.finish_as(&digest)?;
        Ok(created(repository, &digest))
    }

    /// How much of a blob is there.
    pub(super) fn upload_status(&self, repository: &str, id: &str) -> Result<Answer, Refusal> {
        let upload = self.take(repository, id)?;
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
        let mut upload = self.take_for_part(repository, id, head)?;
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
        let mut upload = self.take_for_part(repository, id, head)?;
        upload.append(body).await?;
        upload.finish_as(&digest)?;
        Ok(created(repository, &digest))
    }

    /// Gives up an upload.
    pub(super) fn cancel_upload(&self, repository: &str, id: &str) -> Result<Answer, Refusal> {
        self.take(repository, id)?.staged.take();
        Ok(bare(StatusCode::NO_CONTENT))
    }

    fn take(&self, repository: &str, id: &str) -> Result<Busy<'_>, Refusal> {
        let number = Id::from_str_radix(id, 16).ok().filter(|number| shown(*number) == id);
        let id = number.ok_or_else(Refusal::upload_unknown)?;
        let staged = self.sessions().take(id, repository, (self.options.clock)())?;
        Ok(Busy { registry: self, id, staged: Some(staged) })
    }

    /// Takes an upload for a part that begins where the last one ended.
    fn take_for_part(&self, repository: &str, id: &str, head: &Parts) -> Result<Busy<'_>, Refusal> {
        let upload = self.take(repository, id)?;
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

/// The name of an upload as clients see it.
fn shown(id: Id) -> String {
    format!("{id:032x}")
}

fn range(written: u64) -> String {
    format!("0-{}", written.saturating_sub(1))
}

fn accepted(repository: &str, id: Id, written: u64, status: StatusCode) -> Answer {
    let mut response = bare(status);
    let id = shown(id);
    insert(&mut response, header::LOCATION, &format!("/v2/{repository}/blobs/uploads/{id}"));
    insert(&mut response, header::RANGE, &range(written));
    insert(&mut response, UPLOAD_ID, &id);
    response
}

fn created(repository: &str, digest: &Digest) -> Answer {
    let mut response = bare(StatusCode::CREATED);
    insert(&mut response, header::LOCATION, &format!("/v2/{repository}/blobs/{digest}"));
    insert(&mut response, CONTENT_DIGEST, digest.as_ref());
    response
}

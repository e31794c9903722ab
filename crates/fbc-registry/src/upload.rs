//! Blobs into registries: not sent if they are there, taken from a neighbour where possible, resumed where they broke
//! off.
//!
//! Source: `opencontainers/distribution-spec:spec.md#push`.

use std::sync::Arc;

use bytes::Bytes;
use oci_spec::image::Descriptor;
use reqwest::header::{CONTENT_RANGE, CONTENT_TYPE, LOCATION, RANGE};
use reqwest::{Method, Response};
use url::Url;

use crate::blob::{BlobSource, Part, Payload};
use crate::error::{Problem, RegistryError, Result};
use crate::limits::{SMALL_PART, UPLOAD_PROGRESS, UPLOAD_REPETITIONS};
use crate::mirrors::Endpoint;
use crate::observer::BlobOutcome;
use crate::transport::{Call, Transport};

/// Blobs up to this size travel in one request.
const SMALL: u64 = 256 * 1024;

/// The least bytes of a part that is not the last, as the registry wants them.
const LEAST_PART: &str = "oci-chunk-min-length";

/// Answers to the wish to mount a blob that say no: without it the blob is sent.
const NOT_MOUNTED: &[u16] = &[400, 401, 403, 404, 405, 409, 415, 422, 500, 501, 502, 503, 504];

/// One blob on its way to one repository.
pub(crate) struct Upload<'a> {
    pub(crate) transport: &'a Transport,
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) descriptor: &'a Descriptor,
    pub(crate) source: &'a dyn BlobSource,
}

/// An upload that a registry has begun.
struct Sending {
    /// Where the next part goes.
    address: Url,
    /// The least bytes of a part that is not the last.
    least: u64,
}

/// How a step of an upload ended.
enum Step {
    Done,
    /// The registry knows the session no more.
    Lost,
    /// The session is of no use after a failure that may pass.
    Failed(Box<RegistryError>),
}

impl Upload<'_> {
    /// Brings the blob there. `mount_from` is a repository of the same registry that may have it.
    pub(crate) async fn run(&self, mount_from: Option<&str>) -> Result<BlobOutcome> {
        if self.exists().await? {
            return Ok(BlobOutcome::Existed);
        }
        let mut session = None;
        if let Some(from) = mount_from {
            let query = format!("?mount={}&from={from}", self.descriptor.digest());
            let mut call =
                self.call("mount the blob", Method::POST, self.uploads(&query).await?, NOT_MOUNTED);
            call.scopes.push(format!("repository:{from}:pull"));
            let response = self.transport.send(self.endpoint, &call).await?;
            match response.status().as_u16() {
                201 => return Ok(BlobOutcome::Mounted),
                202 => session = Some(self.begun(&call.url, &response)?),
                // Mounting is a favour; without it the blob is sent.
                _ => {}
            }
        }
        let mut failures = 0;
        loop {
            let sending = match session.take() {
                Some(sending) => sending,
                None => self.start().await?,
            };
            let step = if self.descriptor.size() <= SMALL {
                self.send_small(sending.address).await?
            } else {
                self.send_parts(sending).await?
            };
            failures += 1;
            let mut error = match step {
                Step::Done => return Ok(BlobOutcome::Transferred),
                Step::Failed(error) => error,
                Step::Lost => {
                    let text = "the registry lost the upload".to_owned();
                    self.failure(Problem::Unreachable { text, attempts: failures, connected: true })
                }
            };
            error.problem.set_attempts(failures);
            let asked = error.problem.passing();
            match asked.and_then(|asked| self.transport.settings.retry.delay(failures, asked)) {
                Some(wait) => self.transport.pause(&error, wait).await,
                None => return Err(error),
            }
        }
    }

    /// True if the repository has the blob.
    pub(crate) async fn exists(&self) -> Result<bool> {
        let path = format!("v2/{}/blobs/{}", self.endpoint.reference.repository(), self.descriptor.digest());
        let url = self.transport.address(self.endpoint, &path).await?;
        // Not every registry answers; then the blob is sent.
        let call = self.call("look for the blob", Method::HEAD, url, &[404, 405]);
        Ok(self.transport.send(self.endpoint, &call).await?.status().is_success())
    }

    async fn start(&self) -> Result<Sending> {
        let call = self.call("begin to send the blob", Method::POST, self.uploads("").await?, &[]);
        let response = self.transport.send(self.endpoint, &call).await?;
        self.begun(&call.url, &response)
    }

    /// The upload that an answer begins.
    fn begun(&self, base: &Url, response: &Response) -> Result<Sending> {
        let least =
            response.headers().get(LEAST_PART).and_then(|least| least.to_str().ok()?.trim().parse().ok());
        Ok(Sending { address: self.location(base, response)?, least: least.unwrap_or(1) })
    }

    /// The bytes of the next part.
    fn part_length(&self, offset: u64, least: u64) -> u64 {
        let wanted = self.transport.settings.chunk_size.unwrap_or(u64::MAX);
        let most = if self.transport.takes_small_parts(self.endpoint) { SMALL_PART } else { u64::MAX };
        wanted.min(most).max(least).max(1).min(self.descriptor.size() - offset)
    }

    /// The whole blob in the request that ends the upload.
    async fn send_small(&self, address: Url) -> Result<Step> {
        let mut content = Vec::new();
        self.transport.fetch(self.source, self.descriptor, &mut content).await?;
        self.finish(address, content.into()).await
    }

    /// The blob in parts, each behind what the registry has; in one, where nobody wants smaller ones.
    async fn send_parts(&self, sending: Sending) -> Result<Step> {
        let Sending { mut address, least } = sending;
        let size = self.descriptor.size();
        let (mut offset, mut failures, mut sent) = (0, 0, 0_u64);
        // Some registries answer with the bytes of the part, or with the number of bytes in place of the last one.
        let mut counts = true;
        while offset < size {
            if sent / UPLOAD_REPETITIONS > size {
                let text = format!("{sent} bytes were sent of a blob of {size}, and it has {offset}");
                return Err(self.failure(Problem::Unexpected(text)));
            }
            let length = self.part_length(offset, least);
            let call = self.part(address.clone(), offset, length);
            sent = sent.saturating_add(length);
            let mut refusal = None;
            match self.transport.send(self.endpoint, &call).await {
                Ok(response) if response.status().as_u16() == 404 => return Ok(Step::Lost),
                Ok(response) if !response.status().is_success() => {
                    failures += 1;
                    let answer = self.transport.answer_in(response).await;
                    let is_of_size = answer.status == 413;
                    let problem = Problem::PartTooLarge { answer, length };
                    if self.transport.settings.retry.delay(failures, None).is_none() {
                        return Err(self.failure(problem));
                    }
                    refusal = Some((problem, is_of_size));
                }
                Ok(response) => {
                    address = self.location(&call.url, &response)?;
                    let end = offset + length;
                    let mut has = received(&response).filter(|_| counts).unwrap_or(end);
                    if has != end {
                        has = match self.state(&address).await? {
                            Some((asked, next)) if asked <= end => {
                                address = next;
                                asked
                            }
                            // Nobody knows better than the answer to the part, if it can be true at all.
                            _ if (offset + 1..end).contains(&has) => has,
                            _ => end,
                        };
                        counts = has != end;
                    }
                    let is_enough = has >= offset + length.min(UPLOAD_PROGRESS);
                    failures = if is_enough { 0 } else { failures + 1 };
                    offset = has;
                    if is_enough {
                        continue;
                    }
                    if self.transport.settings.retry.delay(failures, None).is_none() {
                        let text =
                            format!("it takes every part and keeps none: {has} bytes of {size} are there");
                        return Err(self.failure(Problem::Unexpected(text)));
                    }
                }
                Err(mut error) => {
                    failures += 1;
                    let wait = error
                        .problem
                        .passing()
                        .and_then(|asked| self.transport.settings.retry.delay(failures, asked));
                    let Some(wait) = wait else {
                        error.problem.set_attempts(failures);
                        return Err(error);
                    };
                    self.transport.pause(&error, wait).await;
                }
            }
            let state = self.state(&address).await?.filter(|(has, _)| *has <= size);
            if let Some((problem, is_of_size)) = refusal {
                let was_in_place = state.as_ref().is_some_and(|(has, _)| *has == offset);
                let may_be_smaller = length > SMALL_PART.max(least);
                // A part that was in its place is too large.
                match is_of_size || was_in_place {
                    true if !may_be_smaller => return Err(self.failure(problem)),
                    is_too_large if is_too_large || (may_be_smaller && state.is_none()) => {
                        self.transport.note_small_parts(self.endpoint);
                    }
                    _ => {}
                }
            }
            match state {
                Some(state) => (offset, address) = state,
                None => return Ok(Step::Lost),
            }
        }
        self.finish(address, Bytes::new()).await
    }

    /// The request that sends a part.
    fn part(&self, address: Url, offset: u64, length: u64) -> Call<'_> {
        let mut call = self.call("send the blob", Method::PATCH, address, &[404, 413, 416]);
        call.headers.push((CONTENT_TYPE, "application/octet-stream".to_owned()));
        // A blob that comes whole is no part: ghcr.io refuses large ones that say they are.
        if length < self.descriptor.size() {
            call.headers.push((CONTENT_RANGE, format!("{offset}-{}", offset + length - 1)));
        }
        call.repeat = false;
        call.payload = Payload::Part(Part {
            source: self.source,
            descriptor: self.descriptor,
            offset,
            length,
            observer: Arc::clone(&self.transport.settings.observer),
            error: Arc::default(),
            taken: Arc::default(),
        });
        call
    }

    /// How many bytes the registry has, and where to go on; none if it has lost the upload.
    async fn state(&self, address: &Url) -> Result<Option<(u64, Url)>> {
        let call = self.call("resume the blob", Method::GET, address.clone(), &[400, 404, 405, 416]);
        let response = self.transport.send(self.endpoint, &call).await?;
        if !response.status().is_success() {
            return Ok(None);
        }
        let has = received(&response).unwrap_or(0);
        let next = if response.headers().contains_key(LOCATION) {
            self.location(address, &response)?
        } else {
            address.clone()
        };
        Ok(Some((has, next)))
    }

    async fn finish(&self, mut address: Url, content: Bytes) -> Result<Step> {
        address.query_pairs_mut().append_pair("digest", self.descriptor.digest().as_ref());
        let mut call = self.call("finish the blob", Method::PUT, address, &[404, 416]);
        call.headers.push((CONTENT_TYPE, "application/octet-stream".to_owned()));
        // A session that took a part of the content cannot take all of it again.
        call.repeat = content.is_empty();
        call.payload = Payload::Bytes(content);
        let response = match self.transport.send(self.endpoint, &call).await {
            Ok(response) => response,
            // The answer may have been lost after the work was done.
            Err(error) if error.problem.passing().is_some() => {
                return Ok(match self.exists().await? {
                    true => Step::Done,
                    false if call.repeat => return Err(error),
                    false => Step::Failed(error),
                });
            }
            Err(error) => return Err(error),
        };
        if response.status().is_success() {
            return Ok(Step::Done);
        }
        // A repeated request after a lost answer finds the session gone and the blob there.
        Ok(if self.exists().await? { Step::Done } else { Step::Lost })
    }

    async fn uploads(&self, query: &str) -> Result<Url> {
        let path = format!("v2/{}/blobs/uploads/{query}", self.endpoint.reference.repository());
        self.transport.address(self.endpoint, &path).await
    }

    fn location(&self, base: &Url, response: &Response) -> Result<Url> {
        let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        location.and_then(|location| base.join(location).ok()).ok_or_else(|| {
            self.failure(Problem::Unexpected("the registry does not say where to send the blob".to_owned()))
        })
    }

    fn call(&self, action: &'static str, method: Method, url: Url, accepted: &'static [u16]) -> Call<'_> {
        let repository = self.endpoint.reference.repository();
        let item = format!("/{repository}@{}", self.descriptor.digest());
        // A request that may have a body says how long it is.
        let payload = if method == Method::POST { Payload::Bytes(Bytes::new()) } else { Payload::Nothing };
        let scopes = vec![format!("repository:{repository}:pull,push")];
        Call { action, item, method, url, headers: Vec::new(), payload, scopes, accepted, repeat: true }
    }

    fn failure(&self, problem: Problem) -> Box<RegistryError> {
        let place = format!("{}@{}", self.endpoint.reference.name(), self.descriptor.digest());
        RegistryError::new("send the blob", place, problem)
    }
}

/// The bytes that a registry has, as its answer says.
fn received(response: &Response) -> Option<u64> {
    bytes_of(response.headers().get(RANGE)?.to_str().ok()?)
}

/// The bytes of a range from the first on, `0-LAST`. Nothing at all is `0-0`, as one byte is.
fn bytes_of(range: &str) -> Option<u64> {
    let last: u64 = range.trim_start_matches("bytes=").split_once('-')?.1.trim().parse().ok()?;
    Some(if last == 0 { 0 } else { last.saturating_add(1) })
}

#[cfg(test)]
mod tests {
    use super::bytes_of;

    #[test]
    fn ranges_say_how_many_bytes_there_are() {
        for (range, expected) in [
            ("0-0", Some(0)),
            ("bytes=0-18", Some(19)),
            ("0-18446744073709551615", Some(u64::MAX)),
            ("0-18446744073709551616", None),
            ("0", None),
            ("", None),
        ] {
            assert_eq!(bytes_of(range), expected, "{range}");
        }
    }
}

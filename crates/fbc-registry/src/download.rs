//! Blobs out of registries: resumed where they broke off, verified while they pass.

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use oci_spec::image::Descriptor;
use reqwest::Method;
use reqwest::header::{CONTENT_RANGE, RANGE};

use crate::answer::connection_problem;
use crate::blob::{BlobSource, BlobStream, BlobTarget, Payload, Verifier};
use crate::error::{Problem, RegistryError, Result};
use crate::mirrors::Endpoint;
use crate::pace::paced;
use crate::transport::{Call, SharedTransport, Transport};

/// So many bytes between two failures make the second one a first one.
const PROGRESS: u64 = 64 * 1024;

/// A blob at one endpoint.
pub(crate) struct RegistryBlob {
    pub(crate) transport: SharedTransport,
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) descriptor: Descriptor,
}

impl BlobSource for RegistryBlob {
    fn open(&self, offset: u64) -> BoxFuture<'_, Result<BlobStream>> {
        Box::pin(async move {
            let mut errors = Vec::new();
            for endpoint in &self.endpoints {
                match self.open_at(endpoint, offset).await {
                    Ok(stream) => return Ok(stream),
                    Err(error) => errors.push(*error),
                }
            }
            Err(RegistryError::of_endpoints("get", self.descriptor.digest().to_string(), errors))
        })
    }
}

impl RegistryBlob {
    async fn open_at(&self, endpoint: &Endpoint, offset: u64) -> Result<BlobStream> {
        let (repository, size) = (endpoint.reference.repository(), self.descriptor.size());
        self.transport.check_size(&self.descriptor)?;
        let item = format!("/{repository}@{}", self.descriptor.digest());
        let path = format!("v2/{repository}/blobs/{}", self.descriptor.digest());
        let url = self.transport.address(endpoint, &path).await?;
        let headers = if offset > 0 { vec![(RANGE, format!("bytes={offset}-"))] } else { Vec::new() };
        let call = Call {
            action: "get the blob",
            item: item.clone(),
            method: Method::GET,
            url: url.clone(),
            headers,
            payload: Payload::Nothing,
            scopes: vec![format!("repository:{repository}:pull")],
            accepted: &[],
            repeat: true,
        };
        let response = self.transport.send(endpoint, &call).await?;
        let place = format!("{}{item}", url.origin().ascii_serialization());
        let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
        // `bytes FIRST-LAST/TOTAL`
        let first = range
            .and_then(|range| range.strip_prefix("bytes ")?.split('-').next()?.trim().parse::<u64>().ok());
        let total = range.and_then(|range| range.rsplit('/').next()?.parse::<u64>().ok());
        // A server that ignores the range sends everything: what we have is skipped.
        let mut skip = 0;
        let announced = if response.status().as_u16() == 206 {
            if first != Some(offset) {
                let text = format!("a range that does not begin at {offset}");
                return Err(RegistryError::new("get the blob", place, Problem::Unexpected(text)));
            }
            total
        } else {
            skip = offset;
            response.content_length()
        };
        if let Some(actual) = announced.filter(|announced| *announced != size) {
            return Err(RegistryError::new(
                "get the blob",
                place,
                Problem::Length { expected: size, actual },
            ));
        }
        let blocks: BoxStream<'static, reqwest::Result<Bytes>> = response.bytes_stream().boxed();
        let failure = move |problem| RegistryError::new("get the blob", place.clone(), problem);
        let broken = failure.clone();
        let blocks = blocks.map(move |block| block.map_err(|error| broken(connection_problem(error))));
        let rest = paced(blocks, self.transport.settings.timeouts.stall, failure).map(move |block| {
            block.map(|mut block| {
                let skipped = usize::try_from(skip).unwrap_or(usize::MAX).min(block.len());
                skip -= skipped as u64;
                block.split_off(skipped)
            })
        });
        Ok(rest.boxed())
    }
}

/// What a target says that does not play along.
fn failed(
    action: &str,
    target: &dyn BlobTarget,
    descriptor: &Descriptor,
    error: std::io::Error,
) -> Box<RegistryError> {
    let digest = || format!("the blob {}", descriptor.digest());
    RegistryError::new(action, target.path().map_or_else(digest, |path| path.display().to_string()), error)
}

impl Transport {
    /// Refuses what is larger than permitted, by what its descriptor says.
    pub(crate) fn check_size(&self, descriptor: &Descriptor) -> Result<()> {
        let limit = self.settings.blob_limit;
        if descriptor.size() <= limit {
            return Ok(());
        }
        let problem = Problem::TooLarge { limit, is_setting: true };
        Err(RegistryError::new("get the blob", descriptor.digest().to_string(), problem))
    }

    /// Brings a blob to its target, whole and verified. It goes on behind what the target holds already; if the whole
    /// turns out wrong and a part was there before, it begins anew once.
    pub(crate) async fn fetch(
        &self,
        source: &dyn BlobSource,
        descriptor: &Descriptor,
        target: &mut dyn BlobTarget,
    ) -> Result<()> {
        let failure =
            |problem: Problem| RegistryError::new("get the blob", descriptor.digest().to_string(), problem);
        loop {
            let mut verifier = Verifier::new(descriptor.digest()).map_err(failure)?;
            let resumed = target.resume(&mut |bytes| verifier.update(bytes));
            let resumed = resumed.map_err(|error| failed("read back", target, descriptor, error))?;
            let outcome = if resumed > descriptor.size() {
                Err(failure(Problem::Length { expected: descriptor.size(), actual: resumed }))
            } else {
                self.stream_to(source, descriptor, target, &mut verifier, resumed).await
            };
            let outcome = outcome.and_then(|()| verifier.check(descriptor.digest()).map_err(failure));
            match outcome {
                Err(error) if matches!(error.problem, Problem::Digest { .. } | Problem::Length { .. }) => {
                    target.restart().map_err(|error| failure(error.into()))?;
                    if resumed == 0 {
                        return Err(error);
                    }
                }
                other => return other,
            }
        }
    }

    async fn stream_to(
        &self,
        source: &dyn BlobSource,
        descriptor: &Descriptor,
        target: &mut dyn BlobTarget,
        verifier: &mut Verifier,
        mut position: u64,
    ) -> Result<()> {
        let (digest, size) = (descriptor.digest(), descriptor.size());
        let failure = |problem: Problem| RegistryError::new("get the blob", digest.to_string(), problem);
        let mut failures = 0;
        while position < size {
            let began = position;
            let mut blocks = source.open(position).await?;
            let mut error = loop {
                match blocks.next().await {
                    Some(Ok(block)) => {
                        let end = position + block.len() as u64;
                        if end > size {
                            return Err(failure(Problem::Length { expected: size, actual: end }));
                        }
                        verifier.update(&block);
                        target.write(&block).map_err(|error| failed("write", target, descriptor, error))?;
                        position = end;
                        self.settings.observer.blob_moved(digest, position, size);
                    }
                    Some(Err(error)) => break error,
                    None if position == size => return Ok(()),
                    // The end once more at the same place is the end.
                    None if position == began && failures > 0 => {
                        return Err(failure(Problem::Length { expected: size, actual: position }));
                    }
                    None => {
                        let text = format!("the connection ended after {position} of {size} bytes");
                        break failure(Problem::Unreachable { text, attempts: 1, connected: true });
                    }
                }
            };
            failures = if position - began >= PROGRESS { 1 } else { failures + 1 };
            let is_hopeless = failures >= error.problem.most_attempts();
            match error
                .problem
                .passing()
                .filter(|_| !is_hopeless)
                .and_then(|asked| self.settings.retry.delay(failures, asked))
            {
                Some(wait) => self.pause(&error, wait).await,
                None => {
                    error.problem.set_attempts(failures);
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

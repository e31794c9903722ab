//! Manifests and tags in registries.

use bytes::Bytes;
use oci_spec::image::{Descriptor, Digest, ImageIndex, MediaType};
use reqwest::header::{ACCEPT, CONTENT_TYPE, LINK};
use reqwest::{Method, Response};
use serde::Deserialize;

use crate::answer::read_limited;
use crate::blob::{Payload, sha256};
use crate::client::Client;
use crate::error::{Pending, Problem, RegistryError, Result};
use crate::limits::{LIST_BYTES, TAG_PAGES};
use crate::manifest::{ACCEPTED, FetchedManifest};
use crate::mirrors::Endpoint;
use crate::reference::Reference;
use crate::transport::{Call, Transport, place_of};

/// The most bytes of a page of tags.
const MOST_BYTES_OF_TAGS: u64 = 16 * 1024 * 1024;

const CONTENT_DIGEST: &str = "docker-content-digest";

/// A registry that lists referrers names the subject of a manifest in its answer.
const SUBJECT: &str = "oci-subject";

/// What came of a manifest that was put.
pub(crate) struct Put {
    /// Its digest.
    pub(crate) digest: Digest,
    /// Whether the registry lists it as a referrer of its subject; nothing if the manifest was there before, so that it was
    /// not put.
    pub(crate) lists_referrers: Option<bool>,
}

#[derive(Deserialize)]
struct Tags {
    tags: Option<Vec<String>>,
}

impl Transport {
    /// The descriptor of what an endpoint has under the reference, without its content where the registry tells enough.
    pub(crate) async fn resolve_at(&self, endpoint: &Endpoint) -> Result<Descriptor> {
        let response = self.ask_for_manifest(endpoint, Method::HEAD, "find the image").await?;
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let digest = header(CONTENT_DIGEST).and_then(|digest| digest.parse::<Digest>().ok());
        let size = header("content-length").and_then(|length| length.parse::<u64>().ok());
        let media_type = header("content-type").map(|kind| kind.split(';').next().unwrap_or(kind).trim());
        let wanted = endpoint.reference.digest();
        match (digest, size, media_type) {
            (Some(digest), Some(size), Some(media_type))
                if size > 0
                    && ACCEPTED.contains(&media_type)
                    && wanted.is_none_or(|wanted| *wanted == digest) =>
            {
                Ok(Descriptor::new(MediaType::from(media_type), size, digest))
            }
            _ => Ok(self.manifest_at(endpoint).await?.descriptor),
        }
    }

    /// The manifest that an endpoint has under the reference, verified. An answer that breaks off is asked for again.
    pub(crate) async fn manifest_at(&self, endpoint: &Endpoint) -> Result<FetchedManifest> {
        let action = "get the manifest";
        let mut failures = 0;
        loop {
            let response = self.ask_for_manifest(endpoint, Method::GET, action).await?;
            let problem = match self.read_manifest(endpoint, response).await {
                Ok(manifest) => return Ok(manifest),
                Err(problem) => problem,
            };
            let mut error = RegistryError::new(action, endpoint.reference.to_string(), problem);
            failures += 1;
            error.problem.set_attempts(failures);
            let wait = error.problem.passing().and_then(|asked| self.settings.retry.delay(failures, asked));
            match wait {
                Some(wait) => self.pause(&error, wait).await,
                None => return Err(error),
            }
        }
    }

    async fn read_manifest(
        &self,
        endpoint: &Endpoint,
        response: Response,
    ) -> std::result::Result<FetchedManifest, Problem> {
        let header = |name: &str| {
            let value = response.headers().get(name).and_then(|value| value.to_str().ok());
            value.map(str::to_owned)
        };
        let told = header(CONTENT_DIGEST).and_then(|digest| digest.parse::<Digest>().ok());
        let media_type = header("content-type");
        let limit = self.settings.manifest_limit;
        if response.content_length().is_some_and(|length| length > limit) {
            return Err(Problem::TooLarge { limit, is_setting: false });
        }
        let bytes = read_limited(response, limit, self.settings.timeouts.document()).await?;
        let expected = endpoint.reference.digest().or(told.as_ref());
        FetchedManifest::read(bytes, media_type.as_deref(), expected)
    }

    /// Whether an endpoint has this very manifest under a tag or digest. Where it does not say so, the manifest is put, and
    /// that tells what is wrong.
    async fn has_manifest(&self, endpoint: &Endpoint, identifier: &str, digest: &Digest) -> Result<bool> {
        for method in [Method::HEAD, Method::GET] {
            let action = "look for the manifest";
            let mut call = self.manifest_call(endpoint, method, action, identifier, "pull,push").await?;
            call.repeat = false;
            call.accepted = &[404, 405];
            let Ok(response) = self.send(endpoint, &call).await else { return Ok(false) };
            let told = response.headers().get(CONTENT_DIGEST).and_then(|value| value.to_str().ok());
            match (response.status().as_u16(), told) {
                (200, Some(told)) => return Ok(told == digest.as_ref()),
                (200, None) if call.method == Method::GET => {
                    let patience = self.settings.timeouts.document();
                    let read = read_limited(response, self.settings.manifest_limit, patience).await;
                    return Ok(read.is_ok_and(|bytes| sha256(&bytes).is_ok_and(|found| found == *digest)));
                }
                // Not every registry answers without the content, or names the digest.
                (200 | 405, _) => {}
                _ => return Ok(false),
            }
        }
        Ok(false)
    }

    /// Puts a manifest under a tag or digest, unless it is there: a registry may refuse to set a tag again, even to what it
    /// names already.
    pub(crate) async fn put_manifest_at(
        &self,
        endpoint: &Endpoint,
        identifier: &str,
        media_type: &str,
        bytes: Bytes,
    ) -> Result<Put> {
        let action = "put the manifest";
        let digest = sha256(&bytes)
            .map_err(|problem| RegistryError::new(action, endpoint.reference.to_string(), problem))?;
        if self.has_manifest(endpoint, identifier, &digest).await? {
            return Ok(Put { digest, lists_referrers: None });
        }
        let mut call = self.manifest_call(endpoint, Method::PUT, action, identifier, "pull,push").await?;
        call.headers = vec![(CONTENT_TYPE, media_type.to_owned())];
        call.payload = Payload::Bytes(bytes);
        call.accepted = &[400, 415];
        let response = self.send(endpoint, &call).await?;
        if !response.status().is_success() {
            let answer = self.answer_in(response).await;
            let problem = Problem::ManifestRefused { answer, media_type: media_type.to_owned() };
            return Err(RegistryError::new(action, place_of(&call.url, &call.item), problem));
        }
        let told = response
            .headers()
            .get(CONTENT_DIGEST)
            .and_then(|value| value.to_str().ok()?.parse::<Digest>().ok());
        match told.filter(|told| told.algorithm() == digest.algorithm() && *told != digest) {
            Some(actual) => {
                let problem = Problem::Digest { expected: digest, actual };
                Err(RegistryError::new(action, endpoint.reference.to_string(), problem))
            }
            None => Ok(Put { digest, lists_referrers: Some(response.headers().contains_key(SUBJECT)) }),
        }
    }

    /// All tags of a repository, in the order of the registry.
    pub(crate) async fn tags_at(&self, endpoint: &Endpoint) -> Result<Vec<String>> {
        let repository = endpoint.reference.repository();
        let action = "list the tags of";
        let unexpected = |text: &str| {
            RegistryError::new(action, endpoint.reference.name(), Problem::Unexpected(text.to_owned()))
        };
        let mut url = self.address(endpoint, &format!("v2/{repository}/tags/list?n=1000")).await?;
        let mut seen = std::collections::BTreeSet::new();
        let mut tags = Vec::new();
        let mut left = LIST_BYTES;
        loop {
            if seen.len() == TAG_PAGES {
                return Err(unexpected(&format!("its list of tags has more than {TAG_PAGES} pages")));
            }
            if !seen.insert(url.to_string()) {
                return Err(unexpected("its pages lead in a circle"));
            }
            let call = Call {
                action,
                item: format!("/{repository}"),
                method: Method::GET,
                url: url.clone(),
                headers: Vec::new(),
                payload: Payload::Nothing,
                scopes: vec![format!("repository:{repository}:pull")],
                accepted: &[],
                repeat: true,
            };
            let response = self.send(endpoint, &call).await?;
            let next = next_page(&response);
            let body = read_limited(response, MOST_BYTES_OF_TAGS, self.settings.timeouts.document()).await;
            let body =
                body.map_err(|problem| RegistryError::new(action, endpoint.reference.name(), problem))?;
            left = left.checked_sub(body.len() as u64).ok_or_else(|| unexpected(&too_long()))?;
            let page: Tags =
                serde_json::from_slice(&body).map_err(|_| unexpected("the answer is not a list of tags"))?;
            tags.extend(page.tags.unwrap_or_default());
            match next {
                Some(next) => {
                    url = url.join(&next).map_err(|_| unexpected("the next page has no address"))?
                }
                None => return Ok(tags),
            }
        }
    }

    /// What refers to a manifest, as the endpoint lists it; nothing if it keeps no such lists.
    pub(crate) async fn referrers_at(
        &self,
        endpoint: &Endpoint,
        digest: &Digest,
    ) -> Result<Option<Vec<Descriptor>>> {
        let repository = endpoint.reference.repository();
        let action = "list what refers to";
        let unexpected = |text: &str| {
            RegistryError::new(action, endpoint.reference.name(), Problem::Unexpected(text.to_owned()))
        };
        let mut url = self.address(endpoint, &format!("v2/{repository}/referrers/{digest}")).await?;
        let mut seen = std::collections::BTreeSet::new();
        let mut referrers = Vec::new();
        let mut left = LIST_BYTES;
        while seen.insert(url.to_string()) && seen.len() <= TAG_PAGES {
            let call = Call {
                action,
                item: format!("/{repository}@{digest}"),
                method: Method::GET,
                url: url.clone(),
                headers: vec![(ACCEPT, ACCEPTED[0].to_owned())],
                payload: Payload::Nothing,
                scopes: vec![format!("repository:{repository}:pull")],
                accepted: &[400, 404, 405, 501],
                repeat: true,
            };
            let response = self.send(endpoint, &call).await?;
            let kind =
                response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
            // Some servers answer any address with a page.
            if !response.status().is_success() || !kind.starts_with(ACCEPTED[0]) {
                return Ok(None);
            }
            let next = next_page(&response);
            let body =
                read_limited(response, self.settings.manifest_limit, self.settings.timeouts.document()).await;
            let body =
                body.map_err(|problem| RegistryError::new(action, endpoint.reference.name(), problem))?;
            left = left.checked_sub(body.len() as u64).ok_or_else(|| unexpected(&too_long()))?;
            let page: ImageIndex =
                serde_json::from_slice(&body).map_err(|_| unexpected("the answer is not an index"))?;
            referrers.extend(page.manifests().iter().cloned());
            match next {
                Some(next) => {
                    url = url.join(&next).map_err(|_| unexpected("the next page has no address"))?
                }
                None => return Ok(Some(referrers)),
            }
        }
        Err(unexpected("its pages have no end"))
    }

    async fn ask_for_manifest(
        &self,
        endpoint: &Endpoint,
        method: Method,
        action: &'static str,
    ) -> Result<Response> {
        let identifier = endpoint.reference.identifier();
        let call = self.manifest_call(endpoint, method, action, identifier, "pull").await?;
        self.send(endpoint, &call).await
    }

    async fn manifest_call(
        &self,
        endpoint: &Endpoint,
        method: Method,
        action: &'static str,
        identifier: &str,
        rights: &str,
    ) -> Result<Call<'static>> {
        let repository = endpoint.reference.repository();
        let separator = if identifier.contains(':') { '@' } else { ':' };
        Ok(Call {
            action,
            item: format!("/{repository}{separator}{identifier}"),
            method,
            url: self.address(endpoint, &format!("v2/{repository}/manifests/{identifier}")).await?,
            headers: vec![(ACCEPT, ACCEPTED.join(", "))],
            payload: Payload::Nothing,
            scopes: vec![format!("repository:{repository}:{rights}")],
            accepted: &[],
            repeat: true,
        })
    }
}

impl Client {
    /// Puts a manifest under the tag of the reference, else under its digest; unless it is there.
    ///
    /// # Errors
    /// [`RegistryError`]; [`Problem::Digest`] if the reference is pinned to another digest.
    pub fn put_manifest<'a>(
        &'a self,
        reference: &'a Reference,
        media_type: &'a str,
        bytes: Bytes,
    ) -> Pending<'a, Digest> {
        Box::pin(async move { Ok(self.put(reference, media_type, bytes).await?.digest) })
    }

    /// As [`Client::put_manifest`]; whether the manifest was not there.
    ///
    /// # Errors
    /// As [`Client::put_manifest`].
    pub fn bring_manifest<'a>(
        &'a self,
        reference: &'a Reference,
        media_type: &'a str,
        bytes: Bytes,
    ) -> Pending<'a, bool> {
        Box::pin(async move { Ok(self.put(reference, media_type, bytes).await?.lists_referrers.is_some()) })
    }

    fn put<'a>(&'a self, reference: &'a Reference, media_type: &'a str, bytes: Bytes) -> Pending<'a, Put> {
        Box::pin(async move {
            let endpoint = self.push_endpoint(reference)?;
            if let Some(expected) = reference.digest() {
                FetchedManifest::read(bytes.clone(), None, Some(expected)).map_err(|problem| {
                    RegistryError::new("put the manifest", reference.to_string(), problem)
                })?;
            }
            let identifier = reference.tag().unwrap_or(reference.identifier());
            self.transport.put_manifest_at(&endpoint, identifier, media_type, bytes).await
        })
    }
}

fn too_long() -> String {
    format!("its list has more than {LIST_BYTES} bytes")
}

/// `Link: <address>; rel="next"`
fn next_page(response: &Response) -> Option<String> {
    let link = response.headers().get(LINK)?.to_str().ok()?;
    let (address, rest) = link.strip_prefix('<')?.split_once('>')?;
    rest.contains("next").then(|| address.to_owned())
}

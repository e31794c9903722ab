//! Manifests, tags and referrers.

use std::collections::BTreeSet;
use std::io::Read as _;

use bytes::Bytes;
use fbc_image::ImageError;
use fbc_image::blob::Hasher;
use fbc_image::layout::{self, Named};
use http::StatusCode;
use http::header::{self, HeaderName};
use http::request::Parts;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use oci_spec::image::{Descriptor, Digest, MediaType};
use serde_json::{Value, json};

use super::asked::{Reference, repository_of};
use super::refusal::Refusal;
use super::{
    Answer, CONTENT_DIGEST, Registry, RequestBody, bare, digest, insert, json as answer_of, parameter,
    text_header, whole,
};
use crate::limits;
use crate::pace::within;

const SUBJECT: HeaderName = HeaderName::from_static("oci-subject");
const FILTERS: HeaderName = HeaderName::from_static("oci-filters-applied");

impl Registry {
    /// The names of all repositories.
    pub(super) fn catalog(&self, head: &Parts) -> Result<Answer, Refusal> {
        let names = self.names()?;
        let repositories: BTreeSet<&str> =
            names.iter().filter_map(|named| repository_of(&named.name)).collect();
        let (page, next) = page("/v2/_catalog", &repositories, head)?;
        Ok(with_link(answer_of(&json!({ "repositories": page })), next))
    }

    /// The tags of a repository, in order.
    pub(super) fn tags(&self, repository: &str, head: &Parts) -> Result<Answer, Refusal> {
        let names = self.names()?;
        if !names.iter().any(|named| repository_of(&named.name) == Some(repository)) {
            return Err(Refusal::name_unknown());
        }
        let tags: BTreeSet<&str> = names.iter().filter_map(|named| tag_of(&named.name, repository)).collect();
        let (page, next) = page(&format!("/v2/{repository}/tags/list"), &tags, head)?;
        Ok(with_link(answer_of(&json!({"name": repository, "tags": page})), next))
    }

    /// A manifest as it was pushed.
    pub(super) fn manifest(&self, repository: &str, reference: &Reference) -> Result<Answer, Refusal> {
        let descriptor = self.find(repository, reference)?.ok_or_else(Refusal::manifest_unknown)?;
        let bytes = self.document(&descriptor)?;
        let length = bytes.len();
        let mut response = Answer::new(whole(bytes));
        insert(&mut response, header::CONTENT_LENGTH, &length.to_string());
        insert(&mut response, header::CONTENT_TYPE, descriptor.media_type().as_ref());
        insert(&mut response, header::ETAG, &format!("\"{}\"", descriptor.digest()));
        insert(&mut response, CONTENT_DIGEST, descriptor.digest().as_ref());
        Ok(response)
    }

    /// Takes a manifest, if all that it names is there.
    pub(super) async fn put_manifest(
        &self,
        repository: &str,
        reference: &Reference,
        head: &Parts,
        body: RequestBody,
    ) -> Result<Answer, Refusal> {
        let bytes = within(self.options.stall * 2, async { Ok(pushed(body).await) }).await;
        let bytes = bytes.map_err(Refusal::too_slow)??;
        let digest = digest_as_named(&bytes, reference)?;
        let manifest: Value = serde_json::from_slice(&bytes)
            .map_err(|error| Refusal::manifest_invalid(format!("the manifest is not JSON: {error}")))?;
        if manifest["schemaVersion"] != 2 {
            let reason = "the manifest is not an object whose `schemaVersion` is 2";
            return Err(Refusal::manifest_invalid(reason));
        }
        let media_type = media_type(&manifest, head)?;
        self.check_content(repository, &manifest)?;
        if self.names()?.len() >= limits::REGISTRY_NAMES {
            return Err(Refusal::too_many_names());
        }
        let descriptor = Descriptor::new(media_type, bytes.len() as u64, digest.clone());
        self.insert_counted(&descriptor, &bytes)?;
        // By its digest it stays there when its tag moves on.
        let by_digest = Reference::Digest(digest.clone()).name(repository);
        layout::put_into(&self.directory, &descriptor, Some(&by_digest))?;
        if let Reference::Tag(_) = reference {
            layout::put_into(&self.directory, &descriptor, Some(&reference.name(repository)))?;
        }
        let mut response = bare(StatusCode::CREATED);
        insert(&mut response, header::LOCATION, &format!("/v2/{repository}/manifests/{digest}"));
        insert(&mut response, CONTENT_DIGEST, digest.as_ref());
        if let Some(subject) = manifest["subject"]["digest"].as_str() {
            insert(&mut response, SUBJECT, subject);
        }
        Ok(response)
    }

    /// Refuses a manifest of which a part was not pushed. Layers that may not be distributed are elsewhere.
    fn check_content(&self, repository: &str, manifest: &Value) -> Result<(), Refusal> {
        let list = |field: &str| manifest[field].as_array().into_iter().flatten();
        for part in manifest.get("config").into_iter().chain(list("layers")) {
            let digest = digest_of(part)?;
            let is_elsewhere = part["urls"].as_array().is_some_and(|urls| !urls.is_empty());
            if !is_elsewhere && self.open_blob(&digest)?.is_none() {
                return Err(Refusal::content_unknown(&digest));
            }
        }
        let names = self.names()?;
        let known: BTreeSet<&str> = names
            .iter()
            .filter(|named| repository_of(&named.name) == Some(repository))
            .map(|named| named.image.digest().as_ref())
            .collect();
        for part in list("manifests") {
            let digest = digest_of(part)?;
            if !known.contains(digest.as_ref()) {
                return Err(Refusal::content_unknown(&digest));
            }
        }
        Ok(())
    }

    /// Takes a name away: a tag, or a manifest with all its tags. Blobs stay, since others may share them.
    pub(super) fn delete_manifest(&self, repository: &str, reference: &Reference) -> Result<Answer, Refusal> {
        match layout::take_out(&self.directory, |named| reference.names(repository, named))? {
            0 => Err(Refusal::manifest_unknown()),
            _ => Ok(bare(StatusCode::ACCEPTED)),
        }
    }

    /// What refers to a manifest, as an index.
    pub(super) fn referrers(
        &self,
        repository: &str,
        digest: &Digest,
        head: &Parts,
    ) -> Result<Answer, Refusal> {
        let wanted = parameter(head, "artifactType");
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        for named in self.names()? {
            let is_here = repository_of(&named.name) == Some(repository);
            if !is_here || !seen.insert(named.image.digest().to_string()) {
                continue;
            }
            // What somebody removed from the directory refers to nothing.
            let Ok(bytes) = self.document(&named.image) else { continue };
            let manifest: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            if manifest["subject"]["digest"].as_str() != Some(digest.as_ref()) {
                continue;
            }
            let kind = manifest["artifactType"].as_str().or_else(|| manifest["config"]["mediaType"].as_str());
            if wanted.is_some() && wanted.as_deref() != kind {
                continue;
            }
            let mut entry = json!({
                "mediaType": named.image.media_type().to_string(),
                "digest": named.image.digest().to_string(),
                "size": named.image.size(),
            });
            if let Some(kind) = kind {
                entry["artifactType"] = json!(kind);
            }
            if let Some(annotations) = manifest.get("annotations") {
                entry["annotations"] = annotations.clone();
            }
            found.push(entry);
        }
        let media_type = MediaType::ImageIndex.to_string();
        let mut response =
            answer_of(&json!({"schemaVersion": 2, "mediaType": media_type, "manifests": found}));
        insert(&mut response, header::CONTENT_TYPE, &media_type);
        if wanted.is_some() {
            insert(&mut response, FILTERS, "artifactType");
        }
        Ok(response)
    }

    fn names(&self) -> Result<Vec<Named>, Refusal> {
        Ok(layout::names_in(&self.directory)?)
    }

    fn find(&self, repository: &str, reference: &Reference) -> Result<Option<Descriptor>, Refusal> {
        let found = self.names()?.into_iter().find(|named| reference.names(repository, named));
        Ok(found.map(|named| named.image))
    }

    /// Puts a manifest in, and counts it if it was not there.
    fn insert_counted(&self, descriptor: &Descriptor, bytes: &[u8]) -> Result<(), Refusal> {
        let _arrival = self.space.arrival();
        if self.open_blob(descriptor.digest())?.is_some() {
            return Ok(self.blobs.insert_bytes(descriptor, bytes)?);
        }
        self.space.take(descriptor.size())?;
        let inserted = self.blobs.insert_bytes(descriptor, bytes);
        Ok(inserted.inspect_err(|_| self.space.give_back(descriptor.size()))?)
    }

    fn document(&self, descriptor: &Descriptor) -> Result<Vec<u8>, Refusal> {
        let (file, _) = self.open_blob(descriptor.digest())?.ok_or_else(Refusal::manifest_unknown)?;
        let mut bytes = Vec::new();
        let read = file.take(fbc_image::limits::DOCUMENT_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(ImageError::io("read", &self.directory))?;
        match bytes.len() as u64 > fbc_image::limits::DOCUMENT_BYTES {
            true => Err(Refusal::too_large(fbc_image::limits::DOCUMENT_BYTES)),
            false => Ok(bytes),
        }
    }
}

/// The bytes of a manifest that a client sends.
async fn pushed(body: RequestBody) -> Result<Bytes, Refusal> {
    let limit = fbc_image::limits::DOCUMENT_BYTES;
    let limited = Limited::new(body, usize::try_from(limit).unwrap_or(usize::MAX));
    match limited.collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Refusal::too_large(limit)),
        Err(error) => Err(Refusal::broken_off(&*error)),
    }
}

/// The digest of a manifest: by the algorithm of the reference if that is a digest, which it must equal.
fn digest_as_named(bytes: &[u8], reference: &Reference) -> Result<Digest, Refusal> {
    let mut hasher = match reference {
        Reference::Digest(named) => Hasher::for_digest(named)?,
        Reference::Tag(_) => Hasher::default(),
    };
    hasher.update(bytes);
    let digest = hasher.finish();
    match reference {
        Reference::Digest(named) if *named != digest => {
            Err(Refusal::digest_invalid(format!("the digest of the manifest is {digest}")))
        }
        _ => Ok(digest),
    }
}

/// The media type that the header announces, or else the manifest; both must agree.
fn media_type(manifest: &Value, head: &Parts) -> Result<MediaType, Refusal> {
    let announced = text_header(head, &header::CONTENT_TYPE).and_then(|text| text.split(';').next());
    match (announced.map(str::trim), manifest["mediaType"].as_str()) {
        (Some(announced), Some(own)) if announced != own => {
            Err(Refusal::manifest_invalid("`Content-Type` and the `mediaType` of the manifest differ"))
        }
        (Some(media_type), _) | (None, Some(media_type)) => Ok(MediaType::from(media_type)),
        (None, None) => Err(Refusal::manifest_invalid("the manifest has no media type")),
    }
}

/// The digest of a descriptor.
fn digest_of(descriptor: &Value) -> Result<Digest, Refusal> {
    let text = descriptor["digest"].as_str();
    digest(text.ok_or_else(|| Refusal::manifest_invalid("a descriptor has no digest"))?)
}

fn tag_of<'n>(name: &'n str, repository: &str) -> Option<&'n str> {
    name.strip_prefix(repository)?.strip_prefix(':')
}

/// The part of a sorted list that a request asks for, and, if more follow, the value of `Link` that says where.
fn page<'n>(
    path: &str,
    names: &BTreeSet<&'n str>,
    head: &Parts,
) -> Result<(Vec<&'n str>, Option<String>), Refusal> {
    let asked = parameter(head, "n");
    let most = match &asked {
        Some(number) => number.parse().map_err(|_| Refusal::page_invalid(number))?,
        None => usize::MAX,
    };
    let last = parameter(head, "last").unwrap_or_default();
    let mut names = names.iter().copied().filter(|name| *name > last.as_str());
    let page: Vec<&str> = names.by_ref().take(most).collect();
    let next = names.next().and_then(|_| page.last()).map(|last| {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let query = query.append_pair("n", &most.to_string()).append_pair("last", last).finish();
        format!("<{path}?{query}>; rel=\"next\"")
    });
    Ok((page, next))
}

fn with_link(mut response: Answer, link: Option<String>) -> Answer {
    if let Some(link) = link {
        insert(&mut response, header::LINK, &link);
    }
    response
}

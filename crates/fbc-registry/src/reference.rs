//! Where an image is: registry, repository, tag, digest.

use std::fmt;

use fbc_model::image_reference::{self, ReferenceError};
use oci_spec::image::Digest;

/// An image in a registry, with Docker's defaults filled in. At least one of tag and digest is there.
///
/// Source: `containers/image:docker/docker_transport.go`, `distribution/reference:normalize.go`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    registry: String,
    repository: String,
    tag: Option<String>,
    digest: Option<Digest>,
    /// Whether the image was named by a digest. That chooses its mirrors, and those of all that belongs to it, whatever
    /// the parts are asked for by.
    is_named_by_digest: bool,
}

impl Reference {
    /// Reads `[registry/]repository[:tag][@digest]`, with or without `docker://` in front. Without a registry it is
    /// `docker.io`, without tag and digest the tag is `latest`.
    ///
    /// # Errors
    /// [`ReferenceError`]
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        let parsed = image_reference::parse(text.strip_prefix("docker://").unwrap_or(text))?;
        let digest = match &parsed.digest {
            Some(digest) => Some(digest.parse().map_err(|_| ReferenceError::DigestFormat)?),
            None => None,
        };
        let tag = match (parsed.tag, &digest) {
            (None, None) => Some("latest".to_owned()),
            (tag, _) => tag,
        };
        let is_named_by_digest = digest.is_some();
        Ok(Self { registry: parsed.domain, repository: parsed.path, tag, digest, is_named_by_digest })
    }

    /// Host and port as written, such as `quay.io`, `localhost:5000` or `docker.io`.
    #[must_use]
    pub fn registry(&self) -> &str {
        &self.registry
    }

    /// The path within the registry.
    #[must_use]
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// `registry/repository`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.registry, self.repository)
    }

    /// The tag, if one is named or none is needed to find the image.
    #[must_use]
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// The digest, if the reference is pinned.
    #[must_use]
    pub fn digest(&self) -> Option<&Digest> {
        self.digest.as_ref()
    }

    /// What a registry is asked for: the digest if there is one, else the tag.
    #[must_use]
    pub fn identifier(&self) -> &str {
        match (&self.digest, &self.tag) {
            (Some(digest), _) => digest.as_ref(),
            (None, Some(tag)) => tag,
            (None, None) => "latest",
        }
    }

    /// Whether the image that this is, or is a part of, was named by a digest.
    ///
    /// Source: `containers/image:docker/docker_image_src.go` (`newImageSource` chooses a mirror for the image, and all
    /// that belongs to it comes from there).
    pub(crate) fn is_named_by_digest(&self) -> bool {
        self.is_named_by_digest
    }

    /// The same image, or what belongs to it, by a digest alone; the mirrors stay those of the image.
    #[must_use]
    pub fn with_digest(&self, digest: Digest) -> Self {
        Self { tag: None, digest: Some(digest), ..self.clone() }
    }

    /// What lies beside the image under a tag; the mirrors stay those of the image.
    #[must_use]
    pub fn with_tag(&self, tag: String) -> Self {
        Self { tag: Some(tag), digest: None, ..self.clone() }
    }

    /// The same image elsewhere, as a mirror has it.
    pub(crate) fn moved(&self, registry: &str, repository: &str) -> Self {
        Self { registry: registry.to_owned(), repository: repository.to_owned(), ..self.clone() }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.registry, self.repository)?;
        if let Some(tag) = &self.tag {
            write!(formatter, ":{tag}")?;
        }
        if let Some(digest) = &self.digest {
            write!(formatter, "@{digest}")?;
        }
        Ok(())
    }
}

/// True for a name without a registry, such as `alpine` or `library/alpine:3`.
#[must_use]
pub fn is_short(text: &str) -> bool {
    match text.split_once('/') {
        Some((first, _)) => {
            !first.contains(['.', ':']) && first != "localhost" && first.to_lowercase() == first
        }
        None => true,
    }
}

/// The host that serves a registry: Docker's hub answers under another name.
pub(crate) fn api_host(registry: &str) -> &str {
    if registry == "docker.io" { "registry-1.docker.io" } else { registry }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_normalised() {
        let digest = format!("sha256:{}", "a".repeat(64));
        for (text, shown, identifier) in [
            ("alpine", "docker.io/library/alpine:latest".to_owned(), "latest"),
            ("me/alpine:3", "docker.io/me/alpine:3".to_owned(), "3"),
            ("docker://quay.io/a/b:v1", "quay.io/a/b:v1".to_owned(), "v1"),
            ("localhost/a", "localhost/a:latest".to_owned(), "latest"),
            (&format!("quay.io/a@{digest}"), format!("quay.io/a@{digest}"), &digest),
            (&format!("quay.io/a:v1@{digest}"), format!("quay.io/a:v1@{digest}"), &digest),
        ] {
            let reference = Reference::parse(text).unwrap();
            assert_eq!(reference.to_string(), shown);
            assert_eq!(reference.identifier(), identifier);
        }
        assert_eq!(Reference::parse("a b"), Err(ReferenceError::Format));
    }

    #[test]
    fn short_names() {
        for (text, expected) in [
            ("alpine:3", true),
            ("me/alpine", true),
            ("localhost/alpine", false),
            ("a.b/alpine", false),
            ("host:5000/alpine", false),
        ] {
            assert_eq!(is_short(text), expected, "{text}");
        }
    }
}

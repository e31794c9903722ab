//! Names of images, and whether a signature for one name holds for another.
//!
//! Source: `containers/image:docs/containers-policy.json.5.md`, `signature/policy_reference_match.go`.

use fbc_model::image_reference;
use serde::Deserialize;

use crate::error::{ErrorKind, SignatureError};

fn refused(message: impl Into<String>) -> SignatureError {
    SignatureError::new(ErrorKind::Policy, message)
}

/// A name of an image, with Docker's defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageName {
    /// `registry/repository`.
    pub repository: String,
    /// The tag, if the image is named by one.
    pub tag: Option<String>,
    /// The digest, if the image is named by one.
    pub digest: Option<String>,
}

impl ImageName {
    /// Reads a name; nothing if it is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let parsed = image_reference::parse(text).ok()?;
        let repository = format!("{}/{}", parsed.domain, parsed.path);
        Some(Self { repository, tag: parsed.tag, digest: parsed.digest })
    }

    /// The name as signatures and policies write it: by digest, else by tag.
    #[must_use]
    pub fn text(&self) -> String {
        match (&self.digest, &self.tag) {
            (Some(digest), _) => format!("{}@{digest}", self.repository),
            (None, Some(tag)) => format!("{}:{tag}", self.repository),
            (None, None) => self.repository.clone(),
        }
    }

    /// The host of the registry, with its port.
    fn host(&self) -> &str {
        self.repository.split('/').next().unwrap_or_default()
    }

    /// The scopes of policies and configurations that cover the image, the longest first.
    ///
    /// Source: `containers/image:docker/policyconfiguration/naming.go`.
    #[must_use]
    pub fn scopes(&self) -> Vec<String> {
        let mut scopes = vec![self.text()];
        let mut path = self.repository.as_str();
        loop {
            scopes.push(path.to_owned());
            match path.rsplit_once('/') {
                Some((parent, _)) => path = parent,
                None => break,
            }
        }
        // Wildcards know no ports.
        let mut host = self.host().split(':').next().unwrap_or_default();
        while let Some((_, parent)) = host.split_once('.') {
            scopes.push(format!("*.{parent}"));
            host = parent;
        }
        scopes.dedup();
        scopes
    }
}

/// `signedIdentity`: which names a signature may be for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
pub enum SignedIdentity {
    /// The same name; an image that is named by its digest may be signed under any tag of its repository.
    #[default]
    MatchRepoDigestOrExact,
    /// The same name, with the same tag.
    MatchExact,
    /// The same repository.
    MatchRepository,
    /// This name.
    #[serde(rename_all = "camelCase")]
    ExactReference {
        /// The name with a tag.
        docker_reference: String,
    },
    /// This repository.
    #[serde(rename_all = "camelCase")]
    ExactRepository {
        /// The repository without a tag.
        docker_repository: String,
    },
    /// The name with another beginning: what a mirror needs.
    #[serde(rename_all = "camelCase")]
    RemapIdentity {
        /// How names begin here.
        prefix: String,
        /// How names began where they were signed.
        signed_prefix: String,
    },
}

impl SignedIdentity {
    /// Refuses names that could never match.
    ///
    /// Source: `containers/image:signature/policy_config.go` (`newPRMExactReference`, `newPRMExactRepository`,
    /// `validateIdentityRemappingPrefix`).
    ///
    /// # Errors
    /// [`SignatureError`]
    pub fn check(&self) -> Result<(), SignatureError> {
        let prefix = |text: &String| match image_reference::parse(&format!("{text}/x")) {
            Ok(parsed) if parsed.tag.is_none() && parsed.digest.is_none() => Ok(()),
            _ => Err(refused(format!(
                "the prefix {text:?} is not a host, or a host with the beginning of a repository"
            ))),
        };
        match self {
            Self::ExactReference { docker_reference: text } => match ImageName::parse(text) {
                Some(name) if name.tag.is_some() || name.digest.is_some() => Ok(()),
                Some(_) => Err(refused(format!("dockerReference {text:?} has neither a tag nor a digest"))),
                None => Err(refused(format!("dockerReference {text:?} is not the name of an image"))),
            },
            Self::ExactRepository { docker_repository: text } => match ImageName::parse(text) {
                Some(_) => Ok(()),
                None => Err(refused(format!("dockerRepository {text:?} is not a repository"))),
            },
            Self::RemapIdentity { prefix: here, signed_prefix } => prefix(here).and(prefix(signed_prefix)),
            Self::MatchRepoDigestOrExact | Self::MatchExact | Self::MatchRepository => Ok(()),
        }
    }

    /// Whether a signature for a name holds for an image.
    #[must_use]
    pub fn matches(&self, image: &ImageName, signed: &str) -> bool {
        let Some(signed) = ImageName::parse(signed) else { return false };
        match self {
            Self::MatchRepoDigestOrExact => repository_or_exact(image, &signed),
            Self::MatchExact => image.digest.is_none() && image.tag.is_some() && *image == signed,
            Self::MatchRepository => image.repository == signed.repository,
            Self::ExactReference { docker_reference } => ImageName::parse(docker_reference)
                .is_some_and(|name| (name.tag.is_some() || name.digest.is_some()) && name == signed),
            Self::ExactRepository { docker_repository } => {
                ImageName::parse(docker_repository).is_some_and(|name| name.repository == signed.repository)
            }
            Self::RemapIdentity { prefix, signed_prefix } => {
                let repository = match image.repository.strip_prefix(prefix.as_str()) {
                    Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                        format!("{signed_prefix}{rest}")
                    }
                    _ => image.repository.clone(),
                };
                repository_or_exact(&ImageName { repository, ..image.clone() }, &signed)
            }
        }
    }
}

fn repository_or_exact(image: &ImageName, signed: &ImageName) -> bool {
    match (&image.digest, &image.tag) {
        (Some(_), _) => {
            (signed.tag.is_some() || signed.digest.is_some()) && image.repository == signed.repository
        }
        (None, Some(_)) => image == signed,
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_from_the_image_to_the_top_of_its_host() {
        let name = |text| ImageName::parse(text).unwrap().scopes().join(" ");
        assert_eq!(
            name("a.b.example:5000/x/y:v1"),
            "a.b.example:5000/x/y:v1 a.b.example:5000/x/y a.b.example:5000/x a.b.example:5000 *.b.example *.example"
        );
        assert_eq!(
            name("busybox:1"),
            "docker.io/library/busybox:1 docker.io/library/busybox docker.io/library docker.io *.io"
        );
        assert_eq!(name("localhost/x:1"), "localhost/x:1 localhost/x localhost");
    }

    #[test]
    fn identities() {
        use SignedIdentity as Id;
        let digest = format!("@sha256:{}", "a".repeat(64));
        let exact_reference = |name: &str| Id::ExactReference { docker_reference: name.to_owned() };
        let exact_repository = |name: &str| Id::ExactRepository { docker_repository: name.to_owned() };
        let remap = |prefix: &str, signed: &str| Id::RemapIdentity {
            prefix: prefix.to_owned(),
            signed_prefix: signed.to_owned(),
        };
        let by_digest = format!("q.io/a{digest}");
        for (identity, image, signed, expected) in [
            (Id::MatchRepoDigestOrExact, "q.io/a:1", "q.io/a:1", true),
            (Id::MatchRepoDigestOrExact, "q.io/a:1", "q.io/a:2", false),
            (Id::MatchRepoDigestOrExact, "q.io/a:1", "q.io/a", false),
            (Id::MatchRepoDigestOrExact, &by_digest, "q.io/a:2", true),
            (Id::MatchRepoDigestOrExact, &by_digest, "q.io/b:2", false),
            (Id::MatchRepoDigestOrExact, &by_digest, "q.io/a", false),
            (Id::MatchRepoDigestOrExact, &by_digest, &by_digest, true),
            (Id::MatchExact, "q.io/a:1", "q.io/a:1", true),
            (Id::MatchExact, &by_digest, "q.io/a:1", false),
            (Id::MatchRepository, "q.io/a:1", "q.io/a", true),
            (Id::MatchRepository, "q.io/a:1", "q.io/a/b:1", false),
            (exact_reference("q.io/a:1"), "q.io/z:9", "q.io/a:1", true),
            (exact_reference("q.io/a"), "q.io/z:9", "q.io/a", false),
            (exact_repository("q.io/a"), "q.io/z:9", "q.io/a:7", true),
            (remap("m.io/x", "q.io"), "m.io/x/a:1", "q.io/a:1", true),
            (remap("m.io/x", "q.io"), "m.io/xy/a:1", "q.io/y/a:1", false),
            (remap("m.io/x", "q.io"), "q.io/a:1", "q.io/a:1", true),
            (Id::MatchRepository, "q.io/a:1", "Q q", false),
        ] {
            let name = ImageName::parse(image).unwrap();
            assert_eq!(identity.matches(&name, signed), expected, "{identity:?}: {image} signed as {signed}");
        }
    }
}

//! What the path of a request asks for.

use fbc_model::image_reference;
use oci_spec::image::Digest;

use fbc_image::layout::Named;

/// A question to a registry. Repositories and tags have their form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Whether this is a registry.
    Version,
    /// The names of all repositories.
    Catalog,
    /// The tags of a repository.
    Tags(String),
    /// A manifest, by tag or digest.
    Manifest(String, Reference),
    /// What refers to a manifest.
    Referrers(String, Digest),
    /// A blob by its digest.
    Blob(String, Digest),
    /// A new upload.
    Uploads(String),
    /// An upload that has begun.
    Upload(String, String),
}

/// How a manifest is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reference {
    Tag(String),
    Digest(Digest),
}

impl Reference {
    /// The name that the manifest has in a layout.
    pub(super) fn name(&self, repository: &str) -> String {
        match self {
            Self::Tag(tag) => format!("{repository}:{tag}"),
            Self::Digest(digest) => format!("{repository}@{digest}"),
        }
    }

    /// Whether an entry of the layout is meant.
    pub(super) fn names(&self, repository: &str, named: &Named) -> bool {
        match self {
            Self::Tag(_) => named.name == self.name(repository),
            Self::Digest(digest) => {
                repository_of(&named.name) == Some(repository) && named.image.digest() == digest
            }
        }
    }

    fn read(repository: &str, text: &str) -> Option<Self> {
        let separator = if text.contains(':') { '@' } else { ':' };
        let parsed = image_reference::parse(&format!("localhost/{repository}{separator}{text}")).ok()?;
        match (parsed.tag, parsed.digest) {
            (Some(tag), None) => Some(Self::Tag(tag)),
            (None, Some(digest)) => Some(Self::Digest(digest.parse().ok()?)),
            _ => None,
        }
    }
}

/// The repository of a name in the layout, `REPOSITORY:TAG` or `REPOSITORY@DIGEST`.
pub(super) fn repository_of(name: &str) -> Option<&str> {
    name.split_once('@').or_else(|| name.rsplit_once(':')).map(|(repository, _)| repository)
}

impl Asked {
    /// The methods by which it can be asked for, as the header `Allow` lists them.
    pub(super) fn methods(&self) -> &'static str {
        match self {
            Self::Version | Self::Catalog | Self::Tags(_) | Self::Referrers(..) | Self::Blob(..) => {
                "GET, HEAD"
            }
            Self::Manifest(..) => "DELETE, GET, HEAD, PUT",
            Self::Uploads(_) => "POST",
            Self::Upload(..) => "DELETE, GET, HEAD, PATCH, PUT",
        }
    }

    /// Reads a path; `None` if it is not of this API, or a name has not the form of one.
    pub(super) fn read(path: &str) -> Option<Self> {
        let rest = path.strip_prefix("/v2")?;
        match rest {
            "" | "/" => return Some(Self::Version),
            "/_catalog" => return Some(Self::Catalog),
            _ => {}
        }
        let parts: Vec<&str> = rest.strip_prefix('/')?.split('/').collect();
        let (name, what): (&[&str], _) = match parts.as_slice() {
            [name @ .., "tags", "list"] => (name, Self::Tags as fn(String) -> Self),
            [name @ .., "blobs", "uploads"] | [name @ .., "blobs", "uploads", ""] => {
                (name, Self::Uploads as fn(String) -> Self)
            }
            [name @ .., "blobs", "uploads", id] => {
                return Some(Self::Upload(repository(name)?, (*id).to_owned()));
            }
            [name @ .., kind @ ("blobs" | "manifests" | "referrers"), reference] => {
                let repository = repository(name)?;
                return match (*kind, Reference::read(&repository, reference)?) {
                    ("manifests", reference) => Some(Self::Manifest(repository, reference)),
                    ("referrers", Reference::Digest(digest)) => Some(Self::Referrers(repository, digest)),
                    ("blobs", Reference::Digest(digest)) => Some(Self::Blob(repository, digest)),
                    _ => None,
                };
            }
            _ => return None,
        };
        Some(what(repository(name)?))
    }
}

fn repository(parts: &[&str]) -> Option<String> {
    let name = parts.join("/");
    let parsed = image_reference::parse(&format!("localhost/{name}")).ok()?;
    (parsed.path == name && parsed.tag.is_none() && parsed.digest.is_none()).then_some(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn paths_are_read_from_their_end() {
        let digest: Digest = format!("sha256:{}", "a".repeat(64)).parse().unwrap();
        let name = || "a/b".to_owned();
        for (path, asked) in [
            ("/v2/".to_owned(), Some(Asked::Version)),
            ("/v2/_catalog".to_owned(), Some(Asked::Catalog)),
            ("/v2/a/b/tags/list".to_owned(), Some(Asked::Tags(name()))),
            (
                "/v2/a/b/manifests/v1".to_owned(),
                Some(Asked::Manifest(name(), Reference::Tag("v1".to_owned()))),
            ),
            (format!("/v2/a/b/blobs/{digest}"), Some(Asked::Blob(name(), digest.clone()))),
            (
                format!("/v2/a/b/manifests/{digest}"),
                Some(Asked::Manifest(name(), Reference::Digest(digest.clone()))),
            ),
            ("/v2/a/b/blobs/uploads/".to_owned(), Some(Asked::Uploads(name()))),
            ("/v2/a/b/blobs/uploads/7".to_owned(), Some(Asked::Upload(name(), "7".to_owned()))),
            (
                "/v2/a/blobs/manifests/v1".to_owned(),
                Some(Asked::Manifest("a/blobs".to_owned(), Reference::Tag("v1".to_owned()))),
            ),
            ("/v2/../../etc/manifests/v1".to_owned(), None),
            ("/v2/A/manifests/v1".to_owned(), None),
            ("/v2/a/blobs/sha256:..%2f".to_owned(), None),
            ("/v2/a/manifests/-x".to_owned(), None),
            ("/v1/a".to_owned(), None),
        ] {
            assert_eq!(Asked::read(&path), asked, "{path}");
        }
    }
}

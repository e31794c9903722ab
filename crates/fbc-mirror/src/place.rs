//! Where images go: the path of the source below a prefix.

use std::fmt;

use fbc_model::image_reference::ReferenceError;
use fbc_registry::Reference;
use fbc_registry::attached::referrers_tag;

/// The registry of the destination, with a path in it: `registry.example:5000/mirror`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    text: String,
    /// How many parts a path in the registry may have, if there is a limit.
    most_parts: Option<usize>,
}

/// A text that is not the place of copies.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrefixError {
    /// It does not begin with a registry.
    #[error("{0:?} names no registry; write HOST[:PORT][/PATH]")]
    NoRegistry(String),
    /// What lies below it would not be a reference.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// There is more in it than registry and path.
    #[error("{0:?} is not HOST[:PORT][/PATH]")]
    Form(String),
}

impl Prefix {
    /// Reads the value of a flag.
    ///
    /// # Errors
    /// [`PrefixError`]
    pub fn parse(text: &str) -> Result<Self, PrefixError> {
        let plain = text.strip_prefix("docker://").unwrap_or(text).trim_end_matches('/');
        let host = plain.split('/').next().unwrap_or_default();
        if !host.contains(['.', ':']) && host != "localhost" {
            return Err(PrefixError::NoRegistry(text.to_owned()));
        }
        // With a repository behind it, it must be a reference.
        let reference = Reference::parse(&format!("{plain}/x"))?;
        match reference.name() == format!("{plain}/x") {
            true => Ok(Self { text: plain.to_owned(), most_parts: None }),
            false => Err(PrefixError::Form(text.to_owned())),
        }
    }

    /// The same for a registry whose paths have so many parts at most, one at least
    /// (`openshift/oc-mirror:internal/pkg/image/image.go`, `WithMaxNestedPaths`).
    #[must_use]
    pub fn with_most_parts(self, most: usize) -> Self {
        Self { most_parts: Some(most.max(1)), ..self }
    }

    /// Whether paths may be others than those of the source.
    pub(super) fn shortens(&self) -> bool {
        self.most_parts.is_some()
    }

    /// The same path as the source has in its registry; of one with too many parts the last ones become one.
    pub fn below(&self, path: &str) -> String {
        let whole = format!("{}/{path}", self.text);
        let Some((host, path)) = whole.split_once('/') else { return whole };
        let parts: Vec<&str> = path.split('/').collect();
        match self.most_parts {
            Some(most) if parts.len() > most => {
                let (kept, rest) = parts.split_at(most - 1);
                let kept: String = kept.iter().map(|part| format!("{part}/")).collect();
                format!("{host}/{kept}{}", rest.join("-"))
            }
            _ => whole,
        }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// The place of an image below a prefix: a repository and a tag.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The path of the repository, without the registry.
    pub repository: String,
    /// The tag.
    pub tag: String,
}

impl Place {
    /// The place of an image from a registry. What is pinned gets a tag that is made of its digest, so that registries do
    /// not take it for garbage; it is found by its digest all the same.
    pub fn from_reference(source: &Reference) -> Self {
        let tag = match source.digest() {
            // Registries keep what refers to an image under its digest alone. A tag beside the digest may mean another
            // image tomorrow.
            Some(digest) => format!("{}.image", referrers_tag(digest)),
            None => source.tag().unwrap_or("latest").to_owned(),
        };
        Self { repository: source.repository().to_owned(), tag }
    }

    /// The place of a catalog from a registry. Clusters may name it, so it keeps its tag.
    pub fn of_catalog(source: &Reference) -> Self {
        let place = Self::from_reference(source);
        Self { tag: source.tag().map_or(place.tag, str::to_owned), ..place }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.repository, self.tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_registries_with_paths() {
        for (text, expected) in [
            ("registry.example:5000/mirror/", Some("registry.example:5000/mirror")),
            ("localhost:5000", Some("localhost:5000")),
            ("docker://quay.io/me", Some("quay.io/me")),
            ("mirror", None),
            ("registry.example/Mirror", None),
            ("registry.example/a:v1", None),
        ] {
            assert_eq!(
                Prefix::parse(text).ok().map(|prefix| prefix.to_string()).as_deref(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn paths_may_have_few_parts() {
        for (prefix, most, expected) in [
            ("r.io", 1, "r.io/a-b-c:v1"),
            ("r.io", 2, "r.io/a/b-c:v1"),
            ("r.io", 3, "r.io/a/b/c:v1"),
            ("r.io:5000/m/n", 2, "r.io:5000/m/n-a-b-c:v1"),
            ("r.io:5000/m/n", 9, "r.io:5000/m/n/a/b/c:v1"),
        ] {
            assert_eq!(Prefix::parse(prefix).unwrap().with_most_parts(most).below("a/b/c:v1"), expected);
        }
    }

    #[test]
    fn pinned_images_get_a_tag() {
        let digest = format!("sha256:{}", "a".repeat(64));
        for (source, place) in [
            ("quay.io/a/b:v1".to_owned(), "a/b:v1".to_owned()),
            (format!("quay.io/a/b@{digest}"), format!("a/b:sha256-{}.image", "a".repeat(64))),
            (format!("quay.io/a/b:v1@{digest}"), format!("a/b:sha256-{}.image", "a".repeat(64))),
            (
                format!("quay.io/a/b@sha512:{}", "c".repeat(128)),
                format!("a/b:sha512-{}.image", "c".repeat(64)),
            ),
        ] {
            assert_eq!(Place::from_reference(&Reference::parse(&source).unwrap()).to_string(), place);
        }
        let catalog = Reference::parse(&format!("quay.io/a/b:v1@{digest}")).unwrap();
        assert_eq!(Place::of_catalog(&catalog).to_string(), "a/b:v1");
    }
}

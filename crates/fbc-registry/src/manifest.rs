//! Manifests and indexes of images, OCI's and Docker's.

use bytes::Bytes;
use fbc_image::limits::DOCUMENT_BYTES;
use oci_spec::image::{Descriptor, Digest, ImageIndex, ImageManifest, MediaType};

use crate::blob::{Verifier, sha256};
use crate::error::{Problem, RegistryError};
use crate::limits::{MANIFESTS, MANIFESTS_BYTES};

/// What is accepted, the preferred first.
pub(crate) const ACCEPTED: [&str; 4] = [
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.docker.distribution.manifest.v2+json",
];

/// What a manifest is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Manifest {
    /// One image: a configuration and layers.
    Image(Box<ImageManifest>),
    /// Manifests for several platforms.
    Index(Box<ImageIndex>),
}

/// A manifest as it was fetched, with its exact bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedManifest {
    /// Media type, digest and size.
    pub descriptor: Descriptor,
    /// The bytes that the digest is of.
    pub bytes: Bytes,
    /// What they say.
    pub manifest: Manifest,
}

impl FetchedManifest {
    /// Reads a manifest. `announced` is the media type that the source gives, `expected` the digest asked for.
    ///
    /// # Errors
    /// [`Problem::Digest`], [`Problem::Manifest`]
    pub fn read(bytes: Bytes, announced: Option<&str>, expected: Option<&Digest>) -> Result<Self, Problem> {
        let digest = match expected {
            Some(expected) => {
                let mut verifier = Verifier::new(expected)?;
                verifier.update(&bytes);
                verifier.check(expected)?;
                expected.clone()
            }
            None => sha256(&bytes)?,
        };
        let invalid = |what: &str| Problem::Manifest(format!("the manifest {what}"));
        let value: serde_json::Value =
            serde_json::from_slice(&bytes).map_err(|error| invalid(&format!("is not JSON: {error}")))?;
        let has = |key: &str| value.get(key).is_some_and(|value| !value.is_null());
        if value.get("schemaVersion").and_then(serde_json::Value::as_u64) == Some(1) {
            return Err(invalid(
                "has Docker's schema 1, which no registry should hand out any more; push the image again",
            ));
        }
        let is_index = has("manifests");
        if is_index && (has("layers") || has("config")) {
            return Err(invalid("could be an image and an index"));
        }
        let written = value.get("mediaType").and_then(serde_json::Value::as_str);
        let announced = announced
            .map(|announced| announced.split(';').next().unwrap_or(announced).trim())
            .filter(|announced| ACCEPTED.contains(announced));
        if let (Some(written), Some(announced)) = (written, announced)
            && written != announced
        {
            return Err(invalid(&format!("calls itself {written}, but was announced as {announced}")));
        }
        let guess = if is_index { ACCEPTED[0] } else { ACCEPTED[1] };
        let media_type = written.or(announced).unwrap_or(guess);
        if ACCEPTED.contains(&media_type)
            && is_index != matches!(media_type, t if t == ACCEPTED[0] || t == ACCEPTED[2])
        {
            return Err(invalid(&format!("is not what its media type says: {media_type}")));
        }
        let malformed = |error: serde_json::Error| invalid(&format!("is malformed: {error}"));
        let manifest = if is_index {
            Manifest::Index(serde_json::from_slice(&bytes).map_err(malformed)?)
        } else if has("config") {
            Manifest::Image(serde_json::from_slice(&bytes).map_err(malformed)?)
        } else {
            return Err(invalid("is neither an image nor an index"));
        };
        let descriptor = Descriptor::new(MediaType::from(media_type), bytes.len() as u64, digest);
        Ok(Self { descriptor, bytes, manifest })
    }
}

/// Refuses a configuration that nobody would read: its size is known before it is fetched.
pub(crate) fn check_configuration(descriptor: &Descriptor) -> Result<(), Box<RegistryError>> {
    if descriptor.size() <= DOCUMENT_BYTES {
        return Ok(());
    }
    let problem = Problem::TooLarge { limit: DOCUMENT_BYTES, is_setting: false };
    Err(RegistryError::new("get the configuration", descriptor.digest().to_string(), problem))
}

/// Whether a configuration is that of an image to run, and not of something else that registries keep.
pub(crate) fn is_of_container(descriptor: &Descriptor) -> bool {
    let kind = descriptor.media_type().to_string();
    kind == "application/vnd.oci.image.config.v1+json"
        || kind == "application/vnd.docker.container.image.v1+json"
}

/// What the manifests of one image may cost, since they are kept until all of them are there.
#[derive(Default)]
pub(crate) struct ManifestBudget {
    number: usize,
    bytes: u64,
}

impl ManifestBudget {
    /// Counts a manifest.
    ///
    /// # Errors
    /// [`Problem::Manifest`] beyond the budget.
    pub(crate) fn take(&mut self, manifest: &FetchedManifest) -> Result<(), Box<RegistryError>> {
        self.number += 1;
        self.bytes = self.bytes.saturating_add(manifest.descriptor.size());
        let text = match () {
            () if self.number > MANIFESTS => format!("the image has more than {MANIFESTS} manifests"),
            () if self.bytes > MANIFESTS_BYTES => {
                format!("the manifests of the image have more than {MANIFESTS_BYTES} bytes together")
            }
            () => return Ok(()),
        };
        Err(RegistryError::new("get", manifest.descriptor.digest().to_string(), Problem::Manifest(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_manifests() {
        let config = r#""config":{"mediaType":"application/vnd.oci.image.config.v1+json","size":2,"digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}"#;
        for (text, announced, expected) in [
            (format!(r#"{{"schemaVersion":2,{config},"layers":[]}}"#), None, "image"),
            (format!(r#"{{"schemaVersion":2,{config},"layers":[]}}"#), Some(ACCEPTED[3]), "image"),
            (format!(r#"{{"schemaVersion":2,{config},"layers":[]}}"#), Some("text/plain"), "image"),
            (r#"{"schemaVersion":2,"manifests":[]}"#.to_owned(), Some("application/json"), "index"),
            (
                r#"{"schemaVersion":2,"manifests":[]}"#.to_owned(),
                Some(ACCEPTED[1]),
                "the manifest is not what its media type says",
            ),
            (
                format!(r#"{{"schemaVersion":2,{config},"layers":[],"manifests":[]}}"#),
                None,
                "the manifest could be an image and an index",
            ),
            (
                format!(r#"{{"schemaVersion":2,"mediaType":"{}","manifests":[]}}"#, ACCEPTED[0]),
                Some(ACCEPTED[2]),
                "the manifest calls itself",
            ),
            (r#"{"schemaVersion":1,"fsLayers":[]}"#.to_owned(), None, "the manifest has Docker's schema 1"),
            (r#"{"schemaVersion":2}"#.to_owned(), None, "the manifest is neither"),
            ("<html>".to_owned(), None, "the manifest is not JSON"),
            (r#"{"schemaVersion":2,"manifests":7}"#.to_owned(), None, "the manifest is malformed"),
        ] {
            let kind = match FetchedManifest::read(text.clone().into(), announced, None) {
                Ok(FetchedManifest { manifest: Manifest::Image(_), .. }) => "image".to_owned(),
                Ok(_) => "index".to_owned(),
                Err(problem) => problem.to_string(),
            };
            assert!(kind.starts_with(expected), "{text}: {kind}");
        }
        let other = format!("sha256:{}", "0".repeat(64)).parse().unwrap();
        assert!(matches!(
            FetchedManifest::read("{}".into(), None, Some(&other)),
            Err(Problem::Digest { .. })
        ));
    }

    #[test]
    fn manifests_are_counted_with_their_bytes() {
        let config = r#""config":{"mediaType":"application/vnd.oci.image.config.v1+json","size":2,"digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}"#;
        let text = format!(r#"{{"schemaVersion":2,{config},"layers":[]}}"#);
        let mut manifest = FetchedManifest::read(text.into(), None, None).unwrap();
        manifest.descriptor.set_size(MANIFESTS_BYTES / 2);
        let mut budget = ManifestBudget::default();
        budget.take(&manifest).unwrap();
        budget.take(&manifest).unwrap();
        let error = budget.take(&manifest).unwrap_err().to_string();
        assert!(error.ends_with("have more than 67108864 bytes together"), "{error}");
    }
}

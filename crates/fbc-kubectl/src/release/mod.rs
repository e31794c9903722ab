//! Release images as `oc adm release info` and `oc adm release extract` see them.
//!
//! | module | what it holds |
//! |---|---|
//! | `info` | all about a release, as text and as JSON |
//! | `size` | how large its images are |
//! | `difference` | what another release has in their place |
//!
//! Source: `openshift/oc:pkg/cli/admin/release` (`info.go`, `extract.go`).

mod difference;
mod info;
mod size;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use fbc_model::image_reference;
use fbc_model::tree::Tree;
use fbc_yaml::YamlError;
use serde_json::Value;

pub use size::ImageSize;

/// The directory whose files are extracted.
const DIRECTORY: &str = "release-manifests";
const METADATA: &str = "release-metadata";
const REFERENCES: &str = "image-references";
const SOURCE: &str = "io.openshift.build.source-location";
const COMMIT: &str = "io.openshift.build.commit.id";

/// An image of a release.
#[derive(Clone)]
pub struct ReleaseImage {
    /// Its pull spec.
    pub reference: String,
    /// Its digest.
    pub digest: String,
    /// When it was made, as RFC 3339 has it; without it, the moment in its list of images.
    pub created: Option<String>,
    /// Operating system and architecture, such as `linux/amd64`.
    pub platform: String,
    /// The payload.
    pub tree: Arc<dyn Tree>,
    /// What is known of the layers of the images that it lists, by their names.
    pub sizes: BTreeMap<String, ImageSize>,
}

/// Why a release image does not tell what is asked of it, in the words of oc.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseImageError {
    /// The payload cannot be read.
    #[error("{image}: {error}")]
    Read {
        /// The image.
        image: String,
        /// Why not.
        error: std::io::Error,
    },
    /// A file is missing in the payload.
    #[error("release image {image} did not contain {name}, not a valid release image")]
    NoFile {
        /// The image.
        image: String,
        /// The name of the file.
        name: &'static str,
    },
    /// What describes the release is not JSON.
    #[error("release image could not be read: invalid release metadata: {}", in_words_of_go(.0))]
    Metadata(#[from] serde_json::Error),
    /// The list of images is not YAML.
    #[error("release image could not be read: unable to load release {REFERENCES}: {0}")]
    References(#[from] YamlError),
    /// The list of images is something else.
    #[error("release image could not be read: unrecognized {REFERENCES} in release payload")]
    NoReferences,
    /// No image has a name.
    #[error("no image tag {name:?} exists in the release image {image}")]
    NoImage {
        /// The image of the release.
        image: String,
        /// The name.
        name: String,
    },
}

fn in_words_of_go(error: &serde_json::Error) -> String {
    if error.is_eof() { "unexpected end of JSON input".to_owned() } else { error.to_string() }
}

impl fmt::Debug for ReleaseImage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reference)
    }
}

/// What is shown of the images that a release consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Column {
    /// Their digests.
    #[default]
    Digest,
    /// Their pull specs.
    PullSpec,
    /// Repositories and commits of their sources.
    Commit,
    /// The addresses of these commits.
    CommitUrl,
    /// Their age, and how large they are.
    Size,
}

/// A list of the images of a release, one on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// Their names in the release.
    Name,
    /// Their pull specs.
    PullSpec,
    /// Their digests.
    Digest,
}

impl List {
    /// All lists, with the words for them.
    pub const ALL: [(&'static str, Self); 3] =
        [("name", Self::Name), ("pullspec", Self::PullSpec), ("digest", Self::Digest)];
}

impl ReleaseImage {
    /// The files that are extracted, by name.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub fn files(&self) -> Result<Vec<(String, Vec<u8>)>, ReleaseImageError> {
        let fail = |error: std::io::Error| ReleaseImageError::Read { image: self.reference.clone(), error };
        let entries = self.tree.list(Path::new(DIRECTORY)).map_err(fail)?;
        let files = entries.into_iter().filter(|entry| !entry.is_directory).map(|entry| {
            let bytes = self.tree.read(&Path::new(DIRECTORY).join(&entry.name)).map_err(fail)?;
            Ok((entry.name.display().to_string(), bytes))
        });
        files.collect()
    }

    /// The same, one file behind the other, each below its name: first the two that are not manifests. What is neither is
    /// left out.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub fn contents(&self) -> Result<Vec<u8>, ReleaseImageError> {
        let (manifests, others): (Vec<_>, Vec<_>) =
            self.files()?.into_iter().partition(|(name, _)| is_manifest(name));
        let metadata = others.into_iter().filter(|(name, _)| [METADATA, REFERENCES].contains(&name.as_str()));
        let mut out = Vec::new();
        for (name, bytes) in metadata.chain(manifests) {
            out.extend_from_slice(format!("# {name}\n").as_bytes());
            out.extend_from_slice(&bytes);
            if bytes.last().is_some_and(|last| *last != b'\n') {
                out.push(b'\n');
            }
        }
        Ok(out)
    }

    fn file(&self, name: &'static str) -> Result<Vec<u8>, ReleaseImageError> {
        let missing = |_| ReleaseImageError::NoFile { image: self.reference.clone(), name };
        self.tree.read(&Path::new(DIRECTORY).join(name)).map_err(missing)
    }

    fn metadata(&self) -> Result<Value, ReleaseImageError> {
        Ok(serde_json::from_slice(&self.file(METADATA)?)?)
    }

    fn references(&self) -> Result<Value, ReleaseImageError> {
        let references = fbc_yaml::stream::read_one(&self.file(REFERENCES)?)?.root().to_json();
        if references.kind() != "ImageStream" || references.api_version() != "image.openshift.io/v1" {
            return Err(ReleaseImageError::NoReferences);
        }
        Ok(references)
    }

    /// When it was made, to the second.
    pub fn created(&self) -> String {
        let of_references = || {
            let references = self.references().ok()?;
            Some(references.text(&["metadata", "creationTimestamp"]).to_owned())
                .filter(|text| !text.is_empty())
        };
        let created = self.created.clone().or_else(of_references);
        let created = created.unwrap_or_else(|| "0001-01-01T00:00:00Z".to_owned());
        Moment::parse(&created).map_or(created, |moment| moment.to_string())
    }

    /// What `extract` says when it is done. It names the digest unless the pull spec had it.
    pub fn extracted(&self) -> String {
        let digest = if self.reference.contains('@') {
            String::new()
        } else {
            format!("from digest {} ", self.digest)
        };
        format!("Extracted release payload {digest}created at {}\n", self.created())
    }

    /// Names and pull specs of the images that it consists of.
    ///
    /// # Errors
    /// The payload has no list of them.
    pub fn images(&self) -> Result<Vec<(String, String)>, ReleaseImageError> {
        let references = self.references()?;
        let named = |tag: &Value| (tag.text(&["name"]).to_owned(), tag.text(&["from", "name"]).to_owned());
        Ok(images(&references).map(named).collect())
    }

    /// The pull spec of one of its images.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn image_for(&self, name: &str) -> Result<String, ReleaseImageError> {
        let found = self.images()?.into_iter().find(|(known, _)| known == name);
        found.map(|(_, image)| image).ok_or_else(|| ReleaseImageError::NoImage {
            image: self.reference.clone(),
            name: name.to_owned(),
        })
    }

    /// A line for each of its images, and what is wrong with those that have no digest if digests are asked for.
    ///
    /// # Errors
    /// The payload has no list of them.
    pub fn list(&self, list: List) -> Result<(String, Vec<String>), ReleaseImageError> {
        let references = self.references()?;
        let (mut text, mut errors) = (String::new(), Vec::new());
        for tag in references.list(&["spec", "tags"]) {
            let (name, image) = (tag.text(&["name"]), tag.text(&["from", "name"]));
            match (list, image.split_once('@')) {
                (List::Name, _) => text.push_str(&format!("{name}\n")),
                // The others are of images alone.
                _ if !is_image(tag) => {}
                (List::PullSpec, _) => text.push_str(&format!("{image}\n")),
                (List::Digest, Some((_, digest))) => text.push_str(&format!("{digest}\n")),
                (List::Digest, None) => errors.push(format!("{name} does not point to a digest")),
            }
        }
        Ok((text, errors))
    }

    /// The pull spec by digest.
    fn by_digest(&self) -> String {
        match image_reference::parse(&self.reference) {
            Ok(reference) if self.digest.starts_with("sha256:") => {
                format!("{}/{}@{}", reference.domain, reference.path, self.digest)
            }
            _ => self.reference.clone(),
        }
    }
}

fn is_manifest(name: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end))
}

/// The tags that are images.
fn images(references: &Value) -> impl Iterator<Item = &Value> {
    references.list(&["spec", "tags"]).iter().filter(|tag| is_image(tag))
}

fn is_image(tag: &Value) -> bool {
    tag.text(&["from", "kind"]) == "DockerImage"
}

/// The digest of a pull spec, or all of one that has none.
fn digest_or_all(image: &str) -> &str {
    image.split_once('@').map_or(image, |(_, digest)| digest)
}

/// The address of a commit.
fn commit_address(repository: &str, commit: &str) -> String {
    match repository.starts_with("https://github.com/") {
        true => format!("{repository}/commit/{commit}"),
        false => format!("{repository} {commit}"),
    }
}

/// Repository and commit of the source of an image.
fn source(tag: &Value) -> (&str, &str) {
    (tag.text(&["annotations", SOURCE]), tag.text(&["annotations", COMMIT]))
}

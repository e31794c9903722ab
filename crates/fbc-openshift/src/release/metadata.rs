//! `release-metadata` and `image-references`: which release a payload is.
//!
//! Sources: `openshift/cluster-version-operator:pkg/payload/payload.go`, `pkg/cincinnati/cincinnati.go`
//! (`ParseMetadata`).

use std::collections::BTreeMap;

use fbc_cluster::object::ObjectFields;
use fbc_version::{Version, VersionError};
use fbc_yaml::YamlError;
use serde_json::{Map, Value, json};

/// A release as ClusterVersion names it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Release {
    /// `Multi`, or empty for an image of one architecture.
    pub architecture: String,
    /// The version.
    pub version: String,
    /// The pull spec.
    pub image: String,
    /// Where the release is described.
    pub url: String,
    /// Its channels, sorted.
    pub channels: Vec<String>,
}

impl Release {
    /// The release with architecture, address and channels of what the update service says about it.
    pub fn of_metadata(metadata: &Map<String, Value>) -> Self {
        let text = |key: &str| metadata.get(key).and_then(Value::as_str).unwrap_or_default();
        let mut channels: Vec<String> = text("io.openshift.upgrades.graph.release.channels")
            .split(',')
            .filter(|channel| !channel.is_empty())
            .map(str::to_owned)
            .collect();
        channels.sort();
        let architecture = match text("release.openshift.io/architecture") {
            "multi" => "Multi",
            _ => "",
        };
        Self {
            architecture: architecture.to_owned(),
            url: text("url").to_owned(),
            channels,
            ..Self::default()
        }
    }

    /// Reads what [`Release::to_value`] writes.
    pub fn of_value(value: &Value) -> Self {
        let text = |key: &str| value.text(&[key]).to_owned();
        let channels = value.list(&["channels"]).iter().filter_map(Value::as_str).map(str::to_owned);
        Self {
            architecture: text("architecture"),
            version: text("version"),
            image: text("image"),
            url: text("url"),
            channels: channels.collect(),
        }
    }

    /// As it stands in ClusterVersion.
    pub fn to_value(&self) -> Value {
        let mut value = json!({"version": self.version, "image": self.image});
        if !self.architecture.is_empty() {
            value.set(&["architecture"], self.architecture.as_str());
        }
        if !self.url.is_empty() {
            value.set(&["url"], self.url.as_str());
        }
        if !self.channels.is_empty() {
            value.set(&["channels"], self.channels.as_slice());
        }
        value
    }
}

/// What is wrong with `release-metadata`, in the words of the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// It is not JSON.
    #[error("unmarshal Cincinnati metadata: {0}")]
    Json(String),
    /// It is of another kind.
    #[error("unrecognized Cincinnati metadata kind {}", fbc_go::text::quote(.0))]
    Kind(String),
    /// There is no version.
    #[error("missing required Cincinnati metadata version")]
    NoVersion,
    /// The version is not one.
    #[error("invalid Cincinnati metadata version {}: {error}", fbc_go::text::quote(.version))]
    Version {
        /// What it has as its version.
        version: String,
        /// What is wrong with it.
        error: VersionError,
    },
}

/// What is wrong with `image-references`, in the words of the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImagesError {
    /// It is not YAML.
    #[error("unmarshal image-references: {0}")]
    Yaml(#[from] YamlError),
    /// It is of another kind.
    #[error("image-references is a *{version}.{kind}, not a v1 ImageStream")]
    Kind {
        /// The version of its API.
        version: String,
        /// Its kind.
        kind: String,
    },
    /// It is that of another release.
    #[error("version from image-references ({found}) differs from release-metadata ({wanted})")]
    Version {
        /// Its version.
        found: String,
        /// That of the release.
        wanted: String,
    },
}

/// Reads `release-metadata`: the release without its image, the versions that may be updated to it, and the major version.
///
/// # Errors
/// [`MetadataError`]
pub fn read_metadata(bytes: &[u8]) -> Result<(Release, Vec<String>, u64), MetadataError> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| MetadataError::Json(go_json_error(bytes, &error)))?;
    let kind = value.text(&["kind"]);
    if kind != "cincinnati-metadata-v0" {
        return Err(MetadataError::Kind(kind.to_owned()));
    }
    let version = value.text(&["version"]);
    if version.is_empty() {
        return Err(MetadataError::NoVersion);
    }
    let parsed = Version::parse(version)
        .map_err(|error| MetadataError::Version { version: version.to_owned(), error })?;
    let metadata = value.at(&["metadata"]).and_then(Value::as_object).cloned().unwrap_or_default();
    let release = Release { version: version.to_owned(), ..Release::of_metadata(&metadata) };
    let previous = value.list(&["previous"]).iter().filter_map(Value::as_str).map(str::to_owned).collect();
    Ok((release, previous, parsed.major()))
}

/// Reads `image-references`: the images of the release by the names of their tags.
///
/// # Errors
/// [`ImagesError`]
pub fn read_images(bytes: &[u8], version: &str) -> Result<BTreeMap<String, String>, ImagesError> {
    let value = fbc_yaml::stream::read_one(bytes)?.root().to_json();
    if (value.api_version(), value.kind()) != ("image.openshift.io/v1", "ImageStream") {
        let version = value.api_version().rsplit('/').next().unwrap_or_default().to_owned();
        return Err(ImagesError::Kind { version, kind: value.kind().to_owned() });
    }
    if value.name() != version {
        let (found, wanted) = (value.name().to_owned(), version.to_owned());
        return Err(ImagesError::Version { found, wanted });
    }
    let tags = value.list(&["spec", "tags"]).iter();
    Ok(tags
        .filter(|tag| tag.text(&["from", "kind"]) == "DockerImage")
        .map(|tag| (tag.text(&["name"]).to_owned(), tag.text(&["from", "name"]).to_owned()))
        .collect())
}

/// What Go says about JSON that ends too early or is none.
fn go_json_error(bytes: &[u8], error: &serde_json::Error) -> String {
    match fbc_yaml::json_reader::read_value(bytes, 0) {
        Err(go) => go.message,
        Ok(_) => error.to_string(),
    }
}

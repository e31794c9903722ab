//! `release-metadata` and `image-references`: which release a payload is.
//!
//! Sources: `openshift/cluster-version-operator:pkg/payload/payload.go`, `pkg/cincinnati/cincinnati.go`
//! (`ParseMetadata`).

use std::collections::BTreeMap;

use fbc_cluster::object::ObjectFields;
use fbc_version::Version;
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

/// Reads `release-metadata`: the release without its image, the versions that may be updated to it, and the major version.
pub fn read_metadata(bytes: &[u8]) -> Result<(Release, Vec<String>, u64), String> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| format!("unmarshal Cincinnati metadata: {}", go_json_error(bytes, &error)))?;
    let kind = value.text(&["kind"]);
    if kind != "cincinnati-metadata-v0" {
        return Err(format!("unrecognized Cincinnati metadata kind {}", fbc_go::text::quote(kind)));
    }
    let version = value.text(&["version"]);
    if version.is_empty() {
        return Err("missing required Cincinnati metadata version".to_owned());
    }
    let parsed = Version::parse(version).map_err(|error| {
        format!("invalid Cincinnati metadata version {}: {error}", fbc_go::text::quote(version))
    })?;
    let metadata = value.at(&["metadata"]).and_then(Value::as_object).cloned().unwrap_or_default();
    let release = Release { version: version.to_owned(), ..Release::of_metadata(&metadata) };
    let previous = value.list(&["previous"]).iter().filter_map(Value::as_str).map(str::to_owned).collect();
    Ok((release, previous, parsed.major()))
}

/// Reads `image-references`: the images of the release by the names of their tags.
pub fn read_images(bytes: &[u8], version: &str) -> Result<BTreeMap<String, String>, String> {
    let value = fbc_yaml::stream::read_one(bytes)
        .map(|document| document.root().to_json())
        .map_err(|error| format!("unmarshal image-references: {error}"))?;
    if (value.api_version(), value.kind()) != ("image.openshift.io/v1", "ImageStream") {
        let version = value.api_version().rsplit('/').next().unwrap_or_default();
        return Err(format!("image-references is a *{version}.{}, not a v1 ImageStream", value.kind()));
    }
    if value.name() != version {
        return Err(format!(
            "version from image-references ({}) differs from release-metadata ({version})",
            value.name()
        ));
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

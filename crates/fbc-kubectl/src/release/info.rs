//! All about a release.

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use fbc_version::Version;
use serde_json::{Map, Value, json};

use super::{
    Column, METADATA, REFERENCES, ReleaseImage, ReleaseImageError, commit_address, digest_or_all, images,
    is_manifest, size, source,
};
use crate::layout::align;

const VERSIONS: &str = "io.openshift.build.versions";
const DISPLAY_NAMES: &str = "io.openshift.build.version-display-names";
/// A component whose versions in other images do not count, and the images where they do.
const CLIENT: (&str, [&str; 2]) = ("kubectl", ["cli", "cli-artifacts"]);
/// A component that may have several versions.
const OPERATING_SYSTEM: &str = "machine-os";

/// What the images of a release say about a component such as Kubernetes.
#[derive(Default)]
struct Component<'r> {
    versions: BTreeSet<&'r str>,
    names: BTreeSet<&'r str>,
    /// The last image that names it.
    tag: &'r str,
}

impl ReleaseImage {
    /// All about it as text. Ages are those of a moment.
    ///
    /// # Errors
    /// What is missing in the payload.
    pub fn info(&self, column: Column, now: Moment) -> Result<String, ReleaseImageError> {
        let (metadata, references) = (self.metadata()?, self.references()?);
        let files = self.files()?;
        let manifests = files.iter().filter(|(name, _)| is_manifest(name)).count();
        let known = |name: &String| is_manifest(name) || [METADATA, REFERENCES].contains(&name.as_str());
        let unknown = files.iter().filter(|(name, _)| !known(name)).count();
        let mut text = format!(
            "Name:\t{}\nDigest:\t{}\nCreated:\t{}\nOS/Arch:\t{}\nManifests:\t{manifests}\n",
            preferred_name(&metadata, &references),
            self.digest,
            self.created(),
            self.platform
        );
        if unknown > 0 {
            text.push_str(&format!("Metadata files:\t{unknown}\n"));
        }
        text.push_str(&format!("\nPull From:\t{}\n", self.by_digest()));
        let upgrades = upgrades(&metadata);
        text.push_str(&format!(
            "\nRelease Metadata:\n  Version:\t{}\n  Upgrades:\t{upgrades}\n",
            metadata.text(&["version"])
        ));
        let mut out = align(&text, 0, 1);
        let mut section = "  Metadata:\n".to_owned();
        for (key, value) in metadata.get("metadata").and_then(Value::as_object).into_iter().flatten() {
            match value {
                Value::String(text) if text.is_empty() => {}
                Value::Array(list) if list.is_empty() => {}
                Value::Object(map) if map.is_empty() => {}
                Value::String(text) => section.push_str(&format!("    {key}:\t{text}\n")),
                other => section.push_str(&format!("    {key}:\t{other}\n")),
            }
        }
        out.push_str(&align(&section, 0, 1));
        let components = components(&references);
        out.push_str(&align(&component_table(&components), 0, 1));
        let images = match column {
            Column::Size => size::table(self, &references, now),
            column => image_table(&references, column),
        };
        out.push_str(&align(&images, 0, 1));
        let mut warnings = ambiguous(&components);
        if column == Column::Size {
            warnings.extend(size::warnings(self, &references));
        }
        if !warnings.is_empty() {
            out.push_str(&format!("\nWarnings:\n* {}\n", warnings.join("\n* ")));
        }
        out.push('\n');
        Ok(out)
    }

    /// All about it as an object.
    ///
    /// # Errors
    /// What is missing in the payload.
    pub fn to_value(&self) -> Result<Value, ReleaseImageError> {
        let (metadata, references) = (self.metadata()?, self.references()?);
        let components = components(&references);
        let (mut versions, mut shown, mut tags) = (Map::new(), Map::new(), Map::new());
        for (name, component) in &components {
            let version = component.versions.first().copied().unwrap_or_default();
            let display_name = component.names.first().copied().unwrap_or_default();
            versions.insert((*name).to_owned(), json!(version));
            shown.insert((*name).to_owned(), json!({"Version": version, "DisplayName": display_name}));
            tags.insert((*name).to_owned(), json!(component.tag));
        }
        let (os, architecture) = self.platform.split_once('/').unwrap_or((&self.platform, ""));
        let warnings = ambiguous(&components);
        Ok(json!({
            "image": self.reference, "digest": self.digest, "contentDigest": self.digest, "listDigest": "",
            "config": {"created": self.created(), "os": os, "architecture": architecture},
            "metadata": metadata, "references": references,
            "versions": versions, "displayVersions": shown, "versionsTags": tags,
            "images": null, "warnings": if warnings.is_empty() { Value::Null } else { json!(warnings) },
        }))
    }
}

/// The version of a release, or the name of its list of images.
pub(super) fn preferred_name<'r>(metadata: &'r Value, references: &'r Value) -> &'r str {
    match metadata.text(&["version"]) {
        "" => references.text(&["metadata", "name"]),
        version => version,
    }
}

/// Versions that update to a release, oldest first.
fn upgrades(metadata: &Value) -> String {
    let texts: Vec<&str> = metadata.list(&["previous"]).iter().filter_map(Value::as_str).collect();
    if texts.is_empty() {
        return "<none>".to_owned();
    }
    let parsed: Result<Vec<Version>, _> = texts.iter().map(|text| Version::parse(text)).collect();
    let Ok(mut versions) = parsed else { return texts.join(", ") };
    versions.sort_by(Version::compare_precedence);
    versions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Components by their names.
fn components(references: &Value) -> BTreeMap<&str, Component<'_>> {
    let mut components: BTreeMap<&str, Component<'_>> = BTreeMap::new();
    for tag in images(references) {
        let pairs = |key: &str| {
            let pairs = tag.text(&["annotations", key]).split(',').filter_map(|pair| pair.split_once('='));
            pairs.map(|(name, value)| (name.trim(), value.trim()))
        };
        let names: BTreeMap<&str, &str> = pairs(DISPLAY_NAMES).collect();
        let tag = tag.text(&["name"]);
        for (name, version) in pairs(VERSIONS) {
            if name == CLIENT.0 && !CLIENT.1.contains(&tag) {
                continue;
            }
            let component = components.entry(name).or_default();
            component.versions.insert(version);
            component.names.insert(names.get(name).copied().unwrap_or_default());
            component.tag = tag;
        }
    }
    components
}

fn component_table(components: &BTreeMap<&str, Component<'_>>) -> String {
    if components.is_empty() {
        return String::new();
    }
    let mut text = "\nComponent Versions:\n".to_owned();
    for (name, component) in components {
        let first = |texts: &BTreeSet<&str>| texts.first().copied().unwrap_or_default().to_owned();
        text.push_str(&format!("  {name}\t{}\t{}\n", first(&component.versions), first(&component.names)));
    }
    text
}

/// A warning of components about which the images do not agree.
fn ambiguous(components: &BTreeMap<&str, Component<'_>>) -> Vec<String> {
    let several = components.iter().filter(|(name, component)| {
        **name != OPERATING_SYSTEM && (component.versions.len() > 1 || component.names.len() > 1)
    });
    let names: Vec<&str> = several.map(|(name, _)| *name).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let names = names.join(",  ");
    vec![format!("multiple versions or display names reported for the following component(s): {names}")]
}

fn image_table(references: &Value, column: Column) -> String {
    let heading = match column {
        Column::PullSpec => "NAME\tPULL SPEC",
        Column::Commit => "NAME\tREPO\tCOMMIT\t",
        Column::CommitUrl => "NAME\tURL\t",
        Column::Digest | Column::Size => "NAME\tDIGEST",
    };
    let mut text = format!("\nImages:\n  {heading}\n");
    for tag in images(references) {
        let (name, image) = (tag.text(&["name"]), tag.text(&["from", "name"]));
        let (repository, commit) = source(tag);
        let cell = match column {
            Column::PullSpec => image.to_owned(),
            Column::Commit => format!("{repository}\t{commit}"),
            Column::CommitUrl => commit_address(repository, commit),
            Column::Digest | Column::Size => digest_or_all(image).to_owned(),
        };
        text.push_str(&format!("  {name}\t{cell}\n"));
    }
    text
}

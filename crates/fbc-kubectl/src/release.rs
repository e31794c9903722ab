//! Release images as `oc adm release info` and `oc adm release extract` see them.
//!
//! Source: `openshift/oc:pkg/cli/admin/release` (`info.go`, `extract.go`).

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use fbc_cluster::object::ObjectFields;
use fbc_model::image_reference;
use fbc_model::tree::Tree;
use fbc_version::Version;
use serde_json::Value;

use crate::layout::align;

/// The directory whose files are extracted.
const FOLDER: &str = "release-manifests";
const METADATA: &str = "release-metadata";
const REFERENCES: &str = "image-references";
const SOURCE: &str = "io.openshift.build.source-location";
const COMMIT: &str = "io.openshift.build.commit.id";
const VERSIONS: &str = "io.openshift.build.versions";
const DISPLAY_NAMES: &str = "io.openshift.build.version-display-names";

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
}

impl ReleaseImage {
    /// The files that are extracted, by name.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub fn files(&self) -> Result<Vec<(String, Vec<u8>)>, String> {
        let fail = |error: std::io::Error| format!("{}: {error}", self.reference);
        let entries = self.tree.list(Path::new(FOLDER)).map_err(fail)?;
        let files = entries.into_iter().filter(|entry| !entry.is_directory).map(|entry| {
            let bytes = self.tree.read(&Path::new(FOLDER).join(&entry.name)).map_err(fail)?;
            Ok((entry.name.display().to_string(), bytes))
        });
        files.collect()
    }

    fn document(&self, name: &str) -> Result<Value, String> {
        let bytes = self.tree.read(&Path::new(FOLDER).join(name)).map_err(|_| {
            format!("release image {} did not contain {name}, not a valid release image", self.reference)
        })?;
        let document = fbc_yaml::stream::read_one(&bytes);
        document
            .map(|document| document.root().to_json())
            .map_err(|error| format!("unable to load {name} from release payload: {error}"))
    }

    /// When it was made.
    pub fn created(&self) -> String {
        let of_references = || {
            let references = self.document(REFERENCES).ok()?;
            Some(references.text(&["metadata", "creationTimestamp"]).to_owned())
                .filter(|text| !text.is_empty())
        };
        self.created.clone().or_else(of_references).unwrap_or_else(|| "0001-01-01T00:00:00Z".to_owned())
    }

    /// What `extract` says when it is done. The digest is told unless the pull spec had it.
    pub fn extracted(&self) -> String {
        let digest = if self.reference.contains('@') {
            String::new()
        } else {
            format!("from digest {} ", self.digest)
        };
        format!("Extracted release payload {digest}created at {}\n", self.created())
    }

    /// The pull spec of one of its images.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn image_for(&self, name: &str) -> Result<String, String> {
        let references = self.document(REFERENCES)?;
        let found = images(&references).find(|tag| tag.text(&["name"]) == name);
        found
            .map(|tag| tag.text(&["from", "name"]).to_owned())
            .ok_or_else(|| format!("no image tag {name:?} exists in the release image {}", self.reference))
    }

    /// All about it.
    ///
    /// # Errors
    /// What is missing in the payload.
    pub fn info(&self, column: Column) -> Result<String, String> {
        let (metadata, references) = (self.document(METADATA)?, self.document(REFERENCES)?);
        let files = self.files()?;
        let is_manifest = |name: &str| [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end));
        let manifests = files.iter().filter(|(name, _)| is_manifest(name)).count();
        let unknown = files.len() - manifests - 2;
        let name = match metadata.text(&["version"]) {
            "" => references.text(&["metadata", "name"]),
            version => version,
        };
        let mut text = format!(
            "Name:\t{name}\nDigest:\t{}\nCreated:\t{}\nOS/Arch:\t{}\nManifests:\t{manifests}\n",
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
                Value::String(text) => section.push_str(&format!("    {key}:\t{text}\n")),
                other => section.push_str(&format!("    {key}:\t{other}\n")),
            }
        }
        out.push_str(&align(&section, 0, 1));
        out.push_str(&align(&components(&references), 0, 1));
        out.push_str(&align(&image_table(&references, column), 0, 1));
        out.push('\n');
        Ok(out)
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

/// The tags that are images.
fn images(references: &Value) -> impl Iterator<Item = &Value> {
    references.list(&["spec", "tags"]).iter().filter(|tag| tag.text(&["from", "kind"]) == "DockerImage")
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

/// Versions of components such as Kubernetes, with their names.
fn components(references: &Value) -> String {
    let mut versions: BTreeMap<&str, &str> = BTreeMap::new();
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    for tag in images(references) {
        for (key, known) in [(VERSIONS, &mut versions), (DISPLAY_NAMES, &mut names)] {
            let pairs = tag.text(&["annotations", key]).split(',').filter_map(|pair| pair.split_once('='));
            known.extend(pairs.map(|(name, value)| (name.trim(), value.trim())));
        }
    }
    if versions.is_empty() {
        return String::new();
    }
    let mut text = "\nComponent Versions:\n".to_owned();
    for (name, version) in versions {
        text.push_str(&format!("  {name}\t{version}\t{}\n", names.get(name).copied().unwrap_or_default()));
    }
    text
}

fn image_table(references: &Value, column: Column) -> String {
    let heading = match column {
        Column::Digest => "NAME\tDIGEST",
        Column::PullSpec => "NAME\tPULL SPEC",
        Column::Commit => "NAME\tREPO\tCOMMIT\t",
        Column::CommitUrl => "NAME\tURL\t",
    };
    let mut text = format!("\nImages:\n  {heading}\n");
    for tag in images(references) {
        let (name, image) = (tag.text(&["name"]), tag.text(&["from", "name"]));
        let (source, commit) = (tag.text(&["annotations", SOURCE]), tag.text(&["annotations", COMMIT]));
        let cell = match column {
            Column::Digest => image.split_once('@').map_or(image, |(_, digest)| digest).to_owned(),
            Column::PullSpec => image.to_owned(),
            Column::Commit => format!("{source}\t{commit}"),
            Column::CommitUrl if source.starts_with("https://github.com/") => {
                format!("{source}/commit/{commit}")
            }
            Column::CommitUrl => format!("{source} {commit}"),
        };
        text.push_str(&format!("  {name}\t{cell}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use fbc_model::tree::MemoryTree;
    use serde_json::json;

    use super::*;

    fn image(reference: &str) -> ReleaseImage {
        let mut tree = MemoryTree::default();
        let mut add = |name: &str, text: String| tree.insert(format!("{FOLDER}/{name}"), text);
        let metadata = json!({
            "kind": "cincinnati-metadata-v0", "version": "4.19.0", "previous": ["4.18.10", "4.18.9"],
            "metadata": {"url": "https://example.com/errata", "empty": ""},
        });
        add(METADATA, metadata.to_string());
        let tag = |name: &str| {
            json!({
                "name": name, "from": {"kind": "DockerImage", "name": format!("quay.io/ocp/v4.0@sha256:{name}")},
                "annotations": {SOURCE: "https://github.com/openshift/x", COMMIT: "abc", VERSIONS: "kubernetes=1.32.5"},
            })
        };
        let references = json!({
            "kind": "ImageStream", "apiVersion": "image.openshift.io/v1",
            "metadata": {"name": "4.19.0", "creationTimestamp": "2025-06-10T08:00:00Z"},
            "spec": {"tags": [tag("console"), tag("hyperkube")]},
        });
        add(REFERENCES, references.to_string());
        add("0000_03_config-operator_01_proxy.crd.yaml", "kind: A\n".to_owned());
        let digest = format!("sha256:{}", "1".repeat(64));
        ReleaseImage {
            reference: reference.to_owned(),
            digest,
            created: None,
            platform: "linux/amd64".to_owned(),
            tree: Arc::new(tree),
        }
    }

    #[test]
    fn all_about_a_release() {
        let one = image("quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64");
        let digest = &one.digest;
        assert_eq!(
            one.info(Column::Digest).unwrap(),
            format!(
                "Name:      4.19.0\nDigest:    {digest}\nCreated:   2025-06-10T08:00:00Z\nOS/Arch:   linux/amd64\n\
                 Manifests: 1\n\nPull From: quay.io/openshift-release-dev/ocp-release@{digest}\n\n\
                 Release Metadata:\n  Version:  4.19.0\n  Upgrades: 4.18.9, 4.18.10\n  Metadata:\n    \
                 url: https://example.com/errata\n\nComponent Versions:\n  kubernetes 1.32.5 \n\nImages:\n  \
                 NAME      DIGEST\n  console   sha256:console\n  hyperkube sha256:hyperkube\n\n"
            )
        );
        let urls = one.info(Column::CommitUrl).unwrap();
        assert!(urls.contains("  console   https://github.com/openshift/x/commit/abc\n"), "{urls}");
        assert_eq!(one.image_for("console").unwrap(), "quay.io/ocp/v4.0@sha256:console");
        assert!(one.image_for("etcd").unwrap_err().contains("no image tag \"etcd\""));
    }

    /// D-CVO-22, D-CVO-23
    #[test]
    fn files_of_a_release() {
        let one = image("quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64");
        let names: Vec<String> = one.files().unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["0000_03_config-operator_01_proxy.crd.yaml", REFERENCES, METADATA]);
        let line =
            format!("Extracted release payload from digest {} created at 2025-06-10T08:00:00Z\n", one.digest);
        assert_eq!(one.extracted(), line);
        let by_digest = image("quay.io/ocp/release@sha256:1");
        assert_eq!(by_digest.extracted(), "Extracted release payload created at 2025-06-10T08:00:00Z\n");
    }
}

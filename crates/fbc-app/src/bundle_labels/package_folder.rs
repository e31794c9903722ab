//! What a package folder of the old kind says of a bundle: the folder beside it has a package manifest, which names the
//! head of each channel, and each bundle's descriptor names what it replaces and skips.
//!
//! Source: `operator-framework/operator-registry:pkg/registry/directoryGraphLoader.go`, `csv.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use fbc_bundle::folder::CLUSTER_SERVICE_VERSION;
use fbc_yaml::{Document, Node, stream};

use super::{files, first_object};

/// What a package folder says of one of its bundles.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PackageFolder {
    /// The package.
    pub package: String,
    /// The channels that the bundle is in, sorted.
    pub channels: Vec<String>,
    /// The default channel of the package.
    pub default_channel: String,
}

/// Why there is no package folder, in opm's words.
#[derive(Debug, thiserror::Error)]
pub enum PackageFolderError {
    /// The bundle is not one.
    #[error("error loading CSV from bundle directory, {0}")]
    Bundle(DescriptorError),
    /// One beside it is not.
    #[error("error getting CSVs from bundles in the package directory, {0}")]
    OtherBundle(DescriptorError),
    /// The folder has no package manifest.
    #[error(
        "error parsing package.yaml file in the package root directory, valid PackageManifest YAML file not found in {}",
        .0.display()
    )]
    NoManifest(PathBuf),
}

/// Why a folder has not one cluster service version.
#[derive(Debug, thiserror::Error)]
pub enum DescriptorError {
    /// The system does not give it.
    #[error("error reading bundle directory {0}, open {0}: {words}", .folder.display(), words = super::go_words(.error))]
    Unreadable {
        /// The folder.
        folder: PathBuf,
        /// The words of the system.
        error: std::io::Error,
    },
    /// There are several.
    #[error("more than one ClusterServiceVersion is found in bundle")]
    Several,
    /// The folder has none.
    #[error("no ClusterServiceVersion object found in {}", .0.display())]
    None(PathBuf),
}

impl PackageFolder {
    /// Reads the package folder around a bundle folder.
    ///
    /// # Errors
    /// If there is none.
    pub fn around(bundle: &Path) -> Result<Self, PackageFolderError> {
        let descriptor = descriptor(bundle).map_err(PackageFolderError::Bundle)?;
        let name = name(descriptor.root());
        let folder = bundle.parent().unwrap_or(bundle);
        let mut older = BTreeMap::new();
        for child in files(folder).iter().filter(|path| path.is_dir()) {
            let descriptor = self::descriptor(child).map_err(PackageFolderError::OtherBundle)?;
            older.insert(self::name(descriptor.root()).to_owned(), replaced(descriptor.root()));
        }
        let manifest =
            package_manifest(folder).ok_or_else(|| PackageFolderError::NoManifest(folder.to_path_buf()))?;
        let root = manifest.root();
        let listed = || root.get("channels").into_iter().flat_map(Node::items);
        let channel_name = |channel: Node<'_>| channel.get_str("name").unwrap_or_default().to_owned();
        let mut channels: Vec<String> = listed()
            .filter(|channel| reaches(&older, channel.get_str("currentCSV").unwrap_or_default(), name))
            .map(channel_name)
            .collect();
        channels.sort();
        channels.dedup();
        let only = listed().next().filter(|_| listed().count() == 1);
        let default_channel =
            root.get_str("defaultChannel").filter(|name| !name.is_empty()).map(str::to_owned);
        Ok(Self {
            package: root.get_str("packageName").unwrap_or_default().to_owned(),
            channels,
            default_channel: default_channel.or_else(|| only.map(channel_name)).unwrap_or_default(),
        })
    }
}

/// Whether one comes from a head to a bundle by what bundles replace and skip.
fn reaches(older: &BTreeMap<String, Vec<String>>, head: &str, wanted: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![head];
    while let Some(name) = open.pop() {
        if seen.insert(name) {
            open.extend(older.get(name).into_iter().flatten().map(String::as_str));
        }
    }
    seen.contains(wanted)
}

/// The one cluster service version in a folder.
fn descriptor(folder: &Path) -> Result<Document, DescriptorError> {
    fs::read_dir(folder)
        .map_err(|error| DescriptorError::Unreadable { folder: folder.to_path_buf(), error })?;
    let objects =
        files(folder).into_iter().filter(|path| path.is_file()).filter_map(|path| first_object(&path));
    let mut found = objects.filter(|object| object.root().get_str("kind") == Some(CLUSTER_SERVICE_VERSION));
    match (found.next(), found.next()) {
        (Some(descriptor), None) => Ok(descriptor),
        (Some(_), Some(_)) => Err(DescriptorError::Several),
        (None, _) => Err(DescriptorError::None(folder.to_path_buf())),
    }
}

fn name<'d>(descriptor: Node<'d>) -> &'d str {
    descriptor.get("metadata").and_then(|metadata| metadata.get_str("name")).unwrap_or_default()
}

/// What a descriptor replaces and skips.
fn replaced(descriptor: Node<'_>) -> Vec<String> {
    let spec = descriptor.get("spec");
    let skips = spec.and_then(|spec| spec.get("skips")).into_iter().flat_map(Node::items);
    let replaces = spec.and_then(|spec| spec.get_str("replaces")).filter(|name| !name.is_empty());
    skips.filter_map(Node::as_str).chain(replaces).map(str::to_owned).collect()
}

/// The first file of a folder that is a package manifest.
fn package_manifest(folder: &Path) -> Option<Document> {
    let paths = files(folder).into_iter().filter(|path| path.is_file());
    let documents = paths.filter_map(|path| stream::read_one(&fs::read(path).ok()?).ok());
    documents.into_iter().find(|document| document.root().get_str("packageName").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_follow_from_heads() {
        let place = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = place.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let descriptor = |name: &str, spec: &str| {
            format!("kind: ClusterServiceVersion\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n")
        };
        write("0.1.0/csv.yaml", &descriptor("a.v0.1.0", ""));
        write("0.2.0/csv.yaml", &descriptor("a.v0.2.0", "replaces: a.v0.1.0"));
        write("0.3.0/csv.yaml", &descriptor("a.v0.3.0", "replaces: a.v0.0.9, skips: [a.v0.2.0]"));
        write("0.3.0/crd.yaml", "kind: CustomResourceDefinition\n");
        assert!(
            PackageFolder::around(&place.path().join("0.1.0"))
                .unwrap_err()
                .to_string()
                .contains("PackageManifest")
        );
        write(
            "a.package.yaml",
            "packageName: a\nchannels:\n- {name: stable, currentCSV: a.v0.2.0}\n- {name: fast, currentCSV: a.v0.3.0}\n\
             defaultChannel: stable\n",
        );
        let of =
            |version: &str| PackageFolder::around(&place.path().join(version)).unwrap().channels.join(",");
        assert_eq!([of("0.1.0"), of("0.2.0"), of("0.3.0")], ["fast,stable", "fast,stable", "fast"]);
        let folder = PackageFolder::around(&place.path().join("0.3.0")).unwrap();
        assert_eq!((folder.package.as_str(), folder.default_channel.as_str()), ("a", "stable"));
    }
}

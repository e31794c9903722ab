//! Reads a bundle folder: manifests, annotations, dependencies, properties.
//!
//! As lenient as the reference, which skips what it cannot read
//! (`operator-framework/operator-registry:pkg/registry/parse.go`). Judging a bundle is not done here.

use std::io;
use std::path::{Path, PathBuf};

use fbc_model::confined_tree::leads_out;
use fbc_model::tree::Tree;
use fbc_yaml::stream::{self, Convert, Decoded, Syntax};
use fbc_yaml::{Document, Kind, Node};

use crate::apis;
use crate::image_template::ImageTemplateError;
use crate::metadata::{self, Annotations, RawProperty};

/// A bundle as it lies in a directory.
#[derive(Debug)]
pub struct BundleFolder {
    /// The manifests that are objects, in the order of their file names; of several cluster service
    /// versions only the first.
    pub manifests: Vec<Manifest>,
    /// The annotations that name package and channels.
    pub annotations: Annotations,
    /// The dependencies of `dependencies.yaml`.
    pub dependencies: Vec<RawProperty>,
    /// The properties of `properties.yaml`.
    pub properties: Vec<RawProperty>,
}

/// A manifest.
#[derive(Debug)]
pub struct Manifest {
    /// The file, relative to the bundle.
    pub path: PathBuf,
    /// The object.
    pub object: Document,
}

/// A directory that is not a bundle, or a bundle that cannot be rendered. Texts are the reference's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// A directory cannot be read, or a file lies behind a link that is not followed.
    #[error("open {}: {message}", path.display())]
    Unreadable {
        /// The directory or file.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// There are no manifests.
    #[error("no bundle objects found")]
    NoObjects,
    /// No manifest is a cluster service version.
    #[error("no csv in bundle")]
    NoClusterServiceVersion,
    /// No file in `metadata` has the annotations of a bundle.
    #[error("Could not find annotations file")]
    NoAnnotations,
    /// The template of image references cannot be filled in. The reference names the directory before it.
    #[error("failed templating image reference: {0}")]
    ImageTemplate(ImageTemplateError),
    /// Something in a manifest does not decode.
    #[error("{0}")]
    Content(String),
}

/// The kind of the manifest that describes the operator.
pub const CLUSTER_SERVICE_VERSION: &str = "ClusterServiceVersion";

/// Whether a directory is a bundle: it has the directories `manifests` and `metadata`.
#[must_use]
pub fn is_bundle(tree: &dyn Tree) -> bool {
    let Ok(entries) = tree.list(Path::new("")) else { return false };
    let has = |name: &str| entries.iter().any(|entry| entry.is_directory && entry.name == Path::new(name));
    has("manifests") && has("metadata")
}

impl BundleFolder {
    /// Reads a bundle.
    ///
    /// # Errors
    /// What keeps the reference from reading it: [`BundleError`].
    pub fn read(tree: &dyn Tree) -> Result<Self, BundleError> {
        let manifests = manifests(tree)?;
        if manifests.is_empty() {
            return Err(BundleError::NoObjects);
        }
        apis::check(&manifests)?;
        let metadata = documents(tree, Path::new("metadata"), stream::read_first_for_types)?;
        let metadata = metadata::read(&metadata);
        let annotations = metadata.annotations.ok_or(BundleError::NoAnnotations)?;
        let (dependencies, properties) = (metadata.dependencies, metadata.properties);
        Ok(Self { manifests, annotations, dependencies, properties })
    }

    /// The cluster service version.
    #[must_use]
    pub fn cluster_service_version(&self) -> Option<Node<'_>> {
        cluster_service_version(&self.manifests)
    }
}

/// The cluster service version among manifests.
pub(crate) fn cluster_service_version(manifests: &[Manifest]) -> Option<Node<'_>> {
    manifests.iter().find(|manifest| manifest.is_cluster_service_version()).map(Manifest::root)
}

impl Manifest {
    /// The object.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        self.object.root()
    }

    /// The kind of the object.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.root().get_str("kind").unwrap_or_default()
    }

    /// The group and the version of its API.
    pub(crate) fn group_and_version(&self) -> (&str, &str) {
        let api_version = self.root().get_str("apiVersion").unwrap_or_default();
        api_version.split_once('/').unwrap_or(("", api_version))
    }

    fn is_cluster_service_version(&self) -> bool {
        self.kind() == CLUSTER_SERVICE_VERSION
    }

    /// Whether the reference takes it for an object: it has a kind, and an `apiVersion` that can be taken apart.
    fn is_object(&self) -> bool {
        let api_version = self.root().get_str("apiVersion").unwrap_or_default();
        !self.kind().is_empty() && api_version.matches('/').count() <= 1
    }
}

/// The manifests: direct children, no hidden files, objects with a kind; the rest is skipped.
fn manifests(tree: &dyn Tree) -> Result<Vec<Manifest>, BundleError> {
    let mut manifests: Vec<Manifest> = Vec::new();
    for (path, object, _) in documents(tree, Path::new("manifests"), stream::read_first)? {
        if path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")) {
            continue;
        }
        let manifest = Manifest { path, object };
        let is_second = manifest.is_cluster_service_version()
            && manifests.iter().any(Manifest::is_cluster_service_version);
        if manifest.is_object() && !is_second {
            manifests.push(manifest);
        }
    }
    Ok(manifests)
}

/// The first document of a file: its path, the document, how it is written.
pub(crate) type FirstDocument = (PathBuf, Document, Syntax);

/// How the first document of a file is read.
type ReadFirst = fn(&[u8], Convert<'_, Document, ()>) -> Option<Decoded<Document, ()>>;

/// The first document of each file of a directory, where it is an object.
fn documents(tree: &dyn Tree, directory: &Path, read: ReadFirst) -> Result<Vec<FirstDocument>, BundleError> {
    let unreadable = |path: &Path, error: &io::Error| BundleError::Unreadable {
        path: path.to_path_buf(),
        message: error.to_string(),
    };
    let entries = tree.list(directory).map_err(|error| unreadable(directory, &error))?;
    let mut documents = Vec::new();
    for entry in entries.into_iter().filter(|entry| !entry.is_directory) {
        let path = directory.join(entry.name);
        match tree.read(&path) {
            Ok(bytes) => {
                let first = first_object(&bytes, read);
                documents.extend(first.map(|(object, syntax)| (path, object, syntax)));
            }
            // The reference would read it, so without it this would be another bundle.
            Err(error) if leads_out(&error.to_string()) => return Err(unreadable(&path, &error)),
            Err(_) => {}
        }
    }
    Ok(documents)
}

fn first_object(bytes: &[u8], read: ReadFirst) -> Option<(Document, Syntax)> {
    let only_objects = |document: Document| match document.root().kind() {
        Kind::Object => Ok(document),
        _ => Err(()),
    };
    let Decoded { syntax, outcome, .. } = read(bytes, &only_objects)?;
    outcome.ok().map(|document| (document, syntax))
}

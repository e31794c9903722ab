//! Reads a bundle folder: manifests, annotations, dependencies, properties.
//!
//! As lenient as the reference, which skips what it cannot read
//! (`operator-framework/operator-registry:pkg/registry/parse.go`). Judging a bundle is not done here.

use std::path::{Path, PathBuf};

use fbc_model::tree::Tree;
use fbc_yaml::stream::{self, Decoded, Syntax};
use fbc_yaml::{Document, Kind, Node, json_writer};

/// A bundle as it lies in a folder.
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

/// The annotations of a bundle that opm reads; empty where absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// The package.
    pub package: String,
    /// The channels, separated by commas.
    pub channels: String,
    /// The default channel.
    pub default_channel: String,
}

/// A property or dependency with its value as JSON text, in the form in which opm keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawProperty {
    /// The type.
    pub kind: String,
    /// The value; empty where there is none.
    pub value: String,
}

/// A folder that is no bundle, or a bundle that cannot be rendered. Texts are the reference's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// A directory cannot be read.
    #[error("open {}: {message}", path.display())]
    Unreadable {
        /// The directory.
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
    /// Something in a manifest does not decode.
    #[error("{0}")]
    Content(String),
}

/// The kind of the manifest that describes the operator.
pub const CLUSTER_SERVICE_VERSION: &str = "ClusterServiceVersion";

/// Whether a folder is a bundle: it has the folders `manifests` and `metadata`.
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
        if !manifests.iter().any(Manifest::is_cluster_service_version) {
            return Err(BundleError::NoClusterServiceVersion);
        }
        let mut annotations = None;
        let mut dependencies = Vec::new();
        let mut properties = Vec::new();
        for (_, first) in first_documents(tree, Path::new("metadata"))? {
            let Some((document, syntax)) = first else { continue };
            let root = document.root();
            if annotations.is_none() {
                annotations = annotations_of(root);
            }
            let text = |value: Node<'_>| raw_text(value, syntax);
            if dependencies.is_empty() {
                dependencies = raw_properties(root, "dependencies", text);
            }
            if properties.is_empty() {
                properties = raw_properties(root, "properties", text);
            }
        }
        let annotations = annotations.ok_or(BundleError::NoAnnotations)?;
        Ok(Self { manifests, annotations, dependencies, properties })
    }

    /// The cluster service version.
    #[must_use]
    pub fn cluster_service_version(&self) -> Option<Node<'_>> {
        self.manifests.iter().find(|manifest| manifest.is_cluster_service_version()).map(Manifest::root)
    }
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

    fn is_cluster_service_version(&self) -> bool {
        self.kind() == CLUSTER_SERVICE_VERSION
    }
}

/// The manifests: direct children, no hidden files, objects with a kind; the rest is skipped.
fn manifests(tree: &dyn Tree) -> Result<Vec<Manifest>, BundleError> {
    let mut manifests: Vec<Manifest> = Vec::new();
    for (path, first) in first_documents(tree, Path::new("manifests"))? {
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        let Some((object, _)) = first.filter(|_| !hidden) else { continue };
        let manifest = Manifest { path, object };
        let is_second = manifest.is_cluster_service_version()
            && manifests.iter().any(Manifest::is_cluster_service_version);
        if !manifest.kind().is_empty() && !is_second {
            manifests.push(manifest);
        }
    }
    Ok(manifests)
}

type FirstDocument = Option<(Document, Syntax)>;

/// The first document of each file of a directory, where it is an object.
fn first_documents(tree: &dyn Tree, directory: &Path) -> Result<Vec<(PathBuf, FirstDocument)>, BundleError> {
    let entries = tree.list(directory).map_err(|error| BundleError::Unreadable {
        path: directory.to_path_buf(),
        message: error.to_string(),
    })?;
    let files = entries.into_iter().filter(|entry| !entry.is_directory);
    Ok(files
        .map(|entry| {
            let path = directory.join(entry.name);
            let first = tree.read(&path).ok().and_then(|bytes| first_object(&bytes));
            (path, first)
        })
        .collect())
}

fn first_object(bytes: &[u8]) -> FirstDocument {
    let only_objects = |document: Document| match document.root().kind() {
        Kind::Object => Ok(document),
        _ => Err(()),
    };
    let Decoded { syntax, outcome, .. } = stream::read(bytes, &only_objects).into_iter().next()?;
    outcome.ok().map(|document| (document, syntax))
}

fn annotations_of(root: Node<'_>) -> Option<Annotations> {
    let annotations = root.get("annotations")?;
    let text = |name: &str| {
        let key = format!("operators.operatorframework.io.bundle.{name}.v1");
        annotations.get_str(&key).unwrap_or_default().to_owned()
    };
    let found = Annotations {
        package: text("package"),
        channels: text("channels"),
        default_channel: text("channel.default"),
    };
    (found != Annotations::default()).then_some(found)
}

fn raw_properties(root: Node<'_>, list: &str, text: impl Fn(Node<'_>) -> String) -> Vec<RawProperty> {
    let items = root.get(list).into_iter().flat_map(Node::items);
    items
        .map(|item| RawProperty {
            kind: item.get_str("type").unwrap_or_default().to_owned(),
            value: item.get("value").map(&text).unwrap_or_default(),
        })
        .collect()
}

/// The JSON text that opm keeps of a value: from YAML it comes out of Go's encoder, which escapes what
/// HTML would read.
fn raw_text(value: Node<'_>, syntax: Syntax) -> String {
    let text = json_writer::compact(value);
    match syntax {
        Syntax::Yaml => escape_html(&text),
        Syntax::Json => text,
    }
}

/// JSON text with `<`, `>` and `&` escaped, which stand in strings only.
#[must_use]
pub fn escape_html(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find(['<', '>', '&']) {
        let (plain, tail) = rest.split_at(at);
        escaped.push_str(plain);
        escaped.push_str(match tail.as_bytes().first() {
            Some(b'<') => "\\u003c",
            Some(b'>') => "\\u003e",
            _ => "\\u0026",
        });
        rest = tail.get(1..).unwrap_or_default();
    }
    escaped.push_str(rest);
    escaped
}

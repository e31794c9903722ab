//! What the rules about bundle directories look at, and a run of them.

use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use fbc_bundle::contents::{BundleDocument, BundleFile, MANIFESTS, METADATA};
use fbc_bundle::{BundleContents, BundleFolder};
use fbc_model::tree::Tree;
use fbc_model::{Origin, go_type};
use fbc_yaml::json_reader::{self, JsonError};
use fbc_yaml::stream::Syntax;
use fbc_yaml::{Document, Node};

use crate::finding::{Finding, Findings, Place, Severity, Spot, Subject};
use crate::fix::Source;
use crate::policy::Policy;
use crate::registry::Registry;
use crate::report::{Report, counted, judged};
use crate::rule::{Check, Rule};

mod cluster_service_version;
mod installation;
mod targets;

pub use cluster_service_version::{ClusterServiceVersion, Container, CustomResource, Deployment};
pub use targets::{TargetError, Targets};

/// A bundle with the views on it that rules share.
pub struct BundleContext<'b> {
    /// Everything that lies in the directory.
    pub contents: &'b BundleContents,
    /// The files, for rules that look at the bytes themselves.
    pub tree: &'b dyn Tree,
    /// What the bundle is meant to be installed on.
    pub targets: &'b Targets,
    /// The objects of `manifests`: the first document of each file, as only that is read.
    pub objects: Vec<Object<'b>>,
    /// The first cluster service version, which is the one that counts.
    pub csv: Option<ClusterServiceVersion<'b>>,
    /// The first document of `metadata` with `annotations`, and those.
    pub annotations: Option<Metadata<'b>>,
    /// The first document of `metadata` with `dependencies`, and those.
    pub dependencies: Option<Metadata<'b>>,
    /// The first document of `metadata` with `properties`, and those.
    pub properties: Option<Metadata<'b>>,
    /// The size of the bundle as OLM packs it, in bytes, worked out by the first rule that asks.
    pub packed_size: OnceLock<u64>,
}

/// A Kubernetes object of a bundle. Texts that are absent are empty.
#[derive(Clone, Copy, Debug)]
pub struct Object<'b> {
    /// Where it lies.
    pub origin: Origin,
    /// The object itself.
    pub node: Node<'b>,
    /// The group of its `apiVersion`; empty for the core group.
    pub group: &'b str,
    /// The version of its `apiVersion`.
    pub version: &'b str,
    /// Its kind.
    pub kind: &'b str,
    /// Its name.
    pub name: &'b str,
    /// Its namespace.
    pub namespace: &'b str,
}

/// A member of a document of the directory `metadata`.
#[derive(Clone, Copy, Debug)]
pub struct Metadata<'b> {
    /// The document.
    pub origin: Origin,
    /// The value of the member.
    pub node: Node<'b>,
}

impl<'b> Object<'b> {
    fn new(origin: Origin, node: Node<'b>) -> Self {
        let api_version = node.get_str("apiVersion").unwrap_or_default();
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let meta = |key: &str| node.get("metadata").and_then(|meta| meta.get_str(key)).unwrap_or_default();
        let (name, namespace) = (meta("name"), meta("namespace"));
        Self { origin, node, group, version, kind: node.get_str("kind").unwrap_or_default(), name, namespace }
    }

    /// Whether it is a definition of custom resources, of whatever version.
    #[must_use]
    pub fn is_custom_resource_definition(&self) -> bool {
        self.kind == "CustomResourceDefinition"
    }
}

impl<'b> BundleContext<'b> {
    /// Looks over a bundle.
    #[must_use]
    pub fn new(contents: &'b BundleContents, tree: &'b dyn Tree, targets: &'b Targets) -> Self {
        let first_objects = |folder| {
            contents.files_of(folder).filter_map(|(file, content): (u32, &BundleFile)| {
                let document: &BundleDocument = content.documents.as_ref().ok()?.first()?;
                let root = document.object.as_ref().ok()?.root();
                Some((Origin { file, document: 0 }, root))
            })
        };
        let objects: Vec<Object<'_>> =
            first_objects(MANIFESTS).map(|(origin, root)| Object::new(origin, root)).collect();
        let is_csv = |object: &&Object<'_>| object.kind == fbc_bundle::folder::CLUSTER_SERVICE_VERSION;
        let metadata = |key: &str| {
            first_objects(METADATA).find_map(|(origin, root)| Some(Metadata { origin, node: root.get(key)? }))
        };
        Self {
            csv: objects.iter().find(is_csv).map(|object| ClusterServiceVersion { object: *object }),
            annotations: metadata("annotations"),
            dependencies: metadata("dependencies"),
            properties: metadata("properties"),
            packed_size: OnceLock::new(),
            contents,
            tree,
            targets,
            objects,
        }
    }

    /// A value of the annotations of the bundle; empty where absent.
    #[must_use]
    pub fn annotation(&self, key: &str) -> &'b str {
        self.annotations.and_then(|annotations| annotations.node.get_str(key)).unwrap_or_default()
    }

    /// What findings about the bundle as a whole are about.
    #[must_use]
    pub fn subject(&self) -> Subject {
        let package = self.annotation("operators.operatorframework.io.bundle.package.v1");
        Subject::bundle(package, self.csv.map_or("", |csv| csv.object.name))
    }

    /// The custom resource definitions of the bundle.
    pub fn custom_resource_definitions(&self) -> impl Iterator<Item = &Object<'b>> {
        self.objects.iter().filter(|object| object.is_custom_resource_definition())
    }

    /// The place of a value in a document, as a JSON pointer.
    #[must_use]
    pub fn value(&self, origin: Origin, pointer: impl Into<String>) -> Place {
        self.place(origin, Spot::Value(pointer.into()))
    }

    /// The place of a key in a document, as a JSON pointer.
    #[must_use]
    pub fn key(&self, origin: Origin, pointer: impl Into<String>) -> Place {
        self.place(origin, Spot::Key(pointer.into()))
    }

    /// A place in a document.
    #[must_use]
    pub fn place(&self, origin: Origin, spot: Spot) -> Place {
        let path = self.contents.files.get(origin.file as usize).map(|file| file.path.clone());
        Place { path: path.unwrap_or_default(), origin: Some(origin), spot }
    }

    /// A finding about a value of a document.
    #[must_use]
    pub fn finding(
        &self,
        rule: &'static Rule,
        origin: Origin,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Finding {
        Finding::new(rule, message).at(self.value(origin, pointer)).about(self.subject())
    }
}

impl Source for BundleContents {
    fn path(&self, file: u32) -> Option<&Path> {
        self.files.get(file as usize).map(|file| file.path.as_path())
    }

    fn document(&self, origin: Origin) -> Option<(Range<usize>, Syntax)> {
        let documents = self.files.get(origin.file as usize)?.documents.as_ref().ok()?;
        documents.get(origin.document as usize).map(|document| (document.range.clone(), document.syntax))
    }
}

/// A JSON pointer with one more key, which is escaped.
#[must_use]
pub fn pointer(start: &str, key: &str) -> String {
    let mut pointer = start.to_owned();
    go_type::push_key(&mut pointer, key);
    pointer
}

/// Reads a text that must be one JSON value and nothing else.
///
/// # Errors
/// What is wrong with it, in the words of Go's decoder.
pub fn embedded_json(text: &str) -> Result<Document, JsonError> {
    let bytes = text.as_bytes();
    let (document, end) = json_reader::read_value(bytes, json_reader::skip_space(bytes, 0))?;
    let offset = json_reader::skip_space(bytes, end);
    if offset == bytes.len() {
        Ok(document)
    } else {
        let message = "something stands behind the value".to_owned();
        Err(JsonError { message, offset, is_syntax: true })
    }
}

/// Runs all rules about bundles over a bundle directory. The contents must be those of the tree, which is read
/// again for places.
#[must_use]
pub fn lint_bundle(
    registry: &Registry,
    contents: &BundleContents,
    tree: &dyn Tree,
    targets: &Targets,
    policy: &Policy,
) -> Report {
    let context = BundleContext::new(contents, tree, targets);
    let mut found = Findings::with_room(policy.most_findings);
    for rule in registry.iter() {
        if let Check::Bundle(check) = rule.check {
            check(&context, &mut found);
        }
    }
    found.extend(installation::findings(registry, &context, policy));
    let (mut findings, left_out) = found.into_kept();
    // opm's own words add nothing where another rule says what is wrong, and where.
    let is_refused = findings
        .iter()
        .any(|finding| finding.rule != registry.unrenderable && finding.severity == Severity::Error);
    findings.retain(|finding| !is_refused || finding.rule != registry.unrenderable);
    Report {
        opm_error: rendering_error(tree),
        counted_only: counted(&left_out, policy),
        ..judged(contents, tree, findings, policy)
    }
}

/// What `opm render` says of the bundle; nothing if it renders it.
#[must_use]
pub fn rendering_error(tree: &dyn Tree) -> Option<String> {
    let rendered = BundleFolder::read(tree).and_then(|folder| fbc_bundle::render::render(&folder, None));
    rendered.err().map(|error| error.to_string())
}

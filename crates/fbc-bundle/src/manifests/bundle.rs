//! A bundle directory as operator-controller reads it: stricter than opm in what a manifest must be, and
//! typed where it works with types.
//!
//! Source: `operator-framework/operator-controller:…/rukpak/bundle/source/source.go`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_go::json;
use fbc_go::text::quote;
use fbc_kubernetes::types::Named;
use fbc_kubernetes::types::named::{
    CLUSTER_SERVICE_VERSION as CLUSTER_SERVICE_VERSION_TYPE, CUSTOM_RESOURCE_DEFINITION,
};
use fbc_model::go_type::{self, GoField, GoStruct, GoType, STRING};
use fbc_model::go_types;
use fbc_model::tree::Tree;
use fbc_yaml::stream::{self, Fault};
use fbc_yaml::{Document, Node, json_reader, json_writer};

use super::Operator;
use super::file_objects::objects;
use crate::folder::CLUSTER_SERVICE_VERSION;
use crate::kubernetes::{KeyOrder, TypeMismatch, convert};
use crate::metadata::RawProperty;
use crate::render::properties_of_annotation;

/// The kind of custom resource definitions.
const CUSTOM_RESOURCE_DEFINITION_KIND: &str = "CustomResourceDefinition";

/// The annotation of a cluster service version that holds its properties.
const PROPERTIES_ANNOTATION: &str = "olm.properties";

/// A bundle, ready to be rendered.
#[derive(Debug)]
pub struct Bundle {
    /// The package; empty where the annotations name none.
    pub package: String,
    /// The cluster service version, converted to its Go type, members in Go's order.
    cluster_service_version: Document,
    /// The annotations of the cluster service version, with the properties of the bundle.
    pub annotations: BTreeMap<String, String>,
    /// The custom resource definitions, converted to their Go type, in the order of their files.
    pub definitions: Vec<Manifest>,
    /// All other objects as they are written.
    pub extras: Vec<Manifest>,
}

/// An object of a bundle.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The file, relative to the bundle.
    pub path: PathBuf,
    /// The object.
    pub object: Arc<Document>,
}

/// Why a directory cannot be read as a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ReadError {
    /// The file, or directory, relative to the bundle.
    pub path: PathBuf,
    /// The text of the reference.
    pub message: String,
    /// What does not fit, as a JSON pointer into the object; empty where that is not known.
    pub pointer: String,
}

impl ReadError {
    pub(super) fn new(path: &Path, message: impl Into<String>) -> Self {
        Self { path: path.to_path_buf(), message: message.into(), pointer: String::new() }
    }

    fn io(path: &Path, error: &io::Error) -> Self {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "no such file or directory".to_owned(),
            _ => error.to_string(),
        };
        Self::new(path, format!("open {}: {reason}", path.display()))
    }
}

static ANNOTATIONS: GoStruct = GoStruct {
    name: "registry.Annotations",
    fields: &[
        GoField { name: PACKAGE_ANNOTATION, kind: STRING, omit_empty: false },
        GoField {
            name: "operators.operatorframework.io.bundle.channels.v1",
            kind: STRING,
            omit_empty: false,
        },
        GoField {
            name: "operators.operatorframework.io.bundle.channel.default.v1",
            kind: STRING,
            omit_empty: false,
        },
    ],
};

const PACKAGE_ANNOTATION: &str = "operators.operatorframework.io.bundle.package.v1";

static ANNOTATIONS_FILE: GoStruct = GoStruct {
    name: "registry.AnnotationsFile",
    fields: &[GoField { name: "annotations", kind: GoType::Struct(&ANNOTATIONS), omit_empty: false }],
};

const PROPERTIES: GoType = GoType::List("[]property.Property", &GoType::Struct(&go_types::PROPERTY));

static PROPERTIES_FILE: GoStruct = GoStruct {
    name: "source.RegistryV1Properties",
    fields: &[GoField { name: "properties", kind: PROPERTIES, omit_empty: false }],
};

impl Bundle {
    /// Reads a bundle.
    ///
    /// # Errors
    /// The first thing that keeps the reference from reading it.
    pub fn read(tree: &dyn Tree) -> Result<Self, ReadError> {
        let package = package(tree)?;
        let mut version = None;
        let mut definitions = Vec::new();
        let mut extras = Vec::new();
        for path in manifest_paths(tree)? {
            let bytes = tree.read(&path).map_err(|error| ReadError::io(&path, &error))?;
            for object in objects(&path, &bytes)? {
                match object.root().get_str("kind").unwrap_or_default() {
                    // Of several the last one counts.
                    CLUSTER_SERVICE_VERSION => {
                        version = Some(typed(&path, &object, CLUSTER_SERVICE_VERSION_TYPE, KeyOrder::Go)?);
                    }
                    CUSTOM_RESOURCE_DEFINITION_KIND => {
                        let typed = typed(&path, &object, CUSTOM_RESOURCE_DEFINITION, KeyOrder::Sorted)?;
                        definitions.push(Manifest { path: path.clone(), object: Arc::new(typed) });
                    }
                    _ => extras.push(Manifest { path: path.clone(), object: Arc::new(object) }),
                }
            }
        }
        let cluster_service_version = version.ok_or_else(|| {
            ReadError::new(Path::new("manifests"), "no ClusterServiceVersion found in \"manifests\"")
        })?;
        let annotations = annotations(tree, Operator::new(cluster_service_version.root()))?;
        Ok(Self { package, cluster_service_version, annotations, definitions, extras })
    }

    /// The cluster service version.
    #[must_use]
    pub fn operator(&self) -> Operator<'_> {
        Operator::new(self.cluster_service_version.root())
    }

    /// The names of the custom resource definitions.
    pub(super) fn definition_names(&self) -> impl Iterator<Item = &str> {
        self.definitions.iter().map(|definition| {
            let metadata = definition.object.root().get("metadata");
            metadata.and_then(|metadata| metadata.get_str("name")).unwrap_or_default()
        })
    }
}

/// The name of the package.
fn package(tree: &dyn Tree) -> Result<String, ReadError> {
    let path = Path::new("metadata/annotations.yaml");
    let bytes = tree.read(path).map_err(|error| ReadError::io(path, &error))?;
    let Some(document) = first_document(path, &bytes, "")? else { return Ok(String::new()) };
    let root = document.root();
    check_json(
        path,
        root,
        &GoType::Struct(&ANNOTATIONS_FILE),
        "error unmarshaling JSON: while decoding JSON: ",
    )?;
    Ok(go_type::field(root, "annotations")
        .map(|annotations| go_type::text(annotations, PACKAGE_ANNOTATION))
        .unwrap_or_default())
}

fn check_json(path: &Path, node: Node<'_>, kind: &GoType, prefix: &str) -> Result<(), ReadError> {
    go_type::check(node, kind).map_err(|error| ReadError {
        path: path.to_path_buf(),
        message: format!("{prefix}{}", error.message),
        pointer: error.pointer,
    })
}

/// The first document of a file, as `sigs.k8s.io/yaml` reads it.
fn first_document(path: &Path, bytes: &[u8], prefix: &str) -> Result<Option<Document>, ReadError> {
    let first = stream::read_first(bytes, &|document| Ok::<_, ()>(document));
    match first.map(|first| first.outcome) {
        None => Ok(None),
        Some(Ok(document)) => Ok(Some(document)),
        Some(Err(fault)) => Err(ReadError::new(path, format!("{prefix}{}", fault_text(&fault)))),
    }
}

pub(super) fn fault_text(fault: &Fault<()>) -> String {
    match fault {
        Fault::Malformed { message, .. } => message.clone(),
        Fault::Separator { rest, .. } => format!("invalid Yaml document separator: {rest}"),
        Fault::Rejected(()) => "json: cannot unmarshal into Go value".to_owned(),
    }
}

/// The files with manifests, in the order of their names.
fn manifest_paths(tree: &dyn Tree) -> Result<Vec<PathBuf>, ReadError> {
    let folder = Path::new("manifests");
    let entries = tree.list(folder).map_err(|error| ReadError::io(folder, &error))?;
    entries
        .into_iter()
        .map(|entry| {
            let path = folder.join(&entry.name);
            if entry.is_directory {
                let found = quote(&path.to_string_lossy());
                return Err(ReadError::new(
                    &path,
                    format!(
                        "subdirectories are not allowed within the \"manifests\" directory of the bundle image \
                         filesystem: found {found}"
                    ),
                ));
            }
            Ok(path)
        })
        .collect()
}

fn typed(path: &Path, object: &Document, of: Named, order: KeyOrder) -> Result<Document, ReadError> {
    convert(object.root(), of, order).map_err(|TypeMismatch { message, pointer }| ReadError {
        path: path.to_path_buf(),
        message: format!("error parsing objects in {}: {message}", quote(&path.to_string_lossy())),
        pointer,
    })
}

/// The annotations of the cluster service version; the properties of `metadata/properties.yaml` join those
/// in its annotation.
fn annotations(tree: &dyn Tree, operator: Operator<'_>) -> Result<BTreeMap<String, String>, ReadError> {
    let mut annotations: BTreeMap<String, String> = operator
        .annotations()
        .into_iter()
        .flat_map(Node::members)
        .map(|(key, value)| (key.to_owned(), value.as_str().unwrap_or_default().to_owned()))
        .collect();
    let mut properties = match annotations.get(PROPERTIES_ANNOTATION) {
        Some(text) => annotated_properties(text)?,
        None => Vec::new(),
    };
    let path = Path::new("metadata/properties.yaml");
    let bytes = match tree.read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(annotations),
        read => read.map_err(|error| {
            let ReadError { message, .. } = ReadError::io(path, &error);
            ReadError::new(path, format!("failed to read properties.yaml file: {message}"))
        })?,
    };
    if bytes.is_empty() {
        return Ok(annotations);
    }
    let prefix = "failed to unmarshal metadata/properties.yaml: ";
    if let Some(document) = first_document(path, &bytes, prefix)? {
        let root = document.root();
        let json_prefix = format!("{prefix}error unmarshaling JSON: while decoding JSON: ");
        check_json(path, root, &GoType::Struct(&PROPERTIES_FILE), &json_prefix)?;
        let listed = go_type::field(root, "properties");
        properties.extend(listed.into_iter().flat_map(Node::items).map(|item| RawProperty {
            kind: go_type::text(item, "type"),
            value: go_type::field(item, "value").map(json_writer::compact).unwrap_or_default(),
        }));
    }
    let list: Vec<String> = properties.iter().map(property_json).collect();
    // Go writes a list that was never made as null.
    let text = if list.is_empty() { "null".to_owned() } else { format!("[{}]", list.join(",")) };
    annotations.insert(PROPERTIES_ANNOTATION.to_owned(), text);
    Ok(annotations)
}

/// The properties in the annotation of the cluster service version.
fn annotated_properties(text: &str) -> Result<Vec<RawProperty>, ReadError> {
    let fault = |message: String| {
        let message = format!("failed to unmarshal csv.metadata.annotations['olm.properties']: {message}");
        ReadError::new(Path::new("manifests"), message)
    };
    let (document, end) =
        json_reader::read_value(text.as_bytes(), 0).map_err(|error| fault(error.message))?;
    if json_reader::skip_space(text.as_bytes(), end) != text.len() {
        return Err(fault("invalid character after top-level value".to_owned()));
    }
    go_type::check(document.root(), &PROPERTIES).map_err(|error| fault(error.message))?;
    Ok(properties_of_annotation(text))
}

/// A property as Go's encoder writes it: the value's text stays, without space and with HTML escaped.
fn property_json(property: &RawProperty) -> String {
    let value = if property.value.is_empty() { "null" } else { &property.value };
    let mut json = String::from("{\"type\":");
    json_writer::write_string(&mut json, &property.kind);
    json.push_str(",\"value\":");
    json.push_str(&json::compact(value));
    json.push('}');
    json::escape_html(&json)
}

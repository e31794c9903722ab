//! The objects of one file of a payload, each with its place.
//!
//! Source: `openshift/library-go:pkg/manifest/manifest.go` (`ParseManifests`).

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_go::json;
use fbc_go::text::quote;
use fbc_yaml::locate::line_and_column;
use fbc_yaml::stream::{self, Fault, Syntax};

/// A manifest: one object of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The directory of the payload.
    pub directory: &'static str,
    /// The name of the file.
    pub file: String,
    /// The line on which the object begins.
    pub line: usize,
    /// The object.
    pub object: Arc<Object>,
    /// The API group; empty for the core group.
    pub group: String,
    /// As the operator hashes it.
    pub raw: String,
}

/// What is wrong with a file, and the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The text, as the Cluster Version Operator gives it.
    pub message: String,
    /// The line.
    pub line: usize,
}

impl Manifest {
    /// The file, from the root of the payload.
    pub fn path(&self) -> String {
        format!("{}/{}", self.directory, self.file)
    }

    /// The kind.
    pub fn kind(&self) -> &str {
        self.object.kind()
    }

    /// Namespace and name.
    pub fn name(&self) -> ObjectName {
        self.object.object_name()
    }

    /// Whether it is a ClusterOperator, which is waited for instead of applied.
    pub fn is_cluster_operator(&self) -> bool {
        self.group == "config.openshift.io" && self.kind() == "ClusterOperator"
    }

    /// Whether it is a Job, which nothing is applied beside.
    pub fn is_job(&self) -> bool {
        self.object.api_version() == "batch/v1" && self.kind() == "Job"
    }

    /// Whether both mean the same object of a cluster.
    pub fn is_same_object(&self, other: &Self) -> bool {
        self.group == other.group && self.kind() == other.kind() && self.name() == other.name()
    }

    /// `Group: "apps" Kind: "Deployment" Namespace: "a" Name: "b"`
    pub fn identity(&self) -> String {
        identity(&self.group, &self.object)
    }
}

impl fmt::Display for Manifest {
    /// `FILE KIND NAMESPACE/NAME`
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} {}/{}", self.file, self.kind(), self.object.namespace(), self.object.name())
    }
}

/// Reads the objects of a file up to the first that is wrong.
pub fn read(directory: &'static str, file: &str, bytes: &[u8]) -> (Vec<Manifest>, Option<ParseError>) {
    let mut manifests: Vec<Manifest> = Vec::new();
    let mut seen = BTreeSet::new();
    for decoded in stream::read(bytes, &|document| Ok::<_, Infallible>(document.root().to_json())) {
        let line_of = |byte: usize| line_and_column(bytes, byte).0;
        let line = line_of(first_line_of_content(bytes, decoded.range.start));
        let fail = |message: String, line: usize| Some(ParseError { message, line });
        let object = match decoded.outcome {
            Ok(object) => object,
            Err(Fault::Malformed { message, byte }) => {
                let error = match decoded.syntax {
                    Syntax::Yaml if !message.starts_with("error converting") => {
                        format!("error parsing: error converting YAML to JSON: {message}")
                    }
                    _ => format!("error parsing: {message}"),
                };
                return (manifests, fail(error, line_of(byte)));
            }
            Err(Fault::Separator { rest, byte }) => {
                let message = format!("error parsing: invalid Yaml document separator: {rest}");
                return (manifests, fail(message, line_of(byte)));
            }
            Err(Fault::Rejected(never)) => match never {},
        };
        if object.is_null() {
            continue;
        }
        let raw = match decoded.syntax {
            Syntax::Json => bytes
                .get(decoded.range.clone())
                .map(String::from_utf8_lossy)
                .unwrap_or_default()
                .trim()
                .to_owned(),
            Syntax::Yaml => json::encode(&object),
        };
        if object.kind().is_empty() {
            let within = match decoded.syntax {
                Syntax::Yaml => "error unmarshaling JSON: while decoding JSON: ",
                Syntax::Json => "",
            };
            let message = format!(
                "error parsing: {within}unable to decode manifest: Object 'Kind' is missing in '{raw}'"
            );
            return (manifests, fail(message, line));
        }
        let group = object.api_version().split_once('/').map_or("", |(group, _)| group).to_owned();
        if object.name().is_empty() {
            let identity = identity(&group, &object);
            let within = match decoded.syntax {
                Syntax::Yaml => "error unmarshaling JSON: while decoding JSON: ",
                Syntax::Json => "",
            };
            let message = format!(
                "error parsing: {within}Resource with fields {identity} must contain kubernetes required fields kind and name"
            );
            return (manifests, fail(message, line));
        }
        if !seen.insert((group.clone(), object.kind().to_owned(), object.object_name())) {
            let message = format!("duplicate resource: ({})", identity(&group, &object));
            return (manifests, fail(message, line));
        }
        manifests.push(Manifest {
            directory,
            file: file.to_owned(),
            line,
            object: Arc::new(object),
            group,
            raw,
        });
    }
    (manifests, None)
}

fn identity(group: &str, object: &Object) -> String {
    let namespace = match object.namespace() {
        "" => String::new(),
        namespace => format!(" Namespace: {}", quote(namespace)),
    };
    format!(
        "Group: {} Kind: {}{namespace} Name: {}",
        quote(group),
        quote(object.kind()),
        quote(object.name())
    )
}

/// The first byte of a document that is not white space, a separator or a comment.
fn first_line_of_content(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let length = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        let line = rest.get(..length).unwrap_or_default().trim_ascii();
        if !line.is_empty() && !line.starts_with(b"---") && !line.starts_with(b"#") {
            return at;
        }
        at += length;
    }
    start
}

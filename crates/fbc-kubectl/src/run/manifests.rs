//! Manifests from files.

use std::convert::Infallible;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_yaml::stream::Fault;
use serde_json::Value;

use super::{Failure, Runner, Server};
use crate::command_line::Selection;

/// An object of a file.
#[derive(Debug, Clone)]
pub(super) struct Manifest {
    /// The file, or `STDIN`.
    pub(super) source: String,
    pub(super) object: Object,
}

impl Manifest {
    /// What is said of a kind that is not served.
    pub(super) fn unknown_kind(&self) -> Failure {
        let object = &self.object;
        Failure::Text(format!(
            "resource mapping not found for name: {:?} namespace: {:?} from {:?}: no matches for kind {:?} in version \
             {:?}\nensure CRDs are installed first",
            object.name(),
            object.namespace(),
            self.source,
            object.kind(),
            object.api_version()
        ))
    }
}

/// A text that does not hold objects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// A document cannot be read.
    #[error("error parsing {file}: {reason}")]
    Parse {
        /// Where it comes from.
        file: String,
        /// Why not.
        reason: String,
    },
    /// A document has no kind.
    #[error("unable to decode {file:?}: Object 'Kind' is missing in {}", fbc_go::text::quote(.json))]
    NoKind {
        /// Where it comes from.
        file: String,
        /// The document.
        json: String,
    },
}

/// The objects of a text with YAML or JSON documents; lists give their items.
///
/// # Errors
/// The first document that cannot be read, or that is not an object with a kind.
pub fn read_manifests(source: &str, text: &[u8]) -> Result<Vec<Object>, ManifestError> {
    let convert =
        |document: fbc_yaml::Document| Ok::<_, Infallible>(fbc_yaml::json_writer::compact(document.root()));
    let mut objects = Vec::new();
    for decoded in fbc_yaml::stream::read(text, &convert) {
        let fault = |reason: String| ManifestError::Parse { file: source.to_owned(), reason };
        let json = decoded.outcome.map_err(|error| match error {
            Fault::Malformed { message, .. } => fault(message),
            Fault::Separator { rest, .. } => fault(format!("invalid Yaml document separator: {rest}")),
            Fault::Rejected(never) => match never {},
        })?;
        let value: Value = fbc_go::json::read_value(&json).map_err(|error| fault(error.to_string()))?;
        match value {
            Value::Null => {}
            value if value.kind().is_empty() => {
                return Err(ManifestError::NoKind { file: source.to_owned(), json });
            }
            Value::Object(mut list) if list.get("items").is_some_and(Value::is_array) => {
                objects.extend(
                    list.remove("items")
                        .and_then(|items| match items {
                            Value::Array(items) => Some(items),
                            _ => None,
                        })
                        .unwrap_or_default(),
                );
            }
            value => objects.push(value),
        }
    }
    Ok(objects)
}

impl<S: Server> Runner<'_, S> {
    /// The objects of all files, with the namespace of the command where they have none.
    pub(super) fn manifests(&self, selection: &Selection) -> Result<Vec<Manifest>, Failure> {
        let selectors = super::selectors::Selectors::parse(selection)?;
        let mut manifests = Vec::new();
        for path in &selection.files {
            let Some(text) = (self.files)(path) else {
                return Err(Failure::Text(format!("the path {path:?} does not exist")));
            };
            let source = if path == "-" { "STDIN" } else { path };
            for mut object in read_manifests(source, &text).map_err(Failure::from_error)? {
                let namespaced = self.kind_of(&object).is_some_and(|(_, kind)| kind.namespaced);
                if namespaced && object.namespace().is_empty() {
                    object.set(&["metadata", "namespace"], self.namespace.as_str());
                }
                if namespaced && self.namespace_given && object.namespace() != self.namespace {
                    return Err(Failure::Text(format!(
                        "the namespace from the provided object {:?} does not match the namespace {:?}. You must pass \
                         '--namespace={}' to perform this operation.",
                        object.namespace(),
                        self.namespace,
                        object.namespace()
                    )));
                }
                if selectors.match_object(&object) {
                    manifests.push(Manifest { source: source.to_owned(), object });
                }
            }
        }
        Ok(manifests)
    }
}

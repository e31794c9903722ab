//! The manifests that a bundle carries in `olm.bundle.object` properties.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/declcfg/load.go`
//! (`readBundleObjects`, `extractCSV`).

use fbc_go::base64;
use fbc_yaml::{Document, Kind, Node, stream};

use crate::blob::Bundle;
use crate::go_type::{self, GoType, TypeError};
use crate::go_types::BUNDLE_OBJECT_PROPERTY;

/// The type of the property.
pub const PROPERTY_TYPE: &str = "olm.bundle.object";

/// A manifest that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleObjectError {
    /// The property does not decode.
    #[error("parse property at index {index} as bundle object: {error}")]
    Property {
        /// The number of the property, from 0.
        index: usize,
        /// What is wrong.
        error: TypeError,
    },
    /// The data is neither JSON nor YAML.
    #[error("convert bundle object property at index {index} to JSON: {message}")]
    Manifest {
        /// The number of the property, from 0.
        index: usize,
        /// What is wrong.
        message: String,
    },
}

/// Checks that all manifests of a bundle can be read, as the reference does when it loads one.
/// Data that begins with `{` is taken for JSON without a look at it.
///
/// # Errors
/// The first that cannot.
pub fn check(bundle: &Bundle) -> Result<(), BundleObjectError> {
    for (index, property) in bundle.properties.iter().enumerate() {
        if property.kind != PROPERTY_TYPE {
            continue;
        }
        let value = property.value.as_ref().map(crate::Value::node);
        if value.and_then(common_form).is_some_and(is_plainly_json) {
            continue;
        }
        let data = data_of(value).map_err(|error| BundleObjectError::Property { index, error })?;
        if !begins_as_json(&data) {
            stream::read_one(&data)
                .map_err(|error| BundleObjectError::Manifest { index, message: error.message })?;
        }
    }
    Ok(())
}

/// The text of a value that has nothing but `data`.
fn common_form(value: Node<'_>) -> Option<&str> {
    if value.kind() == Kind::Object && value.len() == 1 { value.get_str("data") } else { None }
}

/// How many letters are decoded to see how a manifest begins.
const START: usize = 64;

/// Whether a text decodes, and to what is taken for JSON: told without decoding all of it.
fn is_plainly_json(text: &str) -> bool {
    let start =
        text.as_bytes().get(..START).and_then(|start| std::str::from_utf8(start).ok()).unwrap_or(text);
    base64::decode(start).is_ok_and(|start| begins_as_json(&start)) && base64::check(text).is_ok()
}

fn data_of(value: Option<Node<'_>>) -> Result<Vec<u8>, TypeError> {
    let Some(value) = value else {
        return Err(TypeError { message: "unexpected end of JSON input".to_owned(), pointer: String::new() });
    };
    if let Some(text) = common_form(value) {
        return base64::decode(text)
            .map_err(|error| TypeError { message: error.to_string(), pointer: "/data".to_owned() });
    }
    go_type::check(value, &GoType::Struct(&BUNDLE_OBJECT_PROPERTY))?;
    Ok(go_type::bytes(value, "data").unwrap_or_default())
}

fn begins_as_json(data: &[u8]) -> bool {
    data.trim_ascii_start().starts_with(b"{")
}

/// The manifests of a bundle, in order; one that cannot be read as an object is left out.
pub fn manifests(bundle: &Bundle) -> impl Iterator<Item = Document> {
    numbered_manifests(bundle).map(|(_, manifest)| manifest)
}

/// The manifests of a bundle with the numbers of their properties, in order; one that cannot be read as an
/// object is left out.
pub fn numbered_manifests(bundle: &Bundle) -> impl Iterator<Item = (usize, Document)> {
    let properties = bundle.properties.iter().enumerate();
    properties
        .filter(|(_, property)| property.kind == PROPERTY_TYPE)
        .filter_map(|(index, property)| Some((index, property.value.as_ref()?.node())))
        .filter_map(|(index, value)| Some((index, data_of(Some(value)).ok()?)))
        .filter_map(|(index, data)| Some((index, stream::read_one(&data).ok()?)))
        .filter(|(_, document)| document.root().kind() == Kind::Object)
}

/// The cluster service version among the manifests: the first of that kind.
#[must_use]
pub fn cluster_service_version(bundle: &Bundle) -> Option<Document> {
    // Most manifests are large and of another kind; looking for the word first spares reading them.
    bundle
        .property_values(PROPERTY_TYPE)
        .filter_map(|value| data_of(Some(value)).ok())
        .filter(|data| memchr::memmem::find(data, b"ClusterServiceVersion").is_some())
        .filter_map(|data| stream::read_one(&data).ok())
        .find(|document| document.root().get_str("kind") == Some("ClusterServiceVersion"))
}

//! Blobs of schemas that opm does not know.
//!
//! Source: `operator-framework/operator-registry:pkg/cache/meta_key.go`.

use fbc_go::text;
use fbc_yaml::{Kind, Node};
use prost_types::value::Kind as ValueKind;
use prost_types::{ListValue, Struct, Value};

use super::index::Registry;

const FORM: &str = "^[a-zA-Z0-9][a-zA-Z0-9._-]*$";

/// A name that the API cannot ask for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum KeyFault {
    #[error("invalid schema: must not be empty")]
    NoSchema,
    #[error("invalid {what} {}: must match {FORM}", text::quote(.name))]
    Form { what: &'static str, name: String },
}

/// Refuses names that the API cannot ask for.
pub(super) fn check_key(schema: &str, package: &str) -> Result<(), KeyFault> {
    if schema.is_empty() {
        return Err(KeyFault::NoSchema);
    }
    for (what, name) in [("schema", schema), ("packageName", package)] {
        if !name.is_empty() && !has_form(name) {
            return Err(KeyFault::Form { what, name: name.to_owned() });
        }
    }
    Ok(())
}

fn has_form(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

impl Registry {
    /// The blobs of a schema and a package, in the order of the catalog.
    pub(super) fn custom_blobs(&self, schema: &str, package: &str) -> impl Iterator<Item = Struct> {
        let others = self.catalog.others.iter();
        others
            .filter(move |other| other.meta.schema == schema && other.meta.package == package)
            .map(|other| structure(other.value.node()))
    }
}

fn structure(node: Node<'_>) -> Struct {
    Struct { fields: node.members().map(|(key, value)| (key.to_owned(), value_of(value))).collect() }
}

fn value_of(node: Node<'_>) -> Value {
    let kind = match node.kind() {
        Kind::Object => ValueKind::StructValue(structure(node)),
        Kind::Array => ValueKind::ListValue(ListValue { values: node.items().map(value_of).collect() }),
        Kind::String => ValueKind::StringValue(node.as_str().unwrap_or_default().to_owned()),
        Kind::Bool => ValueKind::BoolValue(node.as_bool().unwrap_or_default()),
        Kind::Number => ValueKind::NumberValue(node.as_f64().unwrap_or_default()),
        Kind::Null => ValueKind::NullValue(0),
    };
    Value { kind: Some(kind) }
}

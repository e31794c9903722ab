//! The objects that a manifest of a bundle holds.
//!
//! Source: `kubernetes/cli-runtime:pkg/resource`.

use std::path::Path;

use fbc_go::text::quote;
use fbc_yaml::{Document, DocumentBuilder, Kind, Node, json_writer, stream};

use super::bundle::{ReadError, fault_text};

/// The objects of a file, those of lists one by one.
pub(super) fn objects(path: &Path, bytes: &[u8]) -> Result<Vec<Document>, ReadError> {
    let name = path.display();
    let in_file = |message: String| {
        ReadError::new(path, format!("error parsing objects in {}: {message}", quote(&name.to_string())))
    };
    if std::str::from_utf8(bytes).is_err() {
        return Err(in_file(format!("error parsing {name}: the file is not UTF-8 text")));
    }
    let mut objects = Vec::new();
    for decoded in stream::read(bytes, &|document| Ok::<_, ()>(document)) {
        let document = decoded
            .outcome
            .map_err(|fault| in_file(format!("error parsing {name}: {}", fault_text(&fault))))?;
        if !document.root().is_null() {
            flatten(document, &mut objects).map_err(|fault| {
                in_file(format!("unable to decode {}: {fault}", quote(&name.to_string())))
            })?;
        }
    }
    Ok(objects)
}

/// What is not an object of a cluster; the texts are the reference's.
#[derive(Debug, thiserror::Error)]
enum ObjectFault {
    #[error("json: cannot unmarshal {} into Go value of type unstructured.detector", .0.go_name())]
    NoObject(Kind),
    #[error(
        "json: cannot unmarshal {} into Go struct field decodeList.items of type []json.RawMessage",
        .0.go_name()
    )]
    Items(Kind),
    #[error("apiVersion must be a text, not {0}")]
    ApiVersion(String),
    #[error("unexpected GroupVersion string: {0}")]
    GroupVersion(String),
    #[error("Object 'Kind' is missing in '{0}'")]
    NoKind(String),
}

/// Appends an object, or the items of a list of objects, which may be lists themselves.
fn flatten(document: Document, objects: &mut Vec<Document>) -> Result<(), ObjectFault> {
    let root = document.root();
    if root.kind() != Kind::Object {
        return Err(ObjectFault::NoObject(root.kind()));
    }
    check_identity(root)?;
    let Some(items) = root.get("items").filter(|items| !items.is_null()) else {
        objects.push(document);
        return Ok(());
    };
    if items.kind() != Kind::Array {
        return Err(ObjectFault::Items(items.kind()));
    }
    let list_kind = root.get_str("kind").unwrap_or_default();
    let item_kind = list_kind.strip_suffix("List").unwrap_or(list_kind);
    for item in items.items() {
        flatten(list_item(item, item_kind, root.get_str("apiVersion").unwrap_or_default()), objects)?;
    }
    Ok(())
}

/// An item of a list; those of a list of one kind, such as `RoleList`, get kind and version from it.
fn list_item(item: Node<'_>, kind: &str, api_version: &str) -> Document {
    let is_typed = !kind.is_empty() && !api_version.is_empty();
    let is_bare = item.get_str("kind").unwrap_or_default().is_empty()
        && item.get_str("apiVersion").unwrap_or_default().is_empty();
    let mut builder = DocumentBuilder::new();
    let root = if is_typed && is_bare && item.kind() == Kind::Object {
        let mark = builder.open();
        for (key, value) in item.members() {
            let value = builder.copy(value);
            builder.push_member(key, value);
        }
        for (key, text) in [("kind", kind), ("apiVersion", api_version)] {
            let value = builder.string(text);
            builder.push_member(key, value);
        }
        builder.close_object(mark)
    } else {
        builder.copy(item)
    };
    builder.finish(root)
}

/// An object has a kind, and an API version that can be taken apart. None at all passes, as in the reference.
fn check_identity(object: Node<'_>) -> Result<(), ObjectFault> {
    let version = object.get("apiVersion").filter(|version| !version.is_null());
    match version.map(|version| version.as_str().ok_or(version)) {
        Some(Err(other)) => {
            return Err(ObjectFault::ApiVersion(json_writer::compact(other)));
        }
        Some(Ok(text)) if text.matches('/').count() > 1 => {
            return Err(ObjectFault::GroupVersion(text.to_owned()));
        }
        _ => {}
    }
    if object.get_str("kind").unwrap_or_default().is_empty() {
        return Err(ObjectFault::NoKind(json_writer::compact(object)));
    }
    Ok(())
}

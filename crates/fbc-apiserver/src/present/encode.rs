//! Objects and lists to bytes.

use std::sync::Arc;

use bytes::Bytes;
use fbc_cluster::apply::{Shown, ShownMetadata};
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::status::{is_status, status_json};
use super::table::partial;
use super::{Presentation, TextFormat};

/// Objects of one kind.
#[derive(Debug)]
pub struct Listed {
    /// The version of the group, such as `apps/v1`.
    pub api_version: String,
    /// The kind of the list, such as `DeploymentList`.
    pub list_kind: String,
    /// True for kinds with types of Go, whose items in lists have neither `kind` nor `apiVersion`.
    pub is_typed: bool,
    /// `metadata` of the list.
    pub metadata: Value,
    /// The objects.
    pub items: Vec<Arc<Object>>,
}

/// The media type of a format.
pub(crate) fn media_type(format: TextFormat) -> &'static str {
    match format {
        TextFormat::Json => "application/json",
        TextFormat::Yaml => "application/yaml",
    }
}

/// A value in a format.
pub(crate) fn value_bytes(value: &Value, format: TextFormat) -> Bytes {
    match format {
        TextFormat::Json => json_bytes(value),
        TextFormat::Yaml => as_yaml(json_bytes(value)),
    }
}

/// JSON laid out as YAML.
fn as_yaml(json: Bytes) -> Bytes {
    let mut text = String::new();
    let written = fbc_yaml::json_reader::read_value(&json, 0)
        .is_ok_and(|(document, _)| fbc_yaml::yaml_writer::write(&mut text, document.root()).is_ok());
    // JSON is YAML as well, also what nests too deep to be laid out.
    if written { Bytes::from(text) } else { json }
}

/// A value as JSON with the final line break that real servers write.
pub(crate) fn json_bytes(value: &Value) -> Bytes {
    let mut bytes = Vec::with_capacity(1024);
    write_json(&mut bytes, value);
    bytes.push(b'\n');
    Bytes::from(bytes)
}

fn write_json(bytes: &mut Vec<u8>, value: &Value) {
    if is_status(value) {
        bytes.extend_from_slice(status_json(value).as_bytes());
        return;
    }
    // Writing a value into memory cannot fail.
    let _ = serde_json::to_writer(bytes, &Shown(value));
}

/// An object in the presentation that was asked for, with its media type.
pub(crate) fn object_bytes(object: &Object, presentation: &Presentation) -> (&'static str, Bytes) {
    match presentation {
        Presentation::Whole(format) => (media_type(*format), value_bytes(object, *format)),
        Presentation::Metadata(format, version) => {
            (media_type(*format), value_bytes(&partial(object, version), *format))
        }
        Presentation::Table(shape) => {
            let metadata = json!({"resourceVersion": object.text(&["metadata", "resourceVersion"])});
            ("application/json", json_bytes(&shape.table(&[object], metadata, true)))
        }
    }
}

/// A list in the presentation that was asked for, with its media type.
pub(crate) fn list_bytes(list: &Listed, presentation: &Presentation) -> (&'static str, Bytes) {
    let objects = || list.items.iter().map(|object| &**object).collect::<Vec<_>>();
    match presentation {
        Presentation::Whole(TextFormat::Json) => ("application/json", plain_list(list)),
        Presentation::Whole(TextFormat::Yaml) => ("application/yaml", as_yaml(plain_list(list))),
        Presentation::Metadata(format, version) => {
            let items: Vec<Value> = list.items.iter().map(|object| partial(object, version)).collect();
            let value = json!({
                "kind": "PartialObjectMetadataList", "apiVersion": format!("meta.k8s.io/{version}"),
                "metadata": list.metadata, "items": items,
            });
            (media_type(*format), value_bytes(&value, *format))
        }
        Presentation::Table(shape) => {
            ("application/json", json_bytes(&shape.table(&objects(), list.metadata.clone(), true)))
        }
    }
}

/// A list as JSON, written from the objects where they are.
fn plain_list(list: &Listed) -> Bytes {
    let mut bytes = Vec::with_capacity(256 + list.items.len() * 1024);
    let head = json!({"kind": list.list_kind, "apiVersion": list.api_version, "metadata": list.metadata});
    write_json(&mut bytes, &head);
    bytes.pop();
    bytes.extend_from_slice(b",\"items\":[");
    for (index, object) in list.items.iter().enumerate() {
        if index > 0 {
            bytes.push(b',');
        }
        match object.as_object().filter(|_| list.is_typed) {
            Some(members) => {
                bytes.push(b'{');
                let rest = members.iter().filter(|(name, _)| !matches!(name.as_str(), "kind" | "apiVersion"));
                for (index, (name, value)) in rest.enumerate() {
                    if index > 0 {
                        bytes.push(b',');
                    }
                    // Names of fields at the top of an object need no escapes.
                    bytes.push(b'"');
                    bytes.extend_from_slice(name.as_bytes());
                    bytes.extend_from_slice(b"\":");
                    if name == "metadata" {
                        let _ = serde_json::to_writer(&mut bytes, &ShownMetadata(value));
                    } else {
                        let _ = serde_json::to_writer(&mut bytes, value);
                    }
                }
                bytes.push(b'}');
            }
            None => write_json(&mut bytes, object),
        }
    }
    bytes.extend_from_slice(b"]}\n");
    Bytes::from(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_typed_lists_have_no_kind() {
        let object = Arc::new(json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}}));
        let list = |is_typed| Listed {
            api_version: "v1".to_owned(),
            list_kind: "PodList".to_owned(),
            is_typed,
            metadata: json!({"resourceVersion": "7"}),
            items: vec![Arc::clone(&object), Arc::clone(&object)],
        };
        let read = |is_typed| {
            let (_, bytes) = list_bytes(&list(is_typed), &Presentation::Whole(TextFormat::Json));
            serde_json::from_slice::<Value>(&bytes).unwrap_or_default()
        };
        assert_eq!(read(true)["items"], json!([{"metadata": {"name": "a"}}, {"metadata": {"name": "a"}}]));
        assert_eq!(read(false)["items"], json!([*object, *object]));
        assert_eq!(read(true)["metadata"]["resourceVersion"], "7");
    }

    #[test]
    fn deep_values_are_not_laid_out() {
        let run = || {
            let object = (0..5_000).fold(json!(1), |value, _| json!({"a": value}));
            let list = Listed {
                api_version: "example.com/v1".to_owned(),
                list_kind: "DeepList".to_owned(),
                is_typed: false,
                metadata: json!({}),
                items: std::iter::repeat_n(Arc::new(object), 4).collect(),
            };
            let bytes_of = |list: &Listed| list_bytes(list, &Presentation::Whole(TextFormat::Yaml)).1;
            let bytes = bytes_of(&list);
            assert!(bytes.starts_with(b"{") && bytes.len() < 200_000, "{}", bytes.len());
            let small = Listed { items: vec![Arc::new(json!({"a": {"b": 1}}))], ..list };
            assert!(bytes_of(&small).starts_with(b"apiVersion:"));
        };
        std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap().join().unwrap();
    }
}

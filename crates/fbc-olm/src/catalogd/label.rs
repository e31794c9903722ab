//! The mutating webhook of catalogd: every ClusterCatalog carries its own name as a label.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/webhook/cluster_catalog_webhook.go`, and the
//! decoder of admission requests in `controller-runtime`.

use fbc_cluster::api::{Denial, Mutator};
use fbc_cluster::kind::Kind;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::types::DecodeError;
use serde_json::{Value, json};

use crate::names::{CLUSTER_CATALOG, GROUP, METADATA_NAME};

/// The webhook.
#[derive(Debug, Clone, Copy, Default)]
pub struct NameLabel;

impl Mutator for NameLabel {
    fn mutate(&self, kind: &Kind, object: &mut Object) -> Result<(), Denial> {
        let is_right = object.label(METADATA_NAME) == Some(object.name());
        if kind.group != GROUP || kind.kind != CLUSTER_CATALOG || is_right {
            return Ok(());
        }
        for (path, expected) in TYPES {
            decode(object, path, expected).map_err(|error| Denial {
                code: 400,
                reason: "",
                message: error.to_string(),
            })?;
        }
        let name = object.name().to_owned();
        object.set(&["metadata", "labels", METADATA_NAME], name);
        fill(object);
        Ok(())
    }

    fn name(&self) -> &str {
        "inject-metadata-name.olm.operatorframework.io"
    }
}

/// The Go type of a field.
#[derive(Clone, Copy)]
enum GoType {
    Struct(&'static str),
    Text(&'static str),
    Int32,
    Int,
}

impl GoType {
    fn name(self) -> &'static str {
        match self {
            Self::Struct(name) | Self::Text(name) => name,
            Self::Int32 => "int32",
            Self::Int => "int",
        }
    }

    fn takes(self, value: &Value) -> bool {
        match self {
            Self::Struct(_) => value.is_object(),
            Self::Text(_) => value.is_string(),
            Self::Int32 => value.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
            Self::Int => value.as_i64().is_some(),
        }
    }
}

/// The fields that Go decodes before the API server looks at the schema, parents first.
const TYPES: [(&[&str], GoType); 8] = [
    (&["spec"], GoType::Struct("v1.ClusterCatalogSpec")),
    (&["spec", "source"], GoType::Struct("v1.CatalogSource")),
    (&["spec", "source", "type"], GoType::Text("v1.SourceType")),
    (&["spec", "source", "image"], GoType::Struct("v1.ImageSource")),
    (&["spec", "source", "image", "ref"], GoType::Text("string")),
    (&["spec", "source", "image", "pollIntervalMinutes"], GoType::Int),
    (&["spec", "priority"], GoType::Int32),
    (&["spec", "availabilityMode"], GoType::Text("v1.AvailabilityMode")),
];

/// Refuses a field that does not fit its Go type, in the words of `encoding/json`.
fn decode(object: &Object, path: &[&str], expected: GoType) -> Result<(), DecodeError> {
    let Some(value) = object.at(path).filter(|value| !value.is_null() && !expected.takes(value)) else {
        return Ok(());
    };
    let found = match value {
        Value::Bool(_) => "bool".to_owned(),
        Value::Number(number) if matches!(expected, GoType::Int32 | GoType::Int) => {
            format!("number {number}")
        }
        Value::Number(_) => "number".to_owned(),
        Value::String(_) => "string".to_owned(),
        Value::Array(_) => "array".to_owned(),
        Value::Object(_) | Value::Null => "object".to_owned(),
    };
    let holder = match path {
        ["spec"] => "ClusterCatalog",
        ["spec", _] => "ClusterCatalogSpec",
        ["spec", "source", _] => "CatalogSource",
        _ => "ImageSource",
    };
    Err(DecodeError::field(found, &format!("{holder}.{}", path.join(".")), expected.name()))
}

/// What Go writes for fields without `omitempty` that were not there.
fn fill(object: &mut Object) {
    for path in [&["spec", "source", "type"][..], &["spec", "source", "image", "ref"]] {
        let parent = path.get(..path.len() - 1).unwrap_or_default();
        let is_optional = path.contains(&"image");
        let parent_is_there = object.at(parent).is_some_and(Value::is_object);
        if (parent_is_there || !is_optional) && object.at(path).is_none() {
            object.set(path, json!(""));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind() -> Kind {
        Kind {
            group: GROUP.into(),
            versions: vec!["v1".into()],
            kind: CLUSTER_CATALOG.into(),
            plural: "clustercatalogs".into(),
            singular: "clustercatalog".into(),
            short_names: Vec::new(),
            categories: Vec::new(),
            namespaced: false,
            has_status: true,
            has_generation: true,
        }
    }

    #[test]
    fn the_label_is_set_and_missing_fields_come_out_empty() {
        for (spec, after) in [
            (json!({}), json!({"source": {"type": ""}})),
            (json!({"source": {"image": {}}}), json!({"source": {"type": "", "image": {"ref": ""}}})),
            (json!({"source": {"type": "Image"}}), json!({"source": {"type": "Image"}})),
        ] {
            let mut object = json!({"metadata": {"name": "a"}, "spec": spec});
            assert_eq!(NameLabel.mutate(&kind(), &mut object), Ok(()));
            assert_eq!(object.label(METADATA_NAME), Some("a"));
            assert_eq!(object["spec"], after);
        }
    }

    #[test]
    fn what_does_not_decode_is_refused() {
        for (spec, text) in [
            (
                json!({"priority": 2_147_483_648_i64}),
                "json: cannot unmarshal number 2147483648 into Go struct field ClusterCatalogSpec.spec.priority of type \
                 int32",
            ),
            (
                json!({"source": "x"}),
                "json: cannot unmarshal string into Go struct field ClusterCatalogSpec.spec.source of type \
                 v1.CatalogSource",
            ),
        ] {
            let mut object = json!({"metadata": {"name": "a"}, "spec": spec});
            assert_eq!(NameLabel.mutate(&kind(), &mut object).unwrap_err().message, text);
        }
        // The webhook is called only if the label is missing or wrong.
        let mut object =
            json!({"metadata": {"name": "a", "labels": {METADATA_NAME: "a"}}, "spec": {"priority": "x"}});
        assert_eq!(NameLabel.mutate(&kind(), &mut object), Ok(()));
    }
}

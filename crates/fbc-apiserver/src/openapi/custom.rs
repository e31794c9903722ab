//! Schemas of kinds with a definition.
//!
//! Source: `kubernetes/apiextensions-apiserver:pkg/controller/openapi/builder/builder.go`, and
//! `pkg/apiserver/schema/kubeopenapi.go` for what version 2 leaves out.

use std::collections::BTreeMap;

use fbc_cluster::kind::Kind;
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Map, Value, json};

use super::built_in::{add_struct_named, custom_name, object_fields};
use super::{Dialect, kind_extension};

/// Adds the schema of a version of a kind.
pub(super) fn add(
    definition: &Object,
    kind: &Kind,
    version: &str,
    dialect: Dialect,
    schemas: &mut BTreeMap<String, Value>,
) {
    let versions = definition.list(&["spec", "versions"]);
    let schema = versions
        .iter()
        .find(|one| one.text(&["name"]) == version)
        .and_then(|one| one.at(&["schema", "openAPIV3Schema"]));
    let Some(schema) = schema else { return };
    add_struct_named("meta", "ObjectMeta", dialect, schemas);
    let mut schema = match dialect {
        Dialect::V3 => schema.clone(),
        Dialect::V2 => without_new_parts(schema),
    };
    let is_open = schema["x-kubernetes-preserve-unknown-fields"] == true && dialect == Dialect::V2;
    if !is_open {
        let mut properties = match schema.get_mut("properties").map(Value::take) {
            Some(Value::Object(properties)) => properties,
            _ => Map::new(),
        };
        if let Value::Object(own) = object_fields(dialect) {
            properties.extend(own);
        }
        schema["properties"] = properties.into();
    }
    schema["x-kubernetes-group-version-kind"] = json!([kind_extension(&kind.group, version, &kind.kind)]);
    schemas.insert(custom_name(&kind.group, version, &kind.kind), schema);
}

/// A schema as version 2 of OpenAPI can say it: without alternatives, without nulls, and open where fields are kept.
fn without_new_parts(schema: &Value) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let is_open = schema["x-kubernetes-preserve-unknown-fields"] == true
        || schema["x-kubernetes-int-or-string"] == true
        || schema["nullable"] == true;
    let mut kept = Map::new();
    for (name, value) in members {
        let value = match name.as_str() {
            "oneOf" | "anyOf" | "allOf" | "not" | "nullable" | "x-kubernetes-validations" | "example" => {
                continue;
            }
            // Whoever reads version 2 would refuse what these places take.
            "type" | "items" | "properties" | "additionalProperties" | "required" if is_open => continue,
            "properties" => match value {
                Value::Object(properties) => properties
                    .iter()
                    .map(|(name, schema)| (name.clone(), without_new_parts(schema)))
                    .collect(),
                other => other.clone(),
            },
            "items" | "additionalProperties" => without_new_parts(value),
            _ => value.clone(),
        };
        kept.insert(name.clone(), value);
    }
    kept.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_version_2_cannot_say_is_left_open() {
        let schema = json!({
            "type": "object",
            "properties": {
                "port": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
                "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "required": ["a"]},
                "name": {"type": "string", "maxLength": 5},
            },
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "port": {"x-kubernetes-int-or-string": true},
                "any": {"x-kubernetes-preserve-unknown-fields": true},
                "name": {"type": "string", "maxLength": 5},
            },
        });
        assert_eq!(without_new_parts(&schema), expected);
    }
}

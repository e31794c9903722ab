//! Schemas of built-in kinds, from the tables of types.

use std::collections::BTreeMap;

use fbc_cluster::kind::Kind;
use fbc_cluster::types::{Field, Items, StructId, Type, Types, types};
use serde_json::{Map, Value, json};

use super::{Dialect, kind_extension};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// Adds the schema of a kind and of all that it consists of.
pub(super) fn add(kind: &Kind, version: &str, dialect: Dialect, schemas: &mut BTreeMap<String, Value>) {
    let extension = json!([kind_extension(&kind.group, version, &kind.kind)]);
    let Some(of) = types().of_kind(&kind.group, version, &kind.kind) else {
        // Of kinds without a table nothing but the metadata is known.
        let mut schema = json!({
            "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            "properties": object_fields(dialect), "x-kubernetes-group-version-kind": extension,
        });
        if dialect == Dialect::V2 {
            schema["properties"] = json!({});
        }
        add_struct_named("meta", "ObjectMeta", dialect, schemas);
        schemas.insert(custom_name(&kind.group, version, &kind.kind), schema);
        return;
    };
    let name = add_struct(of, dialect, schemas);
    if let Some(schema) = schemas.get_mut(&name) {
        schema["x-kubernetes-group-version-kind"] = extension;
    }
}

/// The name of the schema of a kind with a definition: `io.example.v1.Widget`.
pub(super) fn custom_name(group: &str, version: &str, kind: &str) -> String {
    let mut parts: Vec<&str> = group.split('.').collect();
    parts.reverse();
    format!("{}.{version}.{kind}", parts.join("."))
}

/// `apiVersion`, `kind` and `metadata`.
pub(super) fn object_fields(dialect: Dialect) -> Value {
    json!({
        "apiVersion": {"type": "string", "description": "The version of the API that the object is written in."},
        "kind": {"type": "string", "description": "The kind of the object."},
        "metadata": dialect.reference(&format!("{META}.ObjectMeta")),
    })
}

/// Adds a struct by its package and name.
pub(super) fn add_struct_named(
    package: &str,
    name: &str,
    dialect: Dialect,
    schemas: &mut BTreeMap<String, Value>,
) {
    if let Some(id) = types().named(package, name) {
        add_struct(id, dialect, schemas);
    }
}

/// Adds a struct and all that it consists of; the answer is its name.
fn add_struct(id: StructId, dialect: Dialect, schemas: &mut BTreeMap<String, Value>) -> String {
    let of = types().get(id);
    let name = name_of(of.package, of.name);
    if schemas.contains_key(&name) {
        return name;
    }
    // Types that contain themselves find their name taken.
    schemas.insert(name.clone(), Value::Null);
    let mut properties = Map::new();
    for field in &of.fields {
        let mut schema = schema_of(&field.of, dialect, schemas);
        add_extensions(&mut schema, field);
        properties.insert(field.name.to_owned(), schema);
    }
    let mut schema = json!({"type": "object", "description": "", "properties": properties});
    if of.atomic {
        schema["x-kubernetes-map-type"] = "atomic".into();
    }
    schemas.insert(name.clone(), schema);
    name
}

/// The name of a struct in documents: `io.k8s.api.apps.v1.Deployment`.
fn name_of(package: &str, name: &str) -> String {
    let version = Types::group_version(package).map_or("v1", |(_, version)| version);
    match package {
        "meta" => format!("{META}.{name}"),
        "apiextensions" => format!("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.{version}.{name}"),
        "apiregistration" => format!("io.k8s.kube-aggregator.pkg.apis.apiregistration.{version}.{name}"),
        _ => format!("io.k8s.api.{package}.{version}.{name}"),
    }
}

fn schema_of(of: &Type, dialect: Dialect, schemas: &mut BTreeMap<String, Value>) -> Value {
    match of {
        Type::Text(_) => json!({"type": "string"}),
        Type::Flag => json!({"type": "boolean"}),
        Type::Whole(format) => json!({"type": "integer", "format": format}),
        Type::Float => json!({"type": "number", "format": "double"}),
        Type::Bytes => json!({"type": "string", "format": "byte"}),
        Type::Time | Type::MicroTime => json!({"type": "string", "format": "date-time"}),
        Type::Duration => json!({"type": "string"}),
        Type::Quantity if dialect == Dialect::V3 => {
            json!({"oneOf": [{"type": "string"}, {"type": "number"}]})
        }
        Type::Quantity => json!({"type": "string"}),
        Type::IntOrText if dialect == Dialect::V3 => {
            json!({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]})
        }
        Type::IntOrText => json!({"type": "string", "format": "int-or-string"}),
        Type::Raw | Type::Fields => json!({"type": "object"}),
        Type::Any | Type::Special(_) => json!({}),
        Type::Optional(inner) => schema_of(inner, dialect, schemas),
        Type::List(items) => json!({"type": "array", "items": schema_of(items, dialect, schemas)}),
        Type::Map(values) => {
            json!({"type": "object", "additionalProperties": schema_of(values, dialect, schemas)})
        }
        Type::Struct(id) => {
            let name = add_struct(*id, dialect, schemas);
            dialect.reference(&name)
        }
    }
}

/// How lists and maps merge.
fn add_extensions(schema: &mut Value, field: &Field) {
    let mut set = |name: &str, value: Value| schema[name] = value;
    match &field.items {
        Items::Unsaid => {}
        Items::Atomic => set("x-kubernetes-list-type", "atomic".into()),
        Items::Set => set("x-kubernetes-list-type", "set".into()),
        Items::Keyed(keys) => {
            set("x-kubernetes-list-map-keys", json!(keys));
            set("x-kubernetes-list-type", "map".into());
        }
    }
    if field.atomic == Some(true) {
        set("x-kubernetes-map-type", "atomic".into());
    }
    if let Some(key) = field.merge_key {
        set("x-kubernetes-patch-merge-key", key.into());
    }
    let strategy = match (field.retains_keys, field.merges, field.replaces) {
        (true, true, _) => "merge,retainKeys",
        (true, false, _) => "retainKeys",
        (false, true, _) => "merge",
        (false, false, true) => "replace",
        _ => return,
    };
    set("x-kubernetes-patch-strategy", strategy.into());
}

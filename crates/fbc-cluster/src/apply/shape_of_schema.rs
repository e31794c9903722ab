//! The shape that a schema of a custom resource definition gives.
//!
//! Source: `kubernetes/kube-openapi:pkg/schemaconv/openapi.go`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::shape::{ListKind, MapKey, Node, NodeId, Patching, Scalar, Shape, ShapeBuilder, StructField};

impl Shape {
    /// The shape of a custom kind from its `openAPIV3Schema`: `x-kubernetes-list-type`, `x-kubernetes-list-map-keys`,
    /// `x-kubernetes-map-type`, `x-kubernetes-preserve-unknown-fields`, `x-kubernetes-embedded-resource` and
    /// `x-kubernetes-int-or-string` count.
    pub fn of_schema(schema: &Value) -> Self {
        let mut builder = ShapeBuilder::default();
        let root = builder.add_object(schema, true);
        builder.finish(root)
    }
}

fn says(schema: &Value, extension: &str) -> bool {
    schema.get(extension).and_then(Value::as_bool) == Some(true)
}

impl ShapeBuilder {
    fn add_schema(&mut self, schema: &Value) -> NodeId {
        if says(schema, "x-kubernetes-int-or-string") {
            return self.add(Node::Scalar(Scalar::Any));
        }
        let is_resource = says(schema, "x-kubernetes-embedded-resource");
        match schema.get("type").and_then(Value::as_str) {
            Some("string") => self.add(Node::Scalar(Scalar::Text)),
            Some("integer" | "number") => self.add(Node::Scalar(Scalar::Number)),
            Some("boolean") => self.add(Node::Scalar(Scalar::Flag)),
            Some("array") => self.add_list(schema),
            Some("object") => self.add_object(schema, is_resource),
            _ => self.add(Node::Untyped),
        }
    }

    fn add_list(&mut self, schema: &Value) -> NodeId {
        let item = &schema["items"];
        let items = self.add_schema(item);
        let kind = match schema.get("x-kubernetes-list-type").and_then(Value::as_str) {
            Some("set") => ListKind::Set,
            Some("map") => {
                let keys = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
                let names = keys.into_iter().flatten().filter_map(Value::as_str);
                let key = |name: &str| MapKey {
                    name: name.to_owned(),
                    default: item["properties"][name].get("default").cloned(),
                };
                ListKind::Keyed(names.map(key).collect())
            }
            _ => ListKind::Atomic,
        };
        self.add(Node::List { items, kind })
    }

    fn add_object(&mut self, schema: &Value, is_resource: bool) -> NodeId {
        let mut fields = BTreeMap::new();
        let mut field = |name: &str, node: NodeId| {
            fields.insert(name.to_owned(), StructField { node, patching: Patching::default() });
        };
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let node = self.add_schema(property);
            field(name, node);
        }
        if is_resource {
            for name in ["apiVersion", "kind"] {
                let node = self.add(Node::Scalar(Scalar::Text));
                field(name, node);
            }
            let node = self.metadata();
            field("metadata", node);
        }
        let values = match schema.get("additionalProperties") {
            Some(Value::Object(_)) => Some(self.add_schema(&schema["additionalProperties"])),
            Some(Value::Bool(true)) => Some(self.add(Node::Untyped)),
            _ if says(schema, "x-kubernetes-preserve-unknown-fields") || fields.is_empty() => {
                Some(self.add(Node::Untyped))
            }
            _ => None,
        };
        let atomic = schema.get("x-kubernetes-map-type").and_then(Value::as_str) == Some("atomic");
        self.add(Node::Map { fields, values, atomic })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn extensions_of_a_schema_count() {
        let shape = Shape::of_schema(
            &json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
                "ports": {
                    "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"],
                    "items": {"type": "object", "properties": {"port": {"type": "integer", "default": 80}}},
                },
                "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                "names": {"type": "array", "items": {"type": "string"}},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                "whole": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
            }}}}),
        );
        let spec = shape.member(shape.root(), "spec").unwrap();
        let node = |name: &str| shape.node(shape.member(spec, name).unwrap());
        let port = MapKey { name: "port".into(), default: Some(json!(80)) };
        assert!(
            matches!(node("ports"), Node::List { kind: ListKind::Keyed(keys), .. } if *keys == [port.clone()])
        );
        assert!(matches!(node("tags"), Node::List { kind: ListKind::Set, .. }));
        assert!(matches!(node("names"), Node::List { kind: ListKind::Atomic, .. }));
        assert!(matches!(node("free"), Node::Map { values: Some(_), atomic: false, .. }));
        assert!(matches!(node("whole"), Node::Map { atomic: true, .. }));
        assert!(shape.member(spec, "other").is_none());
        assert!(shape.member(shape.root(), "metadata").is_some());
    }
}

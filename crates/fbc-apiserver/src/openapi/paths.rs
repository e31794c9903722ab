//! Paths in OpenAPI documents: where single objects are read and patched, which is what clients look up: whether a kind
//! knows dry runs and the validation of fields.

use serde_json::{Map, Value, json};

use super::{Dialect, kind_extension};
use crate::actor::Actor;

/// Parameters of patches that clients look for.
const PARAMETERS: [&str; 4] = ["dryRun", "fieldManager", "fieldValidation", "force"];

impl Actor<'_> {
    pub(super) fn add_paths(
        &self,
        group: &str,
        version: &str,
        dialect: Dialect,
        paths: &mut Map<String, Value>,
    ) {
        let root =
            if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
        for (_, kind) in self.kinds_of(group, version) {
            let place = if kind.namespaced { "/namespaces/{namespace}" } else { "" };
            let collection = format!("{root}{place}/{}", kind.plural);
            let extension = kind_extension(group, version, &kind.kind);
            let operation = |action: &str, parameters: &[&str]| {
                let parameters: Vec<Value> = parameters.iter().map(|name| parameter(name, dialect)).collect();
                json!({
                    "parameters": parameters, "responses": {"200": {"description": "OK"}},
                    "x-kubernetes-action": action, "x-kubernetes-group-version-kind": extension,
                })
            };
            let list = operation("list", &["fieldSelector", "labelSelector", "limit", "watch"]);
            let create = operation("post", &["dryRun", "fieldManager", "fieldValidation"]);
            paths.insert(collection.clone(), json!({"get": list, "post": create}));
            let item = json!({
                "get": operation("get", &[]), "put": operation("put", &["dryRun", "fieldManager", "fieldValidation"]),
                "patch": operation("patch", &PARAMETERS), "delete": operation("delete", &["dryRun"]),
            });
            paths.insert(format!("{collection}/{{name}}"), item);
        }
    }
}

fn parameter(name: &str, dialect: Dialect) -> Value {
    match dialect {
        Dialect::V2 => json!({"name": name, "in": "query", "type": "string", "uniqueItems": true}),
        Dialect::V3 => {
            json!({"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": true}})
        }
    }
}

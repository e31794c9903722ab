//! Paths in OpenAPI documents: those that are served, with their methods. Clients look up whether a kind knows dry runs, the
//! validation of fields, and a status of its own.

use serde_json::{Map, Value, json};

use super::{Dialect, kind_extension};
use crate::actor::Actor;
use crate::discovery::{reviews_of, verbs};
use crate::resources::Subresources;

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
        for (id, kind) in self.kinds_of(group, version) {
            let place = if kind.namespaced { "/namespaces/{namespace}" } else { "" };
            let collection = format!("{root}{place}/{}", kind.plural);
            let own = kind_extension(group, version, &kind.kind);
            let verbs = verbs(kind);
            paths.insert(collection.clone(), operations(verbs, &COLLECTION, &own, dialect));
            if verbs.contains(&"get") {
                paths.insert(format!("{collection}/{{name}}"), operations(verbs, &ITEM, &own, dialect));
            }
            if kind.namespaced {
                let everywhere = operations(verbs, &COLLECTION[..1], &own, dialect);
                paths.insert(format!("{root}/{}", kind.plural), everywhere);
            }
            for part in Subresources::of(&self.cluster.api, id, kind, version) {
                let extension = match part.kind {
                    (_, "", _) => own.clone(),
                    (group, version, kind) => kind_extension(group, version, kind),
                };
                let path = format!("{collection}/{{name}}/{}", part.name);
                paths.insert(path, operations(part.verbs, &PART, &extension, dialect));
            }
        }
        for (_, name, kind, namespaced) in reviews_of(group, version) {
            let place = if *namespaced { "/namespaces/{namespace}" } else { "" };
            let extension = kind_extension(group, version, kind);
            paths.insert(
                format!("{root}{place}/{name}"),
                operations(&["create"], &COLLECTION, &extension, dialect),
            );
        }
    }
}

/// A method of a path: the verb that it is, its action, and the parameters that clients look for.
struct Method {
    verb: &'static str,
    method: &'static str,
    action: &'static str,
    parameters: &'static [&'static str],
}

const WRITE: &[&str] = &["dryRun", "fieldManager", "fieldValidation"];
const APPLY: &[&str] = &["dryRun", "fieldManager", "fieldValidation", "force"];
const SELECT: &[&str] = &["fieldSelector", "labelSelector", "limit", "watch"];

const fn method(
    verb: &'static str,
    method: &'static str,
    action: &'static str,
    parameters: &'static [&'static str],
) -> Method {
    Method { verb, method, action, parameters }
}

/// The methods of all objects of a kind, beginning with the one that does not need a namespace.
const COLLECTION: [Method; 3] = [
    method("list", "get", "list", SELECT),
    method("create", "post", "post", WRITE),
    method("deletecollection", "delete", "deletecollection", &["dryRun", "fieldSelector", "labelSelector"]),
];
/// The methods of an object.
const ITEM: [Method; 4] = [
    method("get", "get", "get", &[]),
    method("update", "put", "put", WRITE),
    method("patch", "patch", "patch", APPLY),
    method("delete", "delete", "delete", &["dryRun"]),
];
/// The methods of a part of an object.
const PART: [Method; 5] = [
    method("get", "get", "get", &[]),
    method("create", "post", "post", WRITE),
    method("update", "put", "put", WRITE),
    method("patch", "patch", "patch", APPLY),
    method("delete", "delete", "delete", &[]),
];

/// What a path takes, of the methods that it may have.
fn operations(verbs: &[&str], methods: &[Method], extension: &Value, dialect: Dialect) -> Value {
    let found = methods.iter().filter(|one| verbs.contains(&one.verb)).map(|one| {
        let parameters: Vec<Value> = one.parameters.iter().map(|name| parameter(name, dialect)).collect();
        let operation = json!({
            "parameters": parameters, "responses": {"200": {"description": "OK"}},
            "x-kubernetes-action": one.action, "x-kubernetes-group-version-kind": extension,
        });
        (one.method.to_owned(), operation)
    });
    Value::Object(found.collect())
}

fn parameter(name: &str, dialect: Dialect) -> Value {
    match dialect {
        Dialect::V2 => json!({"name": name, "in": "query", "type": "string", "uniqueItems": true}),
        Dialect::V3 => {
            json!({"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": true}})
        }
    }
}

//! OpenAPI documents of what is served: version 2 as JSON and as protocol buffers, version 3 for each group.
//!
//! Built-in kinds come from the tables of types, others from their definitions. Documents are made when somebody asks
//! and kept until a definition changes. Descriptions of built-in fields are left out: the tables have none.

mod built_in;
mod custom;
pub(crate) mod documents;
mod paths;
mod protobuf;

use std::collections::BTreeMap;

use bytes::Bytes;
use fbc_cluster::error::ApiError;
use fbc_cluster::object::ObjectFields;
use ring::digest::{SHA256, digest};
use serde_json::{Map, Value, json};

use self::documents::Documents;
use crate::actor::Actor;
use crate::answer::{Answer, Content};
use crate::request::Request;
use crate::resources::not_found;

/// The name that is answered; the one that clients ask for has an `@`, which no parser of media types takes.
const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// Which version of OpenAPI a schema is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Swagger 2.0
    V2,
    /// OpenAPI 3.0
    V3,
}

impl Dialect {
    /// A reference to a schema.
    fn reference(self, name: &str) -> Value {
        match self {
            Self::V2 => json!({"$ref": format!("#/definitions/{name}")}),
            Self::V3 => json!({"allOf": [{"$ref": format!("#/components/schemas/{name}")}], "default": {}}),
        }
    }
}

impl Actor<'_> {
    pub(crate) fn openapi(&mut self, request: &Request, path: &str) -> Result<Answer, ApiError> {
        self.forget_old_documents();
        let wants_protobuf = request.accept.contains("proto-openapi");
        let segments: Vec<&str> = path.trim_start_matches("/openapi/").split('/').collect();
        let (key, media_type) = match segments.as_slice() {
            ["v2"] if wants_protobuf => ("v2.pb".to_owned(), PROTOBUF),
            ["v2"] => ("v2".to_owned(), "application/json"),
            ["v3"] => return Ok(Answer::json(self.index())),
            ["v3", rest @ ..] => (rest.join("/"), "application/json"),
            _ => return Ok(not_found()),
        };
        let Some((tag, bytes)) = self.document(&key) else { return Ok(not_found()) };
        let mut answer = if request.if_none_match.trim_matches('"') == tag {
            Answer::new(304, Content::Text(String::new()))
        } else {
            Answer::new(200, Content::Bytes(media_type, bytes))
        };
        answer.headers.push(("etag", format!("\"{tag}\"")));
        answer.headers.push(("vary", "Accept".to_owned()));
        Ok(answer)
    }

    fn forget_old_documents(&mut self) {
        let definitions = self.cluster.api.all("apiextensions.k8s.io", "CustomResourceDefinition");
        let versions: Vec<&str> =
            definitions.map(|definition| definition.text(&["metadata", "resourceVersion"])).collect();
        let seen = versions.join(",");
        if self.documents.seen != seen {
            self.documents = Documents { seen, made: BTreeMap::new() };
        }
    }

    /// A document with its tag, made if need be.
    fn document(&mut self, key: &str) -> Option<(String, Bytes)> {
        if let Some(found) = self.documents.made.get(key) {
            return Some(found.clone());
        }
        let bytes: Bytes = match key {
            "v2" => self.swagger().to_string().into(),
            "v2.pb" => protobuf::document(&self.swagger()).into(),
            _ => self.of_group(key)?.to_string().into(),
        };
        let hash = digest(&SHA256, &bytes);
        let tag: String = hash.as_ref().iter().map(|byte| format!("{byte:02X}")).collect();
        self.documents.made.insert(key.to_owned(), (tag.clone(), bytes.clone()));
        Some((tag, bytes))
    }

    /// Where the documents of the groups are.
    fn index(&mut self) -> Value {
        let mut paths = Map::new();
        for (group, version) in self.group_versions() {
            let key =
                if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") };
            let Some((tag, _)) = self.document(&key) else { continue };
            let url = format!("/openapi/v3/{key}?hash={tag}");
            paths.insert(key, json!({"serverRelativeURL": url}));
        }
        json!({"paths": paths})
    }

    /// Version 2, all groups in one document.
    fn swagger(&self) -> Value {
        let mut schemas = BTreeMap::new();
        let mut paths = Map::new();
        for (group, version) in self.group_versions() {
            self.add_schemas(&group, &version, Dialect::V2, &mut schemas);
            self.add_paths(&group, &version, Dialect::V2, &mut paths);
        }
        json!({
            "swagger": "2.0", "info": {"title": "Kubernetes", "version": self.cluster.api.kubernetes().to_string()}, "paths": paths,
            "definitions": schemas,
        })
    }

    /// Version 3 of one group.
    fn of_group(&self, key: &str) -> Option<Value> {
        let (group, version) = match key.split('/').collect::<Vec<_>>().as_slice() {
            ["api", version] => ("", *version),
            ["apis", group, version] => (*group, *version),
            _ => return None,
        };
        if !self.group_versions().iter().any(|(one, other)| one == group && other == version) {
            return None;
        }
        let mut schemas = BTreeMap::new();
        let mut paths = Map::new();
        self.add_schemas(group, version, Dialect::V3, &mut schemas);
        self.add_paths(group, version, Dialect::V3, &mut paths);
        Some(json!({
            "openapi": "3.0.0", "info": {"title": "Kubernetes", "version": self.cluster.api.kubernetes().to_string()}, "paths": paths,
            "components": {"schemas": schemas},
        }))
    }

    /// The schemas of the kinds of a version of a group, and of all that these consist of.
    fn add_schemas(
        &self,
        group: &str,
        version: &str,
        dialect: Dialect,
        schemas: &mut BTreeMap<String, Value>,
    ) {
        for (id, kind) in self.kinds_of(group, version) {
            let definition = self.cluster.api.definition(id);
            match definition {
                Some(_) => {
                    let name = fbc_cluster::object::ObjectName::cluster(kind.qualified_plural());
                    let object =
                        self.cluster.api.find("apiextensions.k8s.io", "CustomResourceDefinition", &name);
                    if let Some(object) = object {
                        custom::add(object, kind, version, dialect, schemas);
                    }
                }
                None => built_in::add(kind, version, dialect, schemas),
            }
        }
    }
}

/// The group, version and kind of a schema, as an extension.
fn kind_extension(group: &str, version: &str, kind: &str) -> Value {
    json!({"group": group, "version": version, "kind": kind})
}

//! Provenance as SLSA 1.0 has it: what an image was built of, by what, and what was asked for.

use serde_json::{Map, Value, json};

use super::Knowledge;

/// Something that went into an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Material {
    /// How it was named.
    pub name: String,
    /// `ALGORITHM:HEX`
    pub digest: String,
}

/// The commit that the files come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The id of the commit.
    pub commit: String,
    /// The path of the directory in it.
    pub path: String,
    /// Whether files of the directory differ from the commit.
    pub is_modified: bool,
}

/// The predicate of a statement.
pub(super) fn predicate(known: &Knowledge<'_>) -> Value {
    let mut materials = Vec::new();
    if let Some(origin) = known.origin {
        let annotations = json!({"path": origin.path, "modified": origin.is_modified});
        materials.push(json!({
            "name": "source", "digest": {"gitCommit": origin.commit}, "annotations": annotations
        }));
    }
    if let Some(base) = known.base {
        materials.push(json!({"name": base.name, "digest": digest_set(&base.digest)}));
    }
    let version = env!("CARGO_PKG_VERSION");
    json!({
        "buildDefinition": {
            "buildType": "urn:fbc:build:1",
            "externalParameters": known.parameters,
            "resolvedDependencies": materials,
        },
        "runDetails": {
            "builder": {"id": "urn:fbc:builder:fbc-build", "version": {"fbc": version}},
        },
    })
}

/// `{"sha256": "…"}`
pub(super) fn digest_set(digest: &str) -> Value {
    let (algorithm, hex) = digest.split_once(':').unwrap_or(("sha256", digest));
    let mut set = Map::new();
    set.insert(algorithm.to_owned(), hex.into());
    Value::Object(set)
}

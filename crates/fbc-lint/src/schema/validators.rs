//! Building what checks values against the schemas.
//!
//! Each schema is built when it is first needed, together with the files that it refers to and no
//! others: a program that checks nothing pays nothing.

use std::error::Error;

use jsonschema::{PatternOptions, Retrieve, Uri, Validator};
use serde_json::Value;

use super::files::{self, Schema};
use super::node::ArenaJson;

/// Where the files lie as far as references are concerned.
const BASE: &str = "fbc:///schemas/";

/// The schema that refers from a bundle to the schemas of its properties, and the one to take in
/// its place: see [`super::is_valid`], which picks the schema of a property by itself. A chain of
/// `if` for every property would cost more than all other checks together.
const BY_TYPE: &str = "part/bundle-property.json";
const OF_ANY_TYPE: &str = "part/property.json";

/// Answers references between the schemas from the binary.
struct Embedded;

impl Retrieve for Embedded {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        let path = uri.as_str().strip_prefix(BASE).unwrap_or_default();
        let path = if path == BY_TYPE { OF_ANY_TYPE } else { path };
        match schema_of(path) {
            Some(schema) => Ok(schema.value().clone()),
            None => Err(format!("no schema {uri}").into()),
        }
    }
}

fn schema_of(path: &str) -> Option<&'static Schema> {
    files::by_name(path.strip_suffix(".json")?)
}

/// Where a keyword is written: the schema file, and the pointer to the keyword in it.
pub(super) fn origin(location: &str) -> Option<(&'static Schema, &str)> {
    let (path, fragment) = location.strip_prefix(BASE)?.split_once('#')?;
    Some((schema_of(if path == BY_TYPE { OF_ANY_TYPE } else { path })?, fragment))
}

/// Builds the validator of a schema.
#[expect(clippy::expect_used, reason = "the schemas are part of the binary, and a test builds every one")]
pub(super) fn build(schema: &Schema) -> Validator<ArenaJson> {
    jsonschema::options_for::<ArenaJson>()
        .with_base_uri(format!("{BASE}{}", schema.path))
        .with_retriever(Embedded)
        // The patterns need nothing beyond it, and it is quick to build and linear to run.
        .with_pattern_options(PatternOptions::regex())
        .build(schema.value())
        .expect("embedded schemas are valid")
}

//! Statements of the product document on CRD upgrade safety, for both targets, and what lies beyond them.

mod examples;
mod recorded;
mod safety;
mod statements;

use fbc_yaml::Document;

use super::{Change, Class, Definition, DefinitionError, Enforcement, Target, Upgrade, compare};

const TARGETS: [Target; 2] = [Target::Latest, Target::Ocp419];

/// A definition of one version whose schema has these properties and this end.
fn definition(schema: &str) -> Document {
    versions(&format!("[{}]", version("v1alpha1", schema)), "Namespaced", "")
}

fn version(name: &str, schema: &str) -> String {
    let is_storage = name == "v1alpha1";
    format!("{{name: {name}, served: true, storage: {is_storage}, schema: {{openAPIV3Schema: {schema}}}}}")
}

/// A definition of these versions; `more` goes behind the scope.
fn versions(versions: &str, scope: &str, more: &str) -> Document {
    read(&format!(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: \
         samples.test.example.com}}, spec: {{group: test.example.com, names: {{kind: Sample, plural: samples}}, \
         scope: {scope}, {more} versions: {versions}}}}}"
    ))
}

fn read(text: &str) -> Document {
    fbc_yaml::stream::read_one(text.as_bytes()).unwrap()
}

fn upgrade_with(old: &Document, new: &Document, target: Target, enforcement: Enforcement) -> Upgrade {
    let (old, new) = (Definition::read(old.root()).unwrap(), Definition::read(new.root()).unwrap());
    compare(&old, &new, target, enforcement)
}

fn upgrade(old: &Document, new: &Document, target: Target) -> Upgrade {
    upgrade_with(old, new, target, Enforcement::Strict)
}

/// A field `^.a` with attributes changes.
fn field_changes(old: &str, new: &str, target: Target) -> Upgrade {
    let of = |attributes: &str| definition(&format!("{{type: object, properties: {{a: {attributes}}}}}"));
    upgrade(&of(old), &of(new), target)
}

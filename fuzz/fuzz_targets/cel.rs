//! Any rule of a definition and any object: the rule is refused or evaluated within its budget, and what it takes stays
//! small.
#![no_main]

use fbc_cluster::schema::{Definition, Specifications, check};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fn definition(rule: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "boats.sea.example"},
        "spec": {
            "group": "sea.example", "scope": "Cluster",
            "names": {"kind": "Boat", "listKind": "BoatList", "plural": "boats", "singular": "boat"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object",
                "properties": {
                    "spec": {
                        "type": "object", "x-kubernetes-validations": [{"rule": rule}],
                        "properties": {
                            "name": {"type": "string", "maxLength": 100}, "size": {"type": "integer"},
                            "tags": {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 100}},
                        },
                    },
                },
            }}}],
        },
    })
}

fuzz_target!(|input: (&str, &str, i64)| {
    let (rule, text, size) = input;
    let definition = definition(rule);
    if !check::validate(&definition, None, &Specifications::default()).is_empty() {
        return;
    }
    let definition = Definition::read(&definition);
    let object = json!({
        "apiVersion": "sea.example/v1", "kind": "Boat", "metadata": {"name": "boat"},
        "spec": {"name": text, "size": size, "tags": [text, "a"]},
    });
    if let Some(version) = definition.version("v1") {
        let old = json!({"spec": {"name": "old", "size": 1, "tags": []}});
        version.validate(&object, None);
        version.validate(&object, Some(&old));
    }
});

//! Bundles that are read from a directory, and what keeps them from being read.

use std::path::Path;

use super::*;

fn fault(files: &[(&str, &[u8])]) -> String {
    let mut tree = tree("{}", &[]);
    for (path, bytes) in files {
        tree.insert(*path, *bytes);
    }
    match Bundle::read(&tree) {
        Ok(_) => "read".to_owned(),
        Err(error) => format!("{}: {error} {}", error.path.display(), error.pointer).trim_end().to_owned(),
    }
}

#[test]
fn what_keeps_a_bundle_from_being_read() {
    let version = "kind: ClusterServiceVersion\napiVersion: operators.coreos.com/v1alpha1\n";
    for (path, text, expected) in [
        (
            "manifests/sub/x.yaml",
            "{}",
            "manifests/sub: subdirectories are not allowed within the \"manifests\" directory of the bundle image \
             filesystem: found \"manifests/sub\"",
        ),
        (
            "manifests/x.yaml",
            "a: 1",
            "manifests/x.yaml: error parsing objects in \"manifests/x.yaml\": unable to decode \"manifests/x.yaml\": \
             Object 'Kind' is missing in '{\"a\":1}'",
        ),
        (
            "manifests/x.yaml",
            "text",
            "manifests/x.yaml: error parsing objects in \"manifests/x.yaml\": unable to decode \"manifests/x.yaml\": \
             json: cannot unmarshal string into Go value of type unstructured.detector",
        ),
        (
            "manifests/x.yaml",
            "{kind: Secret, apiVersion: a/b/c}",
            "manifests/x.yaml: error parsing objects in \"manifests/x.yaml\": unable to decode \"manifests/x.yaml\": \
             unexpected GroupVersion string: a/b/c",
        ),
        (
            "manifests/x.yaml",
            "{kind: Secret, apiVersion: 1}",
            "manifests/x.yaml: error parsing objects in \"manifests/x.yaml\": unable to decode \"manifests/x.yaml\": \
             apiVersion must be a text, not 1",
        ),
        (
            "manifests/csv.yaml",
            "{kind: Secret}",
            "manifests: no ClusterServiceVersion found in \"manifests\"",
        ),
        (
            "manifests/csv.yaml",
            &format!("{version}spec: {{install: {{spec: {{deployments: [{{spec: {{replicas: many}}}}]}}}}}}"),
            "manifests/csv.yaml: error parsing objects in \"manifests/csv.yaml\": unrecognized type: int32 \
             /spec/install/spec/deployments/0/spec/replicas",
        ),
        (
            "manifests/csv.yaml",
            &format!("{version}spec: {{installModes: {{}}}}"),
            "manifests/csv.yaml: error parsing objects in \"manifests/csv.yaml\": cannot restore slice from map \
             /spec/installModes",
        ),
        (
            "manifests/csv.yaml",
            &format!("{version}metadata: {{annotations: {{olm.properties: 'x'}}}}"),
            "manifests: failed to unmarshal csv.metadata.annotations['olm.properties']: invalid character 'x' looking \
             for beginning of value",
        ),
        (
            "metadata/properties.yaml",
            "properties: 3",
            "metadata/properties.yaml: failed to unmarshal metadata/properties.yaml: error unmarshaling JSON: while \
             decoding JSON: json: cannot unmarshal number into Go struct field RegistryV1Properties.properties of type \
             []property.Property /properties",
        ),
        (
            "metadata/annotations.yaml",
            "annotations: {operators.operatorframework.io.bundle.package.v1: [a]}",
            "metadata/annotations.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into \
             Go struct field Annotations.annotations.operators.operatorframework.io.bundle.package.v1 of type string \
             /annotations/operators.operatorframework.io.bundle.package.v1",
        ),
    ] {
        assert_eq!(fault(&[(path, text.as_bytes())]), expected, "{path}: {text}");
    }
    assert!(fault(&[("manifests/x.bin", b"\xff\xfe\x00")]).contains("is not UTF-8 text"));
    assert!(fault(&[("manifests/x.yaml", b"a: [")]).starts_with("manifests/x.yaml: error parsing objects"));
}

#[test]
fn a_bundle_has_annotations() {
    let tree: MemoryTree = [("manifests/csv.yaml", "{}")].into_iter().collect();
    let error = Bundle::read(&tree).unwrap_err();
    assert_eq!(error.message, "open metadata/annotations.yaml: no such file or directory");
    assert_eq!(error.path, Path::new("metadata/annotations.yaml"));
}

#[test]
fn lists_and_documents_are_taken_apart() {
    let list = "{kind: List, apiVersion: v1, items: [{kind: Secret, apiVersion: v1, metadata: {name: a}}, \
                {kind: RoleList, apiVersion: g/v1, items: [{metadata: {name: b}}]}]}";
    let several = "---\n# nothing\n---\nkind: ConfigMap\napiVersion: v1\n---\nkind: Secret\napiVersion: v1\n";
    let bundle = bundle("{}", &[list, several]);
    let kinds: Vec<String> = bundle
        .extras
        .iter()
        .map(|extra| Object::new(extra.object.clone()))
        .map(|object| format!("{} {} {}", object.api_version, object.kind, object.name))
        .collect();
    assert_eq!(kinds, ["v1 Secret a", "g/v1 Role b", "v1 ConfigMap ", "v1 Secret "]);
}

#[test]
fn properties_join_the_annotation() {
    let mut tree = tree("{}", &[]);
    tree.insert("metadata/properties.yaml", "properties: [{type: t, value: {b: '<', a: 1}}]");
    let bundle = Bundle::read(&tree).unwrap();
    assert_eq!(bundle.annotations["olm.properties"], r#"[{"type":"t","value":{"a":1,"b":"\u003c"}}]"#);
    assert_eq!(bundle.annotations["note"], "x");
}

/// D-FBC-1: a bundle is a cluster service version, manifests and metadata.
#[test]
fn d_fbc_1_bundle_has_three_parts() {
    let bundle = bundle("{}", &[&definition("a.example.com"), "{kind: Secret}"]);
    assert_eq!(bundle.package, "lamp");
    assert_eq!(bundle.operator().name(), "lamp.v1.0.0");
    assert_eq!((bundle.definitions.len(), bundle.extras.len()), (1, 1));
}

#[test]
fn definitions_are_what_go_writes() {
    let text = "{kind: CustomResourceDefinition, apiVersion: apiextensions.k8s.io/v1, metadata: {name: a, unknown: 1}, \
                spec: {group: g, names: {kind: A, plural: a}, scope: Namespaced, versions: [{name: v1, schema: \
                {openAPIV3Schema: {type: object, x: 1, nullable: false, additionalProperties: {type: string}, \
                properties: {p: {items: {type: string}, default: null, enum: [1, a, null]}, q: {additionalProperties: \
                true, minimum: 0}}}}}]}}";
    let bundle = bundle("{}", &[text]);
    let value = bundle.definitions[0].object.root().to_json();
    assert_eq!(
        value,
        serde_json::json!({
            "kind": "CustomResourceDefinition",
            "apiVersion": "apiextensions.k8s.io/v1",
            "metadata": { "name": "a" },
            "spec": {
                "group": "g",
                "names": { "kind": "A", "plural": "a" },
                "scope": "Namespaced",
                "versions": [{ "name": "v1", "served": false, "storage": false, "schema": { "openAPIV3Schema": {
                    "type": "object",
                    "additionalProperties": { "type": "string" },
                    "properties": {
                        "p": { "items": { "type": "string" }, "enum": [1, "a", null] },
                        "q": { "additionalProperties": true, "minimum": 0 },
                    },
                } } }],
            },
            "status": {
                "conditions": null,
                "acceptedNames": { "kind": "", "plural": "" },
                "storedVersions": null,
            },
        })
    );
}

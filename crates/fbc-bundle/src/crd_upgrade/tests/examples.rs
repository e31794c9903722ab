//! The examples of the product document, section 5.4 (D-CRD-18 to D-CRD-22, X-30, X-31).

use super::*;

/// The definition of example 5.19 with another part; X-30: under the name that an API server accepts.
fn example(change: impl Fn(&str) -> String) -> Document {
    read(&change(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: samples.test.example.com
spec:
  group: test.example.com
  names: {kind: Sample, listKind: SampleList, plural: samples, singular: sample}
  scope: Namespaced
  versions:
  - name: v1alpha1
    schema:
      openAPIV3Schema:
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec: {type: object}
          status: {type: object}
          pollInterval: {type: string}
        type: object
    served: true
    storage: true
    subresources: {status: {}}
",
    ))
}

/// Old is the example, new the example with a replacement; the error of 4.19 under the document's name (X-30).
fn example_error(from: &str, to: &str) -> String {
    let (old, new) = (example(str::to_owned), example(|text| text.replace(from, to)));
    upgrade(&old, &new, Target::Ocp419).error.replace("samples.test.example.com", "test.example.com")
}

const EXAMPLE_PREFIX: &str = "validating upgrade for CRD \"test.example.com\" failed: CustomResourceDefinition \
                              test.example.com failed upgrade safety validation. ";

/// D-CRD-18, X-30: the definition that the examples start from.
#[test]
fn d_crd_18_example() {
    let document = example(str::to_owned);
    let definition = Definition::read(document.root()).unwrap();
    assert_eq!((definition.scope, definition.resource_kind), ("Namespaced", "Sample"));
    assert_eq!(definition.stored_versions, ["v1alpha1"]);
    assert!(upgrade(&document, &example(str::to_owned), Target::Ocp419).changes.is_empty());
}

/// D-CRD-19
#[test]
fn d_crd_19_example_of_scope() {
    assert_eq!(
        example_error("Namespaced", "Cluster"),
        format!(
            r#"{EXAMPLE_PREFIX}"NoScopeChange" validation failed: scope changed from "Namespaced" to "Cluster""#
        )
    );
}

/// D-CRD-20
#[test]
fn d_crd_20_example_of_stored_version() {
    assert_eq!(
        example_error("v1alpha1", "v1alpha2"),
        format!(
            r#"{EXAMPLE_PREFIX}"NoStoredVersionRemoved" validation failed: stored version "v1alpha1" removed"#
        )
    );
}

/// D-CRD-21, X-31: the path of the example fits a schema whose field is in `spec`; the second line, which the
/// document leaves out, comes from the source.
#[test]
fn d_crd_21_example_of_removed_field() {
    let in_spec = |with: &str| {
        example(|text| {
            text.replace("          pollInterval: {type: string}\n", "").replace(
                "spec: {type: object}",
                &format!("spec: {{type: object, properties: {{b: {{}}{with}}}}}"),
            )
        })
    };
    let (old, new) = (in_spec(", pollInterval: {type: string}"), in_spec(""));
    let error =
        upgrade(&old, &new, Target::Ocp419).error.replace("samples.test.example.com", "test.example.com");
    let (first, second) = error.split_once('\n').unwrap();
    assert_eq!(
        first,
        format!(
            r#"{EXAMPLE_PREFIX}"NoExistingFieldRemoved" validation failed: crd/test.example.com version/v1alpha1 field/^.spec.pollInterval may not be removed"#
        )
    );
    assert!(second.ends_with(
        r#""ChangeValidator" validation failed: calculating schema diff for CRD version "v1alpha1""#
    ));
}

/// D-CRD-22, X-31: the document's words, which are kapp's.
#[test]
fn d_crd_22_example_of_required_field() {
    assert_eq!(
        example_error(
            "        type: object\n    served",
            "        type: object\n        required: [pollInterval]\n    served"
        ),
        format!(
            r#"{EXAMPLE_PREFIX}"ChangeValidator" validation failed: version "v1alpha1", field "^": new required fields added: [pollInterval]"#
        )
    );
}

/// How go-cmp compares the bytes of `v1.JSON`: values of one byte are printed, longer ones by pieces that show where
/// they differ, and nothing is said of those that nearly agree. Made with the reference.
#[test]
fn raw_values_print_as_bytes_do() {
    let error = |old: &str, new: &str| {
        let with = |attributes: &str| {
            example(|text| {
                text.replace(
                    "pollInterval: {type: string}",
                    &format!("pollInterval: {{type: string{attributes}}}"),
                )
            })
        };
        let told = upgrade(&with(old), &with(new), Target::Latest);
        let mut messages: Vec<String> = told
            .messages
            .iter()
            .map(|message| message.rsplit("pollInterval: ").next().unwrap().to_owned())
            .collect();
        messages.sort();
        messages
    };
    for (old, new, expected) in RAW_VALUES {
        assert_eq!(error(old, new), *expected, "{old} {new}");
    }
}

const RAW_VALUES: &[(&str, &str, &[&str])] = &[
    (
        r#", example: 1"#,
        r#", example: 2"#,
        &[
            r#"unhandled: unhandled changes found (Example &JSON{Raw: []uint8{0x31}} -> &JSON{Raw: []uint8{0x32}})"#,
        ],
    ),
    (r#", example: 1"#, r#", example: [1, 2]"#, &[r#"unhandled: unhandled changes found"#]),
    (r#", example: [1, 2]"#, r#", example: [1, 3]"#, &[r#"unhandled: unhandled changes found"#]),
    (
        r#", example: {a: b}"#,
        r#", example: {c: d, e: f}"#,
        &[r#"unhandled: unhandled changes found (`a" "b` -> <empty>; `c" <empty> -> "d","e":"f`)"#],
    ),
    (
        r#", example: {some: value that is rather long}"#,
        r#", example: {other: value that is rather long too}"#,
        &[r#"unhandled: unhandled changes found"#],
    ),
    (
        r#""#,
        r#", enum: [a, null]"#,
        &[r#"enum: enum constraint added when there was none previously : [ "a"]"#],
    ),
    (
        r#", anyOf: [{enum: [a, b]}]"#,
        r#", anyOf: [{enum: [a, c]}, {default: null}]"#,
        &[
            r#"unhandled: unhandled changes found"#,
            r#"v1alpha1: ^.pollInterval.anyOf[0]: enum: allowed enum values removed : ["b"]"#,
        ],
    ),
    (
        r#", anyOf: [{default: 1}]"#,
        r#", anyOf: [{default: [1, 2]}]"#,
        &[
            r#"unhandled: unhandled changes found"#,
            r#"v1alpha1: ^.pollInterval.anyOf[0]: default: default value changed : "1" -> "[1,2]""#,
        ],
    ),
];

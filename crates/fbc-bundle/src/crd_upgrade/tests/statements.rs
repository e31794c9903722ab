//! One test for each statement D-CRD-*; what the cluster does with the answer is tested where clusters are.

use super::*;

/// The field changes so that both targets refuse it, in these words of crdify and of 4.19.
fn is_prevented(old: &str, new: &str, latest: &str, first: &str) {
    let told = field_changes(old, new, Target::Latest);
    assert!(!told.is_safe);
    assert_eq!(told.messages, [format!("v1alpha1: ^.a: {latest}")], "{old} to {new}");
    let told = field_changes(old, new, Target::Ocp419);
    assert!(!told.is_safe);
    let validator = "CustomResourceDefinition samples.test.example.com failed upgrade safety validation. \
                     \"ChangeValidator\" validation failed: version \"v1alpha1\", field \"^.a\"";
    assert_eq!(told.messages, [format!("{validator}: {first}")], "{old} to {new}");
}

fn is_allowed(old: &Document, new: &Document) {
    for target in TARGETS {
        let told = upgrade(old, new, target);
        assert_eq!(told.messages, [""; 0], "{target}");
        assert!(told.is_safe);
        assert!(!told.changes.is_empty(), "harmless changes are listed");
        assert!(told.changes.iter().all(|change| change.class == Class::Harmless), "{:?}", told.changes);
    }
}

fn field(attributes: &str) -> Document {
    definition(&format!("{{type: object, properties: {{a: {attributes}}}}}"))
}

/// D-CRD-1: the check is made between what is installed and what comes, before anything changes.
#[test]
fn d_crd_1_compares_old_and_new() {
    for target in TARGETS {
        let same = field("{type: string}");
        let told = upgrade(&same, &same, target);
        assert!(told.is_safe && told.changes.is_empty() && told.error.is_empty());
        assert!(!field_changes("{type: string}", "{type: integer}", target).is_safe);
    }
}

/// D-CRD-2
#[test]
fn d_crd_2_new_required_field() {
    is_prevented(
        "{type: object}",
        "{type: object, required: [b]}",
        "required: new required fields: [b]",
        "new required fields added: [b]",
    );
}

/// D-CRD-3: current releases also report every attribute of the removed field.
#[test]
fn d_crd_3_field_removed() {
    let (old, new) = (field("{type: string}"), definition("{type: object}"));
    assert_eq!(
        upgrade(&old, &new, Target::Latest).messages,
        [
            "existingFieldRemoval: removed field : v1alpha1.^.a",
            r#"v1alpha1: ^.a: type: type changed : "string" -> """#
        ]
    );
    let told = upgrade(&old, &new, Target::Ocp419);
    assert_eq!(told.messages.len(), 2);
    assert!(told.messages[0].ends_with(
        "\"NoExistingFieldRemoved\" validation failed: crd/samples.test.example.com version/v1alpha1 field/^.a may \
         not be removed"
    ));
    assert!(told.messages[1].ends_with(
        "\"ChangeValidator\" validation failed: calculating schema diff for CRD version \"v1alpha1\""
    ));
}

/// D-CRD-4
#[test]
fn d_crd_4_type_changed() {
    is_prevented(
        "{type: string}",
        "{type: integer}",
        r#"type: type changed : "string" -> "integer""#,
        r#"type changed from "string" to "integer""#,
    );
}

/// D-CRD-5 (a)
#[test]
fn d_crd_5a_default_added() {
    is_prevented(
        "{type: integer}",
        "{type: integer, default: 1}",
        r#"default: default added when there was none previously : "1""#,
        r#"default value "1" added when there was no default previously"#,
    );
}

/// D-CRD-5 (b)
#[test]
fn d_crd_5b_default_changed() {
    is_prevented(
        "{type: integer, default: 1}",
        "{type: integer, default: 2}",
        r#"default: default value changed : "1" -> "2""#,
        r#"default value changed from "1" to "2""#,
    );
}

/// D-CRD-5 (c)
#[test]
fn d_crd_5c_default_removed() {
    is_prevented(
        "{type: integer, default: 1}",
        "{type: integer}",
        r#"default: default value removed : "1""#,
        r#"default value "1" removed"#,
    );
}

/// D-CRD-6
#[test]
fn d_crd_6_enum_added() {
    is_prevented(
        "{type: string}",
        "{type: string, enum: [a]}",
        r#"enum: enum constraint added when there was none previously : ["a"]"#,
        r#"enum constraints ["a"] added when there were no restrictions previously"#,
    );
}

/// D-CRD-7
#[test]
fn d_crd_7_enum_value_removed() {
    is_prevented(
        "{type: string, enum: [a, b]}",
        "{type: string, enum: [b]}",
        r#"enum: allowed enum values removed : ["a"]"#,
        r#"enums ["a"] removed from the set of previously allowed values"#,
    );
}

/// D-CRD-8
#[test]
fn d_crd_8_minimum_increased() {
    is_prevented(
        "{minimum: 1}",
        "{minimum: 2}",
        "minimum: minimum increased : 1 -> 2",
        "minimum: constraint increased from 1 to 2",
    );
}

/// D-CRD-9
#[test]
fn d_crd_9_maximum_decreased() {
    is_prevented(
        "{maximum: 2}",
        "{maximum: 1}",
        "maximum: maximum decreased : 2 -> 1",
        "maximum: constraint decreased from 2 to 1",
    );
}

/// D-CRD-10
#[test]
fn d_crd_10_minimum_or_maximum_added() {
    for side in ["minimum", "maximum"] {
        is_prevented(
            "{type: integer}",
            &format!("{{type: integer, {side}: 1}}"),
            &format!("{side}: {side} constraint added when there was none previously : 1"),
            &format!("{side}: constraint 1 added when there were no restrictions previously"),
        );
    }
}

/// D-CRD-11: one vector for each attribute and each rule.
#[test]
fn d_crd_11_every_bound() {
    for (attribute, side, word, old, new) in [
        ("minimum", "minimum", "increased", 1, 2),
        ("minLength", "minimum", "increased", 1, 2),
        ("minProperties", "minimum", "increased", 1, 2),
        ("minItems", "minimum", "increased", 1, 2),
        ("maximum", "maximum", "decreased", 2, 1),
        ("maxLength", "maximum", "decreased", 2, 1),
        ("maxProperties", "maximum", "decreased", 2, 1),
        ("maxItems", "maximum", "decreased", 2, 1),
    ] {
        is_prevented(
            &format!("{{{attribute}: {old}}}"),
            &format!("{{{attribute}: {new}}}"),
            &format!("{attribute}: {side} {word} : {old} -> {new}"),
            &format!("{attribute}: constraint {word} from {old} to {new}"),
        );
        is_prevented(
            "{}",
            &format!("{{{attribute}: 7}}"),
            &format!("{attribute}: {side} constraint added when there was none previously : 7"),
            &format!("{attribute}: constraint 7 added when there were no restrictions previously"),
        );
        is_allowed(&field(&format!("{{{attribute}: {new}}}")), &field(&format!("{{{attribute}: {old}}}")));
        is_allowed(&field(&format!("{{{attribute}: 7}}")), &field("{}"));
    }
}

/// D-CRD-12 (a)
#[test]
fn d_crd_12a_scope_change() {
    let of = |scope: &str| versions(&format!("[{}]", version("v1alpha1", "{}")), scope, "");
    for (old, new) in [("Namespaced", "Cluster"), ("Cluster", "Namespaced")] {
        assert_eq!(
            upgrade(&of(old), &of(new), Target::Latest).messages,
            [format!("scope: scope changed : \"{old}\" -> \"{new}\"")]
        );
        let told = upgrade(&of(old), &of(new), Target::Ocp419);
        assert_eq!(told.messages.len(), 1);
        assert!(told.messages[0].ends_with(&format!("scope changed from \"{old}\" to \"{new}\"")));
    }
}

/// D-CRD-12 (b)
#[test]
fn d_crd_12b_stored_version_removed() {
    let of = |name: &str| versions(&format!("[{}]", version(name, "{}")), "Namespaced", "");
    let (old, new) = (of("v1alpha1"), of("v1"));
    assert_eq!(
        upgrade(&old, &new, Target::Latest).messages,
        ["storedVersionRemoval: stored versions removed : [v1alpha1]"]
    );
    let told = upgrade(&old, &new, Target::Ocp419);
    assert_eq!(told.messages.len(), 1);
    assert!(told.messages[0].ends_with(r#"stored version "v1alpha1" removed"#));
}

/// D-CRD-13: one error per forbidden change.
#[test]
fn d_crd_13_one_error_for_each_change() {
    let of = |a: &str, b: &str| definition(&format!("{{properties: {{a: {a}, b: {b}}}}}"));
    let old = of("{type: string, maxLength: 5}", "{}");
    let new = of("{type: integer, maxLength: 4}", "{default: 1}");
    for target in TARGETS {
        let told = upgrade(&old, &new, target);
        assert_eq!(told.messages.len(), 3, "{:?}", told.messages);
        assert_eq!(told.changes.iter().filter(|change| change.class == Class::Refused).count(), 3);
    }
}

/// D-CRD-14
#[test]
fn d_crd_14_unknown_change() {
    let (old, new) = ("{format: date}", "{format: email}");
    assert_eq!(
        field_changes(old, new, Target::Latest).messages,
        [r#"v1alpha1: ^.a: unhandled: unhandled changes found (Format "date" -> "email")"#]
    );
    let told = field_changes(old, new, Target::Ocp419);
    assert_eq!(told.messages.len(), 1);
    assert!(told.messages[0].ends_with(
        r#"version "v1alpha1", field "^.a" has unknown change, refusing to determine that change is safe"#
    ));
}

/// D-CRD-15 (a)
#[test]
fn d_crd_15a_enum_value_added() {
    is_allowed(&field("{enum: [a]}"), &field("{enum: [a, b]}"));
}

/// D-CRD-15 (b)
#[test]
fn d_crd_15b_required_field_made_optional() {
    is_allowed(&field("{required: [b, c]}"), &field("{required: [c]}"));
}

/// D-CRD-15 (c)
#[test]
fn d_crd_15c_minimum_decreased() {
    is_allowed(&field("{minimum: 2}"), &field("{minimum: 1}"));
}

/// D-CRD-15 (d)
#[test]
fn d_crd_15d_maximum_increased() {
    is_allowed(&field("{maximum: 2}"), &field("{maximum: 3}"));
}

/// D-CRD-15 (e)
#[test]
fn d_crd_15e_version_added() {
    let old = field("{type: string}");
    let schema = "{type: object, properties: {a: {type: string}}}";
    let both = format!("[{}, {}]", version("v1alpha1", schema), version("v1beta1", schema));
    is_allowed(&old, &versions(&both, "Namespaced", ""));
}

/// D-CRD-16: with enforcement None nothing is checked; it is all or nothing.
#[test]
fn d_crd_16_enforcement_none() {
    let (old, new) = (field("{type: string, default: x}"), definition("{type: object, required: [b]}"));
    for target in TARGETS {
        assert!(!upgrade(&old, &new, target).is_safe);
        let told = upgrade_with(&old, &new, target, Enforcement::None);
        assert!(told.is_safe && told.messages.is_empty() && told.error.is_empty());
        assert!(told.changes.iter().any(|change| change.class == Class::Risky), "what breaks is still told");
    }
}

/// D-CRD-17: the API server refuses scope changes and removal of stored versions even so.
#[test]
fn d_crd_17_api_server_refuses_even_so() {
    let of = |name: &str, scope: &str| versions(&format!("[{}]", version(name, "{}")), scope, "");
    let old = of("v1alpha1", "Namespaced");
    let prefix = "CustomResourceDefinition.apiextensions.k8s.io \"samples.test.example.com\" is invalid: ";
    for target in TARGETS {
        let told = upgrade_with(&old, &of("v1alpha1", "Cluster"), target, Enforcement::None);
        assert!(!told.is_safe);
        assert_eq!(
            told.messages,
            [format!("{prefix}spec.scope: Invalid value: \"Cluster\": field is immutable")]
        );
        let told = upgrade_with(&old, &of("v1", "Namespaced"), target, Enforcement::None);
        assert!(!told.is_safe);
        let text = "status.storedVersions[0]: Invalid value: \"v1alpha1\": m";
        assert!(told.messages[0].starts_with(&format!("{prefix}{text}")), "{:?}", told.messages);
    }
}

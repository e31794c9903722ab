//! Writes of definitions, and the conditions that they go through.

use serde_json::{Value, json};

use super::recorded::recording;
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};
use crate::schema::{Specifications, check, conditions};
use crate::time::Moment;

#[test]
fn definitions_are_refused_as_recorded() {
    let Some(cases) = recording("invalid-crds.json") else { return };
    for case in cases.as_array().expect("cases") {
        let mut object = case["crd"].clone();
        check::prepare_for_create(&mut object);
        let errors = check::validate(&object, None, &Specifications::default());
        let name = case.text(&["name"]);
        if case["result"]["code"] == 201 {
            assert_eq!(errors, [], "{name}");
            continue;
        }
        let refusal =
            ApiError::invalid("apiextensions.k8s.io", "CustomResourceDefinition", object.name(), errors)
                .to_status();
        assert_eq!(refusal["message"], case["result"]["message"], "{name}");
        assert_eq!(refusal["details"]["causes"], case["result"]["causes"], "{name}");
    }
}

fn definition(plural: &str, kind: &str, short_name: &str) -> Object {
    let mut object = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.example.com")},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind, "shortNames": [short_name]},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }],
        },
    });
    check::prepare_for_create(&mut object);
    object
}

/// Type, status, reason and message of all conditions.
fn conditions_of(object: &Object) -> Vec<[&str; 4]> {
    let one = |condition: &'_ Value| {
        ["type", "status", "reason", "message"]
            .map(|part| condition[part].as_str().unwrap_or_default().to_owned())
    };
    object
        .list(&["status", "conditions"])
        .iter()
        .map(one)
        .map(|parts| parts.map(|part| &*part.leak()))
        .collect()
}

/// The same of a recorded transition.
fn recorded_conditions(transition: &Value) -> Value {
    transition["change"]["conditions"].clone()
}

#[test]
fn conditions_follow_the_recorded_sequences() {
    let Some(cases) = recording("lifecycle.json") else { return };
    let case = |name: &str| {
        cases.as_array().into_iter().flatten().find(|case| case["name"] == name).expect("a case")
    };
    let now = Moment::START;
    let as_recorded = |object: &Object| -> Value {
        let conditions = conditions_of(object).into_iter().map(|[name, status, reason, message]| {
            json!({"type": name, "status": status, "reason": reason, "message": message})
        });
        conditions.collect()
    };

    let mut gadgets = definition("gadgets", "Gadget", "gd");
    let recorded = &case("create")["transitions"];
    assert_eq!(gadgets["status"]["storedVersions"], recorded[0]["set"]["storedVersions"]);
    assert!(conditions::accept_names(&mut gadgets, [].into_iter(), now));
    assert_eq!(as_recorded(&gadgets), recorded_conditions(&recorded[1]));
    assert_eq!(
        gadgets["status"]["acceptedNames"],
        json!({
            "kind": "Gadget", "listKind": "GadgetList", "plural": "gadgets", "shortNames": ["gd"], "singular": "gadget",
        })
    );
    assert!(!conditions::accept_names(&mut gadgets, [].into_iter(), now));
    assert!(conditions::establish(&mut gadgets, now));
    assert!(!conditions::establish(&mut gadgets, now));
    let established = &recorded[2]["change"]["conditions[Established]"];
    assert_eq!(as_recorded(&gadgets)[1]["reason"], established["reason"]);

    let recorded = &case("delete-with-instance-held-by-finalizer")["transitions"];
    conditions::begin_deletion(&mut gadgets, now);
    assert_eq!(gadgets["metadata"]["finalizers"], recorded[0]["change"]["finalizers"]);
    assert!(gadgets.is_terminating());
    assert_eq!(as_recorded(&gadgets), recorded_conditions(&recorded[0]));
    let refusal = conditions::creation_refusal(&gadgets).expect("a refusal");
    let message = case("delete-with-instance-held-by-finalizer")["steps"][1]["result"]["message"].clone();
    assert_eq!(json!(ApiError::forbidden("example.com", "gadgets", "g2", refusal).message), message);
}

#[test]
fn names_conflict_until_the_other_definition_is_gone() {
    let Some(cases) = recording("lifecycle.json") else { return };
    let case =
        cases.as_array().into_iter().flatten().find(|case| case["name"] == "names-conflict").expect("a case");
    let now = Moment::START;
    let mut first = definition("aaas", "Thing", "tt");
    conditions::accept_names(&mut first, [].into_iter(), now);
    let mut second = definition("bbbs", "Thing", "tt");
    assert!(conditions::accept_names(&mut second, [&first].into_iter(), now));
    let recorded = &case["transitions"][1]["change"];
    for (index, condition) in recorded["conditions"].as_array().into_iter().flatten().enumerate() {
        for part in ["type", "status", "reason", "message"] {
            assert_eq!(second["status"]["conditions"][index][part], condition[part]);
        }
    }
    assert_eq!(second["status"]["acceptedNames"], json!({"kind": "", "plural": "bbbs"}));
    assert!(!conditions::establish(&mut second, now));
    assert!(conditions::accept_names(&mut second, [].into_iter(), now));
    assert_eq!(
        second.condition("NamesAccepted").map(|condition| condition.text(&["reason"])),
        Some("NoConflicts")
    );
    assert!(conditions::establish(&mut second, now));
}

#[test]
fn approval_of_protected_groups_shows() {
    let mut object = definition("protects", "Protect", "pr");
    assert!(!conditions::approval_condition(&mut object, Moment::START));
    object["spec"]["group"] = "foo.k8s.io".into();
    object.set(&["metadata", "annotations"], json!({"api-approved.kubernetes.io": "unapproved, test"}));
    assert!(conditions::approval_condition(&mut object, Moment::START));
    let found = conditions_of(&object);
    let message = "not approved: \"unapproved, test\"";
    assert_eq!(found, [["KubernetesAPIApprovalPolicyConformant", "False", "UnapprovedAnnotation", message]]);
}

/// The errors of a definition whose field `spec.a` has this schema.
fn errors_of(part: Value) -> Vec<String> {
    let mut object = definition("xs", "X", "x");
    let schema =
        json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": part}}}});
    object["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema;
    let prefix = "spec.validation.openAPIV3Schema.properties[spec].properties[a].";
    let errors = check::validate(&object, None, &Specifications::default());
    errors.iter().map(|error| error.to_string().replace(prefix, "")).collect()
}

#[test]
fn schemas_are_refused_place_by_place() {
    for (part, wanted) in [
        (json!({"type": "string", "default": "a", "maxLength": 1}), &[][..]),
        (
            json!({"type": "string", "default": 5}),
            &["default: Invalid value: \"integer\":  in body must be of type string: \"integer\""],
        ),
        (
            json!({"type": "object", "properties": {"b": {"type": "string"}}, "default": {"b": 1, "c": 2}}),
            &[
                "default: Invalid value: {\"b\":1,\"c\":2}: must not have unknown fields",
                "default.b: Invalid value: \"integer\": b in body must be of type string: \"integer\"",
            ],
        ),
        (json!({}), &["type: Required value: must not be empty for specified object fields"]),
        (
            json!({"type": "object", "properties": {"b": {"type": "string"}}, "anyOf": [{"properties": {"b": {"type": "string"}}}]}),
            &["anyOf[0].properties[b].type: Forbidden: must be empty to be structural"],
        ),
        (
            json!({"type": "string", "uniqueItems": true}),
            &[
                "uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
            ],
        ),
        (
            json!({"type": "thing"}),
            &[
                "type: Unsupported value: \"thing\": supported values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\"",
            ],
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "bag"}),
            &[
                "x-kubernetes-list-type: Unsupported value: \"bag\": supported values: \"atomic\", \"set\", \"map\"",
            ],
        ),
        (
            json!({"type": "array", "maxItems": 9, "items": {
                "type": "string", "maxLength": 9, "x-kubernetes-validations": [{"rule": "self == oldSelf"}],
            }}),
            &[
                "items.x-kubernetes-validations[0].rule: Invalid value: \"self == oldSelf\": oldSelf cannot be used on the \
               uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec].properties[a]",
            ],
        ),
        (
            json!({"type": "string", "x-kubernetes-validations": [{"rule": " "}, {"rule": "true", "reason": "Other"}]}),
            &[
                "x-kubernetes-validations[0].rule: Required value: rule is not specified",
                "x-kubernetes-validations[1].reason: Unsupported value: \"Other\": supported values: \
                 \"FieldValueDuplicate\", \"FieldValueForbidden\", \"FieldValueInvalid\", \"FieldValueRequired\"",
            ],
        ),
        (
            json!({"type": "string", "x-kubernetes-validations": [{"rule": "true", "messageExpression": "1"}]}),
            &[
                "x-kubernetes-validations[0].messageExpression: Invalid value: {\"Rule\":\"true\",\"Message\":\"\",\
               \"MessageExpression\":\"1\",\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}: \
               messageExpression must evaluate to a string",
            ],
        ),
    ] {
        assert_eq!(errors_of(part.clone()), wanted, "{part}");
    }
}

#[test]
fn names_and_versions_of_updates_stay() {
    let mut old = definition("xs", "X", "x");
    conditions::accept_names(&mut old, [].into_iter(), Moment::START);
    conditions::establish(&mut old, Moment::START);
    let mut new = old.clone();
    new["spec"]["scope"] = "Cluster".into();
    new["spec"]["versions"][0]["name"] = "v2".into();
    check::prepare_for_update(&mut new, &old);
    let errors: Vec<String> = check::validate(&new, Some(&old), &Specifications::default())
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(errors[0], "spec.scope: Invalid value: \"Cluster\": field is immutable");
    assert!(
        errors[1].starts_with(
            "status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions; v1 was"
        )
    );
    assert_eq!(new["status"]["storedVersions"], json!(["v1", "v2"]));
}

#[test]
fn unknown_formats_are_warned_about_once() {
    let mut object = definition("xs", "X", "x");
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "string", "format": "phone"}, "b": {"type": "string", "format": "date-time"},
        "c": {"type": "integer", "format": "int64"},
    }});
    object["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema;
    assert_eq!(check::warnings(&object, None), ["unrecognized format \"phone\""]);
    assert!(check::warnings(&object, Some(&object)).is_empty());
}

/// All definitions that bundles bring along.
fn real_definitions() -> Option<Vec<(String, Object)>> {
    let folder = fbc_testing::recordings("bundles")?;
    // Bundles of one operator mostly bring the same definitions along.
    let mut seen = std::collections::BTreeSet::new();
    let (mut folders, mut found) = (vec![folder], Vec::new());
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if !text.contains("CustomResourceDefinition") || !seen.insert(text.clone()) {
                continue;
            }
            let Ok(document) = fbc_yaml::stream::read_one(text.as_bytes()) else { continue };
            let object: Value =
                serde_json::from_str(&fbc_yaml::json_writer::compact(document.root())).unwrap_or_default();
            if object.kind() == "CustomResourceDefinition"
                && object.api_version() == "apiextensions.k8s.io/v1"
            {
                found.push((path.display().to_string(), object));
            }
        }
    }
    found.sort_by(|left, right| left.0.cmp(&right.0));
    Some(found)
}

#[test]
fn definitions_of_real_bundles_are_accepted() {
    let Some(definitions) = real_definitions() else { return };
    assert!(!definitions.is_empty());
    println!("{} definitions", definitions.len());
    let mut refused = Vec::new();
    for (file, mut object) in definitions {
        check::prepare_for_create(&mut object);
        for error in check::validate(&object, None, &Specifications::default()) {
            refused.push(format!("{file}: {error}"));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

//! Writes of definitions, and the conditions that they go through.

use serde_json::{Value, json};

use super::recorded::recording;
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};
use crate::schema::{check, conditions};
use crate::time::Moment;

#[test]
fn definitions_are_refused_as_recorded() {
    let Some(cases) = recording("invalid-crds.json") else { return };
    for case in cases.as_array().expect("cases") {
        let mut object = case["crd"].clone();
        check::prepare_for_create(&mut object);
        let errors = check::validate(&object, None);
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
    gadgets.set(&["metadata", "deletionTimestamp"], now.to_string());
    gadgets.set(&["metadata", "finalizers"], json!([conditions::FINALIZER]));
    conditions::begin_deletion(&mut gadgets, now);
    assert_eq!(as_recorded(&gadgets), recorded_conditions(&recorded[0]));
    let refusal = conditions::creation_refusal(&gadgets).expect("a refusal");
    let message = case("delete-with-instance-held-by-finalizer")["steps"][1]["result"]["message"].clone();
    assert_eq!(json!(ApiError::forbidden("example.com", "gadgets", "g2", refusal).message), message);
    assert!(conditions::delete_instances(&mut gadgets, now));
    assert_eq!(
        as_recorded(&gadgets)[2]["reason"],
        recorded[1]["change"]["conditions[Terminating]"]["reason"]
    );
    conditions::finish_deletion(&mut gadgets, now);
    assert_eq!(gadgets.finalizers().count(), 0);
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

//! Recordings of an API server: objects against a definition.

use serde_json::{Value, json};

use crate::error::ApiError;
use crate::object::ObjectFields;
use crate::schema::{Definition, strict};

/// A file of the recordings, if they are there.
pub(super) fn recording(file: &str) -> Option<Value> {
    fbc_testing::recorded_json(&format!("kube/10f-crd/{file}"))
}

/// The causes of a refusal as a set: their order is random in the reference.
fn causes(result: &Value) -> Vec<String> {
    let mut causes: Vec<String> = result["causes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|cause| format!("{} {}: {}", cause["reason"], cause["field"], cause["message"]))
        .collect();
    causes.sort();
    causes
}

#[test]
fn objects_are_validated_as_recorded() {
    let (Some(cases), Some(crd)) = (recording("cr-validation.json"), recording("widget-crd.json")) else {
        return;
    };
    let definition = Definition::read(&crd);
    let version = definition.version("v1").expect("a version");
    let mut checked = 0;
    for case in cases.as_array().expect("cases") {
        let name = case.text(&["name"]);
        let result = &case["result"];
        let mut object = json!({
            "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "default"},
        });
        let mut old = None;
        match case.text(&["op"]) {
            "create Widget" if case.get("object").is_some() => {
                let fields = case["object"].as_object().expect("an object").clone();
                object.as_object_mut().expect("an object").extend(fields);
            }
            "patch Widget" if case.at(&["patch", "metadata"]).is_none() => {
                object["metadata"]["name"] = "u".into();
                object["spec"] = case["existing.spec"].clone();
                version.admit(&mut object).expect("small defaults");
                old = Some(object.clone());
                for (field, value) in case["patch"]["spec"].as_object().into_iter().flatten() {
                    object["spec"][field.as_str()] = value.clone();
                }
            }
            // What is wrong with metadata, and what subresources do, is decided elsewhere.
            _ => continue,
        }
        checked += 1;
        if case.text(&["query", "fieldValidation"]) == "Strict" {
            let refusal =
                strict::refusal("Widget", "v1", &version.unknown_fields(&object), &[]).expect("a refusal");
            assert_eq!(refusal.message, result.text(&["message"]), "{name}");
            continue;
        }
        version.admit(&mut object).expect("small defaults");
        let errors = version.validate(&object, old.as_ref());
        if errors.is_empty() {
            assert!(result["code"].as_u64().is_some_and(|code| code < 300), "{name} was refused: {result}");
            assert_eq!(object["spec"], result["spec"], "{name}");
        } else {
            let refusal = ApiError::invalid("example.com", "Widget", object.name(), errors).to_status();
            assert_eq!(result["code"], 422, "{name} was accepted: {}", refusal["message"]);
            assert_eq!(causes(&refusal["details"]), causes(result), "{name}");
            if result["causes"].as_array().is_some_and(|causes| causes.len() == 1) {
                assert_eq!(refusal["message"], result["message"], "{name}");
            }
        }
    }
    println!("{checked} cases");
    assert!(checked > 40);
}

#[test]
fn command_lines_print_what_validation_says() {
    let (Some(cases), Some(crd)) = (recording("kubectl.json"), recording("widget-crd.json")) else { return };
    let definition = Definition::read(&crd);
    let version = definition.version("v1").expect("a version");
    let mut compared = 0;
    for case in cases.as_array().expect("cases") {
        let spec = fbc_yaml::stream::read_one(case.text(&["stdin"]).as_bytes()).expect("YAML");
        let mut object: Value =
            serde_json::from_str(&fbc_yaml::json_writer::compact(spec.root())).expect("JSON");
        let unknown = version.unknown_fields(&object);
        version.admit(&mut object).expect("small defaults");
        let mut lines: Vec<String> =
            version.validate(&object, None).iter().map(ToString::to_string).collect();
        if let Some(refusal) = strict::refusal("Widget", "v1", &unknown, &[]) {
            lines = vec![refusal.message];
        }
        for line in lines {
            assert!(case.text(&["stderr"]).contains(&line), "{}: {line}", case["name"]);
            compared += 1;
        }
    }
    assert!(compared > 0);
}

//! What an API server made of taints, tolerations and changes of pods, and kubectl's words for it.

use std::path::Path;

use serde_json::{Value, json};

use super::{admission, builtin_kinds, default, kubectl_text, validate, validate_update};
use crate::error::{ApiError, FieldError};
use crate::object::{Object, ObjectFields};
use crate::types::{decode, types};

fn recordings(file: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/kube/02-validation");
    match std::fs::read(folder.join(file)) {
        Ok(text) => serde_json::from_slice(&text).unwrap(),
        Err(_) => {
            eprintln!("skipped: no recordings");
            Vec::new()
        }
    }
}

/// What the API server does with an object of a built-in kind before it stores it.
fn accept(old: Option<&Object>, mut object: Object, strict: bool) -> Result<Object, ApiError> {
    let name = object.kind().to_owned();
    let (group, version) = object.api_version().split_once('/').unwrap_or(("", object.api_version()));
    let of = types().of_kind(group, version, &name).unwrap();
    let kind = builtin_kinds().into_iter().find(|kind| kind.kind == name && kind.group == group).unwrap();
    let version = version.to_owned();
    let refused = |text: String| {
        ApiError::bad_request(format!("{name} in version {version:?} cannot be handled as a {name}: {text}"))
    };
    let decoding = decode(&mut object, of).map_err(refused)?;
    if let Some(text) = decoding.strict_error().filter(|_| strict) {
        return Err(refused(text));
    }
    default(&mut object);
    match name.as_str() {
        "Pod" => admission::add_default_tolerations(&mut object),
        "Node" if old.is_none() => admission::taint_new_node(&mut object),
        _ => {}
    }
    let errors: Vec<FieldError> = match old {
        Some(old) => validate_update(&kind, old, &object),
        None => validate(&kind, &object),
    };
    if errors.is_empty() {
        Ok(object)
    } else {
        Err(ApiError::invalid(&kind.group, &name, object.name(), errors))
    }
}

fn pod(spec: Value) -> Object {
    let mut object = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": "default"},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    });
    for (field, value) in spec.as_object().unwrap() {
        object["spec"][field] = value.clone();
    }
    object
}

fn node(taints: &Value) -> Object {
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "x"}, "spec": {"taints": taints}})
}

fn assert_outcome(outcome: Result<Object, ApiError>, expected: &Value, list: &str, name: &str) {
    match outcome {
        Ok(object) => {
            assert!(expected["code"].as_u64() < Some(300), "{name} is refused");
            let mut found = object.at(&["spec", list]).cloned().unwrap_or_default();
            for item in found.as_array_mut().into_iter().flatten() {
                if item.get("timeAdded").is_some() {
                    item["timeAdded"] = "<time>".into();
                }
            }
            assert_eq!(found, expected[list], "{name}");
        }
        Err(error) => {
            let status = error.to_status();
            for field in ["code", "reason", "message"] {
                assert_eq!(status[field], expected[field], "{name}");
            }
            let causes = expected.get("causes").cloned().unwrap_or_else(|| json!([]));
            assert_eq!(status["details"]["causes"], causes, "{name}");
        }
    }
}

#[test]
fn taints_of_nodes() {
    for case in recordings("node-taints.json") {
        let outcome = accept(None, node(&case["spec.taints"]), false);
        assert_outcome(outcome, &case["result"], "taints", case.text(&["name"]));
    }
}

#[test]
fn tolerations_of_pods() {
    for case in recordings("pod-tolerations.json") {
        let outcome = accept(None, pod(json!({"tolerations": case["spec.tolerations"]})), false);
        assert_outcome(outcome, &case["result"], "tolerations", case.text(&["name"]));
    }
}

#[test]
fn changes_of_bound_pods() {
    for case in recordings("pod-update.json") {
        let bound = |tolerations: &Value| {
            let mut object = pod(json!({
                "tolerations": tolerations, "nodeName": "node1", "terminationGracePeriodSeconds": 1,
                "serviceAccountName": "default",
                // What OpenShift's API server adds for the service account.
                "volumes": [{"name": "kube-api-access-abcde", "projected": {"sources": [
                    {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                    {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                    {"configMap": {"name": "openshift-service-ca.crt", "items": [{"key": "service-ca.crt", "path": "service-ca.crt"}]}},
                    {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}},
                ]}}],
            }));
            let mount = json!([{"name": "kube-api-access-abcde", "readOnly": true, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}]);
            object["spec"]["containers"][0]["volumeMounts"] = mount;
            object.set(&["metadata", "name"], "upd");
            object
        };
        let old = accept(None, bound(&case["before"]), false).unwrap();
        let mut new = bound(&case["requested"]);
        match case.text(&["do"]) {
            "set nodeSelector" => new["spec"]["nodeSelector"] = json!({"a": "b"}),
            "change nodeName" => new["spec"]["nodeName"] = "node2".into(),
            _ => {}
        }
        let name = case.text(&["name"]);
        let outcome = accept(Some(&old), new, false);
        assert_outcome(outcome, &case["result"], "tolerations", name);
    }
}

#[test]
fn refusals_in_the_words_of_kubectl() {
    for case in recordings("kubectl.json") {
        let object = manifest(case.text(&["stdin"]));
        let error = accept(None, object, true).unwrap_err();
        let text = kubectl_text(&error, "error when creating \"STDIN\": ");
        assert_eq!(text, case.text(&["stderr"]), "{}", case["name"]);
    }
}

fn manifest(text: &str) -> Object {
    let document = fbc_yaml::stream::read_one(text.as_bytes()).unwrap();
    let mut object: Value = serde_json::from_str(&fbc_yaml::json_writer::compact(document.root())).unwrap();
    if object.kind() == "Pod" {
        object.set(&["metadata", "namespace"], "default");
    }
    object
}

//! What an API server made of taints, tolerations and changes of pods.

use serde_json::{Value, json};

use super::{builtin_kinds, default, validate, validate_update};
use crate::admission::pods as admission;
use crate::error::{ApiError, FieldError};
use crate::object::{Object, ObjectFields};
use crate::types::{decode, types};

fn recordings(file: &str) -> Vec<Value> {
    let cases = fbc_testing::recorded_json(&format!("kube/02-validation/{file}"));
    cases.map(|cases| serde_json::from_value(cases).unwrap()).unwrap_or_default()
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
    let decoding = decode(&mut object, of).map_err(|error| refused(error.to_string()))?;
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

/// The texts of a refusal, or none if the object is accepted.
fn refusal(old: Option<&Object>, object: Object) -> Vec<String> {
    match accept(old, object, false) {
        Ok(_) => Vec::new(),
        Err(error) => error.details.causes.iter().map(ToString::to_string).collect(),
    }
}

fn deployment(spec: Value) -> Object {
    let mut object = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": "n"},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
        },
    });
    for (field, value) in spec.as_object().unwrap() {
        object["spec"][field] = value.clone();
    }
    object
}

#[test]
fn workloads_select_their_own_pods_for_ever() {
    for (spec, expected) in [
        (json!({}), &[][..]),
        (json!({"selector": null}), &["spec.selector: Required value"][..]),
        (
            json!({"selector": {}}),
            &["spec.selector: Invalid value: {}: empty selector is invalid for deployment"][..],
        ),
        (
            json!({"selector": {"matchLabels": {"a": "c"}}}),
            &[
                "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not match template `labels`",
            ][..],
        ),
        (
            json!({"strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}}),
            &[
                "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
            ][..],
        ),
        (
            json!({"replicas": -1}),
            &["spec.replicas: Invalid value: -1: must be greater than or equal to 0"][..],
        ),
    ] {
        assert_eq!(refusal(None, deployment(spec.clone())), expected, "{spec}");
    }
    let old = accept(None, deployment(json!({})), false).unwrap();
    let mut new = deployment(json!({"selector": {"matchLabels": {"a": "c"}}}));
    new["spec"]["template"]["metadata"]["labels"] = json!({"a": "c"});
    assert_eq!(
        refusal(Some(&old), new),
        ["spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"c\"}}: field is immutable"]
    );
}

#[test]
fn small_kinds_are_judged() {
    let budget = |spec: Value| json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "x", "namespace": "n"}, "spec": spec});
    let role = |rule: Value| {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "a:b", "namespace": "n"},
            "rules": [rule],
        })
    };
    let service = |spec: Value| json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": "n"}, "spec": spec});
    for (object, expected) in [
        (
            budget(
                json!({"minAvailable": 1, "maxUnavailable": 1, "selector": {"matchLabels": {"app": "a"}}}),
            ),
            &[
                "spec: Invalid value: {\"MinAvailable\":1,\"Selector\":{\"matchLabels\":{\"app\":\"a\"}},\"MaxUnavailable\":1,\"UnhealthyPodEvictionPolicy\":null}: minAvailable and maxUnavailable cannot be both set",
            ][..],
        ),
        (
            budget(json!({"minAvailable": -1})),
            &["spec.minAvailable: Invalid value: -1: must be greater than or equal to 0"][..],
        ),
        (
            budget(json!({"minAvailable": "150%"})),
            &["spec.minAvailable: Invalid value: \"150%\": must not be greater than 100%"][..],
        ),
        (
            budget(json!({"unhealthyPodEvictionPolicy": "Never"})),
            &[
                "spec.unhealthyPodEvictionPolicy: Unsupported value: \"Never\": supported values: \"AlwaysAllow\", \"IfHealthyBudget\"",
            ][..],
        ),
        (role(json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]})), &[][..]),
        (
            role(json!({"apiGroups": [""], "resources": ["pods"]})),
            &["rules[0].verbs: Required value: verbs must contain at least one value"][..],
        ),
        (service(json!({"ports": [{"port": 80}]})), &[][..]),
        (service(json!({})), &["spec.ports: Required value"][..]),
        (
            service(json!({"ports": [{"port": 70000}]})),
            &["spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive"][..],
        ),
    ] {
        assert_eq!(refusal(None, object.clone()), expected, "{object}");
    }
}

#[test]
fn references_to_roles_stay() {
    let binding = |role: &str| {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
            "metadata": {"name": "b6", "namespace": "n"}, "roleRef": {"kind": "Role", "name": role},
            "subjects": [{"kind": "User", "name": "bob"}],
        })
    };
    let old = accept(None, binding("pod-reader"), false).unwrap();
    let error = accept(Some(&old), binding("fine"), false).unwrap_err();
    let causes: Vec<String> = error.details.causes.iter().map(ToString::to_string).collect();
    assert_eq!(
        causes,
        ["roleRef: Invalid value: \
          {\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":\"Role\",\"Name\":\"fine\"}: cannot change roleRef"]
    );
}

#[test]
fn defaults_are_what_an_api_server_shows() {
    let Some(cases) = fbc_testing::recorded_json("kube/10g-server-side-apply/cases.json") else { return };
    let cases: Vec<Value> = serde_json::from_value(cases).unwrap();
    let case = cases.iter().find(|case| case["name"] == "list-map-merge").unwrap();
    let shown = case.list(&["steps"]).last().unwrap()["object"]["spec"].clone();
    let mut object = case["steps"][0]["object"].clone();
    object.set(&["metadata", "namespace"], "ssa");
    object["spec"]["template"]["spec"]["containers"][0]["env"][0]["value"] = "9".into();
    let accepted = accept(None, object, true).unwrap();
    assert_eq!(accepted["spec"], shown);
}

#[test]
fn sizes_of_secrets_are_those_of_what_base64_stands_for() {
    let secret = |bytes: usize| {
        let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, vec![0u8; bytes]);
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "n"}, "data": {"a": text}})
    };
    assert_eq!(refusal(None, secret(1024 * 1024)), [] as [String; 0]);
    assert_eq!(
        refusal(None, secret(1024 * 1024 + 1)),
        ["data: Too long: may not be more than 1048576 bytes"]
    );
}

//! Webhooks that allow, deny, change, and cannot be reached; policies with parameters.

use serde_json::json;

use super::stand_in::{Answer, StandIn, WebhookBehaviour};
use crate::api::{ApiServer, Caller, DeleteOptions, WriteOptions};
use crate::control_plane::api_server;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::time::Moment;

fn server(answer: Option<Answer>) -> ApiServer {
    let mut api = api_server(&["sea"], 1, Moment::START);
    let behaviours =
        answer.into_iter().map(|answer| WebhookBehaviour { webhook: String::new(), answer }).collect();
    api.set_webhook_caller(Box::new(StandIn::new(behaviours)));
    api
}

fn create(api: &mut ApiServer, object: Object) -> Result<Object, String> {
    let caller = Caller::administrator("test");
    let created = api.create(&caller, object, WriteOptions::default());
    created.map(|object| Object::clone(&object)).map_err(|error| error.message)
}

fn configuration(kind: &str, changes: Object) -> Object {
    let mut webhook = json!({
        "name": "watch.sea.example", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "clientConfig": {"service": {"name": "watch", "namespace": "sea", "path": "/look"}},
        "rules": [{
            "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"],
            "operations": ["CREATE", "UPDATE", "DELETE"],
        }],
    });
    for (field, value) in changes.as_object().unwrap() {
        webhook.set(&[field.as_str()], value.clone());
    }
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "watch"},
        "webhooks": [webhook],
    })
}

fn map(name: &str) -> Object {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "sea"}, "data": {"a": "1"}})
}

#[test]
fn a_webhook_allows_denies_and_fails() {
    let failed = "Internal error occurred: failed calling webhook \"watch.sea.example\": failed to call webhook: Post \
                  \"https://watch.sea.svc:443/look?timeout=10s\": ";
    let kind = "ValidatingWebhookConfiguration";
    for (answer, changes, expected) in [
        (Some(Answer::Allow), json!({}), Ok(())),
        (
            Some(Answer::Deny("not today".into())),
            json!({}),
            Err("admission webhook \"watch.sea.example\" denied the request: not today".to_owned()),
        ),
        (Some(Answer::Deny("no".into())), json!({"objectSelector": {"matchLabels": {"a": "b"}}}), Ok(())),
        (Some(Answer::Deny("no".into())), json!({"namespaceSelector": {"matchLabels": {"a": "b"}}}), Ok(())),
        (
            Some(Answer::Deny("no".into())),
            json!({"matchConditions": [{"name": "b", "expression": "object.data.a == '2'"}]}),
            Ok(()),
        ),
        (Some(Answer::TimeOut), json!({}), Err(format!("{failed}context deadline exceeded"))),
        (Some(Answer::TimeOut), json!({"failurePolicy": "Ignore"}), Ok(())),
        (
            Some(Answer::NoEndpoint),
            json!({}),
            Err(format!("{failed}no endpoints available for service \"watch\"")),
        ),
        (None, json!({}), Err(format!("{failed}service \"watch\" not found"))),
    ] {
        let mut api = server(answer.clone());
        create(&mut api, configuration(kind, changes.clone())).unwrap();
        assert_eq!(create(&mut api, map("a")).map(drop), expected, "{answer:?} {changes}");
    }
}

#[test]
fn a_webhook_changes_objects_and_guards_deletions() {
    let patch = json!([{"op": "add", "path": "/data/b", "value": "2"}]);
    let mut api = server(Some(Answer::Mutate(patch)));
    create(&mut api, configuration("MutatingWebhookConfiguration", json!({}))).unwrap();
    assert_eq!(create(&mut api, map("a")).unwrap()["data"], json!({"a": "1", "b": "2"}));

    let mut api = server(Some(Answer::Deny("stays".into())));
    create(&mut api, map("a")).unwrap();
    create(&mut api, configuration("ValidatingWebhookConfiguration", json!({}))).unwrap();
    let id = api.kind_id("", "ConfigMap").unwrap();
    let name = ObjectName::namespaced("sea", "a");
    let refused =
        api.delete(&Caller::administrator("test"), id, &name, &DeleteOptions::default()).unwrap_err();
    assert_eq!(refused.message, "admission webhook \"watch.sea.example\" denied the request: stays");
}

#[test]
fn a_bound_policy_denies_with_its_message() {
    let policy = |validation: Object| {
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": "small"},
            "spec": {
                "paramKind": {"apiVersion": "v1", "kind": "Secret"},
                "matchConstraints": {"resourceRules": [{
                    "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"],
                }]},
                "variables": [{"name": "count", "expression": "size(object.data)"}],
                "validations": [validation],
            },
        })
    };
    let binding = |action: &str| {
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": "small-everywhere"},
            "spec": {
                "policyName": "small", "validationActions": [action],
                "paramRef": {"name": "limits", "namespace": "sea", "parameterNotFoundAction": "Deny"},
            },
        })
    };
    let denied = |text: &str| {
        Err(format!(
            "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'small' with binding 'small-everywhere' denied \
             request: {text}"
        ))
    };
    for (validation, action, has_params, expected) in [
        (json!({"expression": "variables.count < 5"}), "Deny", true, Ok(())),
        (
            json!({"expression": "variables.count < 1"}),
            "Deny",
            true,
            denied("failed expression: variables.count < 1"),
        ),
        (json!({"expression": "variables.count < 1"}), "Audit", true, Ok(())),
        (
            json!({"expression": "has(params.data.b)", "messageExpression": "'limits: ' + params.metadata.name"}),
            "Deny",
            true,
            denied("limits: limits"),
        ),
        (
            json!({"expression": "object.data.z == 'a'"}),
            "Deny",
            true,
            denied("expression 'object.data.z == 'a'' resulted in error: no such key: z"),
        ),
        (
            json!({"expression": "true"}),
            "Deny",
            false,
            denied(
                "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
            ),
        ),
        (
            json!({"expression": "request.operation == 'CREATE' && namespaceObject.metadata.name == 'sea'"}),
            "Deny",
            true,
            Ok(()),
        ),
    ] {
        let mut api = api_server(&["sea"], 1, Moment::START);
        create(&mut api, policy(validation.clone())).unwrap();
        create(&mut api, binding(action)).unwrap();
        if has_params {
            let params = json!({
                "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "limits", "namespace": "sea"},
                "data": {"a": "MQ=="},
            });
            create(&mut api, params).unwrap();
        }
        assert_eq!(create(&mut api, map("a")).map(drop), expected, "{validation}");
    }
}

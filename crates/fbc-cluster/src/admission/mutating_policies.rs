//! Mutating admission policies with their bindings: expressions that say how an object is to be changed.
//!
//! Source: `kubernetes/apiserver:pkg/admission/plugin/policy/mutating/{dispatcher,compilation}.go`,
//! `…/mutating/patch/{smd,json_patch}.go`.

use fbc_cel::{Budget, Val, Wanted};
use serde_json::{Map, Value};

use super::bindings::{BoundPolicy, PolicyKind, bound};
use super::policies::{Inputs, PolicyError, compiled, variables};
use super::request::Request;
use crate::api::ApiServer;
use crate::apply::patch::json_patch;
use crate::apply::{Shape, merge};
use crate::error::{ApiError, Reason};
use crate::object::{Object, ObjectFields};

/// Lets every policy that is bound change an object; true if it is another one afterwards.
///
/// # Errors
/// The failure of a policy whose failures must not be passed over.
pub(crate) fn mutate(
    request: &Request<'_>,
    object: &mut Object,
    shape: &Shape,
    api: &ApiServer,
) -> Result<bool, ApiError> {
    if !request.is_asked_about() {
        return Ok(false);
    }
    let before = object.clone();
    let mut asked: Vec<(BoundPolicy<'_>, Object)> = Vec::new();
    for bound in bound(PolicyKind::Mutating, api) {
        ask(&bound, request, object, shape, api)?;
        asked.push((bound, object.clone()));
    }
    // Who wants it is asked again if somebody changed the object afterwards.
    for (bound, left) in asked {
        if bound.policy.text(&["spec", "reinvocationPolicy"]) == "IfNeeded" && left != *object {
            ask(&bound, request, object, shape, api)?;
        }
    }
    Ok(before != *object)
}

fn ask(
    bound: &BoundPolicy<'_>,
    request: &Request<'_>,
    object: &mut Object,
    shape: &Shape,
    api: &ApiServer,
) -> Result<(), ApiError> {
    if !bound.is_about(request, api) {
        return Ok(());
    }
    match changed(bound, request, object, shape, api) {
        Ok(changed) => *object = changed,
        Err(_) if !bound.denies_on_failure() => {}
        Err(cause) => return Err(bound.refusal(request, Reason::Invalid, &cause.to_string())),
    }
    Ok(())
}

/// The object after all mutations of a policy.
fn changed(
    bound: &BoundPolicy<'_>,
    request: &Request<'_>,
    object: &Object,
    shape: &Shape,
    api: &ApiServer,
) -> Result<Object, PolicyError> {
    let mut object = object.clone();
    let variables = variables(bound.policy);
    for params in bound.params(request, api)? {
        for mutation in bound.policy.list(&["spec", "mutations"]) {
            let seen = object.clone();
            let request = Request { object: request.object.map(|_| &seen), ..*request };
            let inputs = Inputs::new(&request, params.as_deref(), api);
            if !inputs.hold(bound.policy.list(&["spec", "matchConditions"]))? {
                break;
            }
            let is_patch = mutation.text(&["patchType"]) == "JSONPatch";
            let field = if is_patch { "jsonPatch" } else { "applyConfiguration" };
            let expression = mutation.text(&[field, "expression"]);
            let program = compiled(expression, Wanted::Anything)?;
            let mut budget = Budget::of_request();
            let known = inputs.known(&variables, &[&program], &mut budget)?;
            let mut applied = || {
                let patch = to_json(&inputs.run(&program, &known, &mut budget)?, &mut { LARGEST })?;
                match is_patch {
                    true => Ok(json_patch(&object, &patch)?),
                    false => apply_configuration(&object, &patch, shape),
                }
            };
            object = applied().map_err(|error: PolicyError| error.in_expression(expression))?;
        }
    }
    Ok(object)
}

/// Lays a configuration over an object; what identifies the object is not for policies to say.
fn apply_configuration(object: &Object, configuration: &Value, shape: &Shape) -> Result<Object, PolicyError> {
    if !configuration.is_object() {
        return Err(PolicyError::NoObject);
    }
    let fixed = [&["apiVersion"][..], &["kind"], &["metadata", "name"], &["metadata", "namespace"]];
    if let Some(path) = fixed.iter().find(|path| configuration.at(path).is_some()) {
        return Err(PolicyError::Fixed(path.join(".")));
    }
    Ok(merge(object, configuration, shape))
}

/// How many bytes the result of an expression may have, as a request: values that are shared are written as often as they
/// stand there.
///
/// Source: `kubernetes/apiserver:pkg/apis/cel/config.go` (`MaxRequestSizeBytes`).
const LARGEST: usize = 3 << 20;

/// A value of an expression as JSON, which takes its size from what is left.
fn to_json(value: &Val<'_>, left: &mut usize) -> Result<Value, PolicyError> {
    let length = if let Val::Text(text) = value { text.len() } else { 0 };
    *left = left.checked_sub(length + 2).ok_or(PolicyError::Size)?;
    Ok(match value {
        Val::Null => Value::Null,
        Val::Bool(flag) => Value::from(*flag),
        Val::Int(number) => Value::from(*number),
        Val::Uint(number) => Value::from(*number),
        Val::Double(number) => Value::from(*number),
        Val::Text(text) => Value::from(&**text),
        Val::Quantity(quantity) => Value::from(quantity.to_string()),
        Val::Optional(Some(inner)) => to_json(inner, left)?,
        Val::List(list) => {
            let mut items = Vec::new();
            for item in list.iter() {
                items.push(to_json(&item, left)?);
            }
            Value::Array(items)
        }
        Val::Map(entries) => {
            let mut members = Map::new();
            for (key, value) in entries.iter() {
                let Val::Text(key) = key else { return Err(PolicyError::Key) };
                *left = left.checked_sub(key.len() + 3).ok_or(PolicyError::Size)?;
                members.insert((*key).to_owned(), to_json(&value, left)?);
            }
            Value::Object(members)
        }
        other => return Err(PolicyError::NoJson(other.type_name())),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::{Caller, WriteOptions};
    use crate::control_plane::api_server;
    use crate::time::Moment;

    fn created(mutations: Value, failure_policy: &str) -> Result<Object, String> {
        let mut api = api_server(&["sea"], 1, Moment::START);
        let policy = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy",
            "metadata": {"name": "sidecar"},
            "spec": {
                "matchConstraints": {"resourceRules": [{
                    "apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"],
                    "resources": ["deployments"],
                }]},
                "matchConditions": [{"name": "new", "expression": "object.metadata.name == 'web'"}],
                "variables": [{"name": "image", "expression": "'proxy:' + string(object.spec.replicas)"}],
                "mutations": mutations, "failurePolicy": failure_policy, "reinvocationPolicy": "Never",
            },
        });
        let binding = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding",
            "metadata": {"name": "everywhere"}, "spec": {"policyName": "sidecar"},
        });
        let deployment = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "sea"},
            "spec": {
                "replicas": 2, "selector": {"matchLabels": {"app": "web"}},
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {"containers": [{"name": "web", "image": "web:1"}]},
                },
            },
        });
        let caller = Caller::administrator("test");
        api.create(&caller, policy, WriteOptions::default()).unwrap();
        api.create(&caller, binding, WriteOptions::default()).unwrap();
        let created = api.create(&caller, deployment, WriteOptions::default());
        created.map(|created| Object::clone(&created)).map_err(|error| error.message)
    }

    fn configuration(expression: &str) -> Value {
        json!({"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}})
    }

    fn patch(expression: &str) -> Value {
        json!({"patchType": "JSONPatch", "jsonPatch": {"expression": expression}})
    }

    #[test]
    fn configurations_and_patches_change_what_is_created() {
        let sidecar = "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{\
                       containers: [Object.spec.template.spec.containers{name: 'proxy', image: variables.image}]}}}}";
        let label = "[JSONPatch{op: 'add', path: '/metadata/labels', value: {}}, JSONPatch{op: 'add', \
                     path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'c'}]";
        let object = created(json!([configuration(sidecar), patch(label)]), "Fail").unwrap();
        let containers = object.list(&["spec", "template", "spec", "containers"]);
        let images: Vec<&str> = containers.iter().map(|container| container.text(&["image"])).collect();
        assert_eq!(images, ["web:1", "proxy:2"]);
        assert_eq!(containers[1]["imagePullPolicy"], "IfNotPresent", "defaults follow");
        assert_eq!(object["metadata"]["labels"], json!({"a/b": "c"}));
    }

    #[test]
    fn failures_deny_unless_they_are_ignored() {
        let wrong = json!([configuration("Object{metadata: Object.metadata{name: 'other'}}")]);
        let refusal = created(wrong.clone(), "Fail").unwrap_err();
        assert!(
            refusal.starts_with(
                "policy 'sidecar' with binding 'everywhere' denied request: expression 'Object{metadata"
            ) && refusal.ends_with("resulted in error: metadata.name must not be changed"),
            "{refusal}"
        );
        assert_eq!(created(wrong, "Ignore").unwrap()["metadata"]["name"], "web");
        assert!(created(json!([patch("[JSONPatch{op: 'remove', path: '/spec/none'}]")]), "Fail").is_err());
    }
}

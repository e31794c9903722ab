//! Validating policies: what follows from the actions of their bindings.

use serde_json::json;

use crate::api::{ApiServer, Caller, WriteOptions};
use crate::control_plane::api_server;
use crate::error::{ApiError, Reason};
use crate::object::Object;
use crate::time::Moment;

fn create(api: &mut ApiServer, object: Object) -> Result<(), ApiError> {
    api.create(&Caller::administrator("test"), object, WriteOptions::default()).map(drop)
}

/// Binds a policy about new config maps. Bindings are asked by name.
fn bind(api: &mut ApiServer, name: &str, actions: &[&str], spec: Object) {
    let mut policy = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": {"matchConstraints": {"resourceRules": [{
            "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"],
        }]}},
    });
    for (field, value) in spec.as_object().unwrap() {
        policy["spec"][field] = value.clone();
    }
    let mut binding = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": format!("{name}-b")}, "spec": {"policyName": name, "validationActions": actions},
    });
    if !spec["paramKind"].is_null() {
        binding["spec"]["paramRef"] =
            json!({"name": "none", "namespace": "sea", "parameterNotFoundAction": "Deny"});
    }
    create(api, policy).unwrap();
    create(api, binding).unwrap();
}

fn says(message: &str) -> Object {
    json!({"validations": [{"expression": "false", "message": message}]})
}

#[test]
fn actions_warn_deny_and_say_nothing() {
    let broken =
        |policy: &str| json!({"validations": [{"expression": "object.none"}], "failurePolicy": policy});
    let unmatched = |policy: &str| {
        json!({
            "validations": [{"expression": "true"}], "failurePolicy": policy,
            "matchConditions": [{"name": "m", "expression": "object.none"}],
        })
    };
    let no_params = |policy: &str| {
        json!({
            "validations": [{"expression": "true"}], "failurePolicy": policy,
            "paramKind": {"apiVersion": "v1", "kind": "Secret"},
        })
    };
    let two = json!({"validations": [
        {"expression": "false", "message": "one"}, {"expression": "true"}, {"expression": "false", "message": "two"},
    ]});
    let not_found = "failed to configure binding: no params found for policy binding with `Deny` \
                     parameterNotFoundAction";
    let broken_text = "expression 'object.none' resulted in error: no such key: none";
    type Case<'c> = (&'c str, Vec<(&'c [&'c str], Object)>, Option<(usize, &'c str)>, Vec<(usize, &'c str)>);
    let cases: Vec<Case<'_>> = vec![
        ("Warn alone", vec![(&["Warn"], says("no"))], None, vec![(0, "no")]),
        ("Audit alone", vec![(&["Audit"], says("no"))], None, vec![]),
        ("Audit and Warn", vec![(&["Audit", "Warn"], says("no"))], None, vec![(0, "no")]),
        ("every validation", vec![(&["Warn"], two.clone())], None, vec![(0, "one"), (0, "two")]),
        ("the first denial", vec![(&["Deny"], two)], Some((0, "one")), vec![]),
        (
            "warnings after a denial",
            vec![(&["Deny"], says("no")), (&["Warn"], says("hm")), (&["Deny"], says("never"))],
            Some((0, "no")),
            vec![(1, "hm")],
        ),
        ("a failure", vec![(&["Warn"], broken("Fail"))], None, vec![(0, broken_text)]),
        ("an ignored failure", vec![(&["Warn"], broken("Ignore"))], None, vec![]),
        ("a condition", vec![(&["Warn"], unmatched("Fail"))], None, vec![(0, broken_text)]),
        ("an ignored condition", vec![(&["Deny"], unmatched("Ignore"))], None, vec![]),
        ("no parameters", vec![(&["Warn"], no_params("Fail"))], Some((0, not_found)), vec![]),
        ("no parameters, audited", vec![(&["Audit"], no_params("Fail"))], Some((0, not_found)), vec![]),
        ("no parameters, ignored", vec![(&["Deny"], no_params("Ignore"))], None, vec![]),
    ];
    for (title, policies, denied, warned) in cases {
        let mut api = api_server(&["sea"], 1, Moment::START);
        for (index, (actions, spec)) in policies.into_iter().enumerate() {
            bind(&mut api, &format!("p{index}"), actions, spec);
        }
        let map =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "sea"}});
        let seen = create(&mut api, map).err();
        let expected = denied.map(|(index, text)| {
            format!("ValidatingAdmissionPolicy 'p{index}' with binding 'p{index}-b' denied request: {text}")
        });
        let cause = |error: &ApiError| {
            assert_eq!(error.reason, Reason::Invalid, "{title}");
            error.details.causes.iter().map(|cause| cause.message.clone()).collect::<Vec<_>>()
        };
        assert_eq!(seen.as_ref().map(cause), expected.map(|text| vec![text]), "{title}");
        let warnings: Vec<String> = warned
            .iter()
            .map(|(index, text)| {
                format!(
                    "Validation failed for ValidatingAdmissionPolicy 'p{index}' with binding 'p{index}-b': {text}"
                )
            })
            .collect();
        assert_eq!(api.take_warnings(), warnings, "{title}");
        assert!(api.take_warnings().is_empty(), "{title}");
    }
}

#[test]
fn a_variable_without_a_value_says_why_where_it_is_read() {
    let denied = |variable: &str, validation: &str| {
        let mut api = api_server(&["sea"], 1, Moment::START);
        let spec = json!({
            "variables": [{"name": "a", "expression": variable}, {"name": "b", "expression": "variables.a"}],
            "validations": [{"expression": validation}],
        });
        bind(&mut api, "p", &["Deny"], spec);
        let map =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "sea"}});
        let error = create(&mut api, map).err()?;
        let text = error.details.causes.into_iter().next()?.message;
        Some(text.split_once(" denied request: ")?.1.to_owned())
    };
    for (variable, validation, expected) in [
        ("int('x')", "variables.a > 0", Some("composited variable \"a\" fails to evaluate: ")),
        ("int('x')", "variables['a'] > 0", Some("composited variable \"a\" fails to evaluate: ")),
        (
            "int('x')",
            "variables.b > 0",
            Some(
                "composited variable \"b\" fails to evaluate: composited variable \"a\" fails to evaluate: ",
            ),
        ),
        (
            "lists.range(600000).map(i, i)",
            "variables.a.size() > 0",
            Some(
                "composited variable \"a\" fails to evaluate: operation cancelled: actual cost limit exceeded",
            ),
        ),
        ("int('x')", "variables.a > 0 || true", None),
        ("int('x')", "true", None),
    ] {
        let expected = expected.map(|text| format!("expression '{validation}' resulted in error: {text}"));
        let found = denied(variable, validation);
        let fits = match (&found, &expected) {
            (Some(found), Some(expected)) => found.starts_with(expected),
            (found, expected) => found == expected,
        };
        assert!(fits, "{variable}, {validation}: {found:?}");
    }
}

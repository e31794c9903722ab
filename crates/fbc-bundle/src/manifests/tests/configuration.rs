//! The configuration of an extension: what fits a bundle, and what it changes.

use fbc_yaml::json_reader::read_value;
use proptest::prelude::*;

use super::super::configuration::Rules;
use super::*;

fn configuration(json: &str) -> Configuration {
    Configuration::new(read_value(json.as_bytes(), 0).unwrap().0)
}

fn check(names: &str, json: &str, gates: Gates) -> String {
    let bundle = bundle(&format!("{{installModes: {}}}", modes(names)), &[]);
    let rules = Rules::from_operator(&bundle.operator(), "lamps", gates);
    match configuration(json).check(&rules) {
        Ok(()) => "fits".to_owned(),
        Err(invalid) => invalid
            .to_string()
            .strip_prefix("invalid ClusterExtension configuration: invalid configuration: ")
            .unwrap()
            .to_owned(),
    }
}

#[test]
fn watch_namespace_follows_from_install_modes() {
    let pattern = r#"field "watchNamespace" must match pattern "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$""#;
    let own = r#"invalid format for field "watchNamespace": 'x' is not valid ownNamespaceInstallMode: invalid value "x": must be "lamps" (the namespace where the operator is installed) because this operator only supports OwnNamespace install mode"#;
    let single = r#"invalid format for field "watchNamespace": 'lamps' is not valid singleNamespaceInstallMode: invalid value "lamps": must be different from "lamps" (the install namespace) because this operator uses SingleNamespace install mode to watch a different namespace"#;
    let optional = |found: &str, fault: &str| {
        format!(
            "multiple errors found:\n  - invalid value for field \"watchNamespace\"\n  - invalid type for field \
             \"watchNamespace\": got {found}, want null\n  - {fault}"
        )
    };
    let missing = r#"required field "watchNamespace" is missing"#;
    let long = format!(r#"{{"watchNamespace":"{}"}}"#, "a".repeat(64));
    for (names, json, expected) in [
        ("AllNamespaces", "{}", "fits".to_owned()),
        ("AllNamespaces", r#"{"watchNamespace":"x"}"#, r#"unknown field "watchNamespace""#.to_owned()),
        ("AllNamespaces OwnNamespace", "{}", "fits".to_owned()),
        ("AllNamespaces OwnNamespace", r#"{"watchNamespace":null}"#, "fits".to_owned()),
        ("AllNamespaces OwnNamespace", r#"{"watchNamespace":"lamps"}"#, "fits".to_owned()),
        ("AllNamespaces OwnNamespace", r#"{"watchNamespace":"x"}"#, optional("string", own)),
        ("AllNamespaces SingleNamespace", r#"{"watchNamespace":"lamps"}"#, optional("string", single)),
        ("AllNamespaces SingleNamespace", r#"{"watchNamespace":"x"}"#, "fits".to_owned()),
        (
            "AllNamespaces OwnNamespace SingleNamespace",
            r#"{"watchNamespace":"X"}"#,
            optional("string", pattern),
        ),
        (
            "AllNamespaces OwnNamespace SingleNamespace",
            r#"{"watchNamespace":1}"#,
            optional("number", r#"invalid type for field "watchNamespace": got number, want string"#),
        ),
        ("OwnNamespace", "{}", missing.to_owned()),
        ("OwnNamespace", r#"{"watchNamespace":null}"#, missing.to_owned()),
        ("OwnNamespace", r#"{"watchNamespace":"x"}"#, own.to_owned()),
        ("SingleNamespace", r#"{"watchNamespace":"lamps"}"#, single.to_owned()),
        ("OwnNamespace SingleNamespace", r#"{"watchNamespace":"X"}"#, pattern.to_owned()),
        (
            "OwnNamespace SingleNamespace",
            &long,
            r#"field "watchNamespace" must have maximum length of 63 (len=64)"#.to_owned(),
        ),
        (
            "OwnNamespace SingleNamespace",
            r#"{"watchNamespace":""}"#,
            format!(
                "multiple errors found:\n  - field \"watchNamespace\" must have minimum length of 1 (len=0)\n  - {pattern}"
            ),
        ),
        ("OwnNamespace", "[]", "invalid type: got array, want object".to_owned()),
        (
            "OwnNamespace",
            r#"{"b":1,"a":1}"#,
            format!("multiple errors found:\n  - {missing}\n  - unknown field \"a\""),
        ),
    ] {
        assert_eq!(check(names, json, Gates::default()), expected, "{names} {json}");
    }
}

#[test]
fn deployment_configuration_has_a_gate_and_types() {
    let on = Gates { deployment_configuration: true, ..Gates::default() };
    let empty = r#"{"deploymentConfig":{}}"#;
    assert_eq!(check("AllNamespaces", empty, Gates::default()), r#"unknown field "deploymentConfig""#);
    for (json, expected) in [
        ("{}", "fits"),
        (r#"{"env":[{"name":"a","value":"b"}],"resources":{"limits":{"cpu":1}}}"#, "fits"),
        (r#"{"selector":{}}"#, r#"unknown field "selector""#),
        (r#"{"env":"a"}"#, r#"invalid type for field "deploymentConfig.env": got string, want array"#),
        (r#"{"env":[{}]}"#, r#"required field "name" is missing"#),
        (
            r#"{"tolerations":[{"tolerationSeconds":1.5}]}"#,
            r#"invalid type for field "deploymentConfig.tolerations.0.tolerationSeconds": got number, want integer"#,
        ),
    ] {
        let json = format!(r#"{{"deploymentConfig":{json}}}"#);
        assert_eq!(check("AllNamespaces", &json, on), expected, "{json}");
    }
}

#[test]
fn deployments_take_the_configuration() {
    let spec = format!(
        "{{installModes: {}, install: {{spec: {{deployments: [{{name: d, spec: {{template: {{metadata: {{annotations: \
         {{a: own}}}}, spec: {{affinity: {{podAffinity: {{preferredDuringSchedulingIgnoredDuringExecution: [{{}}]}}}}, \
         tolerations: [{{key: a}}], volumes: [{{name: v, emptyDir: {{}}}}], containers: [{{name: c, image: i, env: \
         [{{name: A, value: old}}], volumeMounts: [{{name: v, mountPath: /old}}], resources: {{limits: {{cpu: 2}}}}}}]}}}}}}\
         }}]}}}}}}",
        modes("AllNamespaces")
    );
    let wanted = r#"{"deploymentConfig":{
        "affinity":{"podAffinity":{},"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":{}}]}},
        "annotations":{"a":"new","b":"new"},
        "env":[{"name":"A","value":"new"},{"name":"B"}],
        "envFrom":[{"prefix":"p"},{"prefix":"p"}],
        "nodeSelector":{"n":"s"},
        "resources":{"limits":{"cpu":"1000m"}},
        "tolerations":[{"key":"a"},{"key":"b"}],
        "volumeMounts":[{"name":"v","mountPath":"/new"}],
        "volumes":[{"name":"v","configMap":{"name":"c"}},{"name":"w"}]}}"#;
    let gates = Gates { deployment_configuration: true, ..Gates::default() };
    let installation =
        Installation { configuration: Some(configuration(wanted)), gates, ..installation(&[]) };
    let objects = render(&bundle(&spec, &[]), &installation).unwrap();
    let deployment =
        objects.iter().find(|object| object.kind == "Deployment").unwrap().value.root().to_json();
    assert_eq!(deployment["metadata"]["annotations"], serde_json::json!({ "a": "new", "b": "new" }));
    assert_eq!(deployment["spec"]["template"]["metadata"]["annotations"]["a"], "own");
    assert_eq!(
        deployment["spec"]["template"]["spec"],
        serde_json::json!({
            "affinity": { "nodeAffinity": { "preferredDuringSchedulingIgnoredDuringExecution":
                [{ "weight": 1, "preference": {} }] } },
            "containers": [{
                "name": "c", "image": "i",
                "env": [{ "name": "A", "value": "new" }, { "name": "B" }],
                "envFrom": [{ "prefix": "p" }],
                "resources": { "limits": { "cpu": "1" } },
                "volumeMounts": [{ "name": "v", "mountPath": "/new" }],
            }],
            "nodeSelector": { "n": "s" },
            "tolerations": [{ "key": "a" }, { "key": "b" }],
            "volumes": [{ "name": "v", "configMap": { "name": "c" } }, { "name": "w" }],
        })
    );
}

#[test]
fn an_empty_affinity_erases() {
    let spec = format!(
        "{{installModes: {}, install: {{spec: {{deployments: [{{name: d, spec: {{template: {{spec: {{affinity: \
         {{podAffinity: {{}}}}}}}}}}}}]}}}}}}",
        modes("AllNamespaces")
    );
    let gates = Gates { deployment_configuration: true, ..Gates::default() };
    for (wanted, stays) in
        [("{}", true), (r#"{"affinity":{}}"#, false), (r#"{"affinity":{"podAffinity":{}}}"#, false)]
    {
        let wanted = configuration(&format!(r#"{{"deploymentConfig":{wanted}}}"#));
        let installation = Installation { configuration: Some(wanted), gates, ..installation(&[]) };
        let objects = render(&bundle(&spec, &[]), &installation).unwrap();
        let pod = objects.last().unwrap().value.root().to_json()["spec"]["template"]["spec"].clone();
        assert_eq!(pod.get("affinity").is_some(), stays);
    }
}

proptest! {
    #[test]
    fn a_checked_namespace_can_be_rendered(name in "[a-zA-Z.-]{0,5}|lamps", own: bool, single: bool, all: bool) {
        let modes_of = [(own, "OwnNamespace"), (single, "SingleNamespace"), (all, "AllNamespaces")];
        let names: Vec<&str> = modes_of.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
        let bundle = bundle(&format!("{{installModes: {}}}", modes(&names.join(" "))), &[]);
        let configuration = configuration(&format!(r#"{{"watchNamespace":"{name}"}}"#));
        let rules = Rules::from_operator(&bundle.operator(), "lamps", Gates::default());
        let fits = configuration.check(&rules).is_ok();
        let rendered = render(&bundle, &Installation { configuration: Some(configuration), ..installation(&[]) });
        prop_assert_eq!(fits, rendered.is_ok());
    }
}

//! What is wrong with pods and templates, in the words of the API server.

use serde_json::{Value, json};

use super::pods::{validate_pod, validate_pod_spec};
use super::{default, texts, validate_update};
use crate::object::{Object, ObjectFields};

/// A pod of one container, with more fields of its specification.
fn pod(fields: &Value) -> Object {
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": "default"},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    });
    for (field, value) in fields.as_object().unwrap() {
        pod["spec"][field] = value.clone();
    }
    default(&mut pod);
    pod
}

#[test]
fn names_and_addresses() {
    for (fields, expected) in [
        (json!({"dnsConfig": {"searches": [".", "a.b.", "_tcp.example.com"]}}), vec![]),
        (
            json!({"dnsConfig": {"nameservers": ["1.2.3"], "searches": ["a_"], "options": [{"value": "1"}]}}),
            vec![
                "spec.dnsConfig.nameservers[0]: Invalid value: \"1.2.3\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "spec.dnsConfig.searches[0]: Invalid value: \"a_\": a lowercase RFC 1123 subdomain must consist of lower case \
                 alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. \
                 'example.com', regex used for validation is \
                 '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
                "spec.dnsConfig.options[0]: Required value: must not be empty",
            ],
        ),
        (
            json!({"dnsPolicy": "None"}),
            vec!["spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"],
        ),
        (
            json!({"hostAliases": [{"ip": "x", "hostnames": ["a"]}]}),
            vec![
                "spec.hostAliases[0].ip: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
            ],
        ),
    ] {
        assert_eq!(texts(&validate_pod(&pod(&fields))), expected, "{fields}");
    }
    let many = json!({"dnsConfig": {"searches": vec!["a"; 33]}});
    let found = texts(&validate_pod(&pod(&many)));
    assert!(found.len() == 1 && found[0].ends_with(": must not have more than 32 search paths"), "{found:?}");
    let long = json!({"dnsConfig": {"searches": vec!["a".repeat(60); 34]}});
    let found = texts(&validate_pod(&pod(&long)));
    let text = ": must not have more than 2048 characters (including spaces) in the search list";
    assert!(found.len() == 2 && found[1].ends_with(text), "{found:?}");
}

#[test]
fn containers_in_the_network_of_the_node_have_its_ports() {
    let template = |port: Value| json!({"hostNetwork": true, "containers": [{"name": "c", "image": "i", "ports": [port]}]});
    let spec = template(json!({"containerPort": 80, "hostPort": 81, "protocol": "TCP"}));
    let refused = "spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true";
    assert_eq!(texts(&validate_pod(&pod(&spec))), [refused]);
    let ports = |spec: &Value, is_pod: bool| {
        let found = texts(&validate_pod_spec(spec, is_pod, "spec"));
        found.into_iter().filter(|text| text.contains("hostNetwork")).collect::<Vec<_>>()
    };
    let open = template(json!({"containerPort": 80, "protocol": "TCP"}));
    assert_eq!(ports(&open, false), Vec::<String>::new(), "what a template leaves out comes with its pods");
    assert_eq!(ports(&open, true), [refused.replace("81", "0")]);
    assert_eq!(ports(&spec, false), [refused]);
    assert_eq!(texts(&validate_pod(&pod(&open))), Vec::<String>::new(), "the port of the node is assumed");
}

#[test]
fn environments_mounts_and_devices() {
    let volumes = json!([
        {"name": "v", "emptyDir": {}},
        {"name": "block", "persistentVolumeClaim": {"claimName": "c"}},
        {"name": "files", "image": {"reference": "quay.io/a/b:1"}},
    ]);
    for (fields, expected) in [
        (
            json!({"env": [{"name": "A", "value": "b", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}, {"name": "=", "valueFrom": {}}]}),
            vec![
                "env[0].valueFrom: Invalid value: \"\": may not be specified when `value` is not empty",
                "env[1].name: Invalid value: \"=\": a valid environment variable name must consist only of printable ASCII characters other than '='",
                "env[1].valueFrom: Invalid value: \"\": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`",
            ],
        ),
        (
            json!({"volumeMounts": [{"name": "v", "mountPath": "/a", "mountPropagation": "Bidirectional"}, {"name": "w", "mountPath": "/a"}]}),
            vec![
                "volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers",
                "volumeMounts[1].name: Not found: \"w\"",
                "volumeMounts[1].mountPath: Invalid value: \"/a\": must be unique",
            ],
        ),
        (
            json!({"volumeMounts": [{"name": "files", "mountPath": "/a", "subPath": "b"}]}),
            vec!["volumeMounts[0].subPath: Invalid value: \"b\": not allowed in image volume sources"],
        ),
        (
            json!({"volumeDevices": [{"name": "block", "devicePath": "/dev/a"}, {"name": "v", "devicePath": "/dev/../b"}]}),
            vec![
                "volumeDevices[1].name: Invalid value: \"v\": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
                "volumeDevices[1].devicePath: Invalid value: \"/dev/../b\": can not contain backsteps ('..')",
            ],
        ),
    ] {
        let mut container = json!({"name": "c", "image": "i"});
        for (field, value) in fields.as_object().unwrap() {
            container.set(&[field], value.clone());
        }
        let pod = pod(&json!({"volumes": volumes, "containers": [container]}));
        let expected: Vec<String> =
            expected.into_iter().map(|text| format!("spec.containers[0].{text}")).collect();
        assert_eq!(texts(&validate_pod(&pod)), expected, "{fields}");
    }
}

#[test]
fn images_as_volumes_say_which_in_pods() {
    let spec = json!({"volumes": [{"name": "v", "image": {}}]});
    let pod = pod(&spec);
    assert_eq!(
        pod.at(&["spec", "volumes"]),
        Some(&json!([{"name": "v", "image": {"pullPolicy": "Always"}}]))
    );
    assert_eq!(texts(&validate_pod(&pod)), ["spec.volumes[0].image.reference: Required value"]);
    assert_eq!(texts(&validate_pod_spec(&pod["spec"], false, "spec")), Vec::<String>::new());
}

/// Label selectors have no internal form, and JSON is written as Go does.
#[test]
fn changes_that_are_refused_are_shown() {
    let with = |label: &str, value: &str| {
        pod(&json!({
            "containers": [{"name": "c", "image": "i", "env": [{"name": "A", "value": value}]}],
            "topologySpreadConstraints": [{
                "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": [label]}]},
            }],
        }))
    };
    let kind = super::builtin_kinds().into_iter().find(|kind| kind.kind == "Pod").unwrap();
    let found = texts(&validate_update(&kind, &with("b", "1"), &with("c", "<1>")));
    let lines: Vec<&str> = found[0].lines().skip(1).filter(|line| !line.starts_with("@@")).collect();
    assert_eq!(
        lines,
        [
            r#"    "Env": ["#,
            r#"     {"#,
            r#"      "Name": "A","#,
            r#"-     "Value": "1","#,
            r#"+     "Value": "\u003c1\u003e","#,
            r#"      "ValueFrom": null"#,
            r#"     }"#,
            r#"    ],"#,
            r#"       "key": "a","#,
            r#"       "operator": "In","#,
            r#"       "values": ["#,
            r#"-       "b""#,
            r#"+       "c""#,
            r#"       ]"#,
            r#"      }"#,
            r#"     ]"#,
        ],
    );
}

//! What the definitions refuse.

use fbc_cluster::api::{ApiServer, Caller, WriteOptions};
use fbc_cluster::control_plane::api_server;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

use crate::definitions::machine_api;
use crate::machines::NAMESPACE;
use crate::recorded::{compare, unequal};

fn server() -> ApiServer {
    let mut api = api_server(&[NAMESPACE], 1, Moment::START);
    for definition in machine_api() {
        api.install_definition(definition).unwrap();
    }
    api
}

fn object(version: &str, kind: &str, name: &str, spec: Value) -> Object {
    json!({
        "apiVersion": format!("machine.openshift.io/{version}"), "kind": kind,
        "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec,
    })
}

fn create(api: &mut ApiServer, object: Object) -> Result<(), String> {
    let created = api.create(&Caller::administrator("test"), object, WriteOptions::default());
    created.map(drop).map_err(|error| error.message)
}

#[test]
fn hooks() {
    let mut api = server();
    let mut number = 0;
    compare(
        "machines/vectors/hooks-schema.json",
        |case| {
            let hooks: Value = case["hooks"].as_array().unwrap().iter().map(with_long_texts).collect();
            let mut machine = object("v1beta1", "Machine", "m", json!({"lifecycleHooks": {}}));
            machine["spec"]["lifecycleHooks"][case["list"].as_str().unwrap()] = hooks;
            let accepted = case["accepted"] == true;
            if accepted {
                number += 1;
                machine.set(&["metadata", "name"], format!("m{number}"));
            }
            let ours = json!(create(&mut api, machine).err());
            let mut theirs = case["error"].clone();
            if let Some(text) = theirs.as_str() {
                theirs = json!(text.replace("a*257", &"a".repeat(257)));
            }
            unequal(&case["what"].to_string(), &ours, &theirs)
        },
        &[],
    );
}

/// `a*257` means 257 times a.
fn with_long_texts(hook: &Value) -> Value {
    let Some(fields) = hook.as_object() else { return hook.clone() };
    let long = |value: &Value| match value.as_str().and_then(|text| text.split_once('*')) {
        Some((letter, count)) => json!(letter.repeat(count.parse().unwrap())),
        None => value.clone(),
    };
    fields.iter().map(|(name, value)| (name.clone(), long(value))).collect()
}

#[test]
fn health_checks_and_sets() {
    let check = |field: &str, value: &str| {
        let condition = json!({"type": "Ready", "status": "False", "timeout": "300s"});
        let mut spec = json!({"selector": {}, "unhealthyConditions": [condition]});
        spec[field] = json!(value);
        object("v1beta1", "MachineHealthCheck", "check", spec)
    };
    let set = json!({"deletePolicy": "Youngest", "selector": {}, "template": {}});
    for (object, text) in [
        (
            check("maxUnhealthy", "many"),
            "spec.maxUnhealthy in body should match '^((100|[0-9]{1,2})%|[0-9]+)$'",
        ),
        (check("maxUnhealthy", "150%"), "Invalid value: \"150%\""),
        (check("nodeStartupTimeout", "10 minutes"), "spec.nodeStartupTimeout in body should match"),
        (
            object("v1beta1", "MachineSet", "workers", set),
            "spec.deletePolicy: Unsupported value: \"Youngest\": supported values: \"Random\", \"Newest\", \"Oldest\"",
        ),
    ] {
        let error = create(&mut server(), object).unwrap_err();
        assert!(error.contains(text), "{error}");
    }
}

#[test]
fn a_control_plane_set_stays_active() {
    let mut api = server();
    let template = json!({"machineType": "machines_v1beta1_machine_openshift_io"});
    let spec = json!({"state": "Active", "replicas": 3, "selector": {}, "template": template});
    let set = object("v1", "ControlPlaneMachineSet", "cluster", spec);
    create(&mut api, set.clone()).unwrap();
    for (field, value, text) in [
        ("state", json!("Inactive"), "state cannot be changed once Active"),
        ("replicas", json!(5), "replicas is immutable"),
    ] {
        let mut changed = set.clone();
        changed["spec"][field] = value;
        let caller = Caller::administrator("test");
        let updated = api.update(&caller, changed, Default::default(), WriteOptions::default());
        let error = updated.unwrap_err().message;
        assert!(error.contains(text), "{error}");
    }
}

//! What an API server answered to applied configurations and other writes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::apply::{LAST_APPLIED, Shape, Write, apply, check_request, ignored_fields, record_update, unpack};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};
use crate::time::{Moment, SECOND};
use crate::types::{decode, types};

/// The recordings, or `None` where they are not at hand.
fn recordings() -> Option<Vec<Value>> {
    let cases = fbc_testing::recorded_json("kube/10g-server-side-apply/cases.json")?;
    Some(serde_json::from_value(cases).unwrap())
}

/// Just enough of an API server: objects by name, decoded after each write.
#[derive(Default)]
struct Server {
    objects: BTreeMap<String, Object>,
    now: u64,
}

impl Server {
    fn shape(object: &Value) -> Shape {
        let (group, version) = object.api_version().split_once('/').unwrap_or(("", object.api_version()));
        Shape::built_in(group, version, object.kind()).unwrap()
    }

    fn write<'w>(&mut self, manager: &'w str) -> Write<'w> {
        self.now += 1;
        let time = Moment::START + self.now * SECOND;
        Write { manager, subresource: "", time, ignored: ignored_fields(true, "") }
    }

    fn store(&mut self, mut object: Object) -> Object {
        unpack(&mut object);
        let of = types().of_kind("", "v1", "ConfigMap");
        let of = if object.kind() == "ConfigMap" { of } else { types().of_kind("apps", "v1", object.kind()) };
        decode(&mut object, of.unwrap()).unwrap();
        object.set(&["metadata", "uid"], "1");
        self.objects.insert(object.name().to_owned(), object.clone());
        object
    }

    fn apply(&mut self, configuration: &Value, manager: &str, force: bool) -> Result<Object, ApiError> {
        let write = self.write(manager);
        let live = self.objects.get(configuration.name());
        let applied = apply(live, configuration, &write, force, &Self::shape(configuration))?;
        Ok(self.store(applied))
    }

    fn update(&mut self, mut object: Object, manager: &str) -> Object {
        let write = self.write(manager);
        let old = self.objects.get(object.name());
        let shape = Self::shape(&object);
        record_update(old, &mut object, &write, &shape);
        self.store(object)
    }

    fn merge_patch(&mut self, name: &str, patch: &Value, manager: &str) -> Object {
        fn merge(target: &mut Value, patch: &Value) {
            for (name, value) in patch.as_object().unwrap() {
                match value {
                    Value::Null => drop(target.as_object_mut().unwrap().remove(name)),
                    Value::Object(_) => {
                        if !target[name].is_object() {
                            target[name] = json!({});
                        }
                        merge(&mut target[name], value);
                    }
                    value => target[name] = value.clone(),
                }
            }
        }
        let mut object = self.objects[name].clone();
        merge(&mut object, patch);
        self.update(object, manager)
    }

    /// The few forms of `kubectl apply` that are recorded here.
    fn kubectl(&mut self, step: &Value) -> Result<(), ApiError> {
        let arguments: Vec<&str> =
            step["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let stdin = step["stdin"].as_str().unwrap();
        let (name, rest) = stdin.split_once("{name: ").unwrap().1.split_once('}').unwrap();
        let mut data = json!({});
        for pair in rest.split_once('{').unwrap().1.trim_end_matches("}\n").split(", ") {
            let (key, value) = pair.split_once(": ").unwrap();
            data[key] = value.trim_matches('"').into();
        }
        let object =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data});
        let manager = arguments
            .iter()
            .find_map(|argument| argument.strip_prefix("--field-manager="))
            .unwrap_or("kubectl");
        if arguments.contains(&"--dry-run=server") {
            return Ok(());
        }
        if arguments.contains(&"--server-side") {
            return self.apply(&object, manager, arguments.contains(&"--force-conflicts")).map(drop);
        }
        let patch = json!({"metadata": {"annotations": {LAST_APPLIED: format!("{object}\n")}}, "data": data});
        self.merge_patch(name, &patch, "kubectl-client-side-apply");
        Ok(())
    }
}

/// The entries as they are recorded: without times and the constant type.
fn managed_fields(object: &Object) -> Value {
    let entries = object.list(&["metadata", "managedFields"]).iter().map(|entry| {
        let mut entry = entry.clone();
        entry.remove(&["time"]);
        entry.remove(&["fieldsType"]);
        entry
    });
    Value::Array(entries.collect())
}

/// Causes in any order: the API server walks a map of managers.
fn sorted(causes: &Value) -> Vec<String> {
    let mut causes: Vec<String> = causes.as_array().into_iter().flatten().map(Value::to_string).collect();
    causes.sort();
    causes
}

#[test]
fn applied_configurations_do_what_an_api_server_did() {
    let Some(cases) = recordings() else { return };
    let mut server = Server::default();
    for case in &cases {
        for (index, step) in case.list(&["steps"]).iter().enumerate() {
            let place = format!("{} step {index}", case["name"]);
            let manager = step.text(&["fieldManager"]);
            let outcome = match step.text(&["do"]) {
                "apply" => server.apply(&step["object"], manager, step["force"] == true),
                "create" => Ok(server.update(step["object"].clone(), manager)),
                "merge patch" => Ok(server.merge_patch(step.text(&["name"]), &step["patch"], manager)),
                "kubectl" => {
                    let outcome = server.kubectl(step);
                    assert_eq!(outcome.is_ok(), step["exit"] == 0, "{place}");
                    if let Err(error) = outcome {
                        assert!(step.text(&["stderr"]).contains(&error.message), "{place}: {error}");
                    }
                    continue;
                }
                _ => {
                    let object = &server.objects[step.text(&["name"])];
                    assert_eq!(managed_fields(object), step["managedFields"], "{place}");
                    assert_eq!(object.get("data"), step["object"].get("data"), "{place}");
                    continue;
                }
            };
            let expected = &step["result"];
            match outcome {
                Ok(object) => {
                    assert!(expected["code"].as_u64() < Some(300), "{place}: accepted");
                    assert_eq!(managed_fields(&object), expected["managedFields"], "{place}");
                    if object.kind() == "ConfigMap" && expected.get("data").is_some_and(Value::is_object) {
                        assert_eq!(object["data"], expected["data"], "{place}");
                    }
                }
                Err(error) => {
                    assert_eq!(error.message, expected["message"], "{place}");
                    assert_eq!(u64::from(error.code()), expected["code"], "{place}");
                    let causes = error.to_status()["details"]["causes"].clone();
                    assert_eq!(sorted(&causes), sorted(&expected["causes"]), "{place}");
                }
            }
        }
    }
}

#[test]
fn requests_that_cannot_be_applied_are_refused_first() {
    let Some(cases) = recordings() else { return };
    let config_map =
        |name: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    let mut owned = config_map("zz");
    owned.set(&["metadata", "managedFields"], json!([{"manager": "a"}]));
    for (name, configuration, manager) in [
        ("apply-name-differs-from-url", config_map("yy"), "a"),
        ("apply-without-field-manager", config_map("zz"), ""),
        ("apply-with-managed-fields", owned, "a"),
    ] {
        let expected = &cases.iter().find(|case| case["name"] == name).unwrap()["result"];
        let error = check_request(&configuration, "zz", manager).unwrap_err();
        assert_eq!(error.message, expected["message"]);
        assert_eq!(u64::from(error.code()), expected["code"]);
        assert_eq!(error.reason.to_string(), expected["reason"]);
    }
    assert_eq!(check_request(&config_map("zz"), "zz", "a"), Ok(()));
}

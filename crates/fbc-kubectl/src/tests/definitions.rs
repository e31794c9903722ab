//! Definitions, and objects that have one.

use std::collections::BTreeMap;

use fbc_cluster::api::{DeleteOptions, FieldValidation, Patch, Subresource, WriteOptions};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::world::{World, administrator, same_answer};
use super::{Played, Verdict, played, recorded, same};
use crate::run::Session;

const GROUP: &str = "apiextensions.k8s.io";
const KIND: &str = "CustomResourceDefinition";

pub(super) fn all() -> Vec<Played> {
    let mut all = played("10f-crd/invalid-crds.json", |case| {
        let answer =
            World::new(&[]).api().create(&administrator(), case["crd"].clone(), WriteOptions::default());
        same_answer(answer, &case["result"], true, |_| Ok(()))
    });
    let Some(definition) = recorded("10f-crd/widget-crd.json") else { return all };
    let world = || {
        let mut world = World::new(&[]);
        world.create(definition.clone());
        world.pass(100);
        world
    };
    all.extend(played("10f-crd/cr-validation.json", |case| object(&mut world(), case)));
    all.extend(played("10f-crd/kubectl.json", |case| {
        let mut case = case.clone();
        let rest = case.text(&["stdin"]).to_owned();
        case["stdin"] =
            format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: w}}\n{rest}").into();
        world().play_command(&mut Session::default(), &case)
    }));
    all.extend(played("10f-crd/lifecycle.json", lifecycle));
    all
}

/// A write of an object against its definition.
fn object(world: &mut World, case: &Value) -> Verdict {
    let result = &case["result"];
    let mut object = json!({
        "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "default"},
    });
    let compare = |object: &std::sync::Arc<Object>| {
        for part in ["spec", "status"] {
            if let Some(recorded) = result.get(part) {
                same(part, &object.get(part).cloned().unwrap_or_default(), recorded)?;
            }
        }
        Ok(())
    };
    let validation = match case.text(&["query", "fieldValidation"]) {
        "Strict" => FieldValidation::Strict,
        _ => FieldValidation::Ignore,
    };
    let dry_run = WriteOptions { dry_run: true, validation, names_manager: true };
    let subresource = match case.text(&["op"]) {
        "create Widget" => {
            let fields = case.get("object").and_then(Value::as_object).cloned().unwrap_or_default();
            object.as_object_mut().unwrap().extend(fields);
            for (field, value) in case.get("metadata").and_then(Value::as_object).into_iter().flatten() {
                object["metadata"][field] = value.clone();
            }
            if case.get("metadata").is_some() {
                object["spec"] = json!({"size": 1});
            }
            return same_answer(
                world.api().create(&administrator(), object, dry_run),
                result,
                false,
                compare,
            );
        }
        "patch Widget/status" => Subresource::Status,
        _ => Subresource::None,
    };
    object["metadata"]["name"] = "u".into();
    object["spec"] = case["existing.spec"].clone();
    world.create(object);
    let id = world.api().kind_id("example.com", "Widget").unwrap();
    let patch = Patch::Merge(case["patch"].clone());
    let name = ObjectName::namespaced("default", "u");
    let answer = world.api().patch(&administrator(), id, &name, &patch, subresource, dry_run);
    same_answer(answer, result, false, compare)
}

fn definition(name: &str, group: &str, kind: &str, short_names: &[&str]) -> Object {
    let mut names = json!({"plural": name, "singular": kind.to_lowercase(), "kind": kind});
    if !short_names.is_empty() {
        names["shortNames"] = json!(short_names);
    }
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": KIND, "metadata": {"name": format!("{name}.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced", "names": names,
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true}}}],
        },
    })
}

/// The conditions of a definition as a recording shows them.
fn conditions(object: &Object) -> BTreeMap<String, Value> {
    let mut conditions = BTreeMap::new();
    for condition in object.list(&["status", "conditions"]) {
        let mut condition = condition.clone();
        condition.remove(&["lastTransitionTime"]);
        let name = condition.remove(&["type"]).unwrap_or_default();
        conditions.insert(name.as_str().unwrap_or_default().to_owned(), condition);
    }
    conditions
}

/// The conditions after all recorded transitions of a definition that has not gone.
fn recorded_conditions(case: &Value, name: &str) -> BTreeMap<String, Value> {
    let mut conditions = BTreeMap::new();
    let object = format!("{KIND}/{name}");
    for transition in case.list(&["transitions"]).iter().filter(|one| one["object"] == object) {
        for (key, value) in transition.get("change").and_then(Value::as_object).into_iter().flatten() {
            let single = key.strip_prefix("conditions[").and_then(|key| key.strip_suffix(']'));
            let given = match single {
                Some(name) => vec![(name.to_owned(), value.clone())],
                None if key == "conditions" => value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|condition| (condition.text(&["type"]).to_owned(), condition.clone()))
                    .collect(),
                None => Vec::new(),
            };
            for (name, mut condition) in given {
                condition.remove(&["type"]);
                conditions.insert(name, condition);
            }
        }
    }
    conditions
}

fn lifecycle(case: &Value) -> Verdict {
    let mut world = World::new(&[]);
    let gadget = |name: &str| {
        json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {
            "name": name, "namespace": "default", "finalizers": ["example.com/hold"]}})
    };
    let name = match case.text(&["name"]) {
        "create" => {
            world.create(definition("gadgets", "example.com", "Gadget", &["gd"]));
            let early = world.api().create(&administrator(), gadget("g1"), WriteOptions::default());
            same("served before it is established", &early.is_ok(), &false)?;
            let arguments = ["wait", "--for=condition=established", "crd/gadgets.example.com"];
            let waited = world.command(&mut Session::default(), &arguments, "");
            same("wait", &waited.stdout.as_str(), &case.text(&["kubectl_wait"]))?;
            let listed = world.command(&mut Session::default(), &["get", "gd"], "");
            same("list", &(listed.exit_code, listed.stdout.is_empty()), &(0, true))?;
            "gadgets.example.com"
        }
        "delete-with-instance-held-by-finalizer" => {
            world.create(definition("gadgets", "example.com", "Gadget", &["gd"]));
            world.pass(100);
            world.create(gadget("g1"));
            let id = world.api().kind_id(GROUP, KIND).unwrap();
            let name = ObjectName::cluster("gadgets.example.com");
            world.api().delete(&administrator(), id, &name, &DeleteOptions::default()).unwrap();
            world.pass(2000);
            let seen = world.find(GROUP, KIND, "", &name.name).map(conditions);
            same("conditions", &seen, &Some(recorded_conditions(case, &name.name)))?;
            let late = world.api().create(&administrator(), gadget("g2"), WriteOptions::default());
            same_answer(late, &case["steps"][1]["result"], true, |_| Ok(()))?;
            let id = world.api().kind_id("example.com", "Gadget").unwrap();
            let free = Patch::Merge(json!({"metadata": {"finalizers": null}}));
            let held = ObjectName::namespaced("default", "g1");
            let options = WriteOptions::default();
            world.api().patch(&administrator(), id, &held, &free, Subresource::None, options).unwrap();
            world.pass(2900);
            same("there at 4.9 s", &world.find(GROUP, KIND, "", &name.name).is_some(), &true)?;
            world.pass(300);
            return same("there at 5.2 s", &world.find(GROUP, KIND, "", &name.name).is_some(), &false);
        }
        "names-conflict" => {
            world.create(definition("aaas", "example.com", "Thing", &["tt"]));
            world.pass(700);
            world.create(definition("bbbs", "example.com", "Thing", &["tt"]));
            world.pass(1000);
            let seen = conditions(world.find(GROUP, KIND, "", "bbbs.example.com").unwrap());
            let of_first = &case["transitions"][1]["change"]["conditions"];
            same("message", &seen["NamesAccepted"]["message"], &of_first[0]["message"])?;
            same("reason", &seen["NamesAccepted"]["reason"], &of_first[0]["reason"])?;
            let outcome = world.command(&mut Session::default(), &["delete", "crd", "aaas.example.com"], "");
            same("deletion", &outcome.exit_code, &0)?;
            world.pass(100);
            "bbbs.example.com"
        }
        _ => {
            let mut object = definition("protect2", "foo.k8s.io", "Protect2", &[]);
            object["metadata"]["annotations"] = json!({"api-approved.kubernetes.io": "unapproved, test"});
            world.create(object);
            world.pass(1000);
            "protect2.foo.k8s.io"
        }
    };
    let seen = conditions(world.find(GROUP, KIND, "", name).unwrap());
    same("conditions", &seen, &recorded_conditions(case, name))
}

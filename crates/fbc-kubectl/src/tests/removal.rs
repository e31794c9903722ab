//! Objects and namespaces on their way out.

use fbc_cluster::api::{DeleteOptions, Patch, Propagation, Subresource, WriteOptions};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Store;
use serde_json::{Value, json};

use super::world::{World, administrator, same_answer};
use super::{Played, Verdict, played, same};
use crate::run::Session;

fn config_map(name: &str, owner: Option<(&str, &str)>, finalizers: &[&str]) -> Object {
    let mut object =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "ns"}});
    if let Some((owner, uid)) = owner {
        let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": uid, "blockOwnerDeletion": true});
        object.set(&["metadata", "ownerReferences"], json!([reference]));
    }
    if !finalizers.is_empty() {
        object.set(&["metadata", "finalizers"], json!(finalizers));
    }
    object
}

fn deployment() -> Object {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "ns"},
        "spec": {
            "replicas": 2, "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"terminationGracePeriodSeconds": 1, "containers": [{"name": "c", "image": "registry.example/app"}]},
            },
        },
    })
}

/// Makes what a case starts with.
fn prepare(world: &mut World, case: &Value) {
    let before = case["before"].to_string();
    if before.contains("Deployment/web") {
        world.create(deployment());
    }
    if before.contains("ConfigMap/held") {
        world.create(config_map("held", None, &["example.com/hold"]));
    }
    if before.contains("ConfigMap/a") {
        let held = match case.text(&["name"]) {
            "finalizer-only" => &["example.com/x", "example.com/y"][..],
            "add-finalizer-while-deleting" => &["example.com/x"][..],
            _ => &[],
        };
        let a = world.create(config_map("a", None, held));
        if before.contains("ConfigMap/b") {
            let b = world.create(config_map("b", Some(("a", a.uid())), &[]));
            world.create(config_map("c", Some(("b", b.uid())), &[]));
        }
    }
    world.pass(2000);
}

/// What the recorded controllers left is compared by the tests of controllers; here it is what clients are answered.
fn play(case: &Value) -> Verdict {
    let mut world = World::new(&["ns"]);
    prepare(&mut world, case);
    let action = &case["action"];
    let Some(request) = action.get("request").and_then(Value::as_str) else {
        if action.get("args").is_none() {
            return Ok(());
        }
        let started = world.cluster.now();
        world.play_command(&mut Session::default(), action)?;
        let took = world.cluster.now().since(started);
        let recorded = action["duration_ms"].as_u64().unwrap_or_default();
        return if took.abs_diff(recorded) <= 700 {
            Ok(())
        } else {
            Err(format!("took {took} ms; recorded {recorded} ms"))
        };
    };
    let (kind, name) = request.strip_prefix("DELETE ").unwrap().split_once('/').unwrap();
    let propagation = match action.text(&["propagationPolicy"]) {
        "Foreground" => Propagation::Foreground,
        "Orphan" => Propagation::Orphan,
        _ => Propagation::Background,
    };
    let (group, name) = match kind {
        "Namespace" => ("", ObjectName::cluster(name)),
        "ConfigMap" => ("", ObjectName::namespaced("ns", name)),
        "ReplicaSet" => {
            let set = world.cluster.api.all("apps", kind).next().unwrap().object_name();
            ("apps", set)
        }
        _ => ("apps", ObjectName::namespaced("ns", name)),
    };
    let id = world.api().kind_id(group, kind).unwrap();
    let options = DeleteOptions { propagation, ..DeleteOptions::default() };
    let answer =
        world.api().delete(&administrator(), id, &name, &options).map_err(|error| error.to_string())?;
    let response = &action["response"];
    if let Some(finalizers) = response.get("finalizers") {
        let of = if kind == "Namespace" { "spec" } else { "metadata" };
        same("finalizers", answer.at(&[of, "finalizers"]).unwrap_or(&Value::Null), finalizers)?;
        same("deletion", &answer.is_terminating(), &true)?;
    } else {
        let store: &Store = world.cluster.api.store();
        same("there", &store.get(id, &name).is_some(), &false)?;
    }
    while_deleting(&mut world, action)
}

/// Writes to what is on its way out.
fn while_deleting(world: &mut World, action: &Value) -> Verdict {
    let (caller, options) = (administrator(), WriteOptions::default());
    let config_maps = world.api().kind_id("", "ConfigMap").unwrap();
    let mut patch = |key: &str, changes: Value| -> Verdict {
        let Some(recorded) = action.get(key) else { return Ok(()) };
        let name = ObjectName::namespaced("ns", "a");
        let patch = Patch::Merge(changes);
        let answer = world.api().patch(&caller, config_maps, &name, &patch, Subresource::None, options);
        same_answer(answer, recorded, true, |_| Ok(()))
    };
    patch(
        "add finalizer while deleting",
        json!({"metadata": {"finalizers": ["example.com/x", "example.com/z"]}}),
    )?;
    patch("change data while deleting", json!({"data": {"a": "b"}}))?;
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "late", "namespace": "ns"},
        "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}});
    for (key, object) in [
        ("create while terminating", config_map("late", None, &[])),
        ("create pod while terminating", pod),
        ("create namespace again", namespace),
    ] {
        if let Some(recorded) = action.get(key) {
            let answer = world.api().create(&caller, object, options);
            same_answer(answer, recorded, true, |_| Ok(()))?;
        }
    }
    Ok(())
}

pub(super) fn objects() -> Vec<Played> {
    played("10e-garbage-collection/cases.json", play)
}

pub(super) fn namespaces() -> Vec<Played> {
    let mut all = played("10i-namespaces/cases.json", play);
    all.extend(played("10i-namespaces/errors.json", |case| {
        let mut world = World::new(&[]);
        let id = world.api().kind_id("", "Namespace").unwrap();
        let delete = |world: &mut World, name: &str| {
            let name = ObjectName::cluster(name);
            world.api().delete(&administrator(), id, &name, &DeleteOptions::default())
        };
        let create = |world: &mut World, object: Object| {
            world.api().create(&administrator(), object, WriteOptions::default())
        };
        let answer = match case.text(&["name"]) {
            "delete-default" => delete(&mut world, "default"),
            "delete-missing" => delete(&mut world, "nosuch"),
            "bad-name" => create(
                &mut world,
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "Bad_Name"}}),
            ),
            _ => {
                let mut object = config_map("x", None, &[]);
                object["metadata"]["namespace"] = "nosuch".into();
                create(&mut world, object)
            }
        };
        same_answer(answer, case, true, |_| Ok(()))
    }));
    all
}

//! What clients see of writes and reads.

use serde_json::json;

use super::*;
use crate::kind::Registry;

/// A server with namespaces, config maps, and a kind with status and generation.
fn server() -> ApiServer {
    let mut registry = Registry::default();
    for (group, name, namespaced, has_status) in [
        ("", "Namespace", false, true),
        ("", "ConfigMap", true, false),
        ("example.com", "Widget", true, true),
    ] {
        let plural = format!("{}s", name.to_lowercase());
        registry.register(Kind {
            group: group.into(),
            versions: vec!["v1".into()],
            kind: name.into(),
            singular: name.to_lowercase(),
            plural,
            short_names: Vec::new(),
            categories: Vec::new(),
            namespaced,
            has_status,
            has_generation: has_status,
        });
    }
    let mut server = ApiServer::new(registry, 1);
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "demo"}});
    server.create(&caller(), namespace, WriteOptions::default()).unwrap();
    server
}

fn caller() -> Caller {
    Caller::administrator("test")
}

fn widget(size: i64) -> Object {
    json!({
        "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"namespace": "demo", "name": "one"},
        "spec": {"size": size}, "status": {"ready": true},
    })
}

fn name() -> ObjectName {
    ObjectName::namespaced("demo", "one")
}

fn id(server: &ApiServer) -> KindId {
    server.kind_id("example.com", "Widget").unwrap()
}

#[test]
fn new_objects_get_what_only_the_server_sets() {
    let mut server = server();
    let stored = server.create(&caller(), widget(1), WriteOptions::default()).unwrap();
    assert_eq!(stored.uid().len(), 36);
    assert_eq!(stored.generation(), 1);
    assert_eq!(stored.text(&["metadata", "creationTimestamp"]), "2026-01-01T00:00:00Z");
    assert!(stored.at(&["status"]).is_none(), "the status is written apart");
    let again = server.create(&caller(), widget(1), WriteOptions::default()).unwrap_err();
    assert_eq!(again.to_string(), r#"widgets.example.com "one" already exists"#);
    let mut elsewhere = widget(1);
    elsewhere.set(&["metadata", "namespace"], "absent");
    let refusal = server.create(&caller(), elsewhere, WriteOptions::default()).unwrap_err();
    assert_eq!(refusal.to_string(), r#"namespaces "absent" not found"#);
}

#[test]
fn generated_names_differ() {
    let mut server = server();
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "demo", "generateName": "a-"}});
    let first = server.create(&caller(), object.clone(), WriteOptions::default()).unwrap();
    let second = server.create(&caller(), object, WriteOptions::default()).unwrap();
    assert_eq!(first.name().len(), 7);
    assert_ne!(first.name(), second.name());
}

#[test]
fn generations_count_what_is_wanted() {
    let mut server = server();
    server.create(&caller(), widget(1), WriteOptions::default()).unwrap();
    let revision = server.store().revision();
    let same = server.update(&caller(), widget(1), Subresource::None, WriteOptions::default()).unwrap();
    assert_eq!((same.generation(), server.store().revision()), (1, revision), "nothing is written");
    let changed = server.update(&caller(), widget(2), Subresource::None, WriteOptions::default()).unwrap();
    assert_eq!(changed.generation(), 2);
    let status = server.update(&caller(), widget(3), Subresource::Status, WriteOptions::default()).unwrap();
    assert_eq!(
        status.at(&["spec", "size"]),
        Some(&json!(2)),
        "the status subresource changes the status alone"
    );
    assert_eq!((status.generation(), status.at(&["status", "ready"])), (2, Some(&json!(true))));
}

#[test]
fn stale_writes_are_conflicts() {
    let mut server = server();
    let first = server.create(&caller(), widget(1), WriteOptions::default()).unwrap();
    server.update(&caller(), widget(2), Subresource::None, WriteOptions::default()).unwrap();
    let mut stale = Object::clone(&first);
    stale.set(&["spec", "size"], 3);
    let refusal = server.update(&caller(), stale, Subresource::None, WriteOptions::default()).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "Operation cannot be fulfilled on widgets.example.com \"one\": the object has been modified; please apply \
         your changes to the latest version and try again"
    );
    assert_eq!(refusal.code(), 409);
}

#[test]
fn finalizers_hold_what_is_deleted() {
    let mut server = server();
    let mut object = widget(1);
    object.set(&["metadata", "finalizers"], json!(["example.com/hold"]));
    server.create(&caller(), object, WriteOptions::default()).unwrap();
    let id = id(&server);
    server.delete(&caller(), id, &name(), &DeleteOptions::default()).unwrap();
    let held = server.get(&caller(), id, &name()).unwrap();
    assert!(held.is_terminating());
    assert_eq!(held.generation(), 2, "a deletion that waits is a new wish");
    let freed = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    server.patch(&caller(), id, &name(), &freed, Subresource::None, WriteOptions::default()).unwrap();
    assert!(server.get(&caller(), id, &name()).unwrap_err().is_not_found());
}

#[test]
fn propagation_becomes_a_finalizer() {
    for (propagation, finalizer) in
        [(Propagation::Foreground, "foregroundDeletion"), (Propagation::Orphan, "orphan")]
    {
        let mut server = server();
        server.create(&caller(), widget(1), WriteOptions::default()).unwrap();
        let id = id(&server);
        let options = DeleteOptions { propagation, ..DeleteOptions::default() };
        let held = server.delete(&caller(), id, &name(), &options).unwrap();
        assert_eq!(held.finalizers().collect::<Vec<_>>(), [finalizer]);
    }
}

#[test]
fn a_dry_run_stores_nothing() {
    let mut server = server();
    let revision = server.store().revision();
    let dry_run = WriteOptions { dry_run: true, ..WriteOptions::default() };
    assert_eq!(server.create(&caller(), widget(1), dry_run).unwrap().generation(), 1);
    assert_eq!(server.store().revision(), revision);
}

#[test]
fn lists_are_chosen_by_labels() {
    let mut server = server();
    for (number, label) in ["x", "y", "x"].iter().enumerate() {
        let mut object = widget(1);
        object.set(&["metadata", "name"], format!("widget-{number}"));
        object.set(&["metadata", "labels", "app"], *label);
        server.create(&caller(), object, WriteOptions::default()).unwrap();
    }
    let labels = crate::selector::LabelSelector::parse("app=x").unwrap();
    let options = ListOptions { labels, ..ListOptions::default() };
    let found = server.list(&caller(), id(&server), &options).unwrap();
    assert_eq!(found.iter().map(|object| object.name()).collect::<Vec<_>>(), ["widget-0", "widget-2"]);
}

#[test]
fn collections_are_deleted_by_labels() {
    let mut server = server();
    for (number, label) in ["x", "y", "x"].iter().enumerate() {
        let mut object = widget(1);
        object.set(&["metadata", "name"], format!("widget-{number}"));
        object.set(&["metadata", "labels", "app"], *label);
        server.create(&caller(), object, WriteOptions::default()).unwrap();
    }
    let labels = crate::selector::LabelSelector::parse("app=x").unwrap();
    let list = ListOptions { labels, namespace: Some("demo".into()), ..ListOptions::default() };
    let id = id(&server);
    let gone = server.delete_collection(&caller(), id, &list, &DeleteOptions::default()).unwrap();
    assert_eq!(gone.len(), 2);
    assert_eq!(
        server.all("example.com", "Widget").map(|object| object.name()).collect::<Vec<_>>(),
        ["widget-1"]
    );
}

#[test]
fn versions_of_a_definition_are_one_object() {
    let mut server = crate::control_plane::api_server(&["demo"], 1, Moment::START);
    let version = |name: &str, field: &str, storage: bool| {
        json!({
            "name": name, "served": true, "storage": storage,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {
                "type": "object", "properties": {
                    "size": {"type": "integer"}, field: {"type": "string", "default": name},
                },
            }}}},
        })
    };
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gears.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "gears", "kind": "Gear"},
            "versions": [version("v1", "new", true), version("v1beta1", "old", false)],
        },
    });
    server.install_definition(definition).unwrap();
    let gear = json!({
        "apiVersion": "example.com/v1beta1", "kind": "Gear", "metadata": {"namespace": "demo", "name": "one"},
        "spec": {"size": 1, "new": "unknown there"},
    });
    let stored = server.create(&caller(), gear, WriteOptions::default()).unwrap();
    assert_eq!(
        (stored.api_version(), &stored["spec"]),
        ("example.com/v1", &json!({"size": 1, "old": "v1beta1"}))
    );
    let shown = crate::apply::unpacked(&stored);
    let entries = shown.list(&["metadata", "managedFields"]);
    assert_eq!(entries[0]["apiVersion"], "example.com/v1beta1");
    let id = server.kind_id("example.com", "Gear").unwrap();
    for (version, spec) in
        [("v1", json!({"size": 1, "new": "v1"})), ("v1beta1", json!({"size": 1, "old": "v1beta1"}))]
    {
        assert_eq!(
            server.in_version(id, &stored, &format!("example.com/{version}"))["spec"],
            spec,
            "{version}"
        );
    }
}

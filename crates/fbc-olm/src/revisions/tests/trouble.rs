//! Revisions that cannot go on.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::SECOND;
use serde_json::{Value, json};

use super::world::{World, config_map, object, revision};
use crate::names;

fn one() -> Value {
    revision(1, &[("configuration", &[config_map("one", "1")])])
}

fn message(world: &World) -> String {
    let [status, reason, message] = world.condition("demo-1", "Progressing");
    format!("{status}/{reason} {message}")
}

#[test]
fn objects_of_others_are_left_alone() {
    let mut world = World::new();
    let mut other = object("v1", "ConfigMap", "one");
    other["data"] = json!({"mine": "yes"});
    world.create(other);
    world.create(one());
    world.run(SECOND);
    let collision = "True/Retrying revision object collisions in phase 0\nObject ConfigMap.v1 a/one\nAction: \
                     \"Collision\"\nProbes:\n- Progress: Succeeded\nConflicting Owner: nil\n";
    assert_eq!(message(&world), collision);
    assert_eq!(
        world.find("", "ConfigMap", "a/one").map(|map| map["data"].clone()),
        Some(json!({"mine": "yes"}))
    );
    world.delete("", "ConfigMap", "a/one");
    world.run(10 * SECOND);
    assert_eq!(message(&world), "True/Succeeded Revision 1.0.0 has rolled out.");
}

#[test]
fn protection_can_be_loosened() {
    for (place, protection, is_taken) in [
        (json!({"collisionProtection": "IfNoController"}), "", true),
        (json!({}), "IfNoController", true),
        (json!({"collisionProtection": "Prevent"}), "IfNoController", false),
        (json!({}), "None", true),
        (json!({}), "", false),
    ] {
        let mut world = World::new();
        world.create(config_map("one", "theirs"));
        let mut revision = one();
        let entry = &mut revision["spec"]["phases"][0]["objects"][0];
        for (key, value) in place.as_object().into_iter().flatten() {
            entry[key] = value.clone();
        }
        if !protection.is_empty() {
            revision["spec"]["phases"][0]["collisionProtection"] = protection.into();
        }
        world.create(revision);
        world.settle();
        let map = world.find("", "ConfigMap", "a/one").expect("the object");
        assert_eq!(map.text(&["data", "key"]) == "1", is_taken, "{place} {protection}");
    }
}

#[test]
fn an_object_that_lost_its_owner_is_not_taken_back() {
    let mut world = World::new();
    world.create(one());
    world.settle();
    world.patch("", "ConfigMap", "a/one", json!({"metadata": {"ownerReferences": null}}));
    world.settle();
    let uid = world.revision("demo-1").uid().to_owned();
    let report = format!(
        "True/Retrying revision object collisions in phase 0\nObject ConfigMap.v1 a/one\nAction: \"Collision\"\n\
         Probes:\n- Progress: Succeeded\nComparison:\n- Removed:\n  .metadata.ownerReferences[uid=\"{uid}\"]\n\
         Conflicting Owner: nil\n"
    );
    // Whether the revision hears of it depends on who owned the object before.
    assert_eq!(message(&world), report);
    assert_eq!(world.condition("demo-1", "Available")[..2], ["Unknown", "Reconciling"].map(str::to_owned));
}

#[test]
fn kinds_that_are_not_served() {
    let mut world = World::new();
    let objects = [object("example.com/v1", "Gadget", "one"), object("example.com/v1", "Widget", "one")];
    world.create(revision(1, &[("deploy", &objects)]));
    world.settle();
    let missing =
        "True/Retrying establish watch: no matches for kind \"Widget\" in version \"example.com/v1\"";
    assert_eq!(message(&world), missing);
    for (kind, plural) in [("Gadget", "gadgets"), ("Widget", "widgets")] {
        let schema =
            json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
        world.create(json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.example.com")},
            "spec": {
                "group": "example.com", "scope": "Namespaced",
                "names": {"kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": kind.to_lowercase()},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
            },
        }));
    }
    world.settle();
    world.settle();
    // The first time the objects are made; the second time they cannot be compared.
    assert!(world.find("example.com", "Widget", "a/one").is_some());
    let line = |kind: &str| {
        format!(
            "reconciling example.com/v1, Kind={kind} a/one: diverge check: API accessor: GroupVersion (example.com/v1) \
             not found as OpenAPI V3 path"
        )
    };
    world.patch("example.com", "Widget", "a/one", json!({"metadata": {"labels": {"x": "y"}}}));
    world.settle();
    assert_eq!(
        message(&world),
        format!("True/Retrying reconciling object: {}\n{}", line("Gadget"), line("Widget"))
    );
}

fn with_secret(world: &mut World, immutable: bool, text: &str) {
    let mut secret = object("v1", "Secret", "objects");
    secret["immutable"] = immutable.into();
    secret["data"] = json!({"key": STANDARD.encode(text)});
    world.create(secret);
}

fn referring() -> Value {
    let mut revision = one();
    revision["spec"]["phases"][0]["objects"] =
        json!([{"ref": {"name": "objects", "namespace": "a", "key": "key"}}]);
    revision
}

#[test]
fn objects_come_from_secrets_that_nobody_can_change() {
    let mut world = World::new();
    world.create(referring());
    world.settle();
    let missing = "True/Retrying resolving ref in phase \"configuration\": getting Secret a/objects: Secret \"objects\" \
                   not found";
    assert_eq!(message(&world), missing);
    with_secret(&mut world, false, &config_map("one", "1").to_string());
    world.settle();
    world.settle();
    let mutable = "False/Blocked the following secrets are not immutable (referenced secrets must have immutable set to \
                   true): a/objects";
    assert_eq!(message(&world), mutable);
    world.patch("", "Secret", "a/objects", json!({"immutable": true}));
    world.patch(
        names::GROUP,
        names::CLUSTER_OBJECT_SET,
        "demo-1",
        json!({"metadata": {"annotations": {"x": "y"}}}),
    );
    world.settle();
    assert_eq!(message(&world), "True/Succeeded Revision 1.0.0 has rolled out.");
    world.delete("", "Secret", "a/objects");
    with_secret(&mut world, true, &config_map("two", "1").to_string());
    world.patch(
        names::GROUP,
        names::CLUSTER_OBJECT_SET,
        "demo-1",
        json!({"metadata": {"annotations": {"x": "z"}}}),
    );
    world.settle();
    let changed = message(&world);
    assert!(changed.starts_with("False/Blocked resolved content of 1 phase(s) has changed: phase \"configuration\" (expected digest sha256:"), "{changed}");
    assert!(changed.ends_with(
        "; a referenced object source may have been deleted and recreated with different content"
    ));
}

#[test]
fn secrets_without_objects() {
    for (text, expected) in [
        ("[1]", "unmarshaling object from key \"key\" in Secret a/objects: no object"),
        ("{", "unmarshaling object from key \"key\" in Secret a/objects: "),
    ] {
        let mut world = World::new();
        with_secret(&mut world, true, text);
        world.create(referring());
        world.settle();
        let found = message(&world);
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn revisions_that_are_not_valid() {
    let twice = "True/Retrying revision validation error: revision \"demo-1\" (1): phase \"configuration\": /v1, \
                 Kind=ConfigMap a/one: duplicate object found in phases: configuration";
    let owned = "True/Retrying revision validation error: revision \"demo-1\" (1): phase \"configuration\": /v1, \
                 Kind=ConfigMap a/one: metadata.finalizers: Forbidden: must be empty, metadata.resourceVersion: \
                 Forbidden: must be empty";
    let mut set_by_cluster = config_map("one", "1");
    set_by_cluster["metadata"]["finalizers"] = json!(["example.com/x"]);
    set_by_cluster["metadata"]["resourceVersion"] = json!("1");
    for (objects, expected) in
        [(vec![config_map("one", "1"), config_map("one", "2")], twice), (vec![set_by_cluster], owned)]
    {
        let mut world = World::new();
        world.create(revision(1, &[("configuration", &objects)]));
        world.settle();
        assert_eq!(message(&world), expected);
    }
}

#[test]
fn service_accounts_that_are_not_named_or_not_there() {
    for (annotations, expected) in [
        (Value::Null, "revision \"demo-1\" is missing required annotations"),
        (json!({"x": "y"}), "revision \"demo-1\" is missing ServiceAccount name annotation"),
        (
            json!({names::SERVICE_ACCOUNT_NAME: "installer"}),
            "revision \"demo-1\" is missing ServiceAccount namespace annotation",
        ),
        (
            json!({names::SERVICE_ACCOUNT_NAME: "nobody", names::SERVICE_ACCOUNT_NAMESPACE: "a"}),
            "reconciling object: service account \"nobody\" not found in namespace \"a\": unable to authenticate with \
             the Kubernetes cluster.",
        ),
    ] {
        let mut world = World::new();
        let mut revision = one();
        revision["metadata"]["annotations"] = annotations;
        world.create(revision);
        world.settle();
        assert_eq!(message(&world), format!("True/Retrying {expected}"));
    }
}

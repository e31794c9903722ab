//! A newer revision takes the place of an older one.

use fbc_cluster::object::ObjectFields;
use serde_json::{Value, json};

use super::world::{World, config_map, deployment, revision};
use crate::names;

fn old() -> Value {
    revision(
        1,
        &[
            ("configuration", &[config_map("kept", "1"), config_map("dropped", "1")]),
            ("deploy", &[deployment("web", "image:1"), deployment("dropped", "image:1")]),
        ],
    )
}

fn new() -> Value {
    revision(2, &[("configuration", &[config_map("kept", "2")]), ("deploy", &[deployment("web", "image:2")])])
}

#[test]
fn objects_pass_on_and_the_rest_goes() {
    let mut world = World::new();
    world.create(old());
    world.settle();
    let before = world.find("", "ConfigMap", "a/kept").expect("the object");
    world.create(new());
    world.settle();
    let kept = world.find("", "ConfigMap", "a/kept").expect("the object");
    assert_eq!((kept.uid(), kept.text(&["data", "key"])), (before.uid(), "2"));
    assert_eq!(kept.annotation(names::REVISION), Some("2"));
    let owners: Vec<&str> = kept.owner_references().iter().map(|owner| owner.text(&["name"])).collect();
    assert_eq!(owners, ["demo-2"]);
    assert!(world.find("", "ConfigMap", "a/dropped").is_none());
    assert!(world.find("apps", "Deployment", "a/dropped").is_none());
    let archived = world.revision("demo-1");
    assert_eq!(archived.text(&["spec", "lifecycleState"]), "Archived");
    assert_eq!(archived.finalizers().next(), None);
    let expected = |status: &str| [status, "Archived", "revision is archived"].map(str::to_owned);
    assert_eq!(world.condition("demo-1", "Progressing"), expected("False"));
    assert_eq!(world.condition("demo-1", "Available"), expected("Unknown"));
    assert_eq!(world.condition("demo-1", "Succeeded")[0], "True");
    assert_eq!(world.condition("demo-2", "Succeeded")[0], "True");
}

#[test]
fn both_revisions_work_while_the_new_one_rolls_out() {
    let mut world = World::new();
    world.create(old());
    world.settle();
    world.deployments("False");
    world.create(new());
    world.settle();
    assert_eq!(world.revision("demo-1").text(&["spec", "lifecycleState"]), "Active");
    assert!(world.find("", "ConfigMap", "a/dropped").is_some());
    for name in ["demo-1", "demo-2"] {
        assert_eq!(world.condition(name, "Progressing")[1], "RollingOut", "{name}");
        assert_eq!(world.condition(name, "Available")[1], "ProbeFailure", "{name}");
    }
    assert_eq!(
        world
            .find("apps", "Deployment", "a/web")
            .and_then(|web| web.annotation(names::REVISION).map(str::to_owned))
            .as_deref(),
        Some("2")
    );
    world.deployments("True");
    world.settle();
    assert_eq!(world.condition("demo-1", "Progressing")[1], "Archived");
    assert_eq!(world.condition("demo-2", "Progressing")[1], "Succeeded");
}

/// A Deployment with a field that the API server completes, so that every look of a revision applies it again.
fn completed(image: &str) -> Value {
    let mut deployment = deployment("web", image);
    let source = json!({"fieldRef": {"fieldPath": "metadata.namespace"}});
    deployment["spec"]["template"]["spec"]["containers"][0]["env"] =
        json!([{"name": "NAMESPACE", "valueFrom": source}]);
    deployment
}

#[test]
fn an_older_revision_sees_what_became_of_objects_that_name_it_no_more() {
    let mut world = World::new();
    world.create(revision(1, &[("deploy", &[completed("image:1")])]));
    world.settle();
    world.deployments("");
    world.create(revision(2, &[("deploy", &[completed("image:2")])]));
    world.run(300);
    let web = world.find("apps", "Deployment", "a/web").expect("the object");
    let owners: Vec<&str> = web.owner_references().iter().map(|owner| owner.text(&["name"])).collect();
    assert_eq!(owners, ["demo-2"]);
    world.deployments("False");
    world.settle();
    let message = "Object Deployment.apps/v1 a/web: .status.condition[\"Available\"] is False";
    for name in ["demo-1", "demo-2"] {
        assert_eq!(world.condition(name, "Available")[2], message, "{name}");
    }
}

#[test]
fn an_archived_revision_stays_archived() {
    let mut world = World::new();
    world.create(old());
    world.settle();
    world.create(new());
    world.settle();
    world.delete(names::GROUP, names::CLUSTER_OBJECT_SET, "demo-1");
    world.settle();
    assert!(world.find("", "ConfigMap", "a/kept").is_some());
    assert_eq!(world.condition("demo-2", "Progressing")[1], "Succeeded");
}

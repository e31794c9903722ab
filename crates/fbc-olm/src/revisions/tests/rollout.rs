//! A revision comes into the cluster, and stays there.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::{MINUTE, SECOND};
use serde_json::json;

use super::world::{World, config_map, deployment, object, revision};
use crate::names;

fn first() -> serde_json::Value {
    revision(1, &[("configuration", &[config_map("one", "1")]), ("deploy", &[deployment("web", "image:1")])])
}

#[test]
fn phases_follow_one_another_and_the_revision_succeeds() {
    let mut world = World::new();
    world.deployments("False");
    world.create(first());
    world.settle();
    let text = |parts: [&str; 3]| parts.map(str::to_owned);
    assert_eq!(
        world.condition("demo-1", "Progressing"),
        text(["True", "RollingOut", "Revision 1.0.0 is rolling out."])
    );
    let probe = "Object Deployment.apps/v1 a/web: .status.condition[\"Available\"] is False";
    assert_eq!(world.condition("demo-1", "Available"), text(["False", "ProbeFailure", probe]));
    world.deployments("True");
    world.settle();
    assert_eq!(
        world.condition("demo-1", "Progressing"),
        text(["True", "Succeeded", "Revision 1.0.0 has rolled out."])
    );
    assert_eq!(
        world.condition("demo-1", "Available"),
        text(["True", "ProbesSucceeded", "Objects are available and pass all probes."])
    );
    assert_eq!(
        world.condition("demo-1", "Succeeded"),
        text(["True", "Succeeded", "Revision succeeded rolling out."])
    );
    let revision = world.revision("demo-1");
    assert_eq!(revision.finalizers().collect::<Vec<_>>(), [names::TEARDOWN]);
    let observed = revision.list(&["status", "observedPhases"]);
    assert_eq!(
        observed.iter().map(|phase| phase.text(&["name"])).collect::<Vec<_>>(),
        ["configuration", "deploy"]
    );
    let map = world.find("", "ConfigMap", "a/one").expect("the object");
    assert_eq!(map.label(names::MANAGED_BY), Some(names::OBJECT_MANAGER));
    assert_eq!(map.annotation(names::REVISION), Some("1"));
    assert_eq!(map.controller().map(|owner| owner.text(&["uid"])), Some(revision.uid()));
    let map = fbc_cluster::apply::unpacked(&std::sync::Arc::new(map));
    let managers: Vec<(&str, &str)> = map
        .list(&["metadata", "managedFields"])
        .iter()
        .map(|entry| (entry.text(&["manager"]), entry.text(&["operation"])))
        .collect();
    assert_eq!(managers, [(names::OBJECT_MANAGER, "Apply")]);
}

#[test]
fn a_phase_waits_for_the_one_before() {
    let mut world = World::new();
    world.deployments("False");
    world.create(revision(
        1,
        &[("deploy", &[deployment("web", "image:1")]), ("publish", &[config_map("one", "1")])],
    ));
    world.settle();
    assert!(world.find("apps", "Deployment", "a/web").is_some());
    assert!(world.find("", "ConfigMap", "a/one").is_none());
    world.deployments("True");
    world.settle();
    assert!(world.find("", "ConfigMap", "a/one").is_some());
}

#[test]
fn what_others_change_or_delete_comes_back() {
    let mut world = World::new();
    world.create(first());
    world.settle();
    world.patch("", "ConfigMap", "a/one", json!({"data": {"key": "other", "more": "stays"}}));
    world.settle();
    let map = world.find("", "ConfigMap", "a/one").expect("the object");
    assert_eq!(map["data"], json!({"key": "1", "more": "stays"}));
    world.delete("apps", "Deployment", "a/web");
    world.settle();
    assert!(world.find("apps", "Deployment", "a/web").is_some());
    assert_eq!(world.condition("demo-1", "Available")[0], "True");
}

#[test]
fn a_still_revision_writes_nothing() {
    let mut world = World::new();
    world.create(first());
    world.settle();
    let before = world.cluster.api.store().revision();
    world.cluster.poke("clusterobjectset", fbc_cluster::object::ObjectName::cluster("demo-1"));
    world.settle();
    assert_eq!(world.cluster.api.store().revision(), before);
}

#[test]
fn the_deadline_passes_when_it_is_due() {
    let mut world = World::new();
    world.deployments("False");
    let mut revision = first();
    revision["spec"]["progressDeadlineMinutes"] = json!(10);
    world.create(revision);
    world.run(10 * MINUTE - SECOND);
    assert_eq!(world.condition("demo-1", "Progressing")[1], "RollingOut");
    world.run(2 * SECOND);
    let message = "Revision has not rolled out for 10 minute(s). Last status: Revision 1.0.0 is rolling out.";
    let expected = ["False", "ProgressDeadlineExceeded", message].map(str::to_owned);
    assert_eq!(world.condition("demo-1", "Progressing"), expected);
    world.deployments("True");
    world.settle();
    assert_eq!(world.condition("demo-1", "Progressing")[1], "Succeeded");
}

#[test]
fn the_deadline_shows_in_time_although_failures_wait_longer() {
    let mut world = World::new();
    let mut revision = revision(1, &[("deploy", &[object("example.com/v1", "Widget", "one")])]);
    revision["spec"]["progressDeadlineMinutes"] = json!(10);
    world.create(revision);
    world.run(10 * MINUTE + SECOND);
    let message = "Revision has not rolled out for 10 minute(s). Last status: establish watch: no matches for kind \
                   \"Widget\" in version \"example.com/v1\"";
    let expected = ["False", "ProgressDeadlineExceeded", message].map(str::to_owned);
    assert_eq!(world.condition("demo-1", "Progressing"), expected);
}

#[test]
fn a_deleted_revision_takes_its_objects_along() {
    let mut world = World::new();
    world.create(first());
    world.settle();
    world.delete(names::GROUP, names::CLUSTER_OBJECT_SET, "demo-1");
    world.settle();
    assert!(world.find(names::GROUP, names::CLUSTER_OBJECT_SET, "demo-1").is_none());
    assert!(world.find("", "ConfigMap", "a/one").is_none());
    assert!(world.find("apps", "Deployment", "a/web").is_none());
}

#[test]
fn objects_of_the_whole_cluster_lose_a_namespace() {
    let mut world = World::new();
    let role = object("rbac.authorization.k8s.io/v1", "ClusterRole", "readers");
    world.create(revision(1, &[("roles", &[role])]));
    world.settle();
    assert_eq!(world.condition("demo-1", "Progressing")[1], "Succeeded");
    assert!(world.find("rbac.authorization.k8s.io", "ClusterRole", "readers").is_some());
    world.create(revision(2, &[("configuration", &[config_map("one", "1")])]));
    world.settle();
    assert!(world.find("rbac.authorization.k8s.io", "ClusterRole", "readers").is_none());
}

//! Operators that do not become healthy, or do not stay so.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::{MINUTE, SECOND};
use serde_json::json;

use super::world::{PORT, World, version};

const NAME: &str = "lantern.v1.0.0";
const DEPLOYMENT: (&str, &str) = ("apps", "Deployment");

/// Shows V0-092.
#[test]
fn an_operator_that_never_gets_ready_goes_round_every_five_minutes() {
    let mut world = World::new();
    world.are_available.set(false);
    world.create(version(NAME, "1.0.0"));
    world.settle();
    assert_eq!(world.state(NAME), "Installing InstallWaiting");
    world.cluster.run_until(world.cluster.now() + 5 * MINUTE).unwrap();
    let history = world.history(NAME);
    let failed = history.iter().position(|entry| entry == "Failed InstallCheckFailed").unwrap();
    assert_eq!(
        history[failed..],
        [
            "Failed InstallCheckFailed",
            "Pending NeedsReinstall",
            "InstallReady AllRequirementsMet",
            "Installing InstallSucceeded",
            "Installing InstallWaiting",
        ]
    );
    let entries = world.version(NAME).list(&["status", "conditions"]).to_vec();
    assert_eq!(entries[failed]["message"], "install timeout");
    world.are_available.set(true);
    world.patch(DEPLOYMENT, PORT, "controller", json!({"metadata": {"labels": {"wake": "up"}}}));
    world.settle();
    assert_eq!(world.state(NAME), "Succeeded InstallSucceeded");
}

/// Shows V0-102 and V0-107.
#[test]
fn a_deployment_that_is_edited_or_deleted_is_put_back() {
    let mut world = World::new();
    world.create(version(NAME, "1.0.0"));
    world.settle();
    assert_eq!(world.state(NAME), "Succeeded InstallSucceeded");
    world.patch(DEPLOYMENT, PORT, "controller", json!({"spec": {"replicas": 3}}));
    world.settle();
    let found = world.find("apps", "Deployment", PORT, "controller").unwrap();
    assert_eq!(found.number(&["spec", "replicas"]), Some(1));
    let way = ["Failed ComponentUnhealthy", "Pending NeedsReinstall", "InstallReady AllRequirementsMet"];
    let history = world.history(NAME);
    assert!(history.windows(3).any(|part| part == way), "{history:?}");
    world.delete(DEPLOYMENT, PORT, "controller");
    world.settle();
    assert!(world.find("apps", "Deployment", PORT, "controller").is_some());
    assert_eq!(world.state(NAME), "Succeeded InstallSucceeded");
    let version = world.version(NAME);
    let messages: Vec<&str> =
        version.list(&["status", "conditions"]).iter().map(|entry| entry.text(&["message"])).collect();
    assert!(messages.contains(&"installing: missing deployment with name=controller"), "{messages:?}");
}

/// Shows V0-093: the second alternates for ever, a step a second.
#[test]
fn two_operators_with_one_definition_are_one_too_many() {
    let mut world = World::new();
    world.create(version(NAME, "1.0.0"));
    world.settle();
    world.create(version("lamp.v1.0.0", "1.0.0"));
    world.cluster.run_until(world.cluster.now() + 20 * SECOND).unwrap();
    assert_eq!(world.state(NAME), "Succeeded InstallSucceeded");
    let history = world.history("lamp.v1.0.0");
    let alternating = ["Failed OwnerConflict", "Pending NeedsReinstall", "Failed OwnerConflict"];
    assert!(history.windows(3).any(|part| part == alternating), "{history:?}");
}

/// Shows V0-094.
#[test]
fn another_strategy_is_refused() {
    let mut world = World::new();
    let mut object = version(NAME, "1.0.0");
    object["spec"]["install"]["strategy"] = json!("helm");
    world.create(object);
    world.settle();
    assert_eq!(world.state(NAME), "Failed InvalidInstallStrategy");
    assert_eq!(world.message(NAME), "install strategy invalid: unrecognized install strategy");
}

/// Shows V0-095 for a resync: the definition is gone, and nobody looks before the five minutes are over.
#[test]
fn a_definition_that_goes_is_missed_late() {
    let mut world = World::new();
    world.create(version(NAME, "1.0.0"));
    world.settle();
    world.delete(("apiextensions.k8s.io", "CustomResourceDefinition"), "", "lanterns.lantern.example.com");
    world.settle();
    assert_eq!(world.state(NAME), "Succeeded InstallSucceeded");
    world.cluster.run_until(world.cluster.now() + 5 * MINUTE).unwrap();
    assert_eq!(world.state(NAME), "Pending RequirementsNotMet");
    assert_eq!(world.message(NAME), "one or more requirements couldn't be found");
}

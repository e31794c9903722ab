//! Operators that replace each other.

use serde_json::{Value, json};

use super::world::{PORT, World, version};
use crate::names::{CLUSTER_SERVICE_VERSION, GROUP, OPERATOR_CONDITION};

const OLD: &str = "lantern.v1.0.0";
const NEW: &str = "lantern.v1.1.0";

fn replacing() -> Value {
    let mut object = version(NEW, "1.1.0");
    object["spec"]["replaces"] = json!(OLD);
    object
}

/// Shows V0-109 and V0-110.
#[test]
fn the_old_one_goes_when_the_new_one_has_succeeded() {
    let mut world = World::new();
    world.create(version(OLD, "1.0.0"));
    world.settle();
    world.are_available.set(false);
    world.create(replacing());
    world.settle();
    assert_eq!(
        (world.state(OLD), world.state(NEW)),
        ("Replacing BeingReplaced".into(), "Installing InstallWaiting".into())
    );
    world.are_available.set(true);
    world.patch(("apps", "Deployment"), PORT, "controller", json!({"metadata": {"labels": {"wake": "up"}}}));
    world.settle();
    assert_eq!(world.state(NEW), "Succeeded InstallSucceeded");
    assert!(world.find(GROUP, CLUSTER_SERVICE_VERSION, PORT, OLD).is_none());
}

/// Shows V0-111.
#[test]
fn nothing_replaces_what_has_failed() {
    let mut world = World::new();
    world.create(version(OLD, "1.0.0"));
    world.settle();
    world.patch((GROUP, "OperatorGroup"), PORT, "group", json!({"spec": {"targetNamespaces": null}}));
    world.settle();
    let mut new = replacing();
    new["spec"]["installModes"] = json!([{"type": "AllNamespaces", "supported": true}]);
    world.create(new);
    world.settle();
    assert_eq!(
        (world.state(OLD), world.state(NEW)),
        ("Failed UnsupportedOperatorGroup".into(), "Pending RequirementsUnknown".into())
    );
}

/// Shows V0-112 and V0-113.
#[test]
fn a_condition_or_an_override_holds_the_new_one() {
    let mut world = World::new();
    world.create(version(OLD, "1.0.0"));
    world.settle();
    let kind = (GROUP, OPERATOR_CONDITION);
    let condition = |status: &str| {
        json!([{
            "type": "Upgradeable", "status": status, "reason": "Migration", "message": "a migration is running",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }])
    };
    world.patch(kind, PORT, OLD, json!({"spec": {"conditions": condition("False")}}));
    world.settle();
    world.create(replacing());
    world.settle();
    assert_eq!(world.state(NEW), "Pending OperatorConditionNotUpgradeable");
    assert_eq!(
        world.message(NEW),
        "operator is not upgradeable: the operator is not upgradeable: a migration is running"
    );
    assert_eq!(world.state(OLD), "Replacing BeingReplaced");
    let overrides = json!([{"type": "Upgradeable", "status": "True", "reason": "Hurry", "message": "now"}]);
    world.patch(kind, PORT, OLD, json!({"spec": {"overrides": overrides}}));
    world.settle();
    assert_eq!(world.state(NEW), "Succeeded InstallSucceeded");
}

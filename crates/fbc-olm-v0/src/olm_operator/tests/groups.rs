//! Groups that do not fit operators.

use fbc_cluster::object::ObjectFields;
use serde_json::json;

use super::world::{PORT, World, group, version};
use crate::names::{GROUP, OPERATOR_GROUP, PROVIDED_APIS};

const NAME: &str = "lantern.v1.0.0";
const KIND: (&str, &str) = (GROUP, OPERATOR_GROUP);

/// Shows V0-083.
#[test]
fn a_running_operator_fails_when_its_group_changes_and_its_deployment_stays() {
    let mut world = World::new();
    world.create(version(NAME, "1.0.0"));
    world.settle();
    world.patch(KIND, PORT, "group", json!({"spec": {"targetNamespaces": null}}));
    world.settle();
    assert_eq!(world.state(NAME), "Failed UnsupportedOperatorGroup");
    assert!(world.find("apps", "Deployment", PORT, "controller").is_some());
    world.patch(KIND, PORT, "group", json!({"spec": {"targetNamespaces": [PORT]}}));
    world.settle();
    assert_eq!(world.state(NAME), "Succeeded InstallSucceeded");
}

/// Shows V0-085.
#[test]
fn a_static_group_refuses_operators_with_other_apis() {
    let mut world = World::without_group();
    let mut object = group(PORT, &[PORT]);
    object["spec"]["staticProvidedAPIs"] = json!(true);
    world.create(object);
    world.create(version(NAME, "1.0.0"));
    world.settle();
    assert_eq!(world.state(NAME), "Failed CannotModifyStaticOperatorGroupProvidedAPIs");
    let apis = json!({"metadata": {"annotations": {PROVIDED_APIS: "Lantern.v1.lantern.example.com"}}});
    world.patch(KIND, PORT, "group", apis);
    world.settle();
    world.touch(NAME);
    assert_eq!(world.state(NAME), "Succeeded InstallSucceeded");
}

/// Shows V0-079 and V0-144.
#[test]
fn a_group_that_goes_is_missed_when_somebody_looks() {
    let mut world = World::new();
    world.create(version(NAME, "1.0.0"));
    world.settle();
    let found = world.find(GROUP, OPERATOR_GROUP, PORT, "group").unwrap();
    assert_eq!(found["status"]["namespaces"], json!([PORT]));
    world.delete(KIND, PORT, "group");
    world.settle();
    assert_eq!(world.state(NAME), "Succeeded InstallSucceeded");
    world.touch(NAME);
    assert_eq!(world.state(NAME), "Failed NoOperatorGroup");
    assert_eq!(world.version(NAME).annotation("olm.operatorGroup"), Some("group"));
}

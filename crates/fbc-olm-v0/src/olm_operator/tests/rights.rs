//! Rights of operators, and of the accounts of groups.

use fbc_cluster::object::ObjectFields;
use serde_json::{Value, json};

use super::world::{PORT, World, group, version};
use crate::names::{MANAGED, RBAC};

const NAME: &str = "lantern.v1.0.0";

fn role(kind: &str, name: &str, rules: Value, labels: Value) -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "rules": rules,
        "metadata": {"name": name, "namespace": if kind == "Role" { PORT } else { "" }, "labels": labels},
    })
}

fn binding(kind: &str, role_kind: &str, name: &str) -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
        "metadata": {"name": name, "namespace": if kind == "RoleBinding" { PORT } else { "" }},
        "subjects": [{"kind": "ServiceAccount", "name": "lantern", "namespace": PORT}],
        "roleRef": {"apiGroup": RBAC, "kind": role_kind, "name": name},
    })
}

/// Shows V0-098 and V0-099: rights that were made by hand count, and nobody makes them again.
#[test]
fn rights_that_are_taken_away_are_missed() {
    let mut world = World::new();
    let rules = json!([{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]}]);
    let mut object = version(NAME, "1.0.0");
    object["spec"]["install"]["spec"]["clusterPermissions"] =
        json!([{"serviceAccountName": "lantern", "rules": rules}]);
    world.create(role("ClusterRole", "lantern", rules, json!({})));
    world.create(binding("ClusterRoleBinding", "ClusterRole", "lantern"));
    world.create(object);
    world.settle();
    assert_eq!(world.state(NAME), "Succeeded InstallSucceeded");
    world.delete((RBAC, "ClusterRole"), "", "lantern");
    world.settle();
    world.touch(NAME);
    assert_eq!(world.state(NAME), "Pending RequirementsNotMet");
    let version = world.version(NAME);
    let account =
        version.list(&["status", "requirementStatus"]).iter().find(|one| one["kind"] == "ServiceAccount");
    let account = account.unwrap();
    assert_eq!(account["status"], "PresentNotSatisfied");
    assert_eq!(account["message"], "Policy rule not satisfied for service account");
    assert_eq!(
        account["dependents"][0]["message"],
        r#"cluster rule:{"verbs":["get"],"apiGroups":[""],"resources":["nodes"]}"#
    );
    assert!(world.find(RBAC, "ClusterRole", "", "lantern").is_none());
}

/// Shows V0-116: the account of the group may not create Deployments, then it may.
#[test]
fn an_installation_that_was_given_up_begins_again_when_rights_change() {
    let mut world = World::without_group();
    let mut object = group(PORT, &[PORT]);
    object["spec"]["serviceAccountName"] = json!("lantern");
    world.create(object);
    world.settle();
    world.create(version(NAME, "1.0.0"));
    world.settle();
    assert_eq!(world.state(NAME), "Failed InstallComponentFailedNoRetry");
    let message = world.message(NAME);
    let start = "install strategy failed: install strategy failed: deployments.apps ";
    assert!(message.starts_with(start) && message.contains("is forbidden"), "{message}");
    let rules = json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]);
    world.create(binding("RoleBinding", "Role", "lantern"));
    world.create(role("Role", "lantern", rules, json!({MANAGED: "true"})));
    world.settle();
    assert_eq!(world.state(NAME), "Succeeded InstallSucceeded");
    assert!(world.history(NAME).contains(&"Pending DetectedClusterChange".to_owned()));
}

/// Shows V0-086.
#[test]
fn a_group_says_that_its_account_is_missing() {
    let mut world = World::without_group();
    let mut object = group(PORT, &[PORT]);
    object["spec"]["serviceAccountName"] = json!("nobody");
    world.create(object);
    world.settle();
    let found = world.find("operators.coreos.com", "OperatorGroup", PORT, "group").unwrap();
    let condition = found.condition("OperatorGroupServiceAccount").unwrap();
    assert_eq!(condition["reason"], "ServiceAccountNotFound");
    assert_eq!(condition["message"], "ServiceAccount nobody not found");
    assert!(found.given(&["status", "namespaces"]).is_none());
}

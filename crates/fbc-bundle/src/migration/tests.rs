//! Tables of subscriptions and what they become.

use super::*;

fn inventory(objects: &[Value]) -> Inventory {
    let mut inventory = Inventory::default();
    inventory.add(json!({"kind": "List", "apiVersion": "v1", "items": objects}));
    inventory
}

fn object(kind: &str, name: &str, spec: Value) -> Value {
    json!({"apiVersion": "operators.coreos.com/v1", "kind": kind, "metadata": {"name": name, "namespace": "sea"}, "spec": spec})
}

fn subscription(more: Value) -> Value {
    let mut spec = json!({"name": "beacon", "channel": "stable", "source": "redhat-operators",
        "sourceNamespace": "openshift-marketplace"});
    for (key, value) in more.as_object().unwrap() {
        spec[key] = value.clone();
    }
    let mut subscription = object("Subscription", "beacon-sub", spec);
    subscription["status"] = json!({"installedCSV": "beacon.v1.2.3"});
    subscription
}

fn csv(spec: Value) -> Value {
    object("ClusterServiceVersion", "beacon.v1.2.3", spec)
}

fn notes(migration: &Migration, kind: NoteKind) -> Vec<&str> {
    migration.notes.iter().filter(|note| note.kind == kind).map(|note| note.text.as_str()).collect()
}

#[test]
fn a_plain_subscription_follows_its_channel() {
    let all = object("OperatorGroup", "all", json!({}));
    let modes = json!({"installModes": [{"type": "AllNamespaces", "supported": true}], "version": "1.2.3"});
    let [migration] = &inventory(&[subscription(json!({})), all, csv(modes)]).migrations()[..] else {
        panic!()
    };
    assert_eq!(
        migration.extension["spec"],
        json!({"namespace": "sea", "serviceAccount": {"name": "beacon-installer"}, "source": {"sourceType": "Catalog",
            "catalog": {"packageName": "beacon", "channels": ["stable"],
                "selector": {"matchLabels": {"olm.operatorframework.io/metadata.name": "openshift-redhat-operators"}}}}})
    );
    assert_eq!(notes(migration, NoteKind::CannotMove), [""; 0]);
    assert!(notes(migration, NoteKind::Do)[0].contains("delete subscription beacon-sub -n sea"));
}

#[test]
fn approval_namespaces_and_configuration() {
    let one = object("OperatorGroup", "one", json!({"targetNamespaces": ["sea"]}));
    let manual = json!({"installPlanApproval": "Manual", "config": {"env": [{"name": "A", "value": "b"}], "selector": {}}});
    let [migration] = &inventory(&[subscription(manual), one]).migrations()[..] else { panic!() };
    let spec = &migration.extension["spec"];
    assert_eq!(spec["source"]["catalog"]["version"], "1.2.3");
    assert_eq!(
        spec["config"],
        json!({"configType": "Inline", "inline": {"watchNamespace": "sea", "deploymentConfig": {"env": [{"name": "A", "value": "b"}]}}})
    );
    assert_eq!(
        notes(migration, NoteKind::CannotMove),
        ["`spec.config` has `selector`, which OLM v1 does not take"]
    );
    assert!(notes(migration, NoteKind::Changes)[0].contains("stays at 1.2.3"));
}

#[test]
fn what_cannot_move_is_named() {
    for (group, spec, expected) in [
        (json!({"targetNamespaces": ["a", "b"]}), json!({}), "the operator watches the namespaces a, b"),
        (
            json!({"selector": {"matchLabels": {"a": "b"}}}),
            json!({}),
            "the OperatorGroup selects namespaces by labels",
        ),
        (
            json!({}),
            json!({"installModes": []}),
            "the operator does not support the install mode AllNamespaces",
        ),
        (
            json!({"targetNamespaces": ["a"]}),
            json!({"customresourcedefinitions": {"required": [{"name": "tides.sea.io"}]}}),
            "the operator depends on tides.sea.io",
        ),
        (
            json!({"targetNamespaces": ["a"]}),
            json!({"apiservicedefinitions": {"owned": [{"name": "v1.sea.io"}]}}),
            "the operator serves the aggregated APIs v1.sea.io",
        ),
        (
            json!({"targetNamespaces": ["a"]}),
            json!({"install": {"spec": {"permissions": [{"rules": [{"apiGroups": ["operators.coreos.com"], "resources": ["operatorconditions"]}]}]}}}),
            "the operator uses OperatorConditions",
        ),
    ] {
        let objects = [subscription(json!({})), object("OperatorGroup", "g", group), csv(spec)];
        let [migration] = &inventory(&objects).migrations()[..] else { panic!() };
        let found = notes(migration, NoteKind::CannotMove);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{found:?} is not {expected}");
    }
    let plan =
        object("InstallPlan", "p", json!({"clusterServiceVersionNames": ["beacon.v1.2.3", "tide.v2.0.0"]}));
    let other = subscription(json!({"source": "mine", "sourceNamespace": "olm"}));
    let groups = [object("OperatorGroup", "a", json!({})), object("OperatorGroup", "b", json!({}))];
    let [migration] = &inventory(&[&[plan, other][..], &groups].concat()).migrations()[..] else { panic!() };
    assert_eq!(notes(migration, NoteKind::CannotMove).len(), 2);
    assert!(notes(migration, NoteKind::Do)[0].contains("CatalogSource olm/mine"));
    assert_eq!(migration.catalog, "mine");
}

#[test]
fn the_version_is_what_parses_behind_the_name() {
    for (name, version) in [
        ("my.vault-operator.v1.2.0", json!("1.2.0")),
        ("beacon.v1.2.3-rc.v1", json!("1.2.3-rc.v1")),
        ("beacon.vault", Value::Null),
    ] {
        let mut subscription = subscription(json!({"installPlanApproval": "Manual"}));
        subscription["status"]["installedCSV"] = json!(name);
        let [migration] = &inventory(&[subscription]).migrations()[..] else { panic!() };
        assert_eq!(migration.extension["spec"]["source"]["catalog"]["version"], version, "{name}");
    }
}

#[test]
fn a_package_in_two_namespaces_cannot_move() {
    let mut other = subscription(json!({}));
    other["metadata"]["namespace"] = json!("land");
    let migrations = inventory(&[subscription(json!({})), other]).migrations();
    for migration in &migrations {
        let expected = "OLM v1 installs a package once, and namespaces land and sea have it";
        assert_eq!(notes(migration, NoteKind::CannotMove), [expected]);
    }
    assert_eq!(migrations.len(), 2);
}

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
    let [migration] = &inventory(&[subscription(json!({})), all, csv(modes)]).migrations(Target::Ocp50)[..]
    else {
        panic!()
    };
    assert_eq!(
        migration.extension["spec"],
        json!({"namespace": "sea", "serviceAccount": {"name": "beacon-installer"}, "source": {"sourceType": "Catalog",
            "catalog": {"packageName": "beacon", "channels": ["stable"], "version": "1.2.3",
                "selector": {"matchLabels": {"olm.operatorframework.io/metadata.name": "openshift-redhat-operators"}}}}})
    );
    assert_eq!(notes(migration, NoteKind::CannotMove), [""; 0]);
    assert!(notes(migration, NoteKind::Do)[0].contains("delete subscription beacon-sub -n sea"));
}

#[test]
fn an_extension_begins_at_the_installed_version() {
    for (approval, change, step) in [
        (json!({}), "does not update by itself", "take `spec.source.catalog.version` away"),
        (json!({"installPlanApproval": "Automatic"}), "does not update by itself", "for updates as before"),
        (json!({"installPlanApproval": "Manual"}), "nobody approves updates", "to update, change"),
    ] {
        let [migration] = &inventory(&[subscription(approval)]).migrations(Target::Ocp50)[..] else {
            panic!()
        };
        assert_eq!(migration.extension["spec"]["source"]["catalog"]["version"], "1.2.3");
        assert_eq!(migration.version.as_deref(), Some("1.2.3"));
        let changes = notes(migration, NoteKind::Changes);
        assert!(changes[0].contains("stays at 1.2.3") && changes[0].contains(change), "{changes:?}");
        // It is the last thing to do.
        let last = notes(migration, NoteKind::Do).pop().unwrap();
        assert!(last.contains(step) && last.contains("the rights that 1.2.3 needs"), "{last}");
    }
    let mut unknown = subscription(json!({}));
    unknown["status"] = Value::Null;
    let [migration] = &inventory(&[unknown]).migrations(Target::Ocp50)[..] else { panic!() };
    assert_eq!(migration.extension["spec"]["source"]["catalog"]["version"], Value::Null);
    let first = notes(migration, NoteKind::Do)[0];
    assert!(first.starts_with("write the installed version"), "{first}");
}

#[test]
fn each_release_is_told_what_its_api_takes() {
    let one = object("OperatorGroup", "one", json!({"targetNamespaces": ["sea"]}));
    let configured = json!({"config": {"env": [{"name": "A", "value": "b"}]}});
    let hooks = csv(json!({"webhookdefinitions": [{"type": "ValidatingAdmissionWebhook"}]}));
    let watch = "SingleOwnNamespaceInstallSupport";
    for (target, has_configuration, cannot_move, gates) in [
        (Target::Ocp419, false, 2, &[watch][..]),
        (Target::Ocp420, false, 1, &[watch, "WebhookProviderOpenshiftServiceCA"]),
        (Target::Ocp421, true, 0, &["DeploymentConfig"]),
        (Target::Ocp50, true, 0, &["DeploymentConfig"]),
        (Target::Latest, true, 0, &[watch, "DeploymentConfig"]),
    ] {
        let objects = [subscription(configured.clone()), one.clone(), hooks.clone()];
        let [migration] = &inventory(&objects).migrations(target)[..] else { panic!() };
        let extension = &migration.extension;
        let annotation = &extension["metadata"]["annotations"]["olm.operatorframework.io/watch-namespace"];
        assert_eq!(extension["spec"]["config"].is_object(), has_configuration, "{target}");
        assert_eq!(annotation == "sea", !has_configuration, "{target}");
        assert_eq!(migration.watched.as_deref(), Some("sea"));
        assert_eq!(migration.gates, gates, "{target}");
        let told = notes(migration, NoteKind::CannotMove);
        assert_eq!(told.len(), cannot_move, "{target}: {told:?}");
        for gate in gates {
            let is_told = migration.notes.iter().any(|note| note.text.contains(gate));
            assert!(is_told, "{target}: {:?}", migration.notes);
        }
    }
}

#[test]
fn approval_namespaces_and_configuration() {
    let one = object("OperatorGroup", "one", json!({"targetNamespaces": ["sea"]}));
    let manual = json!({"installPlanApproval": "Manual", "config": {"env": [{"name": "A", "value": "b"}], "selector": {}}});
    let [migration] = &inventory(&[subscription(manual), one]).migrations(Target::Ocp50)[..] else {
        panic!()
    };
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
        let [migration] = &inventory(&objects).migrations(Target::Ocp50)[..] else { panic!() };
        let found = notes(migration, NoteKind::CannotMove);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{found:?} is not {expected}");
    }
    let plan =
        object("InstallPlan", "p", json!({"clusterServiceVersionNames": ["beacon.v1.2.3", "tide.v2.0.0"]}));
    let other = subscription(json!({"source": "mine", "sourceNamespace": "olm"}));
    let groups = [object("OperatorGroup", "a", json!({})), object("OperatorGroup", "b", json!({}))];
    let [migration] = &inventory(&[&[plan, other][..], &groups].concat()).migrations(Target::Ocp50)[..]
    else {
        panic!()
    };
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
        let [migration] = &inventory(&[subscription]).migrations(Target::Ocp50)[..] else { panic!() };
        assert_eq!(migration.extension["spec"]["source"]["catalog"]["version"], version, "{name}");
    }
}

#[test]
fn a_package_in_two_namespaces_cannot_move() {
    let mut other = subscription(json!({}));
    other["metadata"]["namespace"] = json!("land");
    let migrations = inventory(&[subscription(json!({})), other]).migrations(Target::Ocp50);
    for migration in &migrations {
        let expected = "OLM v1 installs a package once, and namespaces land and sea have it";
        assert_eq!(notes(migration, NoteKind::CannotMove), [expected]);
    }
    assert_eq!(migrations.len(), 2);
}

//! ClusterExtensions in a cluster, with the Helm engine.

mod scale;
pub(crate) mod world;

use fbc_cluster::object::{ObjectFields, ObjectName};
use serde_json::json;

use self::world::{Entry, World};
use crate::operator_controller::helm::release::Release;
use crate::{Options, Target};

const CATALOG: &str = "registry.example/catalog:v1";
const CONFIG: (&str, &str) = ("", "ConfigMap");

fn demo(options: Options) -> World {
    let mut world = World::new(options);
    world.push_package(
        CATALOG,
        "demo",
        &[Entry("1.0.0", "", ""), Entry("1.1.0", "1.0.0", ""), Entry("2.0.0", "", "")],
    );
    world.create_catalog("base", CATALOG);
    world.create_namespace("demo-system");
    // Extensions come when the catalog is served.
    world.run(fbc_cluster::time::SECOND);
    world
}

fn config() -> ObjectName {
    ObjectName::namespaced("demo-system", "demo-config")
}

#[test]
fn upgrade_pin_and_drift() {
    let mut world = demo(Options::default());
    world.create_extension("demo", "demo-system", json!({"version": "1.0.0"}));
    assert_eq!(world.extension("demo", "Progressing"), "True/Succeeded: Desired state reached");
    world.patch_extension("demo", json!({"version": "1.x"}));
    let installed = "True/Succeeded: Installed bundle registry.example/demo:v1.1.0 successfully";
    assert_eq!(world.extension("demo", "Installed"), installed);
    world.delete(CONFIG, &config());
    world.extension("demo", "Installed");
    let restored = world.find(CONFIG, &config()).unwrap();
    assert_eq!(restored["data"]["version"], "1.1.0");
    assert_eq!(restored.label("app.kubernetes.io/managed-by"), Some("Helm"));
    // No edge leads there, so what is installed stays, and the error says why.
    world.patch_extension("demo", json!({"version": "2.0.0"}));
    assert_eq!(
        world.extension("demo", "Progressing"),
        "True/Retrying: error upgrading from currently installed version \"1.1.0\": no bundles found for package \
         \"demo\" matching version \"2.0.0\""
    );
    assert_eq!(world.extension("demo", "Installed"), installed);
}

#[test]
fn objects_of_others_are_not_taken() {
    let mut world = demo(Options::default());
    let metadata = json!({"name": "demo-config", "namespace": "demo-system"});
    world.create(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}));
    world.create_extension("demo", "demo-system", json!({"version": "1.0.0"}));
    assert_eq!(
        world.extension("demo", "Progressing"),
        "True/Retrying: error for resolved bundle \"demo.v1.0.0\" with version \"1.0.0\": failed to get release state \
         using server-side dry-run: ConfigMap 'demo-config' already exists in namespace 'demo-system' and cannot be \
         managed by operator-controller"
    );
    world.delete(CONFIG, &config());
    assert_eq!(world.extension("demo", "Progressing"), "True/Succeeded: Desired state reached");
}

#[test]
fn ten_records_are_kept() {
    let mut world = demo(Options::default());
    world.create_extension(
        "demo",
        "demo-system",
        json!({"version": "1.0.0", "upgradeConstraintPolicy": "SelfCertified"}),
    );
    for turn in 0..12 {
        world.extension("demo", "Progressing");
        world.patch_extension("demo", json!({"version": if turn % 2 == 0 { "1.1.0" } else { "1.0.0" }}));
    }
    assert_eq!(world.extension("demo", "Progressing"), "True/Succeeded: Desired state reached");
    let records: Vec<Release> = world
        .cluster
        .api
        .all("", "Secret")
        .map(|secret| Release::unpack(secret.text(&["data", "chunk"])).unwrap())
        .collect();
    assert_eq!(records.len(), 10);
    let deployed: Vec<u64> =
        records.iter().filter(|one| one.status.to_string() == "deployed").map(|one| one.version).collect();
    assert_eq!(deployed, [13]);
}

#[test]
fn an_extension_goes_with_everything_that_it_owns() {
    let mut world = demo(Options::default());
    world.create_extension("demo", "demo-system", json!({}));
    world.extension("demo", "Progressing");
    assert!(world.find(CONFIG, &config()).is_some());
    world.delete(("olm.operatorframework.io", "ClusterExtension"), &ObjectName::cluster("demo"));
    world.run(fbc_cluster::time::MINUTE);
    assert!(
        world.find(("olm.operatorframework.io", "ClusterExtension"), &ObjectName::cluster("demo")).is_none()
    );
    assert!(world.find(CONFIG, &config()).is_none());
    assert_eq!(world.cluster.api.all("", "Secret").count(), 0);
}

/// D-ARC-5
#[test]
fn a_bundle_may_be_larger_than_one_object_may_be() {
    const MOST: usize = 1_572_864;
    let mut world = demo(Options::of_openshift(Target::Ocp419));
    let maps: Vec<(String, String)> = (0..20)
        .map(|number| {
            let map = json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("part-{number}")},
                "data": {"text": "x".repeat(100_000)},
            });
            (format!("manifests/part-{number}.json"), map.to_string())
        })
        .collect();
    assert!(maps.iter().map(|(_, text)| text.len()).sum::<usize>() > MOST);
    world.push_bundle_with("demo", "1.0.0", &maps);
    world.create_extension("demo", "demo-system", json!({"version": "1.0.0"}));
    assert_eq!(world.extension("demo", "Progressing"), "True/Succeeded: desired state reached");
    let parts = world.cluster.api.all("", "ConfigMap").filter(|map| map.name().starts_with("part-")).count();
    assert_eq!(parts, maps.len());
}

#[test]
fn without_catalogs_what_is_installed_is_kept() {
    let mut world = demo(Options::default());
    world.create_extension("demo", "demo-system", json!({"version": "1.0.0"}));
    world.extension("demo", "Progressing");
    world.delete(("olm.operatorframework.io", "ClusterCatalog"), &ObjectName::cluster("base"));
    assert_eq!(world.extension("demo", "Progressing"), "True/Succeeded: Desired state reached");
    assert_eq!(
        world.extension("demo", "Deprecated"),
        "Unknown/DeprecationStatusUnknown: deprecation status unknown: catalog data unavailable"
    );
    // The image is out of reach as well: what is there is kept.
    world.images.borrow_mut().break_repository("registry.example/demo", "no route to host", false);
    world.delete(CONFIG, &config());
    assert_eq!(world.extension("demo", "Progressing"), "True/Succeeded: Desired state reached");
    assert!(world.find(CONFIG, &config()).is_some());
}

#[test]
fn a_missing_account_stops_everything_where_accounts_count() {
    for (options, progressing, installed) in [
        (
            Options::default(),
            "True/Retrying: operation cannot proceed due to the following validation error(s): service account \
             \"installer\" not found in namespace \"elsewhere\"",
            "Unknown/Failed: operation cannot proceed due to the following validation error(s): service account \
             \"installer\" not found in namespace \"elsewhere\"",
        ),
        (
            Options::of(Target::Ocp419),
            "True/Retrying: installation cannot proceed due to missing ServiceAccount",
            "Unknown/Failed: service account \"installer\" not found in namespace \"elsewhere\": unable to authenticate \
             with the Kubernetes cluster.",
        ),
    ] {
        let mut world = demo(options);
        world.create_extension("demo", "elsewhere", json!({}));
        assert_eq!(world.extension("demo", "Progressing"), progressing);
        assert_eq!(world.extension("demo", "Installed"), installed);
    }
    let mut world = demo(Options { uses_service_accounts: false, ..Options::default() });
    world.create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "elsewhere"}}));
    world.create_extension("demo", "elsewhere", json!({}));
    assert_eq!(world.extension("demo", "Progressing"), "True/Succeeded: Desired state reached");
}

/// The words of 4.19, and its logic where it differs.
#[test]
fn ocp_4_19() {
    let mut world = demo(Options::of(Target::Ocp419));
    world.create_extension("demo", "demo-system", json!({"version": "9.x"}));
    let error = "no bundles found for package \"demo\" matching version \"9.x\"";
    assert_eq!(world.extension("demo", "Progressing"), format!("True/Retrying: {error}"));
    assert_eq!(world.extension("demo", "Deprecated"), format!("False/Failed: {error}"));
    world.patch_extension("demo", json!({"version": "1.0.0"}));
    assert_eq!(world.extension("demo", "Progressing"), "True/Succeeded: desired state reached");
    assert_eq!(world.extension("demo", "Deprecated"), "False/Deprecated: ");
    world.delete(("olm.operatorframework.io", "ClusterCatalog"), &ObjectName::cluster("base"));
    assert_eq!(
        world.extension("demo", "Progressing"),
        "True/Retrying: error upgrading from currently installed version \"1.0.0\": no bundles found for package \
         \"demo\" matching version \"1.0.0\""
    );
    // Deprecations keep what was known.
    assert_eq!(world.extension("demo", "Deprecated"), "False/Deprecated: ");
}

#[test]
fn a_deprecated_bundle_is_named_until_it_is_gone() {
    let mut world = World::new(Options::default());
    world.push_package(CATALOG, "demo", &[Entry("1.0.0", "", "has a defect"), Entry("1.1.0", "1.0.0", "")]);
    world.create_catalog("base", CATALOG);
    world.create_namespace("demo-system");
    world.create_extension("demo", "demo-system", json!({"version": "1.0.0"}));
    assert_eq!(world.extension("demo", "BundleDeprecated"), "True/Deprecated: has a defect");
    assert_eq!(world.extension("demo", "PackageDeprecated"), "False/NotDeprecated: package not deprecated");
    world.patch_extension("demo", json!({"version": null}));
    assert_eq!(world.extension("demo", "BundleDeprecated"), "False/NotDeprecated: bundle not deprecated");
}

#[test]
fn images_that_cannot_be_pulled() {
    let mut world = demo(Options::default());
    world.images.borrow_mut().break_repository("registry.example/demo", "registry is down", false);
    world.create_extension("demo", "demo-system", json!({"version": "1.0.0"}));
    let text = "error for resolved bundle \"demo.v1.0.0\" with version \"1.0.0\": registry is down";
    assert_eq!(world.extension("demo", "Progressing"), format!("True/Retrying: {text}"));
    world.images.borrow_mut().fix_repository("registry.example/demo");
    assert_eq!(world.extension("demo", "Progressing"), "True/Succeeded: Desired state reached");
}

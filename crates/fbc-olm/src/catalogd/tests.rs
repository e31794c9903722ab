//! ClusterCatalogs in a cluster.

use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{MINUTE, SECOND};
use serde_json::{Value, json};

use crate::Options;
use crate::names::{CLUSTER_CATALOG, DELETE_SERVER_CACHE, GROUP, METADATA_NAME};
use crate::operator_controller::tests::world::{Entry, World};

const KIND: (&str, &str) = (GROUP, CLUSTER_CATALOG);
const MOVING: &str = "registry.example/moving:latest";

fn base() -> ObjectName {
    ObjectName::cluster("base")
}

fn catalog(world: &World) -> Object {
    world.find(KIND, &base()).cloned().unwrap_or_default()
}

fn served(world: &World) -> String {
    catalog(world).text(&["status", "resolvedSource", "image", "ref"]).to_owned()
}

/// A catalog that is polled every minute.
fn polled() -> World {
    let mut world = World::new(Options::default());
    world.push_package(MOVING, "demo", &[Entry("1.0.0", "", "")]);
    world.create(json!({
        "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": "base"},
        "spec": {"source": {"type": "Image", "image": {"ref": MOVING, "pollIntervalMinutes": 1}}},
    }));
    world.run(5 * SECOND);
    world
}

#[test]
fn a_catalog_is_served_and_labelled() {
    let mut world = World::new(Options::of_openshift(crate::Target::Latest));
    world.push_package("registry.example/c:v1", "demo", &[Entry("1.0.0", "", "")]);
    world.create_catalog("base", "registry.example/c:v1");
    world.run(100);
    assert_eq!(catalog(&world).condition_status("Serving"), "", "unpacking takes its time");
    world.run(SECOND);
    let catalog = catalog(&world);
    assert_eq!(catalog.condition_status("Serving"), "True");
    assert_eq!(catalog.label(METADATA_NAME), Some("base"));
    assert_eq!(catalog.finalizers().collect::<Vec<_>>(), [DELETE_SERVER_CACHE]);
    let url = "https://catalogd-service.openshift-catalogd.svc/catalogs/base";
    assert_eq!(catalog.text(&["status", "urls", "base"]), url);
}

#[test]
fn a_tag_that_moves_is_seen_when_it_is_polled() {
    let mut world = polled();
    let (first, unpacked) = (served(&world), catalog(&world)["status"]["lastUnpacked"].clone());
    world.run(2 * MINUTE);
    assert_eq!(catalog(&world)["status"]["lastUnpacked"], unpacked, "the same digest is not unpacked again");
    world.push_package(MOVING, "demo", &[Entry("1.0.0", "", ""), Entry("1.1.0", "1.0.0", "")]);
    world.run(30 * SECOND);
    let before = served(&world);
    world.run(MINUTE);
    assert_eq!(before, first);
    assert_ne!(served(&world), first);
    assert_ne!(catalog(&world)["status"]["lastUnpacked"], unpacked);
}

#[test]
fn what_is_served_stays_while_polls_fail() {
    let mut world = polled();
    let first = served(&world);
    world.images.borrow_mut().break_repository("registry.example/moving", "no route to host", false);
    assert_eq!(
        world.condition(CLUSTER_CATALOG, "base", "Progressing"),
        "True/Succeeded: Successfully unpacked and stored content from resolved source"
    );
    world.run(MINUTE);
    assert_eq!(
        world.condition(CLUSTER_CATALOG, "base", "Progressing"),
        "True/Retrying: source catalog content: no route to host"
    );
    assert_eq!(catalog(&world).condition_status("Serving"), "True");
    assert_eq!(served(&world), first);
    world.images.borrow_mut().fix_repository("registry.example/moving");
    world.run(2 * MINUTE);
    assert_eq!(
        catalog(&world).condition("Progressing").map(|one| one["reason"].clone()),
        Some(json!("Succeeded"))
    );
}

#[test]
fn unavailable_and_back() {
    let mut world = polled();
    world.patch(KIND, &base(), json!({"spec": {"availabilityMode": "Unavailable"}}));
    assert_eq!(
        world.condition(CLUSTER_CATALOG, "base", "Serving"),
        "False/UserSpecifiedUnavailable: Catalog availability mode is set to Unavailable"
    );
    let gone = catalog(&world);
    assert_eq!((&gone["status"]["urls"], &gone["metadata"]["finalizers"]), (&Value::Null, &Value::Null));
    world.patch(KIND, &base(), json!({"spec": {"availabilityMode": "Available"}}));
    assert_eq!(
        world.condition(CLUSTER_CATALOG, "base", "Serving"),
        "True/Available: Serving desired content from resolved source"
    );
    world.delete(KIND, &base());
    world.run(SECOND);
    assert!(world.find(KIND, &base()).is_none());
}

#[test]
fn a_terminal_error_waits_for_a_change() {
    let mut world = World::new(Options::default());
    world.create_catalog("base", "registry.example/absent:v1");
    assert_eq!(
        world.condition(CLUSTER_CATALOG, "base", "Progressing"),
        "True/Retrying: source catalog content: error creating image source: reading manifest v1 in \
         registry.example/absent: manifest unknown"
    );
    world.images.borrow_mut().break_repository("registry.example/absent", "unsupported image", true);
    world.run(MINUTE);
    assert_eq!(
        world.condition(CLUSTER_CATALOG, "base", "Progressing"),
        "False/Blocked: source catalog content: unsupported image"
    );
    let reconciliations = world.cluster.reconciliations();
    world.run(60 * MINUTE);
    assert_eq!(world.cluster.reconciliations(), reconciliations);
}

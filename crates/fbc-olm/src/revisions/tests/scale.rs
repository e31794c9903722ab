//! Many revisions that have nothing to do with each other.

use fbc_cluster::object::ObjectFields;
use serde_json::{Value, json};

use super::world::{World, config_map, deployment, revision};
use crate::names;

/// A cluster in which so many extensions have a revision each.
fn rolled_out(count: u64) -> World {
    let mut world = World::new();
    for index in 0..count {
        let (name, map) = (format!("web-{index}"), format!("map-{index}"));
        let objects = [deployment(&name, "image:1")];
        let mut revision = revision(1, &[("configuration", &[config_map(&map, "1")]), ("deploy", &objects)]);
        revision["metadata"]["name"] = json!(format!("extension-{index}-1"));
        revision["metadata"]["labels"][names::OWNER_NAME] = json!(format!("extension-{index}"));
        world.create(revision);
    }
    world.settle();
    world
}

#[test]
fn the_work_for_a_revision_does_not_grow_with_their_number() {
    let work = |count: u64| {
        let world = rolled_out(count);
        let api = &world.cluster.api;
        let succeeded = api
            .all(names::GROUP, names::CLUSTER_OBJECT_SET)
            .filter(|revision| revision.condition_status("Succeeded") == "True")
            .count();
        assert_eq!(succeeded as u64, count);
        (world.cluster.reconciliations(), api.store().revision())
    };
    let (few, some, many) = (work(0), work(10), work(100));
    let of_each = |(reconciliations, writes): (u64, u64), count: u64| {
        ((reconciliations - few.0).div_ceil(count), (writes - few.1).div_ceil(count))
    };
    assert_eq!(of_each(some, 10), of_each(many, 100));
}

#[test]
fn two_runs_end_in_the_same_state() {
    let state = || -> Vec<Value> {
        let world = rolled_out(3);
        world.cluster.api.store().iter().map(|(_, _, object)| Value::clone(object)).collect()
    };
    assert_eq!(state(), state());
}

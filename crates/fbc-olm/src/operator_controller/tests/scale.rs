//! Many extensions over many catalogs: the work grows with their number, and nothing is read or indexed twice.

use std::path::Path;
use std::sync::Arc;

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::MINUTE;
use fbc_model::load;
use fbc_resolve::CatalogIndex;
use serde_json::json;

use super::world::World;
use crate::Options;
use crate::content::Image;
use crate::names::{CLUSTER_EXTENSION, GROUP};

/// Extensions over ten catalogs; answers how many reconciliations it took until all are installed.
fn settle(extensions: usize, packages: usize) -> u64 {
    let options = Options::default();
    let rules = options.resolution_rules();
    let mut world = World::new(options);
    for catalog in 0..10 {
        let mut blobs = String::new();
        for package in 0..packages {
            let (name, image) =
                (format!("p{catalog}-{package}"), format!("registry.example/p{catalog}-{package}:v1.0.0"));
            let property = json!({"type": "olm.package", "value": {"packageName": name, "version": "1.0.0"}});
            for blob in [
                json!({"schema": "olm.package", "name": name, "defaultChannel": "stable"}),
                json!({"schema": "olm.channel", "package": name, "name": "stable", "entries": [{"name": format!("{name}.v1.0.0")}]}),
                json!({"schema": "olm.bundle", "package": name, "name": format!("{name}.v1.0.0"), "image": image, "properties": [property]}),
            ] {
                blobs.push_str(&blob.to_string());
            }
        }
        let index = CatalogIndex::new(load::load_bytes(Path::new("catalog.json"), blobs.as_bytes()), rules);
        let reference = format!("registry.example/catalog-{catalog}:v1");
        let image = Image::of_index(&reference, Arc::new(index), rules);
        world.images.borrow_mut().push(&reference, Arc::new(image)).unwrap();
        world.create_catalog(&format!("catalog-{catalog}"), &reference);
    }
    world.create_namespace("operators");
    for number in 0..extensions {
        let name = format!("p{}-{}", number % 10, number / 10);
        world.push_bundle(&name, "1.0.0");
        world.create_extension(&name, "operators", json!({}));
    }
    let before = world.cluster.reconciliations();
    world.run(MINUTE);
    let installed = world
        .cluster
        .api
        .all(GROUP, CLUSTER_EXTENSION)
        .filter(|extension| extension.condition_status("Installed") == "True")
        .count();
    assert_eq!(installed, extensions);
    world.cluster.reconciliations() - before
}

#[test]
fn the_work_for_an_extension_does_not_grow_with_their_number() {
    let (few, many) = (settle(10, 10), settle(100, 10));
    assert!(many < few * 12, "{few} reconciliations for 10 extensions, {many} for 100");
}

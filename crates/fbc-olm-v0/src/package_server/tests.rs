use std::path::Path;

use fbc_model::load::load_bytes;

use super::*;

const CATALOG: &str = r#"
{"schema": "olm.package", "name": "lantern", "defaultChannel": "stable"}
{"schema": "olm.channel", "package": "lantern", "name": "stable", "entries": [
  {"name": "lantern.v1.1.0", "replaces": "lantern.v1.0.0"}, {"name": "lantern.v1.0.0"}]}
{"schema": "olm.bundle", "package": "lantern", "name": "lantern.v1.0.0", "image": "registry.example/l:1", "properties": [
  {"type": "olm.package", "value": {"packageName": "lantern", "version": "1.0.0"}}]}
{"schema": "olm.bundle", "package": "lantern", "name": "lantern.v1.1.0", "image": "registry.example/l:2", "properties": [
  {"type": "olm.package", "value": {"packageName": "lantern", "version": "1.1.0"}},
  {"type": "olm.csv.metadata", "value": {"displayName": "Lantern", "provider": {"name": "Example"}}}],
  "relatedImages": [{"name": "b", "image": "registry.example/b"}, {"name": "a", "image": "registry.example/a"}]}
"#;

/// V0-120
#[test]
fn a_package_is_told_by_the_heads_of_its_channels() {
    let source = serde_json::json!({
        "metadata": {"name": "shelf", "namespace": "olm", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"displayName": "Shelf catalog"},
    });
    let catalog = load_bytes(Path::new("catalog.json"), CATALOG.as_bytes());
    let manifests = manifest::of_catalog(&source, &catalog);
    let [manifest] = manifests.as_slice() else { panic!("one package: {manifests:?}") };
    assert_eq!(manifest.label("provider"), Some("Example"));
    assert_eq!(manifest.label("operatorframework.io/arch.amd64"), Some("supported"));
    let channel = &manifest["status"]["channels"][0];
    assert_eq!(channel["currentCSV"], "lantern.v1.1.0");
    let names: Vec<&str> = channel.list(&["entries"]).iter().map(|entry| entry.text(&["name"])).collect();
    assert_eq!(names, ["lantern.v1.1.0", "lantern.v1.0.0"]);
    let images = channel.list(&["currentCSVDesc", "relatedImages"]);
    assert_eq!(images, ["registry.example/a", "registry.example/b"]);
}

//! Catalogs in a few words.

use std::path::Path;
use std::sync::Arc;

use fbc_model::Catalog;
use fbc_model::load::load_bytes;
use fbc_resolve::{CatalogIndex, ClusterCatalog, InstalledBundle, Request, Resolver, Rules};

/// A catalog from YAML.
pub(crate) fn catalog(yaml: &str) -> Catalog {
    let catalog = load_bytes(Path::new("catalog.yaml"), yaml.as_bytes());
    assert_eq!(catalog.faults, []);
    catalog
}

/// Bundles of package `foo` by their versions.
pub(crate) fn bundles(versions: &[&str]) -> String {
    let bundle = |version: &&str| {
        format!(
            "---\nschema: olm.bundle\npackage: foo\nname: foo.v{version}\nimage: example.com/foo:v{version}\n\
             properties:\n- type: olm.package\n  value: {{packageName: foo, version: \"{version}\"}}\n"
        )
    };
    versions.iter().map(bundle).collect()
}

/// A channel of package `foo` with entries in YAML's flow form.
pub(crate) fn channel(name: &str, entries: &[&str]) -> String {
    let entries: String = entries.iter().map(|entry| format!("- {entry}\n")).collect();
    format!("---\nschema: olm.channel\npackage: foo\nname: {name}\nentries:\n{entries}")
}

/// An available catalog without labels.
pub(crate) fn serving(name: &str, yaml: &str, rules: Rules) -> ClusterCatalog {
    ClusterCatalog::serving(name, Arc::new(CatalogIndex::new(catalog(yaml), rules)))
}

/// A cluster with one catalog.
pub(crate) fn cluster(yaml: &str) -> Resolver {
    Resolver::new(Rules::default(), [serving("a", yaml, Rules::default())]).unwrap()
}

/// A request for package `foo`.
pub(crate) fn request(version: &str, channels: &[&str], installed: Option<&str>) -> Request {
    Request {
        version: version.to_owned(),
        channels: channels.iter().map(|channel| (*channel).to_owned()).collect(),
        installed: installed.map(|version| InstalledBundle {
            name: format!("foo.v{version}"),
            version: version.to_owned(),
            release: None,
        }),
        ..Request::of_package("foo")
    }
}

/// The name of the bundle with its catalog, or the error.
pub(crate) fn answer(resolver: &Resolver, request: &Request) -> String {
    match resolver.resolve(request) {
        Ok(resolution) => format!("{} {}", resolution.catalog.name, resolution.bundle.blob.name),
        Err(error) => error.to_string(),
    }
}

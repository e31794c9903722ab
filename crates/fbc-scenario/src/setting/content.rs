//! What images hold, read once for any number of runs.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use fbc_model::tree::{MemoryTree, Tree, TreeEntry};
use fbc_olm::content::{Image, PullError, Repositories};
use fbc_resolve::{IndexedBundle, Rules};
use serde_json::{Value, json};

use super::build::options;
use crate::fault::ScenarioFault;
use crate::model::{Reference, Scenario};
use crate::prepare::Contents;

/// Images by the text of the reference in the scenario.
#[derive(Clone, Default)]
pub(crate) struct Content {
    pub(super) catalogs: BTreeMap<String, Arc<Image>>,
    pub(super) bundles: BTreeMap<String, Arc<Image>>,
    /// Catalogs by name that take the place of those of the scenario.
    pub(super) replaced: BTreeMap<String, Arc<Image>>,
    /// Bundles that install nothing, by the reference of their image.
    pub(super) empty: BTreeMap<String, Arc<Image>>,
    /// The same images in their repositories, which all clusters that play this content share.
    pub(super) repositories: Arc<Repositories>,
    /// What is wrong with those of their references that cannot be read.
    pub(super) unreadable: Vec<PullError>,
}

impl Content {
    /// Reads all that a scenario needs.
    pub(crate) fn new(scenario: &Scenario, contents: &Contents, faults: &mut Vec<ScenarioFault>) -> Self {
        let rules = options(scenario).resolution_rules();
        let mut content = Self::default();
        let (catalogs, bundles) = scenario.references();
        let mut read = |reference: &Reference, image: Option<io::Result<Image>>| {
            let message = match image {
                Some(Ok(image)) => return Some((reference.text.clone(), Arc::new(image))),
                Some(Err(error)) => format!("cannot read {}: {error}", reference.text),
                None => format!("nothing was found for {}", reference.text),
            };
            let (file, place) = (scenario.file.clone(), reference.place);
            faults.push(ScenarioFault { file, place, message, help: None });
            None
        };
        for reference in catalogs {
            let tree = contents.catalogs.get(&reference.text);
            let image = tree.map(|tree| {
                let image = Image::of_catalog(Arc::clone(tree), rules)?;
                Ok(match contents.loaded.get(&reference.text) {
                    Some(index) => image.with_index(Arc::clone(index)),
                    None => image,
                })
            });
            content.catalogs.extend(read(reference, image));
        }
        for reference in bundles {
            let tree = contents.bundles.get(&reference.text);
            let image = tree.map(|tree| {
                has_bundle_directory(tree.as_ref())?;
                Image::of_files(Arc::clone(tree), BTreeMap::new(), rules)
            });
            content.bundles.extend(read(reference, image));
        }
        for (name, tree) in &contents.replaced {
            // Who replaces a catalog sees what is wrong with it when it is pulled.
            if let Ok(image) = Image::of_catalog(Arc::clone(tree), rules) {
                content.replaced.insert(name.clone(), Arc::new(image));
            }
        }
        if scenario.empty_bundles {
            content.empty = content.empty_bundles(rules);
            let mut repositories = Repositories::default();
            let pushed = content.empty.iter();
            let pushed = pushed.map(|(reference, image)| repositories.push(reference, Arc::clone(image)));
            content.unreadable = pushed.filter_map(Result::err).collect();
            content.repositories = Arc::new(repositories);
        }
        content
    }

    /// Adds the image of a catalog under the text of its reference.
    pub(crate) fn add_catalog(&mut self, reference: &str, image: Arc<Image>) {
        self.catalogs.insert(reference.to_owned(), image);
    }

    /// Adds the image of a bundle under the text of its reference.
    pub(crate) fn add_bundle(&mut self, reference: &str, image: Arc<Image>) {
        self.bundles.insert(reference.to_owned(), image);
    }

    /// The image of a bundle, by the text of its reference.
    pub(crate) fn bundle(&self, reference: &str) -> Option<&Image> {
        self.bundles.get(reference).map(Arc::as_ref)
    }

    /// Whether an image is that of a bundle that installs nothing.
    pub(crate) fn has_empty(&self, image: &str) -> bool {
        self.empty.contains_key(image)
    }

    /// Bundles that install nothing, for all that the catalogs name.
    pub(crate) fn empty_bundles(&self, rules: Rules) -> BTreeMap<String, Arc<Image>> {
        let mut empty = BTreeMap::new();
        for image in self.catalogs.values().chain(self.replaced.values()) {
            let index = &image.catalog().index;
            for name in index.package_names() {
                let bundles = index.package(name).map(|package| package.bundles()).unwrap_or_default();
                for bundle in bundles {
                    let version = bundle.semantic_version().map(ToString::to_string).unwrap_or_default();
                    let properties = limits(bundle);
                    let tree = empty_bundle(name, &bundle.blob.name, &version, &properties);
                    if let Ok(image) = Image::of_files(tree, BTreeMap::new(), rules) {
                        empty.insert(bundle.blob.image.clone(), Arc::new(image));
                    }
                }
            }
        }
        empty
    }
}

/// Refuses what cannot be meant as a bundle; what is wrong inside of one is for OLM to find.
fn has_bundle_directory(tree: &dyn Tree) -> io::Result<()> {
    let is_bundle_directory = |entry: &TreeEntry| {
        entry.is_directory && ["manifests", "metadata"].iter().any(|name| entry.name == Path::new(name))
    };
    if tree.list(Path::new(""))?.iter().any(is_bundle_directory) {
        return Ok(());
    }
    Err(io::Error::other(
        "it is not a bundle: it has neither a directory `manifests` nor a directory `metadata`",
    ))
}

/// What a bundle says about updates of clusters.
fn limits(bundle: &IndexedBundle) -> Vec<Value> {
    let properties =
        bundle.blob.properties.iter().filter(|property| property.kind == "olm.maxOpenShiftVersion");
    let value = |property: &fbc_model::Property| property.value.as_ref().map(|value| value.node().to_json());
    properties.map(|property| json!({"type": property.kind, "value": value(property)})).collect()
}

/// A bundle that installs nothing but a record of its version: what OLM needs to take it for a bundle, and one object
/// whose change makes an extension look again, as the objects of any bundle do.
fn empty_bundle(package: &str, name: &str, version: &str, properties: &[Value]) -> Arc<dyn Tree> {
    let mode = |name: &str| json!({"type": name, "supported": name == "AllNamespaces"});
    let modes = ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map(mode);
    let cluster_service_version = json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {"name": name},
        "spec": {
            "displayName": package, "version": version, "installModes": modes,
            "install": {"strategy": "deployment", "spec": {"deployments": []}},
        },
    });
    let annotations = json!({"annotations": {
        "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
        "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
        "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
        "operators.operatorframework.io.bundle.package.v1": package,
    }});
    let mut tree = MemoryTree::default();
    tree.insert("manifests/clusterserviceversion.json", cluster_service_version.to_string());
    let record = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("{package}-version")},
        "data": {"version": version},
    });
    tree.insert("manifests/version.json", record.to_string());
    if !properties.is_empty() {
        tree.insert("metadata/properties.yaml", json!({"properties": properties}).to_string());
    }
    tree.insert("metadata/annotations.yaml", annotations.to_string());
    Arc::new(tree)
}

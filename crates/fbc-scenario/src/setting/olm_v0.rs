//! OLM v0 in the cluster of a scenario: what it is installed with, its controllers, and what stands behind its pods.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, WriteOptions};
use fbc_cluster::controllers::api_services::ApiServices;
use fbc_cluster::controllers::kubelet::{Images, Kubelet, Pull};
use fbc_cluster::engine::Cluster;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_olm::content::SharedImages;
use fbc_olm_v0::Options;
use fbc_olm_v0::content::{Content, SharedContent};
use fbc_olm_v0::definitions::definitions;
use fbc_olm_v0::names::{CATALOG_SOURCE, V1ALPHA1};
use fbc_olm_v0::pods::{Extractors, Holds, holds};
use fbc_olm_v0::setting::{base_objects, start_catalog_operator, start_olm_operator};
use serde_json::{Value, json};

use crate::model::{Catalog, Scenario};

/// OLM v0, as it is set up in a cluster.
pub(super) struct OlmV0 {
    options: Options,
    /// What nodes have pulled.
    content: SharedContent,
}

/// How OLM v0 is set up for a scenario, if its cluster has it.
pub(super) fn options(scenario: &Scenario) -> Option<Options> {
    let of_target = if scenario.target.is_openshift() { Options::of_openshift } else { Options::of };
    scenario.generations().have_v0().then(|| of_target(scenario.target))
}

/// Installs OLM v0, but for its controllers.
pub(super) fn install(api: &mut ApiServer, options: &Options) {
    for definition in definitions() {
        // A new server refuses none of these, nor of the objects.
        let _ = api.install_definition(definition);
    }
    let administrator = Caller::administrator("cluster-version-operator");
    for object in base_objects(options) {
        let _ = api.create(&administrator, object, WriteOptions::default());
    }
}

impl OlmV0 {
    /// Starts OLM v0 in a cluster that can pull these images.
    pub(super) fn start(options: Options, images: &SharedImages, cluster: &mut Cluster) -> Self {
        let content: SharedContent = Rc::new(RefCell::new(Content::default()));
        let nodes = NodeImages { images: SharedImages::clone(images), content: Rc::clone(&content) };
        if let Some(kubelet) = cluster.controller::<Kubelet>() {
            kubelet.set_images(Rc::new(nodes));
        }
        cluster.add_controller(Box::new(ApiServices));
        cluster.add_controller(Box::new(Extractors::new(&content)));
        let started = Self { options, content };
        started.restart_olm_operator(cluster);
        started.restart_catalog_operator(cluster);
        started
    }

    pub(super) fn restart_olm_operator(&self, cluster: &mut Cluster) {
        start_olm_operator(cluster, &self.options);
    }

    pub(super) fn restart_catalog_operator(&self, cluster: &mut Cluster) {
        start_catalog_operator(cluster, &self.options, &self.content);
    }
}

/// The images of the scenario, as nodes pull them: what a node has pulled is what the programs in its pods know.
struct NodeImages {
    images: SharedImages,
    content: SharedContent,
}

impl Images for NodeImages {
    fn pull(&self, pod: &Object, container: &Value) -> Pull {
        let Some(holds) = holds(pod, container) else { return Pull::AtHand };
        let image = container.text(&["image"]);
        let Ok(pulled) = self.images.borrow().pull(image) else { return Pull::Missing };
        let mut content = self.content.borrow_mut();
        match holds {
            Holds::Bundle => content.push_bundle(image, pulled.image.shared_files()),
            Holds::Catalog => {
                let digest = pulled.canonical.split_once('@').map_or("", |(_, digest)| digest);
                // The same content under the same digest is no news for who is connected.
                if content.catalog_of("", digest).is_none() {
                    content.push_catalog(image, digest, Arc::clone(pulled.image.blobs()));
                }
            }
        }
        Pull::Pulled(pulled.canonical)
    }
}

/// The CatalogSource of a catalog, in the namespace of those that serve all namespaces.
pub(super) fn catalog_source(catalog: &Catalog, options: &Options) -> Object {
    let mut object = json!({
        "apiVersion": V1ALPHA1, "kind": CATALOG_SOURCE,
        "metadata": {"name": catalog.name, "namespace": options.catalogs_namespace},
        "spec": {"sourceType": "grpc", "image": catalog.image, "displayName": catalog.name},
    });
    if catalog.priority != 0 {
        object.set(&["spec", "priority"], catalog.priority);
    }
    if let Some(minutes) = catalog.poll_interval {
        object.set(&["spec", "updateStrategy", "registryPoll", "interval"], format!("{minutes}m"));
    }
    if !catalog.labels.is_empty() {
        object.set(&["metadata", "labels"], json!(catalog.labels));
    }
    object
}

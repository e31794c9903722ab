//! OLM v0 in the cluster of a scenario: what it is installed with, its controllers, and what stands behind its pods.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, WriteOptions};
use fbc_cluster::controllers::api_services::ApiServices;
use fbc_cluster::controllers::kubelet::{Images, Kubelet, Pull};
use fbc_cluster::engine::{Cluster, Controller};
use fbc_cluster::object::{Object, ObjectFields};
use fbc_olm::content::SharedImages;
use fbc_olm_v0::content::{Content, SharedContent};
use fbc_olm_v0::definitions::definitions;
use fbc_olm_v0::names::{CATALOG_SOURCE, V1ALPHA1};
use fbc_olm_v0::package_server::PackageServer;
use fbc_olm_v0::pods::{Extractors, Holds, holds};
use fbc_olm_v0::setting::{base_objects, start_catalog_operator, start_olm_operator};
use fbc_olm_v0::{Options, catalog_operator, olm_operator};
use serde_json::{Value, json};

use super::Setting;
use crate::model::{Catalog, Scenario};

/// All programs of OLM v0.
const ALL: &str = "olm-v0";
const CATALOG_OPERATOR: &str = "catalog-operator";
const OLM_OPERATOR: &str = "olm-operator";
const PACKAGE_SERVER: &str = "package-server";

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
        cluster.add_controller(Box::new(PackageServer::new(&started.options, &started.content)));
        started
    }

    /// The programs of OLM v0, each with the names of its controllers.
    pub(super) fn programs(&self) -> [(&'static str, Vec<&'static str>); 3] {
        let names = |controllers: Vec<Box<dyn Controller>>| {
            controllers.iter().map(|controller| controller.name()).collect()
        };
        [
            (CATALOG_OPERATOR, names(catalog_operator::controllers(&self.options, &self.content))),
            (OLM_OPERATOR, names(olm_operator::controllers(&self.options))),
            (PACKAGE_SERVER, vec![PACKAGE_SERVER]),
        ]
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

impl Setting<'_> {
    /// The parts of the cluster: its controllers, those of OLM v0 by their program.
    pub(crate) fn parts(&self) -> Vec<&'static str> {
        let programs = self.olm_v0.as_ref().map(OlmV0::programs);
        let mut parts: Vec<&str> = Vec::new();
        for name in self.cluster.controllers() {
            let program = programs.iter().flatten().find(|(_, names)| names.contains(&name));
            let part = program.map_or(name, |(program, _)| program);
            if !parts.contains(&part) {
                if program.is_some() && !parts.contains(&ALL) {
                    parts.push(ALL);
                }
                parts.push(part);
            }
        }
        parts
    }

    /// Leaves a part out. False if there is no such part.
    pub(crate) fn remove_part(&mut self, part: &str) -> bool {
        if !self.parts().contains(&part) {
            return false;
        }
        let programs = self.olm_v0.as_ref().map(OlmV0::programs);
        let of_part = programs.iter().flatten().filter(|(program, _)| part == ALL || part == *program);
        let mut names: Vec<&str> = of_part.flat_map(|(_, names)| names).copied().collect();
        if names.is_empty() {
            names.push(part);
        }
        for name in names {
            self.cluster.remove_controller(name);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use fbc_model::tree::MemoryTree;

    use crate::model::{Component, Generations};
    use crate::{Contents, Prepared, Scenario};

    use super::*;

    fn prepared(olm: Option<Generations>, target: &str) -> Prepared {
        let mut scenario = Scenario::new("test", "test");
        scenario.olm = olm;
        scenario.target = target.parse().unwrap();
        Prepared::new(scenario, Contents::default(), Arc::new(MemoryTree::default())).unwrap()
    }

    #[test]
    fn a_cluster_has_the_generations_that_it_is_to_have() {
        for target in ["latest", "ocp-4.19", "ocp-5.0"] {
            for (olm, has_v0, has_v1) in [
                (None, false, true),
                (Some(Generations::V1), false, true),
                (Some(Generations::V0), true, false),
                (Some(Generations::Both), true, true),
            ] {
                let prepared = prepared(olm, target);
                let setting = Setting::new(&prepared, 1);
                let parts = setting.parts();
                for part in [ALL, CATALOG_OPERATOR, OLM_OPERATOR, PACKAGE_SERVER] {
                    assert_eq!(parts.contains(&part), has_v0, "{target} {olm:?} {part}: {parts:?}");
                }
                for part in ["catalogd", "operator-controller"] {
                    assert_eq!(parts.contains(&part), has_v1, "{target} {olm:?} {part}: {parts:?}");
                }
                let groups = setting.cluster.api.all("operators.coreos.com", "OperatorGroup").count();
                assert_eq!(groups, if has_v0 { 2 } else { 0 }, "{target} {olm:?}");
            }
        }
    }

    #[test]
    fn parts_of_v0_can_be_left_out() {
        let prepared = prepared(Some(Generations::Both), "latest");
        let mut setting = Setting::new(&prepared, 1);
        assert!(setting.remove_part(CATALOG_OPERATOR));
        assert!(!setting.remove_part(CATALOG_OPERATOR));
        assert!(setting.parts().contains(&OLM_OPERATOR));
        assert!(setting.remove_part(ALL));
        let left = setting.parts();
        assert!([ALL, OLM_OPERATOR, PACKAGE_SERVER].iter().all(|part| !left.contains(part)), "{left:?}");
        assert!(left.contains(&"operator-controller"));
    }

    #[test]
    fn controllers_of_the_other_generation_cannot_start_anew() {
        for (olm, component, expected) in [
            (Generations::V1, Component::OlmOperator, "the cluster has no olm-operator: it runs `olm: v1`"),
            (Generations::V0, Component::Catalogd, "the cluster has no catalogd: it runs `olm: v0`"),
        ] {
            let prepared = prepared(Some(olm), "latest");
            let refused = Setting::new(&prepared, 1).restart(component).unwrap_err();
            assert_eq!(refused.to_string(), expected);
        }
        for component in [Component::OlmOperator, Component::CatalogOperator] {
            let prepared = prepared(Some(Generations::V0), "latest");
            let mut setting = Setting::new(&prepared, 1);
            let before = setting.parts();
            setting.restart(component).unwrap();
            assert_eq!(setting.parts().len(), before.len());
        }
    }
}

//! A cluster with OLM v1, catalogs and bundles that tests put together.

use std::path::Path;
use std::sync::Arc;

use fbc_cluster::api::{Caller, DeleteOptions, Patch, Subresource, WriteOptions};
use fbc_cluster::engine::Cluster;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{Milliseconds, SECOND};
use fbc_model::load;
use fbc_model::tree::MemoryTree;
use fbc_resolve::CatalogIndex;
use serde_json::{Value, json};

use crate::Options;
use crate::content::{Image, SharedImages};
use crate::names::GROUP;
use crate::setting;

/// A cluster and its registry.
pub(crate) struct World {
    pub(crate) cluster: Cluster,
    pub(crate) images: SharedImages,
    options: Options,
}

/// A bundle of a catalog: its version, what it replaces, and a message if it is deprecated.
pub(crate) struct Entry(pub(crate) &'static str, pub(crate) &'static str, pub(crate) &'static str);

impl World {
    pub(crate) fn new(options: Options) -> Self {
        let images = SharedImages::default();
        let cluster = setting::cluster(&options, false, &images, 1).unwrap();
        Self { cluster, images, options }
    }

    /// Pushes a catalog with one package in the channel `stable`, and its bundles.
    pub(crate) fn push_package(&mut self, catalog: &str, package: &str, entries: &[Entry]) {
        let mut blobs =
            json!({"schema": "olm.package", "name": package, "defaultChannel": "stable"}).to_string();
        let mut channel = Vec::new();
        let mut deprecated = Vec::new();
        for Entry(version, replaces, message) in entries {
            let name = format!("{package}.v{version}");
            let image = format!("registry.example/{package}:v{version}");
            channel.push(match *replaces {
                "" => json!({"name": name}),
                old => json!({"name": name, "replaces": format!("{package}.v{old}")}),
            });
            if !message.is_empty() {
                let reference = json!({"schema": "olm.bundle", "name": name});
                deprecated.push(json!({"reference": reference, "message": message}));
            }
            let properties =
                json!([{"type": "olm.package", "value": {"packageName": package, "version": version}}]);
            let blob = json!({"schema": "olm.bundle", "package": package, "name": name, "image": image, "properties": properties});
            blobs.push_str(&blob.to_string());
            self.push_bundle(package, version);
        }
        let channel =
            json!({"schema": "olm.channel", "package": package, "name": "stable", "entries": channel});
        blobs.push_str(&channel.to_string());
        if !deprecated.is_empty() {
            let blob = json!({"schema": "olm.deprecations", "package": package, "entries": deprecated});
            blobs.push_str(&blob.to_string());
        }
        let rules = self.options.resolution_rules();
        let index = CatalogIndex::new(load::load_bytes(Path::new("catalog.json"), blobs.as_bytes()), rules);
        self.push(catalog, Image::of_index(&blobs, Arc::new(index), rules));
    }

    /// Pushes the image of a bundle: a definition, a ConfigMap and a Deployment.
    pub(crate) fn push_bundle(&mut self, package: &str, version: &str) {
        self.push_bundle_with(package, version, &[]);
    }

    /// Pushes the image of a bundle with more files.
    pub(crate) fn push_bundle_with(&mut self, package: &str, version: &str, more: &[(String, String)]) {
        let image = bundle(package, version, more, &self.options);
        self.push(&format!("registry.example/{package}:v{version}"), image);
    }

    fn push(&mut self, reference: &str, image: Image) {
        self.images.borrow_mut().push(reference, Arc::new(image)).unwrap();
    }

    pub(crate) fn create(&mut self, object: Object) {
        let caller = Caller::administrator("kubectl-create");
        self.cluster.api.create(&caller, object, WriteOptions::default()).unwrap();
    }

    pub(crate) fn create_catalog(&mut self, name: &str, image: &str) {
        self.create(json!({
            "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": name},
            "spec": {"source": {"type": "Image", "image": {"ref": image}}},
        }));
    }

    /// A namespace with a service account `installer` that may do everything.
    pub(crate) fn create_namespace(&mut self, name: &str) {
        self.create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
        let metadata = json!({"name": "installer", "namespace": name});
        self.create(json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}));
        self.create(json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"kind": "ServiceAccount", "name": "installer", "namespace": name}],
        }));
    }

    /// An extension of a package, with this in `spec.source.catalog`.
    pub(crate) fn create_extension(&mut self, name: &str, namespace: &str, catalog: Value) {
        let mut source = json!({"packageName": name});
        source.as_object_mut().unwrap().extend(catalog.as_object().unwrap().clone());
        self.create(json!({
            "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": {"name": name},
            "spec": {
                "namespace": namespace, "serviceAccount": {"name": "installer"},
                "source": {"sourceType": "Catalog", "catalog": source},
            },
        }));
    }

    pub(crate) fn patch(&mut self, kind: (&str, &str), name: &ObjectName, patch: Value) {
        let id = self.cluster.api.kind_id(kind.0, kind.1).unwrap();
        let caller = Caller::administrator("kubectl-patch");
        let patch = Patch::Merge(patch);
        self.cluster
            .api
            .patch(&caller, id, name, &patch, Subresource::None, WriteOptions::default())
            .unwrap();
    }

    pub(crate) fn patch_extension(&mut self, name: &str, catalog: Value) {
        let patch = json!({"spec": {"source": {"catalog": catalog}}});
        self.patch((GROUP, "ClusterExtension"), &ObjectName::cluster(name), patch);
    }

    pub(crate) fn delete(&mut self, kind: (&str, &str), name: &ObjectName) {
        let id = self.cluster.api.kind_id(kind.0, kind.1).unwrap();
        let caller = Caller::administrator("kubectl-delete");
        self.cluster.api.delete(&caller, id, name, &DeleteOptions::default()).unwrap();
    }

    /// Lets time go by.
    pub(crate) fn run(&mut self, span: Milliseconds) {
        let end = self.cluster.now() + span;
        self.cluster.run_until(end).unwrap();
    }

    pub(crate) fn find(&self, kind: (&str, &str), name: &ObjectName) -> Option<&Object> {
        self.cluster.api.find(kind.0, kind.1, name).map(AsRef::as_ref)
    }

    /// Status, reason and message of a condition of an extension or catalog, after a while.
    pub(crate) fn condition(&mut self, kind: &str, name: &str, condition: &str) -> String {
        self.run(20 * SECOND);
        let object = self.find((GROUP, kind), &ObjectName::cluster(name)).unwrap();
        let text = |field: &str| {
            object.condition(condition).map(|one| one.text(&[field]).to_owned()).unwrap_or_default()
        };
        format!("{}/{}: {}", text("status"), text("reason"), text("message"))
    }

    pub(crate) fn extension(&mut self, name: &str, condition: &str) -> String {
        self.condition("ClusterExtension", name, condition)
    }
}

/// A bundle with a definition, a ConfigMap and a Deployment.
fn bundle(package: &str, version: &str, more: &[(String, String)], options: &Options) -> Image {
    let annotations = json!({"annotations": {"operators.operatorframework.io.bundle.package.v1": package}});
    let labels = json!({"app": package});
    let template = json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "manager", "image": version}]}});
    let rules = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]);
    let group = format!("{package}.example.com");
    let csv = json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {"name": format!("{package}.v{version}")},
        "spec": {
            "version": version,
            "installModes": [{"type": "AllNamespaces", "supported": true}],
            "customresourcedefinitions": {"owned": [{"name": format!("things.{group}"), "kind": "Thing", "version": "v1"}]},
            "install": {"strategy": "deployment", "spec": {
                "clusterPermissions": [{"serviceAccountName": package, "rules": rules}],
                "deployments": [{"name": package, "spec": {
                    "replicas": 1, "selector": {"matchLabels": labels}, "template": template,
                }}],
            }},
        },
    });
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
    }}});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("things.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {"kind": "Thing", "listKind": "ThingList", "plural": "things", "singular": "thing"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
        },
    });
    let map = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("{package}-config")},
        "data": {"version": version},
    });
    let mut files = MemoryTree::from_iter([
        ("metadata/annotations.yaml", annotations.to_string()),
        ("manifests/csv.yaml", csv.to_string()),
        ("manifests/crd.yaml", definition.to_string()),
        ("manifests/map.yaml", map.to_string()),
    ]);
    for (path, text) in more {
        files.insert(path.as_str(), text.clone());
    }
    Image::of_files(Arc::new(files), std::collections::BTreeMap::new(), options.resolution_rules()).unwrap()
}

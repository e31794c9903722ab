//! The cluster, and the objects of one operator.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, DeleteOptions, Patch, Subresource, WriteOptions};
use fbc_cluster::engine::{Cluster, Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{MINUTE, SECOND};
use serde_json::{Value, json};

use crate::content::Content;
use crate::names::{CLUSTER_SERVICE_VERSION, GROUP, V1, V1ALPHA1};
use crate::{Options, setting};

/// The namespace of the operator.
pub(super) const PORT: &str = "port";

/// The cluster.
pub(super) struct World {
    pub(super) cluster: Cluster,
    /// Whether Deployments become available.
    pub(super) are_available: Rc<Cell<bool>>,
}

impl World {
    /// A cluster with a namespace and its group, which selects the namespace.
    pub(super) fn new() -> Self {
        let mut world = Self::without_group();
        world.create(group(PORT, &[PORT]));
        world.settle();
        world
    }

    /// A cluster with a namespace, a definition and a service account.
    pub(super) fn without_group() -> Self {
        let are_available = Rc::new(Cell::new(true));
        let deployments = Deployments { are_available: Rc::clone(&are_available), met: BTreeMap::new() };
        let content = Rc::new(RefCell::new(Content::default()));
        let cluster =
            setting::cluster(&Options::default(), &content, vec![Box::new(deployments)], 1).unwrap();
        let mut world = Self { cluster, are_available };
        for namespace in [PORT, "quay"] {
            world.create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}));
        }
        world.create(definition());
        world.create(json!({
            "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "lantern", "namespace": PORT},
        }));
        world.settle();
        world
    }

    /// Creates an object as an administrator.
    pub(super) fn create(&mut self, object: Value) {
        self.cluster.api.create(&administrator(), object, WriteOptions::default()).unwrap();
    }

    /// Changes an object by a merge patch as an administrator.
    pub(super) fn patch(&mut self, (group, kind): (&str, &str), namespace: &str, name: &str, patch: Value) {
        let id = self.cluster.api.kind_id(group, kind).unwrap();
        let (name, patch) = (ObjectName::namespaced(namespace, name), Patch::Merge(patch));
        let options = WriteOptions::default();
        self.cluster.api.patch(&administrator(), id, &name, &patch, Subresource::None, options).unwrap();
    }

    /// Deletes an object as an administrator.
    pub(super) fn delete(&mut self, (group, kind): (&str, &str), namespace: &str, name: &str) {
        let id = self.cluster.api.kind_id(group, kind).unwrap();
        let name = ObjectName::namespaced(namespace, name);
        self.cluster.api.delete(&administrator(), id, &name, &DeleteOptions::default()).unwrap();
    }

    /// Makes the controller look at a ClusterServiceVersion.
    pub(super) fn touch(&mut self, name: &str) {
        let patch = json!({"metadata": {"annotations": {"touched": self.cluster.now().to_string()}}});
        self.patch((GROUP, CLUSTER_SERVICE_VERSION), PORT, name, patch);
        self.settle();
    }

    /// Runs until nothing changes.
    pub(super) fn settle(&mut self) {
        self.cluster.run_until_still(7 * SECOND, self.cluster.now() + MINUTE).unwrap();
    }

    /// An object.
    pub(super) fn find(&self, group: &str, kind: &str, namespace: &str, name: &str) -> Option<Arc<Object>> {
        self.cluster.api.find(group, kind, &ObjectName::namespaced(namespace, name)).cloned()
    }

    /// A ClusterServiceVersion.
    pub(super) fn version(&self, name: &str) -> Arc<Object> {
        self.find(GROUP, CLUSTER_SERVICE_VERSION, PORT, name).unwrap()
    }

    /// Phase and reason of a ClusterServiceVersion.
    pub(super) fn state(&self, name: &str) -> String {
        let version = self.version(name);
        format!("{} {}", version.text(&["status", "phase"]), version.text(&["status", "reason"]))
    }

    /// Its message.
    pub(super) fn message(&self, name: &str) -> String {
        self.version(name).text(&["status", "message"]).to_owned()
    }

    /// The phases and reasons of its history.
    pub(super) fn history(&self, name: &str) -> Vec<String> {
        let version = self.version(name);
        let all = version.list(&["status", "conditions"]).iter();
        all.map(|entry| format!("{} {}", entry.text(&["phase"]), entry.text(&["reason"]))).collect()
    }
}

fn administrator() -> Caller {
    Caller::administrator("kubectl")
}

/// A group.
pub(super) fn group(namespace: &str, targets: &[&str]) -> Value {
    json!({
        "apiVersion": V1, "kind": "OperatorGroup", "metadata": {"name": "group", "namespace": namespace},
        "spec": {"targetNamespaces": targets},
    })
}

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "lanterns.lantern.example.com"},
        "spec": {
            "group": "lantern.example.com", "scope": "Namespaced",
            "names": {"kind": "Lantern", "listKind": "LanternList", "plural": "lanterns", "singular": "lantern"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    })
}

/// A ClusterServiceVersion that asks for no rights.
pub(super) fn version(name: &str, number: &str) -> Value {
    let modes = ["OwnNamespace", "SingleNamespace", "MultiNamespace"];
    let modes: Vec<Value> = modes.iter().map(|mode| json!({"type": mode, "supported": true})).collect();
    let labels = json!({"app": "lantern"});
    json!({
        "apiVersion": V1ALPHA1, "kind": CLUSTER_SERVICE_VERSION, "metadata": {"name": name, "namespace": PORT},
        "spec": {
            "displayName": "Lantern", "version": number, "installModes": modes,
            "customresourcedefinitions": {
                "owned": [{"name": "lanterns.lantern.example.com", "version": "v1", "kind": "Lantern"}],
            },
            "install": {"strategy": "deployment", "spec": {"deployments": [{
                "name": "controller",
                "spec": {
                    "replicas": 1, "selector": {"matchLabels": labels},
                    "template": {
                        "metadata": {"labels": labels},
                        "spec": {"serviceAccountName": "lantern", "containers": [{"name": "manager", "image": "lantern"}]},
                    },
                },
            }]}},
        },
    })
}

/// Says of Deployments that they are available, or not.
struct Deployments {
    are_available: Rc<Cell<bool>>,
    /// The generation of each that it met: it answers a moment later.
    met: BTreeMap<ObjectName, i64>,
}

impl Controller for Deployments {
    fn name(&self) -> &'static str {
        "deployments"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("apps", "Deployment")]
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(found) = api.find("apps", "Deployment", request).cloned() else { return Outcome::Done };
        let generation = found.generation();
        if self.met.insert(request.clone(), generation) != Some(generation) {
            return Outcome::After(SECOND / 10);
        }
        let (status, message) = match self.are_available.get() {
            true => ("True", "Deployment has minimum availability."),
            false => ("False", "Deployment does not have minimum availability."),
        };
        let mut object = Object::clone(&found);
        object.set(
            &["status"],
            json!({
                "observedGeneration": found.generation(), "replicas": 1, "updatedReplicas": 1,
                "conditions": [{"type": "Available", "status": status, "message": message}],
            }),
        );
        api.update(&Caller::administrator("stand-in"), object, Subresource::Status, WriteOptions::default())
            .unwrap();
        Outcome::Done
    }
}

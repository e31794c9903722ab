//! A cluster with revisions in it.

use fbc_cluster::api::{ApiServer, Caller, DeleteOptions, Patch, Subresource, WriteOptions};
use fbc_cluster::controllers::definitions::Definitions;
use fbc_cluster::controllers::garbage::GarbageCollector;
use fbc_cluster::engine::{Cluster, Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::kind::{Kind, Registry};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{Milliseconds, SECOND};
use serde_json::{Value, json};

use crate::definitions::{Edition, definitions};
use crate::revisions::Revisions;
use crate::{Options, Target, names};

/// Group, kind, plural, in namespaces, with a status.
const KINDS: [(&str, &str, &str, bool, bool); 10] = [
    ("", "Namespace", "namespaces", false, true),
    ("", "ConfigMap", "configmaps", true, false),
    ("", "Secret", "secrets", true, false),
    ("", "ServiceAccount", "serviceaccounts", true, false),
    ("apps", "Deployment", "deployments", true, true),
    ("rbac.authorization.k8s.io", "Role", "roles", true, false),
    ("rbac.authorization.k8s.io", "RoleBinding", "rolebindings", true, false),
    ("rbac.authorization.k8s.io", "ClusterRole", "clusterroles", false, false),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", "clusterrolebindings", false, false),
    ("apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions", false, true),
];

/// Gives Deployments the status that they would have with pods; none while it does not know whether they are available.
struct Deployments {
    available: &'static str,
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
        if self.available.is_empty() {
            return Outcome::Done;
        }
        let mut object = Object::clone(&found);
        let condition = json!({"type": "Available", "status": self.available});
        object["status"] = json!({
            "observedGeneration": found.generation(), "replicas": 1, "updatedReplicas": 1, "conditions": [condition],
        });
        if object != *found {
            let caller = Caller::administrator("deployments");
            api.update(&caller, object, Subresource::Status, WriteOptions::default()).expect("a status");
        }
        Outcome::Done
    }
}

/// A cluster with revisions in it.
pub(super) struct World {
    pub(super) cluster: Cluster,
}

impl World {
    /// An empty cluster with the namespace `a`, and a service account `installer` in it that may do everything.
    pub(super) fn new() -> Self {
        let mut registry = Registry::default();
        for (group, kind, plural, namespaced, has_status) in KINDS {
            registry.register(Kind {
                group: group.into(),
                versions: vec!["v1".into()],
                kind: kind.into(),
                plural: plural.into(),
                singular: kind.to_lowercase(),
                short_names: Vec::new(),
                categories: Vec::new(),
                namespaced,
                has_status,
                has_generation: has_status && !group.is_empty(),
            });
        }
        let mut api = ApiServer::new(registry, 1);
        for definition in definitions(Edition::LATEST_EXPERIMENTAL) {
            api.install_definition(definition).expect("a definition");
        }
        let mut cluster = Cluster::new(api);
        let revisions = Revisions::new(Options::of(Target::Latest), &cluster.api);
        cluster.add_controller(Box::new(Definitions::default()));
        cluster.add_controller(Box::new(GarbageCollector::default()));
        cluster.add_controller(Box::new(Deployments { available: "True" }));
        cluster.add_controller(Box::new(revisions));
        let mut world = Self { cluster };
        world.create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}));
        world.create(object("v1", "ServiceAccount", "installer"));
        let rule = json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]});
        let api_version = "rbac.authorization.k8s.io/v1";
        world.create(json!({"apiVersion": api_version, "kind": "ClusterRole", "metadata": {"name": "all"}, "rules": [rule]}));
        world.create(json!({
            "apiVersion": api_version, "kind": "ClusterRoleBinding", "metadata": {"name": "all"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "all"},
            "subjects": [{"kind": "ServiceAccount", "name": "installer", "namespace": "a"}],
        }));
        world
    }

    /// Deployments are available from now on, or they are not, or nobody looks after them.
    pub(super) fn deployments(&mut self, available: &'static str) {
        self.cluster.controller::<Deployments>().expect("deployments").available = available;
        let all: Vec<ObjectName> =
            self.cluster.api.all("apps", "Deployment").map(|one| one.object_name()).collect();
        for name in all {
            self.cluster.poke("deployments", name);
        }
    }

    pub(super) fn create(&mut self, object: Value) {
        self.try_to_create(object).expect("created");
    }

    pub(super) fn try_to_create(&mut self, object: Value) -> Result<(), ApiError> {
        let caller = Caller::administrator("kubectl-create");
        self.cluster.api.create(&caller, object, WriteOptions::default()).map(|_| ())
    }

    pub(super) fn patch(&mut self, group: &str, kind: &str, name: &str, changes: Value) {
        let (id, name) = (self.cluster.api.kind_id(group, kind).expect("a kind"), name_of(name));
        let caller = Caller::administrator("kubectl-patch");
        let options = WriteOptions::default();
        let api = &mut self.cluster.api;
        api.patch(&caller, id, &name, &Patch::Merge(changes), Subresource::None, options).expect("patched");
    }

    pub(super) fn delete(&mut self, group: &str, kind: &str, name: &str) {
        let id = self.cluster.api.kind_id(group, kind).expect("a kind");
        let caller = Caller::administrator("kubectl");
        self.cluster.api.delete(&caller, id, &name_of(name), &DeleteOptions::default()).expect("deleted");
    }

    /// Lets time go by.
    pub(super) fn run(&mut self, time: Milliseconds) {
        let end = self.cluster.now() + time;
        self.cluster.run_until(end).expect("no fight");
    }

    /// Lets half a minute go by: what is going to happen then has happened.
    pub(super) fn settle(&mut self) {
        self.run(30 * SECOND);
    }

    pub(super) fn find(&self, group: &str, kind: &str, name: &str) -> Option<Object> {
        self.cluster.api.find(group, kind, &name_of(name)).map(|found| Object::clone(found))
    }

    pub(super) fn revision(&self, name: &str) -> Object {
        self.find(names::GROUP, names::CLUSTER_OBJECT_SET, name).expect("a revision")
    }

    /// Status, reason and message of a condition of a revision.
    pub(super) fn condition(&self, revision: &str, condition_type: &str) -> [String; 3] {
        let revision = self.revision(revision);
        let condition = revision.condition(condition_type).cloned().unwrap_or_default();
        ["status", "reason", "message"].map(|field| condition.text(&[field]).to_owned())
    }
}

fn name_of(name: &str) -> ObjectName {
    let (namespace, name) = name.split_once('/').unwrap_or(("", name));
    ObjectName::namespaced(namespace, name)
}

/// An object in the namespace `a`.
pub(super) fn object(api_version: &str, kind: &str, name: &str) -> Value {
    json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "a"}})
}

pub(super) fn config_map(name: &str, value: &str) -> Value {
    let mut object = object("v1", "ConfigMap", name);
    object["data"] = json!({"key": value});
    object
}

pub(super) fn deployment(name: &str, image: &str) -> Value {
    let mut object = object("apps/v1", "Deployment", name);
    let container = json!({"name": "main", "image": image});
    let labels = json!({"app": name});
    object["spec"] = json!({
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
    });
    object
}

/// Revision `number` of the extension `demo` with these phases.
pub(super) fn revision(number: i64, phases: &[(&str, &[Value])]) -> Value {
    let phases: Vec<Value> = phases
        .iter()
        .map(|(name, objects)| {
            let objects: Vec<Value> = objects.iter().map(|object| json!({"object": object})).collect();
            json!({"name": name, "objects": objects})
        })
        .collect();
    json!({
        "apiVersion": names::API_VERSION,
        "kind": names::CLUSTER_OBJECT_SET,
        "metadata": {
            "name": format!("demo-{number}"),
            "labels": {names::OWNER_NAME: "demo", names::OWNER_KIND: names::CLUSTER_EXTENSION},
            "annotations": {
                names::BUNDLE_VERSION: format!("{number}.0.0"),
                names::SERVICE_ACCOUNT_NAME: "installer",
                names::SERVICE_ACCOUNT_NAMESPACE: "a",
            },
        },
        "spec": {
            "lifecycleState": "Active",
            "revision": number,
            "collisionProtection": "Prevent",
            "phases": phases,
            "progressionProbes": crate::operator_controller::boxcutter::default_probes(),
        },
    })
}

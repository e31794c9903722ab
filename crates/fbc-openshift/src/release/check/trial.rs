//! Applies all manifests to an empty cluster, in the order of an update.

use fbc_cluster::api::{ApiServer, Caller, WriteOptions};
use fbc_cluster::control_plane::api_server;
use fbc_cluster::error::{ApiError, Reason};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::Moment;
use serde_json::json;

use super::{Add, Manifest, REFUSED, TaskGraph, UNKNOWN_KIND, name};

/// Namespaces that the installer or operators make, not the payload.
///
/// Source: `openshift/installer:data/data/manifests/bootkube`; the `targetNamespace` of the operators of the control plane.
const NAMESPACES: [&str; 7] = [
    "openshift",
    "openshift-config",
    "openshift-config-managed",
    "openshift-etcd",
    "openshift-kube-apiserver",
    "openshift-kube-controller-manager",
    "openshift-kube-scheduler",
];

pub(super) fn run(manifests: &[Manifest], graph: &TaskGraph, add: &mut Add<'_>) {
    let mut api = api_server(&NAMESPACES, 1, Moment::START);
    let mut order: Vec<usize> = graph.nodes.iter().flat_map(|node| node.tasks.clone()).collect();
    // Tasks are numbered in load order, which every order of an update refines.
    order.sort_unstable();
    for manifest in order.into_iter().filter_map(|task| manifests.get(task)) {
        let is_tombstone = manifest.object.annotation("release.openshift.io/delete").is_some();
        // Fields of these are filled in by a plugin of OpenShift's API server.
        let is_completed = manifest.kind() == "SecurityContextConstraints";
        if is_tombstone || is_completed || manifest.is_cluster_operator() {
            continue;
        }
        match apply(&mut api, Object::clone(&manifest.object)) {
            Ok(()) => {}
            Err(error) if error.message.starts_with("no matches for kind") => {
                add(&UNKNOWN_KIND, manifest, format!("{}: {}", name(manifest), error.message));
            }
            Err(error) => add(&REFUSED, manifest, format!("{}: {}", name(manifest), error.message)),
        }
    }
}

fn apply(api: &mut ApiServer, object: Object) -> Result<(), ApiError> {
    let caller = Caller::administrator("cluster-version-operator");
    if object.kind() == "CustomResourceDefinition" {
        return settle(api.install_definition(object));
    }
    let namespace = ObjectName::cluster(object.namespace());
    if !namespace.name.is_empty() && api.find("", "Namespace", &namespace).is_none() {
        // One finding for each namespace is enough.
        let new = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace.name}});
        let missing = ApiError::not_found("", "namespaces", &namespace.name);
        return settle(api.create(&caller, new, WriteOptions::default()).map(drop)).and(Err(missing));
    }
    settle(api.create(&caller, object, WriteOptions::default()).map(drop))
}

/// An object that is there already would be updated.
fn settle(result: Result<(), ApiError>) -> Result<(), ApiError> {
    match result {
        Err(error) if error.reason == Reason::AlreadyExists => Ok(()),
        other => other,
    }
}

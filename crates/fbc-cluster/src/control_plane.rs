//! A control plane that has just started: its kinds, its namespaces, the roles that every cluster has.

use serde_json::json;

use crate::access::{component_objects, default_objects};
use crate::api::{ApiServer, Caller, ServiceAddresses, WriteOptions};
use crate::kind::Registry;
use crate::time::Moment;
use crate::validation;

/// Namespaces of every cluster.
pub const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// An API server with the built-in kinds, default roles and bindings, the namespaces of every cluster, and these.
pub fn api_server(namespaces: &[&str], seed: u64, start: Moment) -> ApiServer {
    api_server_with(ServiceAddresses::default(), namespaces, seed, start)
}

/// The same with another network for services.
pub fn api_server_with(
    addresses: ServiceAddresses,
    namespaces: &[&str],
    seed: u64,
    start: Moment,
) -> ApiServer {
    let mut registry = Registry::default();
    validation::register(&mut registry);
    let mut api = ApiServer::new(registry, seed).starting_at(start).with_service_addresses(addresses);
    let caller = Caller::administrator("kube-apiserver");
    let namespaces = NAMESPACES.iter().chain(namespaces).map(|name| {
        json!({
            "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name},
            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
        })
    });
    for object in namespaces.chain(default_objects()) {
        // An empty server refuses none of these; a test holds that.
        let _ = api.create(&caller, object, WriteOptions::default());
    }
    let service = std::iter::once(api.own_service()).chain(api.own_endpoints());
    let objects: Vec<_> = service.chain(component_objects()).collect();
    api.bootstrap(seed, objects);
    api
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_server_takes_all_that_it_starts_with() {
        let api = api_server(&["olmv1-system"], 1, Moment::START);
        assert_eq!(api.all("", "Namespace").count(), NAMESPACES.len() + 1);
        let roles = ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];
        let present: usize =
            roles.iter().map(|kind| api.all("rbac.authorization.k8s.io", kind).count()).sum();
        assert_eq!(present, default_objects().len() + component_objects().len());
        assert_eq!(api.all("", "Service").count(), 1);
    }
}

//! What a cluster of OpenShift has besides what every cluster has: its kinds, its namespaces, certificates for services.
//!
//! Objects of these kinds may hold anything: their schemas come with payloads, not with this program.

mod namespace_contents;
mod service_ca;

use std::net::Ipv4Addr;

use fbc_cluster::add_ons::{AddOn, open_definition};
use fbc_cluster::api::{ApiServer, ServiceAddresses};
use fbc_cluster::engine::Controller;
use fbc_cluster::kind::{Kind, read_table};

/// Kinds with definitions.
const DEFINED: &str = include_str!("openshift.kinds");
/// Kinds of API servers behind that of Kubernetes.
const AGGREGATED: &str = include_str!("aggregated.kinds");

/// Namespaces that bundles and users name.
pub const NAMESPACES: [&str; 8] = [
    "openshift",
    "openshift-config",
    "openshift-config-managed",
    "openshift-image-registry",
    "openshift-ingress",
    "openshift-marketplace",
    "openshift-monitoring",
    "openshift-operators",
];

/// The network of services, as the installer sets it.
pub fn service_addresses() -> ServiceAddresses {
    ServiceAddresses::of_network(Ipv4Addr::new(172, 30, 0, 0), 16)
}

/// Serves the kinds of OpenShift that are not served yet.
pub fn serve(api: &mut ApiServer) {
    let is_new = |api: &ApiServer, kind: &Kind| api.kind_id(&kind.group, &kind.kind).is_none();
    for kind in read_table(DEFINED).into_iter().chain(AddOn::Monitoring.kinds()) {
        if is_new(api, &kind) {
            // Tests hold that these are accepted.
            let _ = api.install_definition(open_definition(&kind));
        }
    }
    for kind in read_table(AGGREGATED) {
        if is_new(api, &kind) {
            api.serve_kind(kind);
        }
    }
}

/// The controllers that every cluster of OpenShift runs for the objects of users.
pub fn controllers() -> Vec<Box<dyn Controller>> {
    let mut all: Vec<Box<dyn Controller>> =
        vec![Box::new(namespace_contents::Accounts), Box::new(namespace_contents::Certificates)];
    all.extend(service_ca::controllers());
    all
}

#[cfg(test)]
mod tests {
    use fbc_cluster::control_plane::api_server;
    use fbc_cluster::time::Moment;

    use super::*;

    #[test]
    fn a_server_takes_all_kinds() {
        let mut api = api_server(&[], 1, Moment::START);
        serve(&mut api);
        for kind in read_table(DEFINED).into_iter().chain(read_table(AGGREGATED)) {
            let id = api.kind_id(&kind.group, &kind.kind);
            let served = id.and_then(|id| api.registry().get(id)).unwrap();
            assert_eq!((&served.plural, served.namespaced), (&kind.plural, kind.namespaced), "{}", kind.kind);
        }
        assert!(api.kind_id("monitoring.coreos.com", "ServiceMonitor").is_some());
    }
}

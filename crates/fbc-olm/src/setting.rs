//! The cluster that recorded scenarios were played on: an API server, four controllers of the control plane, a stand-in
//! for the controller of Deployments, and OLM v1.

use std::sync::Arc;

use fbc_cluster::control_plane;
use fbc_cluster::controllers::definitions::Definitions;
use fbc_cluster::controllers::garbage::GarbageCollector;
use fbc_cluster::controllers::namespaces::Namespaces;
use fbc_cluster::controllers::roles::RoleAggregation;
use fbc_cluster::engine::{Cluster, Controller, RunError};
use fbc_cluster::time::{MINUTE, Moment, SECOND};

use super::deployments::Deployments;
use crate::catalogd::{Catalogd, NameLabel};
use crate::content::SharedImages;
use crate::definitions::{Edition, definitions};
use crate::operator_controller::OperatorController;
use crate::revisions::Revisions;
use crate::{Options, Target};

/// The cluster, with OLM installed and nothing in it.
pub fn cluster(
    options: &Options,
    is_experimental: bool,
    images: &SharedImages,
    seed: u64,
) -> Result<Cluster, RunError> {
    let mut api = control_plane::api_server(&[&options.system_namespace], seed, Moment::START);
    let edition = Edition {
        experimental: is_experimental,
        needs_account: options.uses_service_accounts,
        is_4_19: options.target == Target::Ocp419,
    };
    for definition in definitions(edition) {
        // An empty cluster refuses none of these.
        let _ = api.install_definition(definition);
    }
    api.add_mutator(Arc::new(NameLabel));
    let mut cluster = Cluster::new(api);
    let controllers: [Box<dyn Controller>; 5] = [
        Box::new(GarbageCollector::default()),
        Box::new(Namespaces::default()),
        Box::new(RoleAggregation::default()),
        Box::new(Definitions::default()),
        Box::new(Deployments::new()),
    ];
    for controller in controllers {
        cluster.add_controller(controller);
    }
    // OLM starts when everything else is still.
    cluster.run_until_still(SECOND, cluster.now() + MINUTE)?;
    cluster.add_controller(Box::new(Catalogd::new(options.clone(), images.clone(), seed)));
    add_operator_controller(&mut cluster, options, images);
    Ok(cluster)
}

/// Starts operator-controller with what its gates ask for.
pub fn add_operator_controller(cluster: &mut Cluster, options: &Options, images: &SharedImages) {
    if options.gates.boxcutter_runtime {
        let revisions = Revisions::new(options.clone(), &cluster.api);
        cluster.add_controller(Box::new(revisions));
    }
    cluster.add_controller(Box::new(OperatorController::new(options.clone(), images.clone())));
}

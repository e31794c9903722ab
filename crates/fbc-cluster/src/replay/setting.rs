//! The cluster that recorded scenarios were played on: an API server, four controllers of the control plane, a stand-in
//! for the controller of Deployments, and OLM v1.

use super::deployments::Deployments;
use crate::control_plane;
use crate::controllers::definitions::Definitions;
use crate::controllers::garbage::GarbageCollector;
use crate::controllers::namespaces::Namespaces;
use crate::controllers::roles::RoleAggregation;
use crate::engine::{Cluster, Controller, RunError};
use crate::olm::catalogd::{Catalogd, NameLabel};
use crate::olm::content::SharedImages;
use crate::olm::operator_controller::OperatorController;
use crate::olm::revisions::Revisions;
use crate::olm::{Options, Target};
use crate::schema::olm::{Edition, definitions};
use crate::time::{MINUTE, Moment, SECOND};

/// The cluster, with OLM installed and nothing in it.
pub(crate) fn cluster(
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
    api.add_mutator(Box::new(NameLabel));
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
pub(super) fn add_operator_controller(cluster: &mut Cluster, options: &Options, images: &SharedImages) {
    if options.gates.boxcutter_runtime {
        let revisions = Revisions::new(options.clone(), &cluster.api);
        cluster.add_controller(Box::new(revisions));
    }
    cluster.add_controller(Box::new(OperatorController::new(options.clone(), images.clone())));
}

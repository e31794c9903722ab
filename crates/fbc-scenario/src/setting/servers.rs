//! API servers as clusters begin with them.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use fbc_cluster::add_ons::AddOn;
use fbc_cluster::api::ApiServer;
use fbc_cluster::schema::Specifications;
use fbc_cluster::time::Moment;
use fbc_olm::Target;
use fbc_openshift::setup::Setup;

use super::build;
use crate::model::{Generations, Scenario};

/// How many servers are kept; more platforms than these are seldom played side by side.
const KEPT: usize = 16;

/// What clusters share: API servers with what they begin with, each made once, and what is known of definitions. Clones
/// share both.
#[derive(Clone, Default)]
pub struct Servers {
    specifications: Specifications,
    made: Arc<Mutex<VecDeque<(Beginning, ApiServer)>>>,
}

impl fmt::Debug for Servers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Servers").finish_non_exhaustive()
    }
}

/// Everything that the objects of a new API server follow from.
#[derive(PartialEq)]
struct Beginning {
    target: Target,
    olm: Generations,
    feature_gates: BTreeMap<String, bool>,
    uses_service_accounts: bool,
    with: Vec<AddOn>,
    openshift: Setup,
    seed: u64,
    start: Moment,
}

impl Servers {
    /// A new API server for a scenario.
    pub(crate) fn server(&self, scenario: &Scenario, seed: u64) -> ApiServer {
        if scenario.cluster_version.is_some() {
            // What is installed before the start is another for each.
            return build::api_server(scenario, seed, &self.specifications);
        }
        let beginning = Beginning {
            target: scenario.target,
            olm: scenario.generations(),
            feature_gates: scenario.feature_gates.clone(),
            uses_service_accounts: scenario.uses_service_accounts,
            with: scenario.with.clone(),
            openshift: scenario.openshift.clone(),
            seed,
            start: scenario.start,
        };
        // A server is only copied and made while the lock is held; neither panics.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, server)) = made.iter().find(|(known, _)| *known == beginning) {
            return server.copy();
        }
        let server = build::api_server(scenario, seed, &self.specifications);
        let copy = server.copy();
        if made.len() == KEPT {
            made.pop_front();
        }
        made.push_back((beginning, server));
        copy
    }
}

#[cfg(test)]
mod tests {
    use fbc_cluster::api::{Caller, WriteOptions};
    use serde_json::json;

    use super::*;

    #[test]
    fn copies_begin_as_servers_that_are_made_anew_and_go_their_own_way() {
        let servers = Servers::default();
        let scenario = Scenario::new("test", "test");
        let objects = |api: &ApiServer| -> Vec<String> {
            api.store().iter().map(|(_, _, object)| object.to_string()).collect()
        };
        let alone = objects(&build::api_server(&scenario, 1, &Specifications::default()));
        let mut first = servers.server(&scenario, 1);
        assert_eq!(objects(&first), alone);
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "mine"}});
        first.create(&Caller::administrator("test"), namespace, WriteOptions::default()).unwrap();
        assert_ne!(objects(&first), alone);
        assert_eq!(objects(&servers.server(&scenario, 1)), alone);
        // Another seed makes other names, another platform other kinds.
        assert_ne!(objects(&servers.server(&scenario, 2)), alone);
        let mut other = scenario.clone();
        other.target = Target::Ocp421;
        assert!(servers.server(&other, 1).kind_id("config.openshift.io", "ClusterVersion").is_some());
        assert_eq!(servers.made.lock().unwrap().len(), 3);
    }
}

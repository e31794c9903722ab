//! Which of OpenShift's controllers a cluster runs, and how what they depend on behaves: read from data, as scenarios
//! write it.

use fbc_cluster::engine::Controller;
use fbc_cluster::object::Object;
use serde_json::Value;

use crate::DataError;
use crate::etcd::operator::{self, EtcdOperator};
use crate::machine_config::control_plane_nodes::ControlPlaneNodes;
use crate::machine_config::node_controller::NodeController;
use crate::machine_config::{daemon, drain_controller};
use crate::machines::autoscaler::Autoscaler;
use crate::machines::control_plane::{ControlPlaneMachineSetGenerator, ControlPlaneMachineSets};
use crate::machines::hook_owners::{HookBehaviour, HookOwners};
use crate::machines::machine_controller::MachineController;
use crate::machines::provider::{self, Instances, Provider};
use crate::machines::{self, health_checks, machine_set, node_link};
use crate::{definitions, etcd};

/// What a cluster has of OpenShift.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setup {
    /// The Machine API.
    pub machine_api: Option<MachineApi>,
    /// The Machine Config Operator, and how daemons fare.
    pub machine_config: Option<Vec<daemon::Behaviour>>,
    /// The etcd operator.
    pub etcd: Option<operator::Behaviour>,
}

/// How what the Machine API depends on behaves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MachineApi {
    /// Instances.
    pub instances: Vec<provider::Behaviour>,
    /// Owners of hooks.
    pub hooks: Vec<HookBehaviour>,
}

impl Setup {
    /// Reads `{machineApi: {instances: […], hooks: […]}, machineConfig: {nodes: […]}, etcd: {…}}`.
    ///
    /// # Errors
    /// [`DataError`]
    pub fn read(value: &Value) -> Result<Self, DataError> {
        let mut setup = Self::default();
        let sections = value.as_object().ok_or(DataError::NoObject)?;
        for (name, section) in sections {
            let place = |error: DataError| error.within(name.as_str());
            match name.as_str() {
                "machineApi" => {
                    setup.machine_api = Some(MachineApi {
                        instances: list(
                            section,
                            "instances",
                            &["instances", "hooks"],
                            provider::Behaviour::read,
                        )
                        .map_err(place)?,
                        hooks: list(section, "hooks", &["instances", "hooks"], HookBehaviour::read)
                            .map_err(place)?,
                    });
                }
                "machineConfig" => {
                    let nodes = list(section, "nodes", &["nodes"], daemon::Behaviour::read).map_err(place)?;
                    setup.machine_config = Some(nodes);
                }
                "etcd" => setup.etcd = Some(operator::Behaviour::read(section).map_err(place)?),
                other => {
                    return Err(DataError::unknown(other, &["machineApi", "machineConfig", "etcd"]));
                }
            }
        }
        Ok(setup)
    }

    /// The namespaces that must be there.
    pub fn namespaces(&self) -> Vec<&'static str> {
        let machines = self.machine_api.iter().map(|_| machines::NAMESPACE);
        machines.chain(self.etcd.iter().map(|_| etcd::operator::NAMESPACE)).collect()
    }

    /// The definitions of the custom kinds.
    pub fn definitions(&self) -> Vec<Object> {
        let mut all = Vec::new();
        if self.machine_api.is_some() {
            all.extend(definitions::machine_api());
        }
        if self.machine_config.is_some() {
            all.extend(definitions::machine_config());
        }
        all
    }

    /// The controllers of a cluster of a version; names that they make follow from the seed. Failed drains show in the
    /// condition `Drained` of machines if that is wanted.
    pub fn controllers(
        &self,
        shows_failed_drains: bool,
        version: &str,
        seed: u64,
    ) -> Vec<Box<dyn Controller>> {
        let mut all: Vec<Box<dyn Controller>> = Vec::new();
        if let Some(machine_api) = &self.machine_api {
            let provider = Provider::shared(machine_api.instances.clone());
            all.push(Box::new(MachineController::new(provider.clone())));
            all.push(Box::new(machines::drain_controller::DrainController::new(shows_failed_drains)));
            all.push(Box::new(machine_set::MachineSets::new()));
            all.push(Box::new(health_checks::HealthChecks::new()));
            all.push(Box::new(node_link::NodeLink::new()));
            all.push(Box::new(ControlPlaneMachineSets::new(version, seed)));
            all.push(Box::new(ControlPlaneMachineSetGenerator::new()));
            all.push(Box::new(Autoscaler::new()));
            all.push(Box::new(Instances::new(provider)));
            all.push(Box::new(HookOwners::new(machine_api.hooks.clone())));
        }
        if let Some(nodes) = &self.machine_config {
            all.push(Box::new(ControlPlaneNodes::new()));
            all.push(Box::new(NodeController::new()));
            all.push(Box::new(drain_controller::DrainController::new()));
            all.push(Box::new(daemon::Daemons::new(nodes.clone())));
        }
        if let Some(behaviour) = self.etcd {
            all.push(Box::new(EtcdOperator::new(behaviour)));
        }
        all
    }
}

/// Reads a list of a section.
fn list<T>(
    section: &Value,
    field: &str,
    known: &[&'static str],
    read: impl Fn(&Value) -> Result<T, DataError>,
) -> Result<Vec<T>, DataError> {
    let fields = section.as_object().ok_or(DataError::NoObject)?;
    if let Some(unknown) = fields.keys().find(|name| !known.contains(&name.as_str())) {
        return Err(DataError::unknown(unknown, known));
    }
    let items = match fields.get(field) {
        None => return Ok(Vec::new()),
        Some(items) => items.as_array().ok_or_else(|| DataError::kind(field, "a list"))?,
    };
    let one = |(index, item): (usize, &Value)| {
        read(item).map_err(|error| error.within(format!("{field}[{index}]")))
    };
    items.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn mistakes_are_named() {
        for (value, part) in [
            (json!({"machines": {}}), "\"machines\""),
            (json!({"machineApi": {"instances": [{"join": "x"}]}}), "machineApi: instances[0]: join"),
            (json!({"machineApi": {"hooks": [{}]}}), "owner is missing"),
            (json!({"machineConfig": {"nodes": [{"state": "Sad"}]}}), "machineConfig: nodes[0]"),
            (json!({"etcd": {"catchesUp": "x"}}), "etcd: catchesUp"),
        ] {
            let error = Setup::read(&value).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        let all = json!({"machineApi": {"hooks": [{"owner": "a"}]}, "machineConfig": {}, "etcd": {}});
        assert_eq!(Setup::read(&all).unwrap().controllers(true, "4.19.0", 1).len(), 15);
    }
}

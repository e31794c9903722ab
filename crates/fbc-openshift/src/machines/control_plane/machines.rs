//! What a control plane machine set knows of its machines.
//!
//! Source: `openshift/cluster-control-plane-machine-set-operator:pkg/machineproviders/providers/openshift/machine/v1beta1/provider.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::selector::LabelSelector;
use fbc_cluster::time::{MINUTE, Milliseconds, Moment};
use serde_json::Value;

use super::error::SetError;
use super::failure_domains::FailureDomains;
use super::{TEMPLATE, index_of};
use crate::machines::GROUP;

/// A node that is not ready counts as ready for so long: it may be restarting.
const NODE_GRACE: Milliseconds = 20 * MINUTE;

/// A machine, and what its set needs to know of it.
#[derive(Debug, Clone)]
pub(super) struct Info {
    pub(super) machine: Arc<Object>,
    pub(super) is_ready: bool,
    pub(super) needs_update: bool,
}

impl Info {
    pub(super) fn is_deleting(&self) -> bool {
        self.machine.is_terminating()
    }

    /// Gone or to go: outdated, or being deleted.
    pub(super) fn needs_replacement(&self) -> bool {
        self.needs_update || self.is_deleting()
    }

    /// As wanted, but not ready yet.
    pub(super) fn is_pending(&self) -> bool {
        !self.is_ready && !self.needs_update && !self.is_deleting()
    }

    /// As wanted, and ready.
    pub(super) fn is_updated(&self) -> bool {
        self.is_ready && !self.needs_update
    }
}

/// The machines of a set by index, with an empty list for each index that has none.
pub(super) type Indexes = BTreeMap<i64, Vec<Info>>;

/// All that a set looks at.
#[derive(Debug)]
pub(super) struct Machines {
    pub(super) replicas: usize,
    pub(super) indexes: Indexes,
    domains: Option<FailureDomains>,
    template: Value,
}

impl Machines {
    /// Looks at the machines of a set.
    ///
    /// # Errors
    /// The selector is invalid, a node is missing, or an index cannot be told.
    pub(super) fn look(api: &ApiServer, set: &Object) -> Result<Self, SetError> {
        let selector = LabelSelector::of_object(set.at(&["spec", "selector"]))?;
        let selected: Vec<Arc<Object>> =
            api.all(GROUP, "Machine").filter(|machine| selector.matches_object(machine)).cloned().collect();
        let template = set.at(&TEMPLATE).cloned().unwrap_or_default();
        let replicas = set.number(&["spec", "replicas"]).and_then(|number| usize::try_from(number).ok());
        let replicas = replicas.ok_or(SetError::NoReplicas)?;
        let domains = FailureDomains::from_template(&template, replicas, &selected);
        let mut machines = Self { replicas, indexes: Indexes::new(), domains, template };
        for machine in selected {
            let index = index_of(machine.name())
                .or_else(|| machines.domains.as_ref()?.index_of(&machine))
                .ok_or_else(|| SetError::NoIndex(machine.name().to_owned()))?;
            let wanted = machines.specification(index);
            let present = machine.at(&["spec", "providerSpec", "value"]).cloned().unwrap_or_default();
            let is_ready = is_ready(api, &machine)?;
            let info = Info { machine, is_ready, needs_update: wanted != present };
            machines.indexes.entry(index).or_default().push(info);
        }
        let mut index = 0;
        while machines.indexes.len() < replicas {
            machines.indexes.entry(index).or_default();
            index += 1;
        }
        Ok(machines)
    }

    /// What machines of an index say to their provider.
    pub(super) fn specification(&self, index: i64) -> Value {
        let specification = self.template.at(&["spec", "providerSpec", "value"]);
        let mut specification = specification.cloned().unwrap_or_default();
        if let Some(domains) = &self.domains {
            domains.inject(index, &mut specification);
        }
        specification
    }

    /// All machines, by index.
    pub(super) fn all(&self) -> impl Iterator<Item = &Info> {
        self.indexes.values().flatten()
    }
}

/// True if the machine serves: it runs, or is on its way out and still has its node.
fn is_ready(api: &ApiServer, machine: &Object) -> Result<bool, SetError> {
    let Some(name) = machine.at(&["status", "nodeRef", "name"]).and_then(Value::as_str) else {
        return Ok(false);
    };
    let missing = || SetError::NoNode { machine: machine.name().to_owned(), node: name.to_owned() };
    let node = api.find("", "Node", &ObjectName::cluster(name)).ok_or_else(missing)?;
    let is_node_ready = node.condition_status("Ready") == "True";
    let is_in_grace = || {
        let since = node.condition("Ready").map(|ready| ready.text(&["lastTransitionTime"]));
        since.and_then(Moment::parse).is_some_and(|since| since + NODE_GRACE > api.now())
    };
    Ok(match machine.text(&["status", "phase"]) {
        "Running" => is_node_ready || is_in_grace(),
        "Deleting" => is_node_ready,
        _ => false,
    })
}

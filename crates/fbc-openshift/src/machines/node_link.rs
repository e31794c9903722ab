//! The node link: machines know their nodes, and nodes get what their machines say.
//!
//! Source: `openshift/machine-api-operator:pkg/controller/nodelink/nodelink_controller.go` (MA-15).

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use serde_json::{Value, json};

use super::GROUP;
use crate::writer::Writer;

/// The annotation of nodes that names their machine.
const MACHINE: &str = "machine.openshift.io/machine";

/// Links nodes and machines.
pub struct NodeLink {
    writer: Writer,
    /// Whether nodes were ready when their machines heard of them last.
    readiness: BTreeMap<String, bool>,
}

impl NodeLink {
    /// The controller as a cluster runs it.
    pub fn new() -> Self {
        Self { writer: Writer::new("nodelink-controller"), readiness: BTreeMap::new() }
    }
}

impl Default for NodeLink {
    fn default() -> Self {
        Self::new()
    }
}

impl Controller for NodeLink {
    fn name(&self) -> &'static str {
        "nodelink-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Node"), (GROUP, "Machine")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if kind.1 == "Node" {
            requests.push(change.key.name.clone());
            return;
        }
        let Some(machine) = change.after.as_deref().filter(|machine| !machine.is_terminating()) else {
            return;
        };
        // A machine that fits several nodes links none.
        if let Ok(Some(node)) = partner(machine, nodes(api)) {
            requests.push(node.object_name());
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(node) = api.find("", "Node", request).cloned() else { return Outcome::Done };
        let machine = match partner(&node, machines(api)) {
            Ok(Some(machine)) => Arc::clone(machine),
            Ok(None) => return Outcome::Done,
            Err(count) => {
                let text = format!(
                    "failed to find machine from node {:?}: failed getting machine: expected 1 machine, got {count}",
                    node.name()
                );
                return Outcome::Failed(text);
            }
        };
        match self.link(api, &machine, &node) {
            Ok(()) => Outcome::Done,
            Err(error) if error.is_not_found() => Outcome::Done,
            Err(error) => Outcome::Failed(error.message),
        }
    }
}

impl NodeLink {
    fn link(
        &mut self,
        api: &mut ApiServer,
        machine: &Arc<Object>,
        node: &Arc<Object>,
    ) -> Result<(), ApiError> {
        if node.is_terminating() {
            self.readiness.remove(node.name());
            return Ok(());
        }
        let is_ready = node.condition_status("Ready") == "True";
        if self.readiness.get(node.name()) != Some(&is_ready) {
            let now = api.now().to_string();
            let reference = json!({"kind": "Node", "name": node.name(), "uid": node.uid()});
            self.writer.change_status(api, GROUP, "Machine", &machine.object_name(), |machine| {
                machine.set(&["status", "nodeRef"], reference);
                machine.set(&["status", "lastUpdated"], now);
            })?;
            self.readiness.insert(node.name().to_owned(), is_ready);
        }
        let mut after = Object::clone(node);
        after.set(&["metadata", "annotations", MACHINE], machine.object_name().to_string());
        for field in ["annotations", "labels"] {
            let wanted = machine.at(&["spec", "metadata", field]).and_then(Value::as_object);
            for (key, value) in wanted.into_iter().flatten() {
                after.set(&["metadata", field, key], value.clone());
            }
        }
        let mut taints = after.list(&["spec", "taints"]).to_vec();
        for taint in machine.list(&["spec", "taints"]) {
            let same = |one: &&Value| one["key"] == taint["key"] && one["effect"] == taint["effect"];
            if !taints.iter().any(|one| same(&one)) {
                taints.push(taint.clone());
            }
        }
        if !taints.is_empty() {
            after.set(&["spec", "taints"], taints);
        }
        self.writer.update(api, node, after).map(drop)
    }
}

fn nodes(api: &ApiServer) -> impl Iterator<Item = &Arc<Object>> + Clone {
    let kind = api.kind_id("", "Node");
    kind.into_iter().flat_map(|kind| api.store().of_kind(kind)).collect::<Vec<_>>().into_iter()
}

fn machines(api: &ApiServer) -> impl Iterator<Item = &Arc<Object>> + Clone {
    let kind = api.kind_id(GROUP, "Machine");
    kind.into_iter().flat_map(|kind| api.store().of_kind(kind)).collect::<Vec<_>>().into_iter()
}

/// The one object with the same provider identifier, or else the same internal address; the number of objects if there
/// are several.
fn partner<'o>(
    object: &Object,
    others: impl Iterator<Item = &'o Arc<Object>> + Clone,
) -> Result<Option<&'o Arc<Object>>, usize> {
    let only = |found: Vec<&'o Arc<Object>>| match found.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(*one)),
        several => Err(several.len()),
    };
    let id = object.text(&["spec", "providerID"]);
    if !id.is_empty() {
        let found = only(others.clone().filter(|other| other.text(&["spec", "providerID"]) == id).collect())?;
        if found.is_some() {
            return Ok(found);
        }
    }
    match internal_addresses(object).next() {
        None => Ok(None),
        Some(address) => {
            only(others.filter(|other| internal_addresses(other).any(|one| one == address)).collect())
        }
    }
}

fn internal_addresses(object: &Object) -> impl Iterator<Item = &str> {
    let addresses = object.list(&["status", "addresses"]).iter();
    addresses.filter(|address| address["type"] == "InternalIP").map(|address| address.text(&["address"]))
}

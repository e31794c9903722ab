//! Writes taints of nodes.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/util/node/controller_utils.go` (`SwapNodeControllerTaint`).

use serde_json::Value;

use crate::api::ApiServer;
use crate::controllers::write::update;
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::taints::Taint;

/// Adds taints, then takes others away: at no moment has the node neither.
pub(super) fn swap_taints(
    api: &mut ApiServer,
    node: &str,
    added: &[Taint],
    removed: &[Taint],
) -> Result<(), ApiError> {
    let now = api.now().to_string();
    change(api, node, &|mut taints| {
        for taint in added {
            if !taints.iter().any(|entry| taint.is_at(entry)) {
                let mut entry = taint.to_value();
                entry.set(&["timeAdded"], now.as_str());
                taints.push(entry);
            }
        }
        taints
    })?;
    change(api, node, &|mut taints| {
        taints.retain(|entry| !removed.iter().any(|taint| taint.is_at(entry)));
        taints
    })
}

/// Takes a taint away.
pub(super) fn remove_taint(api: &mut ApiServer, node: &str, taint: &Taint) -> Result<(), ApiError> {
    swap_taints(api, node, &[], std::slice::from_ref(taint))
}

fn change(
    api: &mut ApiServer,
    name: &str,
    change: &dyn Fn(Vec<Value>) -> Vec<Value>,
) -> Result<(), ApiError> {
    let Some(node) = api.find("", "Node", &ObjectName::cluster(name)).cloned() else { return Ok(()) };
    let before = node.list(&["spec", "taints"]);
    let after = change(before.to_vec());
    if after == before {
        return Ok(());
    }
    let mut object = Object::clone(&node);
    if after.is_empty() {
        object.remove(&["spec", "taints"]);
    } else {
        object.set(&["spec", "taints"], after);
    }
    update(api, object).map(drop)
}

//! Evicting one pod, unless a disruption budget needs it.
//!
//! Source: `kubernetes/kubernetes:pkg/registry/core/pod/storage/eviction.go`, `pkg/controller/disruption/disruption.go`
//! (SC-4, SC-5).

use std::sync::Arc;

use fbc_cluster::api::{ApiServer, DeleteOptions};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::selector::LabelSelector;

use crate::writer::Writer;

/// Why a pod stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It does not stay: it is gone.
    Gone,
    /// A budget needs it now.
    Later,
    /// Asking again does not help.
    Never(String),
}

/// Deletes a pod unless a budget forbids it.
pub(super) fn evict(
    api: &mut ApiServer,
    writer: &Writer,
    name: &ObjectName,
    options: &DeleteOptions,
) -> Result<(), Refusal> {
    let (Some(kind), Some(pod)) = (api.kind_id("", "Pod"), api.find("", "Pod", name).cloned()) else {
        return Err(Refusal::Gone);
    };
    let serves_nobody =
        pod.is_terminating() || ["Succeeded", "Failed", "Pending"].contains(&pod.text(&["status", "phase"]));
    if !serves_nobody {
        let budgets: Vec<Arc<Object>> = api
            .all("policy", "PodDisruptionBudget")
            .filter(|budget| budget.namespace() == pod.namespace() && selects(budget, &pod))
            .cloned()
            .collect();
        match budgets.as_slice() {
            [] => {}
            [budget] if allows(api, budget) => {}
            [_] => return Err(Refusal::Later),
            _ => {
                let text = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
                return Err(Refusal::Never(text.to_owned()));
            }
        }
    }
    match api.delete(writer.caller(), kind, name, options) {
        Ok(_) => Ok(()),
        Err(error) if error.is_not_found() => Err(Refusal::Gone),
        Err(error) => Err(Refusal::Never(error.message)),
    }
}

fn selects(budget: &Object, pod: &Object) -> bool {
    LabelSelector::of_object(budget.at(&["spec", "selector"]))
        .is_ok_and(|selector| selector.matches_object(pod))
}

/// True if one more of the pods of a budget may go.
fn allows(api: &ApiServer, budget: &Object) -> bool {
    let pods: Vec<&Arc<Object>> = api
        .all("", "Pod")
        .filter(|pod| pod.namespace() == budget.namespace() && selects(budget, pod))
        .collect();
    let expected = i64::try_from(pods.len()).unwrap_or(i64::MAX);
    let is_healthy = |pod: &&&Arc<Object>| !pod.is_terminating() && pod.condition_status("Ready") != "False";
    let healthy = i64::try_from(pods.iter().filter(is_healthy).count()).unwrap_or(i64::MAX);
    let number = |field: &str| {
        let value = budget.at(&["spec", field])?;
        let share = value.as_str().and_then(|text| text.strip_suffix('%')?.parse::<i64>().ok());
        // Shares of budgets are rounded up.
        value.as_i64().or_else(|| Some((share? * expected + 99) / 100))
    };
    let needed = match (number("minAvailable"), number("maxUnavailable")) {
        (Some(needed), _) => needed,
        (None, Some(spare)) => expected - spare,
        (None, None) => expected,
    };
    healthy > needed
}

//! `oc adm upgrade status`: how far an update is, what holds it up, and how long it may still take.
//!
//! | module | what it holds |
//! |---|---|
//! | `control_plane` | versions, cluster operators, estimates |
//! | `pools`, `nodes` | pools, and the nodes in them |
//! | `alerts` | alerts that fire |
//! | `health` | what stands in the way |
//! | `span` | spans of time as this command writes them |
//!
//! Source: `openshift/oc:pkg/cli/admin/upgrade/status`.

mod alerts;
mod control_plane;
mod health;
mod nodes;
mod pools;
mod span;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use serde_json::Value;

use crate::alert::Alert;
use crate::command_line::Details;

/// What the text is made of.
pub(super) struct Facts<'f> {
    pub(super) version: &'f Object,
    pub(super) operators: &'f [Object],
    pub(super) pools: &'f [Object],
    pub(super) nodes: &'f [Object],
    pub(super) machine_configs: &'f [Object],
    /// The image of the Deployment of the Machine Config Operator.
    pub(super) operator_image: &'f str,
    pub(super) alerts: &'f [Alert],
    pub(super) now: Moment,
}

impl<'f> Facts<'f> {
    fn history(&self) -> &'f [Value] {
        self.version.list(&["status", "history"])
    }

    /// Whether the cluster moves to a payload for several architectures, which keeps its version.
    fn becomes_multi(&self) -> bool {
        match self.history() {
            [now, before, ..] => now["version"] == before["version"] && now["image"] != before["image"],
            _ => false,
        }
    }
}

/// A moment of an object; nothing if it is not set.
fn moment(value: &Value, path: &[&str]) -> Option<Moment> {
    Moment::parse(value.text(path))
}

/// What is missing in a cluster to tell how its update goes.
#[derive(Debug, thiserror::Error)]
pub(super) enum Missing {
    #[error(
        "no cluster operator information available - you must be connected to an OpenShift version 4 server"
    )]
    Operators,
    #[error("no current Progressing info, see `oc describe clusterversion` for more details.\n")]
    Progressing,
}

/// The text for a cluster.
///
/// # Errors
/// [`Missing`]
pub(super) fn text(facts: &Facts<'_>, details: Details) -> Result<String, Missing> {
    if facts.operators.is_empty() {
        return Err(Missing::Operators);
    }
    let progressing = facts.version.condition("Progressing").ok_or(Missing::Progressing)?;
    let is_updating = progressing["status"] == "True";
    let mut insights = Vec::new();
    let pools = pools::assess(facts, facts.becomes_multi() && is_updating, &mut insights);
    let workers: Vec<&pools::Pool> = pools.iter().filter(|pool| pool.name != pools::MASTER).collect();
    if !is_updating && workers.iter().all(|pool| pool.is_done()) {
        return Ok("The cluster is not updating.\n".to_owned());
    }
    let started = facts.history().first().and_then(|entry| moment(entry, &["startedTime"]));
    let started = started.or_else(|| moment(progressing, &["lastTransitionTime"])).unwrap_or(facts.now);
    insights.extend(alerts::assess(facts.alerts, started));
    let mut out = control_plane::text(facts, details.shows(Details::Operators), &mut insights);
    for pool in pools.iter().filter(|pool| pool.name == pools::MASTER) {
        out.push_str(&pool.nodes_text(details.shows(Details::Nodes)));
    }
    if workers.iter().any(|pool| !pool.nodes.is_empty()) {
        out.push_str("\n= Worker Upgrade =\n");
        out.push_str(&pools::table(&workers));
        for pool in workers {
            out.push_str(&pool.nodes_text(details.shows(Details::Nodes)));
        }
    }
    out.push('\n');
    out.push_str(&health::text(insights, started, facts.now, details.shows(Details::Health)));
    Ok(out)
}

#[cfg(test)]
mod tests;

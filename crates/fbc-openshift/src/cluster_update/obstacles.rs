//! What keeps an update from its end, in the words of whoever must act.

use std::collections::BTreeMap;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::json;

use super::Pool;
use super::cluster::version;
use crate::cluster_version::{GROUP, Generation, blocking_preconditions};
use crate::machine_config::{self, MASTER};

/// Masters that were unavailable at once, so many that etcd had no quorum: the API server answered nothing then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuorumLoss {
    /// How many were unavailable.
    pub unavailable: usize,
    /// How many there are.
    pub masters: usize,
}

impl QuorumLoss {
    /// Whether it happened. The only master of a small cluster has no quorum to lose.
    pub(super) fn of(pools: &[Pool], most_unavailable: &BTreeMap<String, usize>) -> Option<Self> {
        let masters = pools.iter().find(|pool| pool.name == MASTER)?.nodes;
        let unavailable = most_unavailable.get(MASTER).copied().unwrap_or_default();
        let is_lost = masters > 1 && unavailable > (masters - 1) / 2;
        is_lost.then_some(Self { unavailable, masters })
    }

    /// How many members of etcd make a quorum.
    #[must_use]
    pub fn quorum(self) -> usize {
        self.masters / 2 + 1
    }
}

/// The preconditions that block, without those that only warn; cluster operators speak for themselves.
fn refusals(api: &ApiServer, version: &Object, target: &str) -> Vec<String> {
    let release = version.text(&["status", "desired", "version"]);
    let mut texts = Vec::new();
    for blocked in blocking_preconditions(version, target, Generation::of(release)) {
        if blocked.name != "ClusterVersionUpgradeable" {
            texts.push(blocked.message);
            continue;
        }
        let operators: Vec<(String, String)> = api
            .all(GROUP, "ClusterOperator")
            .filter_map(|operator| Some((operator.name(), operator.condition("Upgradeable")?)))
            .filter(|(_, condition)| condition["status"] == "False")
            .map(|(name, condition)| {
                let (reason, message) = (condition.text(&["reason"]), condition.text(&["message"]));
                (format!("operator {name} is not upgradeable: {message} ({reason})"), message.to_owned())
            })
            .collect();
        // One of several reasons stands in a line of its own.
        let others: Vec<String> = match blocked.reason.as_str() {
            "MultipleReasons" => blocked.message.split("\n* ").skip(1).map(str::to_owned).collect(),
            _ => vec![blocked.message],
        };
        let is_told = |text: &String| operators.iter().any(|(_, message)| text.contains(message.as_str()));
        texts.extend(others.into_iter().filter(|text| !is_told(text)));
        texts.extend(operators.into_iter().map(|(text, _)| text));
    }
    texts
}

/// What the cluster says that keeps it from the end.
///
/// `target` is the version that is wanted, if one is.
pub(super) fn obstacles(api: &ApiServer, target: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let Some(version) = version(api) else { return vec!["there is no ClusterVersion".to_owned()] };
    let told = |kind: &str, status: &str| {
        version
            .condition(kind)
            .filter(|one| one["status"] == status)
            .map(|one| one.text(&["message"]).to_owned())
    };
    match version.condition("ReleaseAccepted").filter(|one| one["status"] == "False") {
        Some(condition) if condition["reason"] == "PreconditionChecks" => {
            texts.extend(refusals(api, version, target));
        }
        _ => texts.extend(told("ReleaseAccepted", "False")),
    }
    texts.extend(told("Failing", "True").or_else(|| told("Failing", "Unknown")));
    texts.extend(told("Progressing", "True").filter(|text| !texts.contains(text)));
    for pool in api.all(machine_config::GROUP, "MachineConfigPool") {
        let name = pool.name();
        if pool.condition_status("Degraded") == "True" {
            let message = pool.condition("Degraded").map(|one| one.text(&["message"])).unwrap_or_default();
            texts.push(format!("pool {name} is degraded: {message}"));
        } else if pool.condition_status("Updated") != "True" {
            let (updated, all) =
                (pool.number(&["status", "updatedMachineCount"]), pool.number(&["status", "machineCount"]));
            let paused =
                if pool.at(&["spec", "paused"]) == Some(&json!(true)) { ", and it is paused" } else { "" };
            texts.push(format!(
                "pool {name} has {} of {} nodes updated{paused}",
                updated.unwrap_or_default(),
                all.unwrap_or_default()
            ));
        }
    }
    texts
}

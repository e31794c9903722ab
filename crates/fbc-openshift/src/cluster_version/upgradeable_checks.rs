//! What keeps a cluster from the next minor version, up to 4.22: checks, each with a condition of its own.
//!
//! Source: `openshift/cluster-version-operator:pkg/cvo/upgradeable.go` of the branches `release-4.14` to `release-4.22`.

use std::collections::BTreeMap;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::Value;

use super::GROUP;
use super::apply::Deletions;
use super::generation::Generation;
use super::history::current_version;
use super::upgradeable::{Condition, has_overrides, pending};

const GATES: (&str, &str) = ("openshift-config-managed", "admin-gates");
const ACKNOWLEDGEMENTS: (&str, &str) = ("openshift-config", "admin-acks");

/// The text about overrides.
pub(super) fn overrides_text(generation: Generation) -> &'static str {
    if generation >= Generation::V4_22 {
        "Disabling ownership via cluster version overrides prevents upgrades between minor or major versions. Please \
         remove overrides before requesting a minor or major version update."
    } else {
        "Disabling ownership via cluster version overrides prevents upgrades. Please remove overrides before continuing."
    }
}

/// The conditions of all checks that do not pass, and `Upgradeable` if there is any.
pub(super) fn conditions(
    api: &ApiServer,
    version: &Object,
    deletions: &Deletions,
    generation: Generation,
) -> Vec<Condition> {
    let mut found = Vec::new();
    found.extend(has_overrides(version).then(|| {
        let text = overrides_text(generation);
        Condition::new("UpgradeableClusterVersionOverrides", "False", "ClusterVersionOverridesSet", text)
    }));
    found
        .extend(acknowledgements(api, version, generation).map(|(reason, message)| {
            Condition::new("UpgradeableAdminAckRequired", "False", reason, message)
        }));
    found
        .extend(operators(api, generation).map(|(reason, message)| {
            Condition::new("UpgradeableClusterOperators", "False", reason, message)
        }));
    let pending = pending(deletions);
    found.extend((!pending.is_empty()).then(|| {
        let level = if generation >= Generation::V4_22 { "minor or major version" } else { "minor level" };
        let message = format!(
            "Cluster {level} upgrades are not allowed while resource deletions are in progress; resources={}",
            pending.join(",")
        );
        Condition::new("UpgradeableDeletesInProgress", "False", "ResourceDeletesInProgress", message)
    }));
    let is_updating =
        generation.tells_updates_under_way() && version.condition_status("Progressing") == "True";
    found.extend(is_updating.then(|| {
        let message = "An update is already in progress and the details are in the Progressing condition";
        Condition::new("UpgradeableUpgradeInProgress", "True", "UpdateInProgress", message)
    }));
    match found.as_slice() {
        [] => {}
        [only] => found = vec![Condition { kind: "Upgradeable", status: "False", ..only.clone() }],
        several => {
            let reasons: Vec<&str> = several.iter().map(|one| one.reason.as_str()).collect();
            let messages: Vec<&str> = several.iter().map(|one| one.message.as_str()).collect();
            let message = format!(
                "Cluster should not be upgraded between {} for multiple reasons: {}\n* {}",
                generation.far_versions(),
                reasons.join(","),
                messages.join("\n* ")
            );
            found.push(Condition::new("Upgradeable", "False", "MultipleReasons", message));
        }
    }
    found.sort_by_key(|condition| condition.kind);
    found
}

/// Cluster operators that must not be updated, in the order of their names; the real order is random.
fn operators(api: &ApiServer, generation: Generation) -> Option<(String, String)> {
    let mut against: Vec<(&str, &str, &str)> = api
        .all(GROUP, "ClusterOperator")
        .filter_map(|operator| Some((operator.name(), operator.condition("Upgradeable")?)))
        .filter(|(_, condition)| condition.text(&["status"]) == "False")
        .map(|(name, condition)| (name, condition.text(&["reason"]), condition.text(&["message"])))
        .collect();
    against.sort_unstable();
    let far = generation.far_versions();
    match against.as_slice() {
        [] => None,
        [(name, reason, message)] => Some((
            (*reason).to_owned(),
            format!("Cluster operator {name} should not be upgraded between {far}: {message}"),
        )),
        several => {
            let one = |(name, reason, message): &(&str, &str, &str)| {
                format!("Cluster operator {name} should not be upgraded between {far}: {reason}: {message}")
            };
            let all: Vec<String> = several.iter().map(one).collect();
            let message = format!(
                "Multiple cluster operators should not be upgraded between {far}:\n* {}",
                all.join("\n* ")
            );
            Some(("ClusterOperatorsNotUpgradeable".to_owned(), message))
        }
    }
}

/// Gates of this minor version that no administrator has acknowledged.
fn acknowledgements(api: &ApiServer, version: &Object, generation: Generation) -> Option<(String, String)> {
    let current = current_version(version.list(&["status", "history"]));
    if current.is_empty() {
        return None;
    }
    let find = |(namespace, name): (&str, &str)| {
        api.find("", "ConfigMap", &ObjectName::namespaced(namespace, name))
            .ok_or_else(|| format!("{name} configmap not found."))
    };
    let gates = match find(GATES) {
        Ok(gates) => gates,
        Err(message) => return Some(("UnableToAccessAdminGatesConfigMap".to_owned(), message)),
    };
    let acknowledged = match find(ACKNOWLEDGEMENTS) {
        Ok(acknowledged) => acknowledged,
        Err(message) => return Some(("UnableToAccessAdminAcksConfigMap".to_owned(), message)),
    };
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (gate, value) in gates.at(&["data"]).and_then(Value::as_object).into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        let is_acknowledged = acknowledged.text(&["data", gate]) == "true";
        if let Some((reason, message)) = judge(gate, value, current, is_acknowledged, generation) {
            reasons.entry(reason).or_default().push(message);
        }
    }
    let reason = match reasons.len() {
        0 => return None,
        1 => reasons.keys().next().copied().unwrap_or_default(),
        _ => "MultipleReasons",
    };
    let mut messages: Vec<String> = reasons
        .values_mut()
        .map(|messages| {
            messages.sort_unstable();
            messages.join(" ")
        })
        .collect();
    messages.sort_unstable();
    Some((reason.to_owned(), messages.join(" ")))
}

/// What stands against updates in one gate.
fn judge(
    gate: &str,
    value: &str,
    current: &str,
    is_acknowledged: bool,
    generation: Generation,
) -> Option<(&'static str, String)> {
    let Some(minor) = gate_minor(gate) else {
        let end = if generation >= Generation::V4_22 { "" } else { "." };
        let message = format!(
            "admin-gates configmap gate name {gate} has invalid format; must comply with \
             \"^ack-[4-5][.]([0-9]{{1,}})-[^-]\"{end}"
        );
        return Some(("AdminAckConfigMapGateNameError", message));
    };
    if current.split('.').nth(1) != Some(minor) {
        return None;
    }
    if value.is_empty() {
        let message = format!("admin-gates configmap gate {gate} must contain a non-empty value.");
        return Some(("AdminAckConfigMapGateValueError", message));
    }
    (!is_acknowledged).then(|| ("AdminAckRequired", value.to_owned()))
}

/// The minor version of `ack-4.18-NAME`. Only the minor version is compared.
fn gate_minor(gate: &str) -> Option<&str> {
    let version = gate.strip_prefix("ack-")?;
    let (minor, name) = version.strip_prefix("4.").or_else(|| version.strip_prefix("5."))?.split_once('-')?;
    let fits = !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit());
    (fits && !name.is_empty() && !name.starts_with('-')).then_some(minor)
}

#[cfg(test)]
mod tests {
    use super::{Generation, gate_minor, judge};

    #[test]
    fn gates_name_a_version() {
        for (gate, minor) in [
            ("ack-4.18-kube-1.32-api-removals-in-4.19", Some("18")),
            ("ack-5.0-x", Some("0")),
            ("ack-4.18--x", None),
            ("ack-4.18-", None),
            ("ack-4.x-y", None),
            ("ack-3.11-y", None),
            ("4.18-y", None),
        ] {
            assert_eq!(gate_minor(gate), minor, "{gate}");
        }
    }

    #[test]
    fn a_gate_stands_against_updates_until_it_is_acknowledged() {
        let judged = |gate, value, is_acknowledged| {
            judge(gate, value, "4.18.8", is_acknowledged, Generation::V4_17).map(|(reason, _)| reason)
        };
        assert_eq!(judged("ack-4.18-x", "why", false), Some("AdminAckRequired"));
        assert_eq!(judged("ack-4.18-x", "why", true), None);
        assert_eq!(judged("ack-4.17-x", "why", false), None);
        assert_eq!(judged("ack-4.18-x", "", true), Some("AdminAckConfigMapGateValueError"));
        assert_eq!(judged("nack-4.18-x", "why", true), Some("AdminAckConfigMapGateNameError"));
    }
}

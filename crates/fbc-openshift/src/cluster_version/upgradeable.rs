//! What keeps a cluster from the next minor version.
//!
//! Source: `openshift/cluster-version-operator:pkg/risk`.

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::Moment;
use fbc_version::Version;
use serde_json::Value;

use super::apply::Deletions;
use super::{GROUP, conditions};
use crate::update_service::risk::is_reason;

/// A risk of updates to another minor version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Risk {
    pub(super) name: String,
    pub(super) message: String,
}

impl Risk {
    fn new(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self { name: name.into(), message: message.into() }
    }
}

/// All that stands against it, for a cluster with this release.
pub(super) fn risks(api: &ApiServer, version: &Object, release: &str, deletions: &Deletions) -> Vec<Risk> {
    let mut risks = Vec::new();
    if version.condition_status("Progressing") == "True" {
        risks.push(Risk::new(
            "ClusterVersionUpdating",
            "An update is already in progress and the details are in the Progressing condition.",
        ));
    }
    if has_overrides(version) {
        risks.push(Risk::new("ClusterVersionOverrides", OVERRIDES));
    }
    let mut pending: Vec<&str> =
        deletions.iter().filter(|(_, gone)| !**gone).map(|(name, _)| name.as_str()).collect();
    pending.sort_unstable();
    if !pending.is_empty() {
        let message = format!(
            "Cluster minor or major version upgrades are not allowed while resource deletions are in progress; resources={}",
            pending.join(",")
        );
        risks.push(Risk::new("ResourceDeletionInProgress", message));
    }
    match Version::parse(release) {
        Ok(current) => risks.extend(admin_gates(api, &current)),
        Err(error) => {
            let message = format!("Failed to parse cluster version to check admin-acks: {error}");
            risks.push(Risk::new("AdminAckUnknown", message));
        }
    }
    let mut operators: Vec<Risk> = api
        .all(GROUP, "ClusterOperator")
        .filter(|operator| operator.condition_status("Upgradeable") == "False")
        .map(|operator| {
            let message =
                operator.condition("Upgradeable").map(|one| one.text(&["message"])).unwrap_or_default();
            Risk::new(format!("ClusterOperatorUpgradeable-{}", operator.name()), message)
        })
        .collect();
    operators.sort_by(|one, other| one.name.cmp(&other.name));
    risks.extend(operators);
    risks
}

const OVERRIDES: &str = "Disabling ownership via cluster version overrides prevents updates between minor or major \
                         versions. Please remove overrides before requesting a minor or major version update.";

/// The text about overrides, if there are any that count.
pub(super) fn overrides_text(version: &Object) -> Option<&'static str> {
    has_overrides(version).then_some(OVERRIDES)
}

fn has_overrides(version: &Object) -> bool {
    version.list(&["spec", "overrides"]).iter().any(|one| one["unmanaged"] == true)
}

/// Gates of this minor version that no administrator has acknowledged.
fn admin_gates(api: &ApiServer, current: &Version) -> Vec<Risk> {
    let find = |namespace: &str, name: &str| {
        let found = api.find("", "ConfigMap", &ObjectName::namespaced(namespace, name));
        found.ok_or_else(|| {
            let message = format!(
                "Failed to retrieve ConfigMap {name} from namespace {namespace}: configmap {name:?} not found"
            );
            vec![Risk::new("AdminAckUnknown", message)]
        })
    };
    let gates = match find("openshift-config-managed", "admin-gates") {
        Ok(gates) => gates,
        Err(risks) => return risks,
    };
    let acknowledged = match find("openshift-config", "admin-acks") {
        Ok(acknowledged) => acknowledged,
        Err(risks) => return risks,
    };
    let data = gates.at(&["data"]).and_then(Value::as_object);
    data.into_iter()
        .flatten()
        .filter_map(|(gate, value)| {
            let name = format!("AdminAck-{gate}");
            let Some((major, minor)) = gate_version(gate) else {
                let message = format!(
                    "admin-gates configmap gate {gate:?} is invalid: admin-gates configmap gate name {gate} has invalid \
                     format; must comply with \"^ack-([4-5][.][0-9]{{1,}})-[^-]\""
                );
                return Some(Risk::new(name, message));
            };
            if (major, minor) != (current.major(), current.minor()) {
                return None;
            }
            let value = value.as_str().unwrap_or_default();
            if value.is_empty() {
                let message = format!("admin-gates configmap gate {gate} must contain a non-empty value.");
                return Some(Risk::new(name, message));
            }
            (acknowledged.text(&["data", gate]) != "true").then(|| Risk::new(name, value))
        })
        .collect()
}

/// `ack-4.19-NAME` to major and minor version.
fn gate_version(gate: &str) -> Option<(u64, u64)> {
    let (version, name) = gate.strip_prefix("ack-")?.split_once('-')?;
    let (major, minor) = version.split_once('.')?;
    let fits =
        matches!(major, "4" | "5") && !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit());
    (fits && !name.is_empty() && !name.starts_with('-')).then_some((major.parse().ok()?, minor.parse().ok()?))
}

/// Writes the condition `Upgradeable`.
pub(super) fn set_condition(list: &mut Vec<Value>, risks: &[Risk], now: Moment) {
    let Some(first) = risks.first() else {
        conditions::remove(list, "Upgradeable");
        return;
    };
    let (reason, message) = if risks.len() > 1 {
        let messages: Vec<&str> = risks.iter().map(|risk| risk.message.as_str()).collect();
        let message = format!(
            "Cluster should not be upgraded between minor or major versions for multiple reasons:\n* {}",
            messages.join("\n* ")
        );
        ("MultipleReasons", message)
    } else if is_reason(&first.name) {
        (first.name.as_str(), first.message.clone())
    } else {
        ("RiskNameNotCompatibleWithReasonProperty", first.message.clone())
    };
    conditions::set(list, "Upgradeable", "False", reason, &message, now);
}

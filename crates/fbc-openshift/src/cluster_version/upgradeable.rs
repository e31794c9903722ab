//! What keeps a cluster from the next minor version: risks, from 4.23 on.
//!
//! Source: `openshift/cluster-version-operator:pkg/risk`.

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::Moment;
use fbc_version::Version;
use serde_json::{Value, json};

use super::apply::Deletions;
use super::generation::Generation;
use super::{GROUP, conditions, upgradeable_checks};
use crate::release::Release;
use crate::update_service::risk::is_reason;

/// A risk of updates to another minor version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Risk {
    pub(super) name: String,
    pub(super) message: String,
    /// Where the documentation tells more.
    pub(super) url: String,
}

/// A condition of ClusterVersion that says whether it may be updated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) kind: &'static str,
    pub(super) status: &'static str,
    pub(super) reason: String,
    pub(super) message: String,
}

impl Condition {
    pub(super) fn new(
        kind: &'static str,
        status: &'static str,
        reason: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { kind, status, reason: reason.into(), message: message.into() }
    }
}

/// What stands against the next minor version, in the form of the operator that runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Obstacles {
    /// Risks of updates; none before 4.23.
    pub(super) risks: Vec<Risk>,
    /// `Upgradeable`, and what belongs to it.
    conditions: Vec<Condition>,
}

impl Obstacles {
    /// All of them, for a cluster with this release.
    pub(super) fn find(
        api: &ApiServer,
        version: &Object,
        release: &str,
        deletions: &Deletions,
        generation: Generation,
    ) -> Self {
        if !generation.has_risks() {
            let conditions = upgradeable_checks::conditions(api, version, deletions, generation);
            return Self { risks: Vec::new(), conditions };
        }
        let risks = risks(api, version, release, deletions);
        let conditions = condition_of(&risks).into_iter().collect();
        Self { risks, conditions }
    }

    /// Writes the conditions, and takes those away that no longer hold.
    pub(super) fn write(&self, list: &mut Vec<Value>, now: Moment) {
        list.retain(|one| {
            let kind = one["type"].as_str().unwrap_or_default();
            !kind.starts_with("Upgradeable") || self.conditions.iter().any(|condition| condition.kind == kind)
        });
        for Condition { kind, status, reason, message } in &self.conditions {
            conditions::set(list, kind, status, reason, message, now);
        }
    }
}

/// The documentation of all versions.
const DOCUMENTATION: &str = "https://docs.redhat.com/en/documentation/openshift_container_platform/";
/// Its chapter about conditions of cluster operators.
const CONDITIONS: &str = "updating_clusters/understanding-openshift-updates-1#understanding_clusteroperator_conditiontypes_understanding-openshift-updates";
/// Its chapter about the application of manifests.
const MANIFESTS: &str =
    "updating_clusters/understanding-openshift-updates-1#update-manifest-application_how-updates-work";
/// Its chapter about overrides.
const SPEC: &str = "config_apis/clusterversion-config-openshift-io-v1#spec-8";

impl Risk {
    fn new(name: impl Into<String>, message: impl Into<String>, url: impl Into<String>) -> Self {
        Self { name: name.into(), message: message.into(), url: url.into() }
    }

    /// As a risk of a conditional update.
    pub(super) fn to_value(&self) -> Value {
        json!({
            "name": self.name, "message": self.message, "url": self.url,
            "matchingRules": [{"type": "Always"}],
        })
    }
}

/// A chapter of the documentation of a version.
fn chapter(version: &str, chapter: &str) -> String {
    match Version::parse(version) {
        Ok(version) => format!("{DOCUMENTATION}{}.{}/html/{chapter}", version.major(), version.minor()),
        Err(_) => DOCUMENTATION.to_owned(),
    }
}

/// All risks, for a cluster with this release.
fn risks(api: &ApiServer, version: &Object, release: &str, deletions: &Deletions) -> Vec<Risk> {
    let mut risks = Vec::new();
    let target = version.text(&["status", "desired", "version"]);
    if version.condition_status("Progressing") == "True" {
        risks.push(Risk::new(
            "ClusterVersionUpdating",
            "An update is already in progress and the details are in the Progressing condition.",
            chapter(target, CONDITIONS),
        ));
    }
    if has_overrides(version) {
        risks.push(Risk::new("ClusterVersionOverrides", OVERRIDES, chapter(target, SPEC)));
    }
    let pending = pending(deletions);
    if !pending.is_empty() {
        let message = format!(
            "Cluster minor or major version upgrades are not allowed while resource deletions are in progress; resources={}",
            pending.join(",")
        );
        risks.push(Risk::new("ResourceDeletionInProgress", message, chapter(release, MANIFESTS)));
    }
    match Version::parse(release) {
        Ok(current) => risks.extend(admin_gates(api, &current)),
        Err(error) => {
            let message = format!("Failed to parse cluster version to check admin-acks: {error}");
            risks.push(Risk::new("AdminAckUnknown", message, DOCUMENTATION));
        }
    }
    let mut operators: Vec<Risk> = api
        .all(GROUP, "ClusterOperator")
        .filter(|operator| operator.condition_status("Upgradeable") == "False")
        .map(|operator| {
            let message =
                operator.condition("Upgradeable").map(|one| one.text(&["message"])).unwrap_or_default();
            let name = format!("ClusterOperatorUpgradeable-{}", operator.name());
            Risk::new(name, message, chapter(release, CONDITIONS))
        })
        .collect();
    operators.sort_by(|one, other| one.name.cmp(&other.name));
    risks.extend(operators);
    risks
}

const OVERRIDES: &str = "Disabling ownership via cluster version overrides prevents updates between minor or major \
                         versions. Please remove overrides before requesting a minor or major version update.";

/// What is being deleted.
pub(super) fn pending(deletions: &Deletions) -> Vec<&str> {
    let mut pending: Vec<&str> =
        deletions.iter().filter(|(_, gone)| !**gone).map(|(name, _)| name.as_str()).collect();
    pending.sort_unstable();
    pending
}

/// Whether there are overrides that count.
pub(super) fn has_overrides(version: &Object) -> bool {
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
            vec![Risk::new("AdminAckUnknown", message, DOCUMENTATION)]
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
                return Some(Risk::new(name, message, DOCUMENTATION));
            };
            if (major, minor) != (current.major(), current.minor()) {
                return None;
            }
            let value = value.as_str().unwrap_or_default();
            if value.is_empty() {
                let message = format!("admin-gates configmap gate {gate} must contain a non-empty value.");
                return Some(Risk::new(name, message, DOCUMENTATION));
            }
            let address = value.split_whitespace().find_map(|word| word.find("https://").map(|at| &word[at..]));
            (acknowledged.text(&["data", gate]) != "true")
                .then(|| Risk::new(name, value, address.unwrap_or(DOCUMENTATION)))
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

/// Adds the risks to all updates to another minor or major version, as risks that administrators can accept.
///
/// Source: `openshift/cluster-version-operator:pkg/risk/risk.go` (`Merge`).
pub(super) fn merge(risks: &[Risk], current: &str, updates: &mut Vec<Release>, conditional: &mut Vec<Value>) {
    let Ok(current) = Version::parse(current) else { return };
    let is_far = |version: &str| match Version::parse(version) {
        Ok(version) => (version.major(), version.minor()) > (current.major(), current.minor()),
        Err(_) => true,
    };
    if risks.is_empty() {
        return;
    }
    let (far, near) = std::mem::take(updates).into_iter().partition(|release| is_far(&release.version));
    *updates = near;
    let far: Vec<Release> = far;
    conditional.extend(
        far.iter().map(|release| json!({"release": release.to_value(), "risks": [], "conditions": []})),
    );
    for update in conditional.iter_mut().filter(|update| is_far(update.text(&["release", "version"]))) {
        let mut all = update.list(&["risks"]).to_vec();
        for risk in risks {
            if !all.iter().any(|one| one["name"] == risk.name.as_str()) {
                all.push(risk.to_value());
            }
        }
        all.sort_by(|one, other| one.text(&["name"]).cmp(other.text(&["name"])));
        update.set(&["risks"], all);
    }
}

/// The condition `Upgradeable`; none if nothing stands against updates.
fn condition_of(risks: &[Risk]) -> Option<Condition> {
    let first = risks.first()?;
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
    Some(Condition::new("Upgradeable", "False", reason, message))
}

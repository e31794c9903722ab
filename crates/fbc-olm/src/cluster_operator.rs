//! The operator of OLM in OpenShift, as far as it keeps clusters from updates that installed bundles do not allow:
//! the condition `Upgradeable` of the ClusterOperator `olm`.
//!
//! A bundle names the last minor version of OpenShift that it works on in the property `olm.maxOpenShiftVersion` of
//! the annotation `olm.properties`, which the records of what is installed keep.
//!
//! Sources: section 5.3.5 of the product document (D-UPD-18 to D-UPD-22);
//! `openshift/cluster-olm-operator:pkg/controller/incompatible_operator_controller.go`, and
//! `openshift/library-go:pkg/operator/status/condition.go` for reason and message of `Upgradeable`.

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_bundle::readiness::{Limit, limit_of};
use fbc_cluster::api::{ApiServer, Caller, Subresource, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::Moment;
use fbc_go::text::quote;
use fbc_version::OpenShiftRelease;
use serde_json::{Value, json};

use super::Options;
use super::conditions;
use super::names::{CLUSTER_EXTENSION, CLUSTER_OBJECT_SET, GROUP, OWNER_NAME, PROPERTIES};
use super::operator_controller::helm::release::{Releases, Status};

/// The group of the configuration of OpenShift.
pub const CONFIG_GROUP: &str = "config.openshift.io";
/// The name of the ClusterOperator.
pub const OPERATOR: &str = "olm";
/// The name of the ClusterVersion.
const VERSION: &str = "version";
/// The condition of the operator that `Upgradeable` follows from.
const INSTALLED: &str = "InstalledOLMOperators";

/// The definitions of ClusterOperators and of the ClusterVersion.
pub fn definitions() -> Vec<Object> {
    let files = [
        include_str!("../definitions/clusteroperator.yaml"),
        include_str!("../definitions/clusterversion.yaml"),
    ];
    files.into_iter().map(crate::definitions::object).collect()
}

/// What an installed bundle says about updates of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    bundle: String,
    limit: Limit,
}

/// The controller.
#[derive(Debug)]
pub struct ClusterOperator {
    caller: Caller,
    releases: Releases,
    /// Whether version and health are reported as well as `Upgradeable`.
    is_reporting: bool,
    /// What was installed when each extension was looked at last, with what it says.
    known: BTreeMap<String, (Value, Finding)>,
}

/// An extension whose releases cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("error returning the last deployed release for {0}")]
struct UnreadableRelease(String);

impl ClusterOperator {
    /// The operator of an OLM that is set up like this.
    pub fn new(options: &Options) -> Self {
        let caller = Caller::administrator("cluster-olm-operator");
        Self {
            releases: Releases::new(&options.system_namespace, caller.clone()),
            caller,
            is_reporting: true,
            known: BTreeMap::new(),
        }
    }

    /// Whether it reports version and health itself. Where cluster operators are played, whoever plays them does.
    #[must_use]
    pub fn reporting(self, is_reporting: bool) -> Self {
        Self { is_reporting, ..self }
    }

    /// Looks at an extension. True if it says something else than before.
    fn look(&mut self, name: &ObjectName, api: &ApiServer) -> Result<bool, UnreadableRelease> {
        let installed = api.find(GROUP, CLUSTER_EXTENSION, name).and_then(|extension| {
            let bundle = extension.at(&["status", "install", "bundle"]);
            bundle.cloned()
        });
        let Some(bundle) = installed else { return Ok(self.known.remove(&name.name).is_some()) };
        if self.known.get(&name.name).is_some_and(|(known, _)| *known == bundle) {
            return Ok(false);
        }
        let properties = self.properties(&name.name, api)?;
        let finding =
            Finding { bundle: bundle.text(&["name"]).to_owned(), limit: limit_of(properties.as_deref()) };
        let before = self.known.insert(name.name.clone(), (bundle, finding.clone()));
        Ok(before.is_none_or(|(_, before)| before != finding))
    }

    /// The properties of the bundle that an extension has, from the record of what was deployed last.
    fn properties(&mut self, extension: &str, api: &ApiServer) -> Result<Option<String>, UnreadableRelease> {
        let history = self.releases.history(extension, api);
        let history = history.map_err(|_| UnreadableRelease(extension.to_owned()))?;
        if let Some(release) = history.iter().find(|release| release.status == Status::Deployed) {
            return Ok(release.annotations.get(PROPERTIES).cloned());
        }
        let newest = api
            .all(GROUP, CLUSTER_OBJECT_SET)
            .filter(|revision| revision.label(OWNER_NAME) == Some(extension))
            .filter(|revision| revision.text(&["spec", "lifecycleState"]) != "Archived")
            .max_by_key(|revision| revision.number(&["spec", "revision"]));
        Ok(newest.and_then(|revision| revision.annotation(PROPERTIES)).map(str::to_owned))
    }

    fn write(&self, api: &mut ApiServer) -> Result<(), ApiError> {
        let name = ObjectName::cluster(OPERATOR);
        let before = match api.find(CONFIG_GROUP, "ClusterOperator", &name) {
            Some(object) => Arc::clone(object),
            // The payload that brings the operator brings the object.
            None if !self.is_reporting => return Ok(()),
            None => {
                let object = json!({
                    "apiVersion": "config.openshift.io/v1", "kind": "ClusterOperator",
                    "metadata": {"name": OPERATOR}, "spec": {},
                });
                api.create(&self.caller, object, WriteOptions::default())?
            }
        };
        let version = match self.is_reporting {
            true => cluster_version(api).unwrap_or_default(),
            false => reported_version(&before).unwrap_or_default(),
        };
        let verdict = verdict(release_of(&version), self.known.iter().map(|(name, (_, one))| (name, one)));
        let mut after = Object::clone(&before);
        if self.is_reporting {
            after.set(&["status", "versions"], json!([{"name": "operator", "version": version}]));
        }
        let list = after.place(&["status", "conditions"]);
        let health = [("Available", "True"), ("Degraded", "False"), ("Progressing", "False")];
        for (condition_type, status) in health.into_iter().filter(|_| self.is_reporting) {
            set(list, condition_type, status, "AsExpected", "", api.now());
        }
        match verdict {
            None => set(list, "Upgradeable", "True", "AsExpected", "All is well", api.now()),
            Some((reason, message)) => set(
                list,
                "Upgradeable",
                "False",
                &format!("{INSTALLED}_{reason}"),
                &format!("{INSTALLED}Upgradeable: {message}"),
                api.now(),
            ),
        }
        if after["status"] != before["status"] {
            api.update(&self.caller, after, Subresource::Status, WriteOptions::default())?;
        }
        Ok(())
    }
}

impl Controller for ClusterOperator {
    fn name(&self) -> &'static str {
        "cluster-olm-operator"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, CLUSTER_EXTENSION), (CONFIG_GROUP, "ClusterVersion"), (CONFIG_GROUP, "ClusterOperator")]
    }

    fn requests(
        &mut self,
        change: &Change,
        (group, kind): (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        match (group, kind) {
            (GROUP, _) => requests.push(change.key.name.clone()),
            (_, "ClusterOperator") if change.key.name.name != OPERATOR => {}
            // The empty name stands for the operator itself; no extension has it.
            _ => requests.push(ObjectName::default()),
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let is_due = match request.name.as_str() {
            "" => Ok(true),
            _ => self.look(request, api),
        };
        match is_due {
            Ok(false) => Outcome::Done,
            Ok(true) => match self.write(api) {
                Ok(()) => Outcome::Done,
                Err(error) => Outcome::Failed(error.message),
            },
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }
}

fn set(list: &mut Value, condition_type: &str, status: &str, reason: &str, message: &str, now: Moment) {
    let mut condition = json!({
        "type": condition_type, "status": status, "reason": reason, "lastTransitionTime": now.to_string(),
    });
    if !message.is_empty() {
        condition.set(&["message"], message);
    }
    conditions::set_value(list, &mut condition);
}

/// The version that the cluster has or is on its way to.
fn cluster_version(api: &ApiServer) -> Option<String> {
    let object = api.find(CONFIG_GROUP, "ClusterVersion", &ObjectName::cluster(VERSION))?;
    Some(object.text(&["status", "desired", "version"]).to_owned()).filter(|version| !version.is_empty())
}

/// The version that the operator itself reports.
pub(crate) fn reported_version(operator: &Object) -> Option<String> {
    let versions = operator.list(&["status", "versions"]);
    let own = versions.iter().find(|one| one["name"] == "operator")?;
    Some(own.text(&["version"]).to_owned()).filter(|version| !version.is_empty())
}

/// Major and minor of a version; patch, prerelease and build do not count.
pub(crate) fn release_of(version: &str) -> Option<OpenShiftRelease> {
    let mut parts = version.splitn(3, '.');
    let (major, minor) = (parts.next()?, parts.next()?);
    OpenShiftRelease::parse(&format!("{major}.{minor}"))
}

/// Reason and message of what keeps the cluster from the next minor version, if anything does.
fn verdict<'f>(
    current: Option<OpenShiftRelease>,
    findings: impl Iterator<Item = (&'f String, &'f Finding)>,
) -> Option<(&'static str, String)> {
    let current = current?;
    let (mut incompatible, mut errors) = (Vec::new(), Vec::new());
    for (extension, finding) in findings {
        match &finding.limit {
            Limit::Invalid(error) => errors.push(format!(
                "error(s) with cluster extension {extension}: error in bundle {}: {error}",
                finding.bundle
            )),
            limit if limit.blocks_update_from(current) => incompatible.push(format!(
                "bundle {} for ClusterExtension {}",
                quote(&finding.bundle),
                quote(extension)
            )),
            _ => {}
        }
    }
    incompatible.sort();
    let errors = errors.join("\n");
    match (incompatible.is_empty(), errors.is_empty()) {
        (true, true) => None,
        (true, false) => Some(("FailureGettingExtensionMetadata", errors)),
        (false, no_errors) => {
            let mut message = format!(
                "Found ClusterExtensions that require upgrades prior to upgrading cluster to version {}: {}.",
                current.next(),
                incompatible.join(",")
            );
            if !no_errors {
                message.push_str(&format!(
                    "\n Additionally the following errors were encountered while getting extension metadata: {errors}"
                ));
            }
            Some(("IncompatibleOperatorsInstalled", message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(bundle: &str, properties: &str) -> Finding {
        Finding { bundle: bundle.to_owned(), limit: limit_of(Some(properties)) }
    }

    fn limited(bundle: &str, version: &str) -> Finding {
        finding(bundle, &format!(r#"[{{"type": "olm.maxOpenShiftVersion", "value": {version}}}]"#))
    }

    fn verdict_at(version: &str, findings: &[(&str, Finding)]) -> Option<(&'static str, String)> {
        let findings: Vec<_> = findings.iter().map(|(name, one)| ((*name).to_owned(), one)).collect();
        verdict(release_of(version), findings.iter().map(|(name, one)| (name, *one)))
    }

    /// D-UPD-18, D-UPD-19, D-UPD-20
    #[test]
    fn the_last_version_of_a_bundle_blocks_the_next_one_of_the_cluster() {
        let at_most = |version: &str| [("ferry", limited("ferry.v1.0.0", version))];
        let cases = [
            ("4.19.0", "\"4.19\"", true),
            ("4.19.7", "\"4.19\"", true),
            ("4.19.0-rc1", "\"4.19\"", true),
            ("4.19.0-rc1", "\"4.20\"", false),
            ("4.19.0", "4.19", true),
            ("4.18.9", "\"4.19\"", false),
            ("4.20.0", "\"4.19\"", true),
        ];
        for (version, last, is_blocked) in cases {
            assert_eq!(verdict_at(version, &at_most(last)).is_some(), is_blocked, "{version} {last}");
        }
        assert_eq!(verdict_at("4.19.0", &[("ferry", finding("ferry.v1.0.0", "[]"))]), None);
        for version in ["4.19.0", "4.19.0-rc1"] {
            let message = verdict_at(version, &at_most("\"4.19\"")).map(|(_, message)| message);
            assert!(message.is_some_and(|text| text.contains("to version 4.20: ")), "{version}");
        }
    }

    #[test]
    fn all_blockers_are_named_and_errors_after_them() {
        let two = [("tug", limited("tug.v1", "\"4.19\"")), ("ferry", limited("ferry.v1", "\"4.18\""))];
        let text = "Found ClusterExtensions that require upgrades prior to upgrading cluster to version 4.20: \
                    bundle \"ferry.v1\" for ClusterExtension \"ferry\",bundle \"tug.v1\" for ClusterExtension \"tug\".";
        assert_eq!(verdict_at("4.19.0", &two), Some(("IncompatibleOperatorsInstalled", text.to_owned())));
        let bad = ("raft", limited("raft.v1", "\"v4.19\""));
        let error = "error(s) with cluster extension raft: error in bundle raft.v1: error converting to semver for \
                     version \"v4.19\": invalid semver format \"v4.19\": expected <major>.<minor>";
        assert_eq!(
            verdict_at("4.19.0", std::slice::from_ref(&bad)),
            Some(("FailureGettingExtensionMetadata", error.to_owned()))
        );
        let [tug, ferry] = two;
        let all = verdict_at("4.19.0", &[tug, ferry, bad]).map(|(_, message)| message);
        assert_eq!(
            all,
            Some(format!(
                "{text}\n Additionally the following errors were encountered while getting extension metadata: {error}"
            ))
        );
    }
}

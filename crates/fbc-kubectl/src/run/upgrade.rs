//! `oc adm upgrade`: what ClusterVersion says about updates, and the wish for one.
//!
//! The words are those of a client of the cluster's own release: those before 4.17 name updates with risks otherwise.
//!
//! Source: `openshift/oc:pkg/cli/admin/upgrade` (OC-1).

mod overview;
mod status;

use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_version::Version;
use serde_json::{Value, json};

use super::{Failure, Runner, Server};
use crate::command_line::{Details, PatchType, Upgrade, UpgradeVerb};

const NO_VERSION: &str = "No cluster version information available - you must be connected to an OpenShift version 4 server to fetch the current version";
const FORCED: &str = "warning: --force overrides cluster verification of your supplied release image and waives any update precondition failures. Only use this if you are testing unsigned release images or you are working around a known bug in the cluster-version operator and you have verified the authenticity of the provided image yourself.\n";

/// An update that the cluster knows.
struct ChosenRelease<'v> {
    release: &'v Value,
    /// The condition `Recommended` of an update with risks.
    recommended: Option<&'v Value>,
}

fn indented(text: &str) -> String {
    text.replace('\n', "\n  ")
}

/// Reason and message of a condition, as the client shows them.
fn reason_and_message(condition: &Value) -> String {
    format!(
        "  Reason: {}\n  Message: {}\n",
        condition.text(&["reason"]),
        indented(condition.text(&["message"]))
    )
}

/// Newest first.
fn by_version(one: &str, other: &str) -> std::cmp::Ordering {
    match (Version::parse(one), Version::parse(other)) {
        (Ok(one), Ok(other)) => other.compare_precedence(&one),
        _ => other.cmp(one),
    }
}

/// Recommended updates, newest first.
fn available(version: &Object) -> Vec<&Value> {
    let mut list: Vec<&Value> = version.list(&["status", "availableUpdates"]).iter().collect();
    list.sort_by(|one, other| by_version(one.text(&["version"]), other.text(&["version"])));
    list
}

/// Updates with risks that are not recommended, newest first, each with its condition.
fn conditional(version: &Object) -> Vec<(&Value, &Value)> {
    let recommended = |update: &'_ Value| -> Option<usize> {
        update
            .list(&["conditions"])
            .iter()
            .position(|one| one["type"] == "Recommended" && one["status"] != "True")
    };
    let mut list: Vec<(&Value, &Value)> = version
        .list(&["status", "conditionalUpdates"])
        .iter()
        .filter_map(|update| Some((&update["release"], &update["conditions"][recommended(update)?])))
        .collect();
    list.sort_by(|one, other| by_version(one.0.text(&["version"]), other.0.text(&["version"])));
    list
}

impl<S: Server> Runner<'_, S> {
    /// Runs `oc adm upgrade` and what may follow it.
    pub(super) fn upgrade(&mut self, verb: &UpgradeVerb) -> Result<(), Failure> {
        let found = self.server.kinds().find("config.openshift.io", "ClusterVersion");
        let Some((kind, _)) = found else { return Err(Failure::Text(NO_VERSION.to_owned())) };
        let name = ObjectName::cluster("version");
        let version = match self.server.get(&self.request, kind, &name) {
            Ok(version) => version,
            Err(error) if error.is_not_found() => return Err(Failure::Text(NO_VERSION.to_owned())),
            Err(error) => return Err(error.into()),
        };
        let patch = match verb {
            UpgradeVerb::Status(details) => {
                let text = self.status(&version, *details)?;
                self.stdout.push_str(&text);
                return Ok(());
            }
            UpgradeVerb::Channel(channel, any) => self.channel(&version, channel, *any)?,
            UpgradeVerb::Rollback => Some(self.rollback(&version)?),
            UpgradeVerb::Upgrade(upgrade) => {
                let asks = upgrade.to.is_some()
                    || upgrade.to_image.is_some()
                    || upgrade.to_latest
                    || upgrade.to_multi_arch
                    || upgrade.clear;
                if !asks {
                    let (out, errors) = overview::text(&version, upgrade.include_not_recommended);
                    self.stdout.push_str(&out);
                    self.stderr.push_str(&errors);
                    return Ok(());
                }
                self.request_update(&version, upgrade)?
            }
        };
        if let Some(patch) = patch {
            self.server.patch(&self.request, kind, &name, (PatchType::Merge, &patch), None)?;
        }
        Ok(())
    }

    fn all(&self, group: &str, kind: &str) -> Result<Vec<Object>, Failure> {
        match self.server.kinds().find(group, kind) {
            Some((kind, _)) => Ok(self.server.list(&self.request, kind, None)?),
            None => Ok(Vec::new()),
        }
    }

    fn status(&self, version: &Object, details: Details) -> Result<String, Failure> {
        const MACHINE_CONFIGURATION: &str = "machineconfiguration.openshift.io";
        let deployments = self.all("apps", "Deployment")?;
        let is_operator = |one: &&Object| {
            one.namespace() == "openshift-machine-config-operator" && one.name() == "machine-config-operator"
        };
        let containers = deployments.iter().find(is_operator);
        let containers = containers.map(|one| one.list(&["spec", "template", "spec", "containers"]));
        let container =
            containers.into_iter().flatten().find(|container| container["name"] == "machine-config-operator");
        let facts = status::Facts {
            version,
            operators: &self.all("config.openshift.io", "ClusterOperator")?,
            pools: &self.all(MACHINE_CONFIGURATION, "MachineConfigPool")?,
            nodes: &self.all("", "Node")?,
            machine_configs: &self.all(MACHINE_CONFIGURATION, "MachineConfig")?,
            operator_image: container.map(|one| one.text(&["image"])).unwrap_or_default(),
            alerts: self.alerts,
            now: self.server.now(),
        };
        status::text(&facts, details).map_err(Failure::from_error)
    }

    fn channel(&mut self, version: &Object, channel: &str, any: bool) -> Result<Option<Value>, Failure> {
        let present = version.text(&["spec", "channel"]);
        if channel == present {
            self.stdout.push_str(&format!("info: Cluster is already in {channel} (no change)\n"));
            return Ok(None);
        }
        if channel.is_empty() {
            self.stderr.push_str(&format!(
                "warning: Clearing channel {present:?}; cluster will no longer request available update recommendations.\n"
            ));
            return Ok(Some(json!({"spec": {"channel": null}})));
        }
        let known: Vec<&str> =
            version.list(&["status", "desired", "channels"]).iter().filter_map(Value::as_str).collect();
        if !any && !known.is_empty() && !known.contains(&channel) {
            return Err(Failure::Text(format!(
                "the requested channel {channel:?} is not one of the available channels ({}), you must pass --allow-explicit-channel to continue",
                known.join(", ")
            )));
        }
        Ok(Some(json!({"spec": {"channel": channel}})))
    }

    fn rollback(&mut self, version: &Object) -> Result<Value, Failure> {
        let history = version.list(&["status", "history"]);
        let Some(present) = history.first() else {
            return Err(Failure::Text("no current version".to_owned()));
        };
        let previous = history.iter().find(|entry| entry["version"] != present["version"]);
        let Some(previous) = previous else {
            return Err(Failure::Text(
                "no previous version found in ClusterVersion's status.history".to_owned(),
            ));
        };
        let (from, to) = (present.text(&["version"]), previous.text(&["version"]));
        self.stdout.push_str(&format!("Requested rollback from {from} to {to}\n"));
        Ok(json!({"spec": {"desiredUpdate": {
            "architecture": "", "force": false, "version": to, "image": previous["image"],
        }}}))
    }

    fn request_update(&mut self, version: &Object, upgrade: &Upgrade) -> Result<Option<Value>, Failure> {
        let desired = &version["status"]["desired"];
        let present = desired.text(&["version"]);
        if upgrade.clear {
            let wanted = &version["spec"]["desiredUpdate"];
            if !wanted.is_object() {
                self.stdout.push_str("info: No update in progress\n");
                return Ok(None);
            }
            self.stdout.push_str(&match wanted["image"] == desired["image"] {
                true => format!("Cleared the update field, still at {present}\n"),
                false => format!("Cancelled requested upgrade to {}\n", wanted.text(&["version"])),
            });
            return Ok(Some(json!({"spec": {"desiredUpdate": null}})));
        }
        if upgrade.to_multi_arch {
            self.check_conditions(version, upgrade)?;
            self.stdout.push_str("Requested update to multi cluster architecture\n");
            return Ok(Some(json!({"spec": {"desiredUpdate": {
                "architecture": "Multi", "version": present, "image": "", "force": false,
            }}})));
        }
        if upgrade.to.as_deref() == Some(present) {
            self.stdout.push_str(&format!("info: Cluster is already at version {present}\n"));
            return Ok(None);
        }
        if upgrade.to_image.as_deref().is_some_and(|image| image == desired.text(&["image"])) {
            self.stdout.push_str(&format!("info: Cluster is already at {}\n", desired.text(&["image"])));
            return Ok(None);
        }
        let target = if upgrade.to_latest { latest(version, upgrade) } else { named(version, upgrade) };
        let (wanted, done) = match target {
            Some(target) => {
                self.accept(&target, upgrade)?;
                let (to, image) = (target.release.text(&["version"]), target.release.text(&["image"]));
                (json!({"version": to, "image": image}), format!("Requested update to {to}\n"))
            }
            None if upgrade.to_latest && available(version).is_empty() && conditional(version).is_empty() => {
                self.stdout.push_str(&format!(
                    "info: Cluster is already at the latest available version {present}\n"
                ));
                return Ok(None);
            }
            None => match &upgrade.to_image {
                Some(image) if upgrade.allow_explicit_upgrade => {
                    self.stderr.push_str("warning: The requested upgrade image is not one of the available updates. You have used --allow-explicit-upgrade for the update to proceed anyway\n");
                    (
                        json!({"version": "", "image": image}),
                        format!("Requested update to release image {image}\n"),
                    )
                }
                _ => return Err(Failure::Text(unknown(version, upgrade))),
            },
        };
        if upgrade.force {
            self.stderr.push_str(FORCED);
        }
        self.check_conditions(version, upgrade)?;
        self.stdout.push_str(&done);
        let mut wanted = wanted;
        if upgrade.force {
            wanted["force"] = json!(true);
        }
        Ok(Some(json!({"spec": {"desiredUpdate": wanted}})))
    }

    /// Takes the risks of an update, if the flag for it is given.
    fn accept(&mut self, target: &ChosenRelease<'_>, upgrade: &Upgrade) -> Result<(), Failure> {
        let Some(condition) = target.recommended else { return Ok(()) };
        let to = target.release.text(&["version"]);
        let status = condition.text(&["status"]);
        if !upgrade.allow_not_recommended {
            return Err(Failure::Text(format!(
                "the update {to} is not one of the recommended updates, but is available as a conditional update. To accept the Recommended={status} risk and to proceed with update use --allow-not-recommended.\n{}",
                reason_and_message(condition)
            )));
        }
        self.stderr.push_str(&format!(
            "warning: with --allow-not-recommended you have accepted the risks with {to} and bypassed Recommended={status} {}: {}\n",
            condition.text(&["reason"]),
            condition.text(&["message"])
        ));
        Ok(())
    }

    /// Refuses an update of a cluster that is not well or on its way already.
    fn check_conditions(&mut self, version: &Object, upgrade: &Upgrade) -> Result<(), Failure> {
        let present = version.text(&["status", "desired", "version"]);
        let lines = [
            (
                "Invalid",
                "the cluster version object is invalid, you must correct the invalid state first".to_owned(),
            ),
            ("Failing", format!("the cluster is experiencing an error reconciling {present:?}")),
            ("Progressing", "the cluster is already upgrading".to_owned()),
        ];
        let texts: Vec<String> = lines
            .into_iter()
            .filter_map(|(kind, text)| {
                let condition = version.condition(kind).filter(|one| one["status"] == "True")?;
                let told = reason_and_message(condition);
                Some(format!("{text}:\n\n{}", told.trim_end()))
            })
            .collect();
        if texts.is_empty() {
            return Ok(());
        }
        let text = texts.join("\n\n");
        if !upgrade.allow_upgrade_with_warnings {
            return Err(Failure::Text(format!(
                "{text}\n\nIf you want to upgrade anyway, use --allow-upgrade-with-warnings."
            )));
        }
        self.stderr.push_str(&format!("warning: --allow-upgrade-with-warnings is bypassing: {text}\n"));
        Ok(())
    }
}

/// The update that a command line names, if the cluster knows it.
fn named<'v>(version: &'v Object, upgrade: &Upgrade) -> Option<ChosenRelease<'v>> {
    let digest = |image: &str| image.split_once('@').map(|(_, digest)| digest.to_owned());
    let is_wanted = |release: &Value| match (&upgrade.to, &upgrade.to_image) {
        (Some(to), _) => release.text(&["version"]) == to,
        (None, Some(wanted)) => {
            let image = release.text(&["image"]);
            image == wanted || digest(image).is_some() && digest(image) == digest(wanted)
        }
        _ => false,
    };
    let found = available(version).into_iter().find(|release| is_wanted(release));
    found.map(|release| ChosenRelease { release, recommended: None }).or_else(|| {
        let mut updates = conditional(version).into_iter();
        updates
            .find(|(release, _)| is_wanted(release))
            .map(|(release, condition)| ChosenRelease { release, recommended: Some(condition) })
    })
}

/// The newest update.
fn latest<'v>(version: &'v Object, upgrade: &Upgrade) -> Option<ChosenRelease<'v>> {
    let recommended = available(version).first().map(|release| ChosenRelease { release, recommended: None });
    let risky = conditional(version).first().copied().filter(|_| upgrade.allow_not_recommended);
    let Some((release, condition)) = risky else { return recommended };
    let is_newer = recommended
        .as_ref()
        .is_none_or(|best| by_version(best.release.text(&["version"]), release.text(&["version"])).is_gt());
    if is_newer { Some(ChosenRelease { release, recommended: Some(condition) }) } else { recommended }
}

/// What is said of an update that the cluster does not know.
fn unknown(version: &Object, upgrade: &Upgrade) -> String {
    let option = if upgrade.to_image.is_some() { "--allow-explicit-upgrade" } else { "--to-image" };
    let article = if upgrade.to_latest { "an" } else { "the" };
    if let Some(condition) = version.condition("RetrievedUpdates").filter(|one| one["status"] != "True") {
        return format!(
            "cannot refresh available updates:\n{}\nspecify {option} to continue with the update.",
            reason_and_message(condition)
        );
    }
    let names: Vec<&str> = available(version).iter().map(|release| release.text(&["version"])).collect();
    if names.is_empty() {
        let kinds = if upgrade.allow_not_recommended { "recommended or conditional" } else { "recommended" };
        return format!(
            "no {kinds} updates, specify {option} to continue with {article} update or wait for new updates to be available."
        );
    }
    format!(
        "the update is not one of the possible targets: {}. specify {option} to continue with {article} update.",
        names.join(", ")
    )
}

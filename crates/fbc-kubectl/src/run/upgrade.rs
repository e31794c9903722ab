//! `oc adm upgrade`: what ClusterVersion says about updates, and the wish for one.
//!
//! The words are those of a client of the cluster's own release: those before 4.17 name updates with risks otherwise.
//!
//! Source: `openshift/oc:pkg/cli/admin/upgrade` (OC-1).

mod accept;
mod channel;
mod overview;
mod recommend;
mod request;
mod rollback;
mod status;

use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_version::Version;
use serde_json::{Value, json};

use super::{Failure, Runner, Server};
use crate::command_line::{Details, PatchType, UpgradeVerb};

const NO_VERSION: &str = "No cluster version information available - you must be connected to an OpenShift version 4 server to fetch the current version";

/// Why oc refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Refusal(String);

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Text(refusal.0)
    }
}

impl From<String> for Refusal {
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// Refuses with these words.
fn refuse<T>(text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal(text.into()))
}

/// What a verb prints, and the change of ClusterVersion that it asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Answer {
    stdout: String,
    stderr: String,
    patch: Option<Value>,
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

/// The wish for a release, as Go writes all of its fields: what an older wish says of them is gone.
fn wish(version: &str, image: &str, force: bool) -> Value {
    json!({"spec": {"desiredUpdate": {
        "architecture": "", "version": version, "image": image, "force": force,
    }}})
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
            UpgradeVerb::Channel(channel, any) => {
                let answer = channel::patch(&version, channel, *any).map_err(Failure::from)?;
                self.say(answer)
            }
            UpgradeVerb::Rollback => {
                let answer = rollback::patch(&version).map_err(Failure::from)?;
                self.say(answer)
            }
            UpgradeVerb::Accept(acceptance) => self.say(accept::patch(&version, acceptance)),
            UpgradeVerb::Recommend(recommend) => {
                let (answer, refusal) = recommend::text(&version, recommend, self.alerts);
                self.say(answer);
                return refusal.map_or(Ok(()), |refusal| Err(refusal.into()));
            }
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
                let answer = request::patch(&version, upgrade);
                self.stderr.push_str(&answer.stderr);
                match answer.outcome {
                    Ok((stdout, patch)) => self.say(Answer { stdout, patch, ..Answer::default() }),
                    Err(refusal) => return Err(refusal.into()),
                }
            }
        };
        if let Some(patch) = patch {
            self.server.patch(&self.request, kind, &name, (PatchType::Merge, &patch), None)?;
        }
        Ok(())
    }

    /// Prints an answer; what is left is the change of ClusterVersion.
    fn say(&mut self, answer: Answer) -> Option<Value> {
        self.stdout.push_str(&answer.stdout);
        self.stderr.push_str(&answer.stderr);
        answer.patch
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
}

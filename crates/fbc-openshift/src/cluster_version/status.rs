//! The status of ClusterVersion, as it follows from what the operator is at.
//!
//! Source: `openshift/cluster-version-operator:pkg/cvo/status.go` (`updateClusterVersionStatus`).

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

use super::update_error::{UpdateError, Waiting, summary, waiting, without_waiting};
use super::updates::AvailableUpdates;
use super::upgradeable::Obstacles;
use super::{conditions, history};
use crate::release::Release;

/// What the operator is at.
#[derive(Debug, Clone, Default)]
pub(super) struct WorkerStatus {
    pub(super) generation: i64,
    pub(super) failure: Option<UpdateError>,
    pub(super) done: usize,
    pub(super) total: usize,
    /// How often the present work was completed.
    pub(super) completed: u64,
    pub(super) is_reconciling: bool,
    pub(super) hash: String,
    /// The release that is applied.
    pub(super) actual: Release,
    pub(super) is_verified: bool,
    pub(super) load: LoadStatus,
    pub(super) capabilities: Value,
    pub(super) implicit: BTreeSet<String>,
}

/// How far the wanted payload is.
#[derive(Debug, Clone, Default)]
pub(super) struct LoadStatus {
    pub(super) step: &'static str,
    pub(super) message: String,
    pub(super) has_failed: bool,
    pub(super) accepted_risks: String,
    pub(super) is_local: bool,
    pub(super) image: String,
    pub(super) force: bool,
}

/// What else the status follows from.
pub(super) struct Context<'c> {
    pub(super) updates: Option<&'c AvailableUpdates>,
    pub(super) faults: &'c [String],
    /// `spec.upstream`, as far as it is valid.
    pub(super) upstream: &'c str,
    pub(super) obstacles: &'c Obstacles,
    /// Since when operators are waited for.
    pub(super) since: &'c BTreeMap<String, Moment>,
    pub(super) knows_accepted_risks: bool,
    pub(super) now: Moment,
}

/// Version, else image, of a release.
fn shown(release: &Release) -> &str {
    match (release.version.as_str(), release.image.as_str()) {
        ("", "") => "<unknown>",
        ("", image) => image,
        (version, _) => version,
    }
}

/// Writes the status; `desired` is the release that is applied, with what the update service adds.
pub(super) fn write(version: &mut Object, worker: &WorkerStatus, desired: &Release, context: &Context<'_>) {
    let now = context.now;
    if !version["status"]["conditions"].is_array() {
        version.set(&["status", "conditions"], json!([]));
    }
    if version.at(&["status", "availableUpdates"]).is_none() {
        version.set(&["status", "availableUpdates"], Value::Null);
    }
    if let Some(updates) = context.updates {
        updates.write(version, context.upstream, now);
    }
    version.set(&["status", "observedGeneration"], worker.generation);
    if !worker.hash.is_empty() || version.at(&["status", "versionHash"]).is_none() {
        version.set(&["status", "versionHash"], worker.hash.as_str());
    }
    let mut accepted_risks = String::new();
    if desired.image == worker.load.image {
        accepted_risks.clone_from(&worker.load.accepted_risks);
    }
    if context.knows_accepted_risks {
        let names = write_risks(version, context, &desired.image);
        if desired.image == worker.load.image && !names.is_empty() {
            let told = format!(
                "exposed to the risks [{}] which were all explicitly accepted by the cluster administrator.",
                names.join(",")
            );
            accepted_risks = match accepted_risks.as_str() {
                "" => format!("The target release {} is {told}", desired.image),
                text => format!("{text}; It is {told}"),
            };
        }
    }
    let list = |version: &mut Object| version["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let mut conditions = list(version);
    context.obstacles.write(&mut conditions, now);
    if !desired.image.is_empty() {
        let mut entries = version.list(&["status", "history"]).to_vec();
        let present = history::Present {
            version: &desired.version,
            image: &desired.image,
            is_verified: worker.is_verified,
            is_completed: worker.completed > 0,
            accepted_risks: (!worker.load.is_local).then_some(accepted_risks.as_str()),
        };
        history::merge(&mut entries, &present, &now.to_string());
        version.set(&["status", "history"], entries);
        version.set(
            &["status", "desired"],
            Release { architecture: String::new(), ..desired.clone() }.to_value(),
        );
    }
    let capabilities = if worker.capabilities.is_null() { json!({}) } else { worker.capabilities.clone() };
    version.set(&["status", "capabilities"], capabilities);
    let has_history = !version.list(&["status", "history"]).is_empty();
    set_conditions(&mut conditions, worker, has_history, context);
    version.set(&["status", "conditions"], conditions);
}

fn set_conditions(list: &mut Vec<Value>, worker: &WorkerStatus, has_history: bool, context: &Context<'_>) {
    let now = context.now;
    let invalid = match context.faults {
        [] => None,
        [only] => Some(format!("The cluster version is invalid: {only}")),
        several => {
            let lines: String = several.iter().map(|fault| format!("* {fault}\n")).collect();
            Some(format!("The cluster version is invalid:\n{lines}"))
        }
    };
    match &invalid {
        Some(message) => conditions::set(list, "Invalid", "True", INVALID, message, now),
        None => conditions::remove(list, "Invalid"),
    }
    let implicit: Vec<&str> = worker.implicit.iter().map(String::as_str).collect();
    let (status, reason, message) = match implicit.is_empty() {
        true => ("False", "AsExpected", "Capabilities match configured spec".to_owned()),
        false => (
            "True",
            "CapabilitiesImplicitlyEnabled",
            format!("The following capabilities could not be disabled: {}", implicit.join(", ")),
        ),
    };
    conditions::set(list, "ImplicitlyEnabledCapabilities", status, reason, &message, now);
    if !worker.load.step.is_empty() {
        let status = match (worker.load.step, worker.load.has_failed) {
            ("PayloadLoaded", _) => "True",
            (_, true) => "False",
            (_, false) => "Unknown",
        };
        conditions::set(list, "ReleaseAccepted", status, worker.load.step, &worker.load.message, now);
    }
    let version = shown(&worker.actual);
    if worker.completed > 0 {
        conditions::set(list, "Available", "True", "", &format!("Done applying {version}"), now);
    } else if conditions::find(list, "Available").is_none() {
        conditions::set(list, "Available", "False", "", "", now);
    }
    set_progress(list, worker, has_history, invalid.is_some(), version, context);
    if conditions::find(list, "RetrievedUpdates").is_none() {
        conditions::set(list, "RetrievedUpdates", "False", "", "", now);
    }
}

const INVALID: &str = "InvalidClusterVersion";

/// `Failing` and `Progressing`.
fn set_progress(
    list: &mut Vec<Value>,
    worker: &WorkerStatus,
    has_history: bool,
    is_invalid: bool,
    version: &str,
    context: &Context<'_>,
) {
    let now = context.now;
    let mut failing = worker.failure.clone();
    let mut wait = Waiting::default();
    if let Some(failure) = worker.failure.as_ref().filter(|_| !worker.is_reconciling && has_history) {
        wait = waiting(failure, context.since, now);
        failing = without_waiting(failure);
    }
    match failing {
        Some(_) if wait.is_slow => {
            conditions::set(list, "Failing", "Unknown", "SlowClusterOperator", &wait.text, now)
        }
        Some(error) if !wait.is_tolerated => {
            conditions::set(list, "Failing", "True", &error.reason, &error.message, now);
        }
        _ => conditions::set(list, "Failing", "False", "", "", now),
    }
    let mut set = |status: &str, reason: &str, message: String| {
        conditions::set(list, "Progressing", status, reason, &message, now);
    };
    if let Some(error) = worker.failure.as_ref().filter(|_| !wait.is_tolerated) {
        let text = match (wait.text.as_str(), error.reason.as_str()) {
            ("", "") => "an error occurred".to_owned(),
            ("", reason) => summary(reason, &error.name),
            (text, _) => text.to_owned(),
        };
        match worker.is_reconciling {
            true => set("False", &error.reason, format!("Error while reconciling {version}: {text}")),
            false => set("True", &error.reason, format!("Unable to apply {version}: {text}")),
        }
        return;
    }
    match (worker.is_reconciling, is_invalid) {
        (true, false) => set("False", "", format!("Cluster version is {version}")),
        (true, true) => {
            set("False", INVALID, format!("Stopped at {version}: the cluster version is invalid"))
        }
        (false, true) => {
            set("True", INVALID, format!("Reconciling {version}: the cluster version is invalid"))
        }
        (false, false) => {
            let (done, total) = (worker.done, worker.total);
            let mut message = format!("Working towards {version}");
            if done > 0 && total > 0 {
                message.push_str(&format!(": {done} of {total} done ({}% complete)", percent(done, total)));
            }
            if wait.is_tolerated {
                message.push_str(if done > 0 { ", " } else { ": " });
                message.push_str(&wait.text);
            }
            set("True", if wait.is_tolerated { &wait.reason } else { "" }, message);
        }
    }
}

/// Whole percent, cut off, in the 32 bits of precision that the operator has.
fn percent(done: usize, total: usize) -> f32 {
    // Numbers of manifests are far below what 32 bits hold exactly.
    let (done, total) = (u16::try_from(done).unwrap_or(u16::MAX), u16::try_from(total).unwrap_or(u16::MAX));
    (f32::from(done) / f32::from(total) * 100.0).trunc()
}

/// Names of risks and their conditions, where the feature gate is on. The risks of the release that is applied.
fn write_risks(version: &mut Object, context: &Context<'_>, image: &str) -> Vec<String> {
    let Some(updates) = context.updates else { return Vec::new() };
    let mut all: BTreeMap<String, Value> = BTreeMap::new();
    let mut names_of_image = Vec::new();
    let mut list = updates.conditional.clone();
    for update in &mut list {
        let mut names = BTreeSet::new();
        update.remove(&["release", "architecture"]);
        let is_image = update["release"]["image"] == image;
        if let Value::Array(risks) = update.place(&["risks"]) {
            for risk in risks {
                let name = risk.text(&["name"]).to_owned();
                if let Some(condition) = updates.risks.get(&name) {
                    let mut condition = condition.clone();
                    if condition.text(&["message"]).is_empty() {
                        condition.set(&["message"], "");
                    }
                    risk.set(&["conditions"], json!([condition]));
                }
                all.entry(name.clone()).or_insert_with(|| risk.clone());
                names.insert(name);
            }
        }
        let names: Vec<String> = names.into_iter().collect();
        update.set(&["riskNames"], names.as_slice());
        if is_image {
            names_of_image = names;
        }
    }
    for (field, values) in
        [("conditionalUpdates", list), ("conditionalUpdateRisks", all.into_values().collect())]
    {
        if values.is_empty() {
            version.remove(&["status", field]);
        } else {
            version.set(&["status", field], values);
        }
    }
    names_of_image
}

#[cfg(test)]
mod tests {
    use super::percent;

    /// Vector 7
    #[test]
    fn percent_is_cut_off() {
        assert_eq!(format!("{:.0}", percent(125, 830)), "15");
        assert_eq!(format!("{:.0}", percent(2, 30)), "6");
        assert_eq!(format!("{:.0}", percent(19, 30)), "63");
    }
}

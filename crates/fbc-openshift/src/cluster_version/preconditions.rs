//! What is checked before a payload is accepted.
//!
//! Source: `openshift/cluster-version-operator:pkg/payload/precondition`.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_version::Version;

use super::history::current_version;
use super::upgradeable::overrides_text;

/// A check that did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Failed {
    name: &'static str,
    reason: String,
    message: String,
    is_warning: bool,
}

/// All checks that do not pass, in one text, and whether they block.
pub(super) fn run(version: &Object, target: &str, force: bool) -> Option<(bool, String)> {
    let failed = failed(version, target);
    let texts: Vec<String> = failed
        .iter()
        .map(|one| format!("Precondition {:?} failed because of {:?}: {}", one.name, one.reason, one.message))
        .collect();
    let text = match texts.as_slice() {
        [] => return None,
        [only] => only.clone(),
        _ => format!("Multiple precondition checks failed:\n* {}", texts.join("\n* ")),
    };
    let blocks = failed.iter().any(|one| !one.is_warning);
    if force && blocks {
        return Some((false, format!("Forced through blocking failures: {text}")));
    }
    Some((blocks, text))
}

fn failed(version: &Object, target: &str) -> Vec<Failed> {
    let desired = version.text(&["status", "desired", "version"]);
    let (current, wanted) = (Version::parse(desired), Version::parse(target));
    let mut failed = Vec::new();
    for (name, check) in [
        (
            "ClusterVersionRollback",
            rollback as fn(&Object, &Version, &Version) -> Option<(String, String, bool)>,
        ),
        ("ClusterVersionGiantHop", giant_hop),
        ("ClusterVersionUpgradeable", upgradeable),
    ] {
        let is_silent =
            name == "ClusterVersionUpgradeable" && version.condition_status("Upgradeable") != "False";
        let outcome = match (&current, &wanted) {
            _ if is_silent => None,
            (Err(error), _) => Some(("InvalidCurrentVersion".to_owned(), error.to_string(), true)),
            (_, Err(error)) => Some(("InvalidDesiredVersion".to_owned(), error.to_string(), false)),
            (Ok(current), Ok(wanted)) => check(version, current, wanted),
        };
        if let Some((reason, message, is_warning)) = outcome {
            failed.push(Failed { name, reason, message, is_warning });
        }
    }
    if let Some((reason, message)) = recommended(version, desired, target) {
        failed.push(Failed { name: "ClusterVersionRecommendedUpdate", reason, message, is_warning: true });
    }
    failed
}

fn rollback(version: &Object, current: &Version, target: &Version) -> Option<(String, String, bool)> {
    if target.compare_precedence(current).is_ge() {
        return None;
    }
    let image = version.text(&["status", "desired", "image"]);
    let history = version.list(&["status", "history"]).iter();
    let previous = history
        .into_iter()
        .find(|entry| entry.text(&["version"]) != current.to_string() || entry.text(&["image"]) != image)
        .and_then(|entry| Some((Version::parse(entry.text(&["version"])).ok()?, entry.text(&["image"]))));
    let message = match previous {
        None => format!(
            "{target} is less than the current target {current}, and the cluster has no previous Semantic Version"
        ),
        Some((previous, image)) if previous != *target => format!(
            "{target} is less than the current target {current}, and the only supported rollback is to the cluster's \
             previous version {previous} ({image})"
        ),
        Some((previous, _)) if (previous.major(), previous.minor()) == (current.major(), current.minor()) => {
            return None;
        }
        Some(_) => format!(
            "{target} is less than the current target {current} and matches the cluster's previous version, but rollbacks \
             that change major or minor versions are not recommended"
        ),
    };
    Some(("LowDesiredVersion".to_owned(), message, false))
}

fn giant_hop(_: &Object, current: &Version, target: &Version) -> Option<(String, String, bool)> {
    let (from, to) = (current.major(), target.major());
    if to > from {
        let leads_to_5 = from == 4 && to == 5;
        if leads_to_5 && target.minor() == 0 {
            return None;
        }
        let or = if leads_to_5 { " or to 5.0" } else { "" };
        let message = format!(
            "{target} has a larger major version than the current target {current} ({to} > {from}), and only updates within \
             the current major version{or} are supported."
        );
        return Some(("MajorVersionUpdate".to_owned(), message, false));
    }
    (target.minor() > current.minor() + 1).then(|| {
        let message = format!(
            "{target} is more than one minor version beyond the current target {current} ({to}.{} > {from}.({}+1)), and only \
             updates within the current minor version or to the next minor version are supported.",
            target.minor(),
            current.minor()
        );
        ("MultipleMinorVersionsUpdate".to_owned(), message, false)
    })
}

fn upgradeable(version: &Object, current: &Version, target: &Version) -> Option<(String, String, bool)> {
    let condition = version.condition("Upgradeable")?;
    let is_patch = (target.major(), target.minor()) == (current.major(), current.minor());
    if target.compare_precedence(current).is_gt() && !is_patch {
        let (reason, message) = (condition.text(&["reason"]), condition.text(&["message"]));
        return Some((reason.to_owned(), message.to_owned(), false));
    }
    if let Some(text) = overrides_text(version) {
        const REASON: &str = "ClusterVersionOverridesSet";
        let text = text.replace("prevents updates", "prevents upgrades");
        let message = format!(
            "Retarget from {current} to {target} is not blocked by {REASON}. But the cluster-version operator is not managing \
             these resources; they are currently the responsibility of the agent that set the overrides: {text}"
        );
        return Some((REASON.to_owned(), message, true));
    }
    let completed = current_version(version.list(&["status", "history"]));
    let from = Version::parse(completed).ok()?;
    let kind = match (
        from.major() < current.major(),
        from.major() == current.major() && from.minor() < current.minor(),
    ) {
        (true, _) => "Major",
        (_, true) => "Minor",
        _ => return None,
    };
    let is_updating = version.condition_status("Progressing") == "True";
    (is_patch && is_updating).then(|| {
        let message = format!(
            "Retarget to {target} while a {} version update from {completed} to {current} is in progress",
            kind.to_lowercase()
        );
        (format!("{kind}VersionClusterUpdateInProgress"), message, true)
    })
}

fn recommended(version: &Object, from: &str, to: &str) -> Option<(String, String)> {
    if version.list(&["status", "availableUpdates"]).iter().any(|update| update["version"] == to) {
        return None;
    }
    let conditional = version.list(&["status", "conditionalUpdates"]).iter();
    if let Some(update) = conditional.into_iter().find(|update| update["release"]["version"] == to) {
        let condition = update.list(&["conditions"]).iter().find(|one| one["type"] == "Recommended");
        let Some(condition) = condition else {
            let message = format!(
                "Update from {from} to {to} has a status.conditionalUpdates entry, but no Recommended condition."
            );
            return Some(("UnknownConditionType".to_owned(), message));
        };
        let (status, reason) = (condition.text(&["status"]), condition.text(&["reason"]));
        let text = condition.text(&["message"]);
        return match status {
            "True" => None,
            "False" => {
                Some((reason.to_owned(), format!("Update from {from} to {to} is not recommended:\n\n{text}")))
            }
            _ => Some((
                reason.to_owned(),
                format!("Update from {from} to {to} is Recommended={status}: {reason}: {text}"),
            )),
        };
    }
    if version.text(&["spec", "channel"]).is_empty() {
        let message = format!(
            "Configured channel is unset, so the recommended status of updating from {from} to {to} is unknown."
        );
        return Some(("NoChannel".to_owned(), message));
    }
    let message = match version.condition("RetrievedUpdates") {
        None => format!(
            "No RetrievedUpdates, so the recommended status of updating from {from} to {to} is unknown."
        ),
        Some(condition) => {
            let (status, reason) = (condition.text(&["status"]), condition.text(&["reason"]));
            let so = if status == "True" {
                format!("so the update from {from} to {to} is probably neither recommended nor supported.")
            } else {
                format!("so the recommended status of updating from {from} to {to} is unknown.")
            };
            format!("RetrievedUpdates={status} ({reason}), {so}")
        }
    };
    Some(("UnknownUpdate".to_owned(), message))
}

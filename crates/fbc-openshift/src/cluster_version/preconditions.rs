//! What is checked before a payload is accepted.
//!
//! Source: `openshift/cluster-version-operator:pkg/payload/precondition`.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_version::Version;

use super::generation::Generation;
use super::history::current_version;
use super::upgradeable::has_overrides;
use super::upgradeable_checks::overrides_text;

/// A check that did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Failed {
    name: &'static str,
    reason: String,
    message: String,
    is_warning: bool,
}

/// All checks that do not pass, in one text, and whether they block.
pub(super) fn run(
    version: &Object,
    target: &str,
    force: bool,
    generation: Generation,
) -> Option<(bool, String)> {
    let failed = failed(version, target, generation);
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

/// A check that keeps a cluster from a release.
pub(crate) struct Blocked {
    pub(crate) name: &'static str,
    pub(crate) reason: String,
    pub(crate) message: String,
}

/// The checks that keep a cluster from a release, without those that only warn.
pub(crate) fn blocking(version: &Object, target: &str, generation: Generation) -> Vec<Blocked> {
    let failed = failed(version, target, generation).into_iter().filter(|one| !one.is_warning);
    failed.map(|Failed { name, reason, message, .. }| Blocked { name, reason, message }).collect()
}

/// What a check says: reason, message, and whether it only warns.
type Objection = (String, String, bool);

fn failed(version: &Object, target: &str, generation: Generation) -> Vec<Failed> {
    let desired = version.text(&["status", "desired", "version"]);
    let versions = || -> Result<(Version, Version), Objection> {
        let current = Version::parse(desired)
            .map_err(|error| ("InvalidCurrentVersion".to_owned(), error.to_string(), true))?;
        let wanted = Version::parse(target)
            .map_err(|error| ("InvalidDesiredVersion".to_owned(), error.to_string(), false))?;
        Ok((current, wanted))
    };
    let judged = |check: &dyn Fn(&Version, &Version) -> Option<Objection>| match versions() {
        Ok((current, wanted)) => check(&current, &wanted),
        Err(objection) => Some(objection),
    };
    let recommended =
        || recommended(version, desired, target).map(|(reason, message)| (reason, message, true));
    let checks = [
        ("ClusterVersionRollback", judged(&|current, wanted| rollback(version, current, wanted))),
        (
            "ClusterVersionGiantHop",
            if generation.refuses_giant_hops() {
                judged(&|current, wanted| giant_hop(current, wanted, generation))
            } else {
                None
            },
        ),
        (
            "ClusterVersionUpgradeable",
            if version.condition_status("Upgradeable") != "False" {
                None
            } else if generation.counts_from_completed() {
                upgradeable_from_completed(version, target, generation)
            } else {
                judged(&|current, wanted| upgradeable(version, current, wanted, generation))
            },
        ),
        ("ClusterVersionRecommendedUpdate", recommended()),
    ];
    checks
        .into_iter()
        .filter_map(|(name, objection)| {
            let (reason, message, is_warning) = objection?;
            Some(Failed { name, reason, message, is_warning })
        })
        .collect()
}

fn rollback(version: &Object, current: &Version, target: &Version) -> Option<Objection> {
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

fn giant_hop(current: &Version, target: &Version, generation: Generation) -> Option<Objection> {
    let (from, to) = (current.major(), target.major());
    if to > from {
        let leads_to_5 = generation.leads_to_5() && from == 4 && to == 5;
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

/// What `Upgradeable` says.
fn blocked(version: &Object) -> Option<Objection> {
    let condition = version.condition("Upgradeable")?;
    Some((condition.text(&["reason"]).to_owned(), condition.text(&["message"]).to_owned(), false))
}

const OVERRIDES: &str = "ClusterVersionOverridesSet";

/// Overrides that keep a cluster from patches.
fn blocking_overrides(version: &Object, generation: Generation) -> Option<Objection> {
    has_overrides(version).then(|| (OVERRIDES.to_owned(), overrides_text(generation).to_owned(), false))
}

/// As [`upgradeable`], up to 4.16: minor versions are compared as they are written.
fn upgradeable_from_completed(version: &Object, target: &str, generation: Generation) -> Option<Objection> {
    let history = version.list(&["status", "history"]);
    if history.is_empty() {
        return None;
    }
    let minor = |version: &str| version.split('.').nth(1).unwrap_or_default().to_owned();
    let (current, wanted) = (minor(current_version(history)), minor(target));
    let stays = match generation {
        Generation::V4_14 => current == wanted,
        _ => match (current.parse::<u64>(), wanted.parse::<u64>()) {
            (Ok(current), Ok(wanted)) => wanted <= current,
            _ => true,
        },
    };
    if stays { blocking_overrides(version, generation) } else { blocked(version) }
}

fn upgradeable(
    version: &Object,
    current: &Version,
    target: &Version,
    generation: Generation,
) -> Option<Objection> {
    let is_patch = (target.major(), target.minor()) == (current.major(), current.minor());
    if target.compare_precedence(current).is_gt() && !is_patch {
        return blocked(version);
    }
    if generation.overrides_block_patches() {
        let objection = blocking_overrides(version, generation);
        if objection.is_some() {
            return objection;
        }
    } else if has_overrides(version) {
        // Up to 5.0 it is the text of 4.22, whatever the condition says.
        let text = overrides_text(Generation::V4_22);
        let message = format!(
            "Retarget from {current} to {target} is not blocked by {OVERRIDES}. But the cluster-version operator is not \
             managing these resources; they are currently the responsibility of the agent that set the overrides: {text}"
        );
        return Some((OVERRIDES.to_owned(), message, true));
    }
    if !is_patch || !generation.tells_updates_under_way() || version.condition_status("Progressing") != "True"
    {
        return None;
    }
    let completed = current_version(version.list(&["status", "history"]));
    let from = Version::parse(completed).ok()?;
    let kind = if from.major() < current.major() {
        "Major"
    } else if from.major() == current.major() && from.minor() < current.minor() {
        "Minor"
    } else {
        return None;
    };
    let level = if generation >= Generation::V4_22 {
        format!("{} version", kind.to_lowercase())
    } else if kind == "Minor" {
        "minor level".to_owned()
    } else {
        return None;
    };
    let message =
        format!("Retarget to {target} while a {level} update from {completed} to {current} is in progress");
    Some((format!("{kind}VersionClusterUpdateInProgress"), message, true))
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

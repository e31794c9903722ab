//! `oc adm upgrade rollback`.
//!
//! Source: `openshift/oc:pkg/cli/admin/upgrade/rollback/rollback.go`.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_version::Version;

use super::{Answer, Refusal, refuse, wish};

/// Asks for the version before this one. An error is the text of a refusal.
pub(super) fn patch(version: &Object) -> Result<Answer, Refusal> {
    let desired = &version["status"]["desired"];
    let (current, image) = (desired.text(&["version"]), desired.text(&["image"]));
    let target = Version::parse(current)
        .map_err(|error| format!("invalid ClusterVersion status.desired.version: {error}"))?;
    let history = version.list(&["status", "history"]);
    let is_other =
        |entry: &&serde_json::Value| entry.text(&["version"]) != current || entry.text(&["image"]) != image;
    let Some(entry) = history.iter().find(is_other) else {
        return refuse(format!(
            "no previous version found in ClusterVersion's status.history besides the current {current} ({image})."
        ));
    };
    let (name, previous_image) = (entry.text(&["version"]), entry.text(&["image"]));
    let previous =
        Version::parse(name).map_err(|error| format!("previous version {name:?} invalid SemVer: {error}"))?;
    if previous.compare_precedence(&target).is_ge() {
        return refuse(format!(
            "previous version {previous} ({previous_image}) is greater than or equal to current version {target} ({image}).  \
             Use 'oc adm upgrade ...' to update, and not this rollback command."
        ));
    }
    if (previous.major(), previous.minor()) != (target.major(), target.minor()) {
        return refuse(format!(
            "{previous} is less than the current target {target} and matches the cluster's previous version, but rollbacks \
             that change major or minor versions are not recommended."
        ));
    }
    match version.condition("Progressing") {
        None => {
            return refuse(
                "no current Progressing info, see `oc describe clusterversion` for more details.\n"
                    .to_owned(),
            );
        }
        Some(condition) if condition["status"] != "False" => {
            return refuse(format!(
                "unable to rollback while an update is Progressing={}: {}: {}.",
                condition.text(&["status"]),
                condition.text(&["reason"]),
                condition.text(&["message"])
            ));
        }
        Some(_) => {}
    }
    Ok(Answer {
        stdout: format!("Requested rollback from {target} to {previous}\n"),
        patch: Some(wish(name, previous_image, false)),
        ..Answer::default()
    })
}

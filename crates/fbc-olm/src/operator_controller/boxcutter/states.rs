//! What the revisions of an extension say about it.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/controllers/boxcutter_reconcile_steps.go`.

use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use crate::operator_controller::applier::{RevisionMetadata, RevisionStates};
use crate::{conditions, names};

/// The conditions that an extension takes over from its revisions.
const MIRRORED: [&str; 2] = ["Available", "Progressing"];

/// Sorts the active revisions, the oldest first, into the installed one and those that roll out.
pub(super) fn read(revisions: &[Arc<Object>]) -> RevisionStates {
    let mut states = RevisionStates::default();
    for revision in revisions {
        if revision.text(&["spec", "lifecycleState"]) == "Archived" {
            continue;
        }
        let metadata = metadata(revision);
        if revision.condition_status("Succeeded") == "True" {
            states.installed = Some(metadata);
        } else {
            states.rolling_out.push(metadata);
        }
    }
    states
}

fn metadata(revision: &Object) -> RevisionMetadata {
    let annotation = |key| revision.annotation(key).unwrap_or_default().to_owned();
    RevisionMetadata {
        revision_name: revision.name().to_owned(),
        package: annotation(names::PACKAGE_NAME),
        image: annotation(names::BUNDLE_REFERENCE),
        name: annotation(names::BUNDLE_NAME),
        version: annotation(names::BUNDLE_VERSION),
        release: revision.annotation(names::BUNDLE_RELEASE).map(str::to_owned),
        conditions: revision.list(&["status", "conditions"]).to_vec(),
    }
}

/// Writes `status.activeRevisions`, and the conditions of the revisions, into the status of the extension.
pub(super) fn mirror(states: &RevisionStates, extension: &mut Object) {
    let generation = extension.generation();
    let mut active = Vec::new();
    if let Some(installed) = &states.installed {
        for condition in mirrored(installed, &MIRRORED, generation) {
            take_over(extension, condition);
        }
        extension.set(&["status", "install"], json!({"bundle": installed.to_bundle()}));
        active.push(json!({"name": installed.revision_name}));
    }
    for revision in &states.rolling_out {
        let mut entry = json!({"name": revision.revision_name});
        for mut condition in mirrored(revision, &MIRRORED, generation) {
            conditions::set_value(&mut entry["conditions"], &mut condition);
        }
        active.push(entry);
    }
    if let Some(newest) = states.rolling_out.last() {
        for condition in mirrored(newest, &["Progressing"], generation) {
            take_over(extension, condition);
        }
    }
    if active.is_empty() {
        extension.remove(&["status", "activeRevisions"]);
    } else {
        extension.set(&["status", "activeRevisions"], active);
    }
}

/// The conditions of these types, as of a generation of the extension.
fn mirrored(revision: &RevisionMetadata, types: &[&str], generation: i64) -> Vec<Value> {
    let present = types.iter().filter_map(|condition_type| revision.condition(condition_type));
    present
        .cloned()
        .map(|mut condition| {
            condition["observedGeneration"] = generation.into();
            condition
        })
        .collect()
}

fn take_over(extension: &mut Object, mut condition: Value) {
    conditions::set_value(extension.place(&["status", "conditions"]), &mut condition);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revision(number: i64, state: &str, conditions: &[(&str, &str, &str)]) -> Arc<Object> {
        let conditions: Vec<Value> = conditions
            .iter()
            .map(|(condition_type, status, reason)| {
                json!({"type": condition_type, "status": status, "reason": reason, "observedGeneration": 1})
            })
            .collect();
        Arc::new(json!({
            "metadata": {
                "name": format!("demo-{number}"),
                "annotations": {names::BUNDLE_NAME: format!("demo.v{number}"), names::BUNDLE_VERSION: format!("{number}.0.0")},
            },
            "spec": {"revision": number, "lifecycleState": state},
            "status": {"conditions": conditions},
        }))
    }

    #[test]
    fn conditions_come_from_the_installed_revision_and_progress_from_the_newest() {
        let revisions = [
            revision(1, "Archived", &[("Succeeded", "True", "Succeeded")]),
            revision(
                2,
                "Active",
                &[
                    ("Progressing", "True", "Succeeded"),
                    ("Available", "True", "ProbesSucceeded"),
                    ("Succeeded", "True", "Succeeded"),
                ],
            ),
            revision(
                3,
                "Active",
                &[("Progressing", "True", "Retrying"), ("Available", "False", "ProbeFailure")],
            ),
            revision(4, "Active", &[("Progressing", "True", "RollingOut")]),
        ];
        let states = read(&revisions);
        assert_eq!(states.installed.as_ref().map(|one| one.version.as_str()), Some("2.0.0"));
        let mut extension = json!({"metadata": {"generation": 7}});
        mirror(&states, &mut extension);
        let names: Vec<&str> =
            extension.list(&["status", "activeRevisions"]).iter().map(|one| one.text(&["name"])).collect();
        assert_eq!(names, ["demo-2", "demo-3", "demo-4"]);
        assert_eq!(extension["status"]["activeRevisions"][1]["conditions"].list(&[]).len(), 2);
        let reason =
            |condition_type: &str| extension.condition(condition_type).map(|one| one.text(&["reason"]));
        assert_eq!(reason("Available"), Some("ProbesSucceeded"));
        assert_eq!(reason("Progressing"), Some("RollingOut"));
        assert!(extension.list(&["status", "conditions"]).iter().all(|one| one["observedGeneration"] == 7));
        assert_eq!(extension["status"]["install"]["bundle"], json!({"name": "demo.v2", "version": "2.0.0"}));
        mirror(&RevisionStates::default(), &mut extension);
        assert_eq!(extension.at(&["status", "activeRevisions"]), None);
    }
}

//! Kubernetes events of a step, each distinct text once.

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::placeholders::Names;

/// An event as the recordings have it.
pub(super) fn row(event: &Object, names: &Names) -> Value {
    let about = |field: &str| event.text(&["involvedObject", field]).to_owned();
    let parts = [about("kind"), about("namespace"), about("name")];
    let object = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
    json!({
        "type": event.text(&["type"]), "reason": event.text(&["reason"]),
        "message": names.text(event.text(&["message"])), "object": names.text(&object),
        "source": event.text(&["source", "component"]),
    })
}

/// What differs, whatever the order.
pub(super) fn differences(seen: &[Value], recorded: &[Value]) -> Vec<String> {
    // What is passed through on the way up, and resolutions while two versions are there.
    let is_noise = |event: &&Value| match event.text(&["reason"]) {
        "RequirementsNotMet" => true,
        "OperatorConditionNotUpgradeable" => event.text(&["message"]).ends_with("is outdated"),
        "InstallWaiting" => event.text(&["type"]) == "Normal",
        "ResolutionFailed" => {
            ["originate from package", " provide "].iter().any(|text| event.text(&["message"]).contains(text))
        }
        _ => false,
    };
    let of_olm = |event: &&Value| event.text(&["source"]) == fbc_olm_v0::names::EVENT_SOURCE;
    let lacking = |these: &[Value], others: &[Value], what: &str| -> Vec<String> {
        let rows = these.iter().filter(|one| of_olm(one) && !is_noise(one) && !others.contains(one));
        rows.map(|one| format!("{what} {one}")).collect()
    };
    let mut lines = lacking(recorded, seen, "missing");
    lines.extend(lacking(seen, recorded, "extra"));
    lines
}

//! `oc adm upgrade accept`: risks that administrators accept by name.
//!
//! Source: `openshift/oc:pkg/cli/admin/upgrade/accept/accept.go`.

use std::collections::BTreeSet;

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::Answer;
use crate::command_line::Acceptance;

/// Changes the accepted risks.
pub(super) fn patch(version: &Object, acceptance: &Acceptance) -> Answer {
    let existing = version.list(&["spec", "desiredUpdate", "acceptRisks"]);
    let kept = |risk: &&Value| !acceptance.remove.contains(risk.text(&["name"]));
    let is_replaced = acceptance.clear || acceptance.replace;
    let mut risks: Vec<Value> = existing.iter().filter(|_| !is_replaced).filter(kept).cloned().collect();
    let names: BTreeSet<String> = risks.iter().map(|risk| risk.text(&["name"]).to_owned()).collect();
    risks.extend(acceptance.add.difference(&names).map(|name| json!({"name": name})));
    if risks == existing {
        let stdout = "info: Accept risks are not changed\n".to_owned();
        return Answer { stdout, ..Answer::default() };
    }
    let names: Vec<&str> = risks.iter().map(|risk| risk.text(&["name"])).collect();
    let stdout = format!("info: Accept risks are [{}]\n", names.join(", "));
    // Go writes a list that was never made as null, which takes the field away.
    let risks = if risks.is_empty() { Value::Null } else { Value::Array(risks) };
    let patch = json!({"spec": {"desiredUpdate": {"acceptRisks": risks}}});
    Answer { stdout, patch: Some(patch), ..Answer::default() }
}

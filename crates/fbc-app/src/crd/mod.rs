//! Custom resource definitions: read from wherever they are, and what an upgrade of them means.

use std::path::Path;

use fbc_bundle::crd_upgrade::{self, Upgrade};
use fbc_version::Target;
use serde_json::{Value, json};

pub mod definitions;

/// The comparison as a JSON object.
#[must_use]
pub fn document(upgrades: &[Upgrade], target: Target, enforcement: &str) -> Value {
    let messages: Vec<&String> = upgrades.iter().flat_map(|upgrade| &upgrade.messages).collect();
    let errors: Vec<&str> =
        upgrades.iter().map(|upgrade| upgrade.error.as_str()).filter(|error| !error.is_empty()).collect();
    json!({
        "safe": upgrades.iter().all(|upgrade| upgrade.is_safe),
        "target": target.to_string(),
        "enforcement": enforcement,
        "messages": messages,
        "error": errors.join("\n"),
        "crds": upgrades.iter().map(|upgrade| json!({
            "name": upgrade.name,
            "safe": upgrade.is_safe,
            "messages": upgrade.messages,
            "error": upgrade.error,
            "changes": upgrade.changes.iter().map(change).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}

fn change(change: &crd_upgrade::Change) -> Value {
    let hurts: Vec<&str> = match change.class {
        crd_upgrade::Class::Harmless => Vec::new(),
        _ => change.cause.hurts().iter().map(|party| party.name()).collect(),
    };
    json!({
        "class": change.class.name(),
        "cause": change.cause.name(),
        "hurts": hurts,
        "version": change.version,
        "path": change.path,
        "validator": change.validator,
        "old": change.old,
        "new": change.new,
        "message": change.message,
        "serverMessage": change.server_message,
    })
}

/// The name of a source as users know it.
#[must_use]
pub fn shown(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() }
}

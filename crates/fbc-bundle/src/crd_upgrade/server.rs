//! What the API server refuses, whatever the checks before the upgrade say.
//!
//! Source: `kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go`.

use fbc_go::text::quote;
use fbc_version::Target;

use super::change::{Cause, Change, Class};
use super::definition::{Definition, V1BETA1};

/// Adds what the API server says to the changes, and the changes that it alone refuses.
pub(super) fn judge(target: Target, old: &Definition<'_>, new: &Definition<'_>, changes: &mut Vec<Change>) {
    let stored: Vec<String> = old
        .stored_versions
        .iter()
        .enumerate()
        .filter(|(_, version)| new.version(version).is_none())
        .map(|(index, version)| {
            let text = match target {
                Target::Ocp419 => "must appear in spec.versions".to_owned(),
                _ => format!(
                    "missing from spec.versions; {version} was previously a storage version, and must remain in \
                     spec.versions until a storage migration ensures no data remains persisted in {version} and \
                     removes {version} from status.storedVersions"
                ),
            };
            format!("status.storedVersions[{index}]: Invalid value: {}: {text}", quote(version))
        })
        .collect();
    for change in changes.iter_mut() {
        match change.cause {
            Cause::Scope => change.server_message = immutable("scope", new.scope),
            Cause::StoredVersionRemoved => change.server_message = stored.join(", "),
            _ => {}
        }
    }
    for (field, old, new) in [
        ("names.kind", old.resource_kind, new.resource_kind),
        ("group", old.group, new.group),
        ("names.plural", old.plural, new.plural),
    ] {
        if old != new {
            changes.push(
                Change::new(Class::RefusedByServer, Cause::Names, "names")
                    .values(old, new)
                    .server_message(immutable(field, new)),
            );
        }
    }
    if new.is_v1beta1 {
        changes.push(
            Change::new(Class::RefusedByServer, Cause::ApiVersion, "apiVersion")
                .values("", V1BETA1)
                .server_message(format!(
                    "no matches for kind \"CustomResourceDefinition\" in version {}",
                    quote(V1BETA1)
                )),
        );
    }
}

fn immutable(field: &str, value: &str) -> String {
    format!("spec.{field}: Invalid value: {}: field is immutable", quote(value))
}

/// The API server's answer to all that it refuses, as a client shows it; nothing if it refuses nothing.
pub(super) fn answer<'c>(name: &str, changes: impl Iterator<Item = &'c Change>) -> Option<String> {
    let (unknown, invalid): (Vec<&Change>, Vec<&Change>) = changes
        .filter(|change| !change.server_message.is_empty())
        .partition(|change| change.cause == Cause::ApiVersion);
    // A definition of an API version that is not served never gets as far as validation.
    if let Some(unknown) = unknown.first() {
        return Some(unknown.server_message.clone());
    }
    let texts: Vec<&str> = invalid.iter().map(|change| change.server_message.as_str()).collect();
    let prefix = format!("CustomResourceDefinition.apiextensions.k8s.io {} is invalid: ", quote(name));
    match texts.as_slice() {
        [] => None,
        [one] if !one.contains(", status.") => Some(format!("{prefix}{one}")),
        several => Some(format!("{prefix}[{}]", several.join(", "))),
    }
}

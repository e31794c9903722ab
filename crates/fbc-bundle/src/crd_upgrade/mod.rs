//! Is it safe to upgrade a custom resource definition? What the clusters' own checks answer, and what changes besides.
//!
//! Two generations of the check exist: kapp's, which OpenShift 4.19 was released with ([`Target::Ocp419`]), and
//! crdify ([`Target::Latest`]). Both flatten schemas to places with a path and compare them place by place; which
//! attributes they know, how they write paths and what they say is data (`check`, `wording`, `flatten`).
//!
//! Everything here is a pure function of two objects. Definitions are read within limits ([`Definition::read`]), so
//! that comparing takes time and memory linear in their size.
//!
//! ```
//! use fbc_bundle::crd_upgrade::{self, Definition, Enforcement};
//! use fbc_version::Target;
//!
//! let read = |scope: &str| {
//!     let text = format!(
//!         "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: a.b}}, \
//!          spec: {{scope: {scope}, versions: [{{name: v1, served: true, storage: true, schema: {{}}}}]}}}}"
//!     );
//!     fbc_yaml::stream::read_one(text.as_bytes()).unwrap()
//! };
//! let (old, new) = (read("Namespaced"), read("Cluster"));
//! let (old, new) = (Definition::read(old.root())?, Definition::read(new.root())?);
//! let upgrade = crd_upgrade::compare(&old, &new, Target::Latest, Enforcement::Strict);
//! assert_eq!(upgrade.messages, [r#"scope: scope changed : "Namespaced" -> "Cluster""#]);
//! # Ok::<(), fbc_bundle::crd_upgrade::DefinitionError>(())
//! ```

mod change;
mod check;
mod definition;
mod flatten;
mod go_diff;
mod latest;
mod ocp_4_19;
mod pairs;
mod places;
mod schema_type;
mod server;
mod unhandled;
mod value;
mod version_changes;
mod versions;
mod wording;

#[cfg(test)]
mod tests;

pub use change::{Cause, Change, Class, Party};
pub use definition::{DEEPEST, Definition, DefinitionError, KIND, V1, V1BETA1, Version};
pub use fbc_version::Target;
pub use pairs::{PairError, compare_bundles, compare_sets};

/// `spec.install.preflight.crdUpgradeSafety.enforcement` of a ClusterExtension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enforcement {
    /// The check decides.
    #[default]
    Strict,
    /// No check; the API server refuses what it must.
    None,
}

/// What becomes of one definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upgrade {
    /// The name of the definition.
    pub name: String,
    /// Whether the upgrade goes through.
    pub is_safe: bool,
    /// What stops it, line by line, in the words of the target or of the API server.
    pub messages: Vec<String>,
    /// The whole text that a user finds in the status of the extension; empty where nothing stops it.
    pub error: String,
    /// Everything that changes: what stops the upgrade first, then by version and path.
    pub changes: Vec<Change>,
}

/// Compares an old definition, as it is on a cluster or in a bundle, with the one that takes its place.
#[must_use]
pub fn compare(
    old: &Definition<'_>,
    new: &Definition<'_>,
    target: Target,
    enforcement: Enforcement,
) -> Upgrade {
    let mut changes = Vec::new();
    if !Definition::is_same(old.object, new.object) {
        changes = match target {
            Target::Ocp419 => ocp_4_19::changes(old, new),
            _ => latest::changes(old, new),
        };
        server::judge(target, old, new, &mut changes);
        changes.extend(version_changes::changes(old, new));
    }
    if enforcement == Enforcement::None {
        for change in changes.iter_mut().filter(|change| change.class == Class::Refused) {
            let is_refused = !change.server_message.is_empty();
            change.class = if is_refused { Class::RefusedByServer } else { Class::Risky };
        }
    }
    let (messages, error) = refusal(new.name, target, &changes);
    changes.sort_by_key(|change| change.class);
    Upgrade { name: new.name.to_owned(), is_safe: messages.is_empty(), messages, error, changes }
}

/// Lines and whole text of what stops the upgrade.
fn refusal(name: &str, target: Target, changes: &[Change]) -> (Vec<String>, String) {
    let refused: Vec<&Change> = changes.iter().filter(|change| change.class == Class::Refused).collect();
    if refused.is_empty() {
        let by_server = changes.iter().filter(|change| change.class == Class::RefusedByServer);
        let answer = server::answer(name, by_server);
        return (Vec::from_iter(answer.clone()), answer.unwrap_or_default());
    }
    let quoted = fbc_go::text::quote(name);
    match target {
        Target::Ocp419 => {
            let by_validator = ocp_4_19::VALIDATORS.map(|validator| {
                let details = refused.iter().filter(|change| change.validator == validator);
                (validator, details.map(|change| change.message.as_str()).collect::<Vec<_>>())
            });
            let prefix = |validator: &str| {
                format!(
                    "CustomResourceDefinition {name} failed upgrade safety validation. \"{validator}\" validation \
                     failed: "
                )
            };
            let present = || by_validator.iter().filter(|(_, details)| !details.is_empty());
            let lines = present().flat_map(|(validator, details)| {
                details.iter().map(move |detail| format!("{}{detail}", prefix(validator)))
            });
            let whole: Vec<String> = present()
                .map(|(validator, details)| format!("{}{}", prefix(validator), details.join("\n")))
                .collect();
            (lines.collect(), format!("validating upgrade for CRD {quoted} failed: {}", whole.join("\n")))
        }
        _ => {
            let lines: Vec<String> = refused.iter().map(|change| change.message.clone()).collect();
            let error = format!("validating upgrade for CRD {quoted}: {}", lines.join("\n"));
            (lines, error)
        }
    }
}

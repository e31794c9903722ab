//! Who replaces whom.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/lib/csv/replace_finder.go`,
//! `pkg/controller/registry/resolver/fail_forward.go`.

use std::collections::BTreeSet;
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::Value;

use super::object::{is_copied, originals, replaces};
use crate::look_error::{LookError, fail};
use crate::names::{CLUSTER_SERVICE_VERSION, GROUP};

/// The ClusterServiceVersion that this one replaces, if it is still there.
pub fn replaced(api: &ApiServer, version: &Object) -> Option<Arc<Object>> {
    let name = Some(replaces(version)).filter(|name| !name.is_empty())?;
    let name = ObjectName::namespaced(version.namespace(), name);
    api.find(GROUP, CLUSTER_SERVICE_VERSION, &name).cloned()
}

/// The ClusterServiceVersion that replaces this one: of several the first by name, where the reference takes any.
pub fn replacement(api: &ApiServer, version: &Object) -> Option<Arc<Object>> {
    let all = originals(api, version.namespace());
    all.into_iter().find(|other| !is_copied(other) && replaces(other) == version.name())
}

/// The last one of a chain of replacements, which may be its first.
///
/// # Errors
/// The chain leads back into itself.
pub fn last(api: &ApiServer, first: Arc<Object>) -> Result<Arc<Object>, LookError> {
    let all = originals(api, first.namespace());
    let (mut seen, mut current) = (BTreeSet::new(), first);
    loop {
        // Of several that replace the same one the reference keeps the last that it sees.
        let next = all.iter().rev().find(|other| replaces(other) == current.name()).cloned();
        let Some(next) = next else { return Ok(current) };
        if !seen.insert(current.name().to_owned()) {
            return fail(format!("csv {}/{} has already been seen", current.namespace(), current.name()));
        }
        current = next;
    }
}

/// Whether a ClusterServiceVersion of the namespace that is not tied to this one by replacements owns one of its
/// definitions (V0-093).
pub fn owns_definitions_of(api: &ApiServer, version: &Object) -> bool {
    let all = originals(api, version.namespace());
    let tied = tied(version, &all);
    let owned: BTreeSet<&str> = owned_definitions(version).collect();
    let others = all.iter().filter(|other| !tied.contains(other.name()));
    others.into_iter().any(|other| owned_definitions(other).any(|name| owned.contains(name)))
}

fn owned_definitions(version: &Object) -> impl Iterator<Item = &str> {
    version
        .list(&["spec", "customresourcedefinitions", "owned"])
        .iter()
        .map(|owned: &Value| owned.text(&["name"]))
}

/// The names of those that a ClusterServiceVersion replaces or that replace it, over any number of steps.
fn tied(version: &Object, all: &[Arc<Object>]) -> BTreeSet<String> {
    let mut tied = BTreeSet::from([version.name().to_owned()]);
    let mut current = version.name().to_owned();
    while let Some(next) = all.iter().find(|other| replaces(other) == current) {
        if !tied.insert(next.name().to_owned()) {
            break;
        }
        current = next.name().to_owned();
    }
    current = replaces(version).to_owned();
    while let Some(previous) = all.iter().find(|other| other.name() == current) {
        if !tied.insert(current) {
            break;
        }
        current = replaces(previous).to_owned();
    }
    tied
}

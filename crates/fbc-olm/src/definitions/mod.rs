//! The definitions of OLM v1: catalogs, extensions and revisions.
//!
//! The label `olm.operatorframework.io/metadata.name` of catalogs is set by a webhook of catalogd, not by its
//! definition.

use serde_json::{Map, Value};

use fbc_cluster::object::{Object, ObjectFields};

use crate::Options;

const CATALOG: &str = include_str!("../../definitions/clustercatalog.yaml");
const EXTENSION: &str = include_str!("../../definitions/clusterextension.yaml");
const EXPERIMENTAL: &str = include_str!("../../definitions/clusterextension-experimental.yaml");
const WITHOUT_ACCOUNT: &str = include_str!("../../definitions/clusterextension-without-account.yaml");
const WITHOUT_RANGE: &str = include_str!("../../definitions/clustercatalog-4.19.yaml");
const DEPRECATED_ACCOUNT: &str = include_str!("../../definitions/deprecated-account.yaml");
const OBJECT_SET: &str = include_str!("../../definitions/clusterobjectset.yaml");

/// Which definitions a cluster has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edition {
    /// True for the experimental channel: configuration, deadlines, revisions.
    pub experimental: bool,
    /// True where extensions are installed with an account of the user (OpenShift), false where the account is ignored.
    pub needs_account: bool,
    /// True for the definitions of OpenShift 4.19, which have no range for `priority` besides its format.
    pub is_4_19: bool,
}

impl Edition {
    /// OpenShift 4.19.
    pub const OCP_4_19: Self = Self { experimental: false, needs_account: true, is_4_19: true };
    /// OpenShift in the middle of 2026, standard channel.
    pub const LATEST: Self = Self { experimental: false, needs_account: true, is_4_19: false };
    /// OpenShift in the middle of 2026, experimental channel.
    pub const LATEST_EXPERIMENTAL: Self = Self { experimental: true, needs_account: true, is_4_19: false };
}

/// The objects to create, in the order of their names.
pub fn definitions(edition: Edition) -> Vec<Object> {
    let mut catalog = object(CATALOG);
    let mut extension = object(EXTENSION);
    if edition.is_4_19 {
        change_schema(&mut catalog, WITHOUT_RANGE);
    }
    if !edition.needs_account {
        change_schema(&mut extension, WITHOUT_ACCOUNT);
    }
    if edition.experimental {
        change_schema(&mut extension, EXPERIMENTAL);
        vec![catalog, extension, object(OBJECT_SET)]
    } else {
        vec![catalog, extension]
    }
}

/// The admission policies that come with OLM: where accounts are ignored, one that says so.
///
/// Source: `operator-framework/operator-controller:helm/olmv1/templates`.
pub fn policies(options: &Options) -> Vec<Object> {
    if options.uses_service_accounts {
        return Vec::new();
    }
    match object(DEPRECATED_ACCOUNT) {
        Value::Array(policies) => policies,
        _ => Vec::new(),
    }
}

/// The value of a file that is part of this program; tests hold that each can be read.
pub(crate) fn object(yaml: &str) -> Value {
    let json = fbc_yaml::stream::read_one(yaml.as_bytes())
        .map(|document| fbc_yaml::json_writer::compact(document.root()));
    json.ok().and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default()
}

/// Merges changes into the schema of the only version.
fn change_schema(definition: &mut Value, changes: &str) {
    if let Some(schema) = definition.pointer_mut("/spec/versions/0/schema/openAPIV3Schema") {
        merge(schema, object(changes));
    }
}

/// Fields of the second replace those of the first; a null removes one.
fn merge(value: &mut Value, changes: Value) {
    let Value::Object(changes) = changes else {
        *value = changes;
        return;
    };
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    for (name, change) in changes {
        if change.is_null() {
            value.remove(&[name.as_str()]);
        } else {
            merge(&mut value[name.as_str()], change);
        }
    }
}

#[cfg(test)]
mod tests;

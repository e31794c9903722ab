//! Lists at an earlier version: what is there now, with the changes since then undone.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fbc_cluster::api::{ApiServer, ListOptions};
use fbc_cluster::error::{ApiError, Reason};
use fbc_cluster::kind::KindId;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

/// The text of a list that cannot go on because too much has changed since it began.
const EXPIRED: &str = "The provided continue parameter is too old to display a consistent list result. You can start a \
    new list without the continue parameter.";

/// The objects that were there at a version, by namespace and name.
///
/// # Errors
/// `410 Gone`: so long ago that it is not known any more.
pub(super) fn at(
    api: &ApiServer,
    id: KindId,
    options: &ListOptions,
    revision: u64,
) -> Result<Vec<Arc<Object>>, ApiError> {
    let changes =
        api.store().changes_since(revision).ok_or_else(|| ApiError::other(Reason::Expired, EXPIRED))?;
    let mut before: BTreeMap<ObjectName, Option<Arc<Object>>> = BTreeMap::new();
    for change in changes.filter(|change| change.key.kind == id) {
        before.entry(change.key.name.clone()).or_insert_with(|| change.before.clone());
    }
    if before.is_empty() {
        return Ok(api.selected(id, options).cloned().collect());
    }
    let fits = |object: &Arc<Object>| {
        options
            .namespace
            .as_deref()
            .is_none_or(|namespace| namespace.is_empty() || object.namespace() == namespace)
            && options.labels.matches_object(object)
            && options.fields.matches(object)
    };
    let unchanged =
        api.selected(id, options).filter(|object| !before.contains_key(&object.object_name())).cloned();
    let mut found: Vec<Arc<Object>> = unchanged.collect();
    found.extend(before.into_values().flatten().filter(fits));
    found.sort_by_key(|object| object.object_name());
    Ok(found)
}

/// Where a list goes on: the version that it shows, and the last object that was given.
pub(super) fn token(revision: u64, last: &ObjectName) -> String {
    let text = json!({"v": "meta.k8s.io/v1", "rv": revision, "start": [last.namespace, last.name]});
    URL_SAFE_NO_PAD.encode(text.to_string())
}

/// Reads a token.
///
/// # Errors
/// `400 Bad Request`: it is none.
pub(super) fn read_token(text: &str) -> Result<(u64, ObjectName), ApiError> {
    let bad = || ApiError::bad_request("continue key is not valid: invalid continue token");
    let json = URL_SAFE_NO_PAD.decode(text).map_err(|_| bad())?;
    let value: Value = serde_json::from_slice(&json).map_err(|_| bad())?;
    let revision = value["rv"].as_u64().ok_or_else(bad)?;
    let part = |index: usize| value["start"][index].as_str().ok_or_else(bad);
    Ok((revision, ObjectName::namespaced(part(0)?, part(1)?)))
}

//! Revisions of stateful sets and daemon sets: their templates, kept in `ControllerRevision` objects.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/history/controller_history.go`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::claims::owned;
use super::template_hash::{FNV_OFFSET, fnv_1, safe_text};
use super::write::{create, manager, update};
use crate::api::{ApiServer, DeleteOptions};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, controller_reference};

/// The label that tells pods of revisions apart.
pub(super) const HASH_LABEL: &str = "controller-revision-hash";

/// The revisions of an owner, the oldest first.
pub(super) fn revisions(api: &ApiServer, owner: &Object) -> Vec<Arc<Object>> {
    let Some(kind) = api.kind_id("apps", "ControllerRevision") else { return Vec::new() };
    let mut all = owned(api, owner, kind);
    all.sort_by_cached_key(|revision| (number(revision), revision.name().to_owned()));
    all
}

fn number(revision: &Object) -> i64 {
    revision["revision"].as_i64().unwrap_or_default()
}

/// What a revision keeps of its owner.
pub(super) fn data(owner: &Object) -> Value {
    let mut template = owner["spec"]["template"].clone();
    template.set(&["$patch"], "replace");
    json!({"spec": {"template": template}})
}

/// The template that a revision keeps.
pub(super) fn template(revision: &Object) -> Value {
    let mut template = revision["data"]["spec"]["template"].clone();
    template.remove(&["$patch"]);
    template
}

/// The hash of kept data, with the number of collisions behind it.
pub(super) fn data_hash(data: &Value, collisions: i64) -> String {
    // Go's encoder writes these characters in another way.
    let text = data.to_string().replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e");
    let hash = fnv_1(fnv_1(FNV_OFFSET, text.as_bytes()), collisions.to_string().as_bytes());
    safe_text(&hash.to_string())
}

/// The revision of the present template: an equal one, brought to the front if it is an older one, or a new one with
/// this hash.
pub(super) fn present_revision(
    api: &mut ApiServer,
    owner: &Object,
    all: &[Arc<Object>],
    hash: &str,
) -> Result<Arc<Object>, ApiError> {
    let data = data(owner);
    let next = all.last().map_or(1, |last| number(last) + 1);
    if let Some(equal) = all.iter().rev().find(|revision| revision["data"] == data) {
        if number(equal) + 1 == next {
            return Ok(Arc::clone(equal));
        }
        let mut object = Object::clone(equal);
        object.set(&["revision"], next);
        return update(api, object);
    }
    let mut labels = owner["spec"]["template"]["metadata"]["labels"].clone();
    labels.set(&[HASH_LABEL], hash);
    create(
        api,
        json!({
            "apiVersion": "apps/v1", "kind": "ControllerRevision", "data": data, "revision": next,
            "metadata": {
                "name": format!("{}-{hash}", owner.name()), "namespace": owner.namespace(), "labels": labels,
                "ownerReferences": [controller_reference(owner)],
            },
        }),
    )
}

/// Deletes the oldest revisions that no pod and no status names, beyond the limit of the history.
pub(super) fn truncate(
    api: &mut ApiServer,
    owner: &Object,
    all: &[Arc<Object>],
    is_live: impl Fn(&Object) -> bool,
) -> Result<(), ApiError> {
    let limit = owner.number(&["spec", "revisionHistoryLimit"]).unwrap_or(10);
    let dead: Vec<&Arc<Object>> = all.iter().filter(|revision| !is_live(revision)).collect();
    let surplus = dead.len().saturating_sub(usize::try_from(limit).unwrap_or(usize::MAX));
    let Some(kind) = api.kind_id("apps", "ControllerRevision") else { return Ok(()) };
    for revision in dead.into_iter().take(surplus) {
        match api.delete(&manager(), kind, &revision.object_name(), &DeleteOptions::default()) {
            Err(error) if !error.is_not_found() => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

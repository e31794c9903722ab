//! Server-side apply.
//!
//! Sources: `kubernetes-sigs/structured-merge-diff:merge/update.go` (`Apply`),
//! `kubernetes/apimachinery:pkg/util/managedfields/internal/{structuredmerge,lastappliedmanager,lastappliedupdater}.go`.

use fbc_go::json::read_value;
use serde_json::{Value, json};

use super::compare::compare;
use super::conflict::{ApplyError, Conflict};
use super::field_set::FieldSet;
use super::fields::Fields;
use super::managed::{Managed, Manager, Operation, Write, strip};
use super::merge::merge;
use super::path_element::display_path;
use super::prune::prune;
use super::shape::Shape;
use super::typed::{field_set, validate};
use crate::error::{ApiError, FieldError};
use crate::object::{Object, ObjectFields};

/// The manager of `kubectl apply --server-side`, which may take over from client-side apply.
const KUBECTL: &str = "kubectl";

/// The annotation in which `kubectl apply` keeps what it applied.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What the API server checks of a request to apply before anything else.
///
/// # Errors
/// The request names no manager, the configuration is for an object of another name than the request, or it holds
/// `metadata.managedFields`.
pub fn check_request(configuration: &Object, name: &str, manager: &str) -> Result<(), ApiError> {
    if manager.is_empty() {
        let cause = FieldError::required("fieldManager", "is required for apply patch");
        return Err(ApiError::invalid("meta.k8s.io", "PatchOptions", "", vec![cause]));
    }
    let own = configuration.name();
    if !own.is_empty() && own != name {
        let text = format!("the name of the object ({own}) does not match the name on the URL ({name})");
        return Err(ApiError::bad_request(text));
    }
    if configuration.given(&["metadata", "managedFields"]).is_some() {
        return Err(ApiError::bad_request("metadata.managedFields must be nil"));
    }
    Ok(())
}

/// Applies a configuration that [`check_request`] lets pass to the stored object, or makes an object of it.
///
/// The answer has its `metadata.managedFields`; it still is to be decoded, defaulted and validated, and members whose
/// last item was given up are `null` in it until then. It equals the stored object if nothing changes.
///
/// # Errors
/// Others own fields that the configuration changes (unless `force`), or it does not fit the kind.
pub fn apply(
    live: Option<&Object>,
    configuration: &Object,
    write: &Write<'_>,
    force: bool,
    shape: &Shape,
) -> Result<Object, ApplyError> {
    validate(configuration, shape).map_err(|text| {
        let object = format!("{}/{}", configuration.namespace(), configuration.name());
        let (group, version) =
            configuration.api_version().split_once('/').unwrap_or(("", configuration.api_version()));
        let kind = configuration.kind();
        let message =
            format!("failed to create typed patch object ({object}; {group}/{version}, Kind={kind}): {text}");
        ApplyError::TypeMismatch(message)
    })?;
    let mut applied = match merge_owned(live, configuration, write, force, shape) {
        Err(ApplyError::Conflicts(conflicts)) if write.manager == KUBECTL => {
            let left = beyond_last_applied(conflicts, live, configuration, shape);
            if !left.is_empty() {
                return Err(ApplyError::Conflicts(left));
            }
            merge_owned(live, configuration, write, true, shape)
        }
        other => other,
    }?;
    let annotation = ["metadata", "annotations", LAST_APPLIED];
    if write.manager == KUBECTL && !applied.text(&annotation).is_empty() {
        let mut last = configuration.clone();
        last.remove(&annotation);
        applied.set(&annotation, format!("{last}\n"));
    }
    Ok(applied)
}

fn merge_owned(
    live: Option<&Object>,
    configuration: &Object,
    write: &Write<'_>,
    force: bool,
    shape: &Shape,
) -> Result<Object, ApplyError> {
    let empty = json!({});
    let manager = Manager {
        name: write.manager.to_owned(),
        operation: Operation::Apply,
        api_version: configuration.api_version().to_owned(),
        subresource: write.subresource.to_owned(),
    };
    let mut managed = live.map(Managed::of).unwrap_or_default();
    if let Some(live) = live
        && managed.0.is_empty()
    {
        own_before_first_apply(&mut managed, live, configuration, shape);
    }
    let last = managed.find(&manager).map(|entry| entry.fields.set());

    let mut fields = field_set(configuration, shape);
    for path in write.ignored {
        fields.subtract_below(path);
    }
    let mut without_owners = live.cloned();
    if let Some(live) = &mut without_owners {
        live.remove(&["metadata", "managedFields"]);
    }
    let before = without_owners.as_ref().unwrap_or(&empty);
    let mut merged = merge(before, configuration, shape);
    let gives_up = last.as_ref().is_some_and(|last| {
        let mut given_up = last.clone();
        given_up.subtract(&fields);
        !given_up.is_empty()
    });
    let entry = managed.entry(manager.clone());
    entry.fields = fields.into();
    entry.manager.api_version.clone_from(&manager.api_version);
    if let Some(last) = last.filter(|_| gives_up) {
        let mut all = FieldSet::default();
        for entry in &managed.0 {
            all.add(&entry.fields.set());
        }
        merged = prune(merged, &last, &all, shape);
    }

    let changes = compare(without_owners.as_ref(), Some(&merged), shape);
    let mut changed = changes.modified;
    changed.add(&changes.added);
    for path in write.ignored {
        changed.subtract_below(path);
    }
    let (of_changed, removed) = (Fields::from(changed.clone()), Fields::from(changes.removed));
    let mut conflicts = Vec::new();
    for entry in &mut managed.0 {
        if entry.manager == manager {
            continue;
        }
        if !force {
            let theirs = entry.fields.set().intersection(&changed);
            conflicts.extend(
                theirs
                    .paths()
                    .into_iter()
                    .map(|path| Conflict { manager: entry.manager.clone(), field: display_path(&path) }),
            );
        }
        entry.fields.subtract(&of_changed);
        entry.fields.subtract(&removed);
    }
    if !conflicts.is_empty() {
        conflicts.sort_by(|one, other| one.manager.cmp(&other.manager));
        return Err(ApplyError::Conflicts(conflicts));
    }
    let entry = managed.entry(manager);
    let mut owned = entry.fields.set();
    strip(&mut owned, &[]);
    entry.fields = owned.into();
    if merged != *before {
        entry.time = Some(write.time.to_string());
    }
    managed.write_to(&mut merged);
    Ok(merged)
}

/// Gives all fields of an object that has no owners to one who is named for it.
fn own_before_first_apply(managed: &mut Managed, live: &Object, configuration: &Object, shape: &Shape) {
    let mut fields = compare(None, Some(live), shape).added;
    strip(&mut fields, &[]);
    let manager = Manager {
        name: "before-first-apply".to_owned(),
        operation: Operation::Update,
        api_version: configuration.api_version().to_owned(),
        subresource: String::new(),
    };
    managed.entry(manager).fields = fields.into();
}

/// The conflicts that remain when kubectl takes over what it applied from its own side before.
fn beyond_last_applied(
    conflicts: Vec<Conflict>,
    live: Option<&Object>,
    configuration: &Object,
    shape: &Shape,
) -> Vec<Conflict> {
    let last = live.and_then(|live| {
        let last: Value = read_value(live.annotation(LAST_APPLIED)?).ok()?;
        if last.api_version() != configuration.api_version() || validate(&last, shape).is_err() {
            return None;
        }
        let mut owned = field_set(&last, shape);
        let changes = compare(Some(&last), Some(live), shape);
        for other in [&changes.modified, &changes.added, &changes.removed] {
            owned.subtract(other);
        }
        Some(owned)
    });
    let Some(owned) = last else { return conflicts };
    let allowed: Vec<String> = owned.paths().iter().map(|path| display_path(path)).collect();
    conflicts.into_iter().filter(|conflict| !allowed.contains(&conflict.field)).collect()
}

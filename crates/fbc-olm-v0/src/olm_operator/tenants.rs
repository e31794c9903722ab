//! The rights of operators in the namespaces of their group: copies of their roles and bindings.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/operatorgroup.go`
//! (`ensureCSVsInNamespaces`, `ensureTenantRBAC`).

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::apis::Namespaces;
use super::cluster_roles::{labelled, owned};
use super::csv::permissions;
use super::owners::{is_owned_by, managed_labels, reference, selector};
use crate::client::Client;
use crate::look_error::{LookError, fail};
use crate::names::{COPIED_FROM, RBAC};

/// Gives an operator its rights in every namespace of a group that is not for all. Copies are by namespace.
///
/// # Errors
/// Its roles are not there yet, or one is refused.
pub fn ensure(
    client: &mut Client<'_>,
    version: &Object,
    group: &Object,
    copies: &BTreeMap<String, Arc<Object>>,
) -> Result<(), LookError> {
    let targets = Namespaces::of_group(group);
    if targets.are_all() {
        return Ok(());
    }
    for namespace in targets.names() {
        let (is_met, _) = permissions::check(client.api, version, namespace)?;
        if is_met {
            continue;
        }
        let Some(copy) = copies.get(namespace) else {
            return fail(format!("bug: no target CSV for namespace {namespace}"));
        };
        for kind in ["Role", "RoleBinding"] {
            ensure_kind(client, kind, version, copy)?;
        }
    }
    Ok(())
}

fn ensure_kind(
    client: &mut Client<'_>,
    kind: &str,
    version: &Object,
    copy: &Object,
) -> Result<(), LookError> {
    let originals = owned(client, kind, version);
    if originals.is_empty() && kind == "Role" {
        return fail("owned roles not found in cache");
    }
    let existing = labelled(client, kind, copy.namespace(), &selector(copy));
    for original in originals.iter().filter(|original| is_owned_by(original, version)) {
        let result = match existing.iter().find(|one| one.name() == original.name()) {
            Some(found) if kind == "Role" => {
                let mut object = Object::clone(found);
                object.set(&["rules"], original["rules"].clone());
                client.update(object).map(drop)
            }
            Some(_) => Ok(()),
            None => create(client, original, version, copy),
        };
        result.map_err(|error| error.message)?;
    }
    Ok(())
}

fn create(
    client: &mut Client<'_>,
    original: &Object,
    version: &Object,
    copy: &Object,
) -> Result<(), ApiError> {
    let mut labels =
        original.at(&["metadata", "labels"]).and_then(Value::as_object).cloned().unwrap_or_default();
    labels.extend(managed_labels(copy));
    labels.insert(COPIED_FROM.to_owned(), version.namespace().into());
    let mut object = json!({
        "apiVersion": format!("{RBAC}/v1"), "kind": original.kind(),
        "metadata": {
            "name": original.name(), "namespace": copy.namespace(), "labels": labels,
            "ownerReferences": [reference(copy, false)],
        },
    });
    for field in ["rules", "subjects", "roleRef"] {
        if let Some(value) = original.get(field) {
            object.set(&[field], value.clone());
        }
    }
    // The reference copies the whole object, and with it who wrote the original.
    if let Some(managers) = original.at(&["metadata", "managedFields"]) {
        object.set(&["metadata", "managedFields"], managers.clone());
    }
    client.replace(object).map(drop)
}

//! Objects as steps want them: created, or made so.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/catalog/step_ensurer.go`.

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::execution::Failure;
use super::steps::BUNDLE_SECRET;
use crate::client::Client;
use crate::names::{CLUSTER_SERVICE_VERSION, MANAGED, OWNER, SUBSCRIPTION};

/// Creates an object, or brings the one that is there into its state. The state of the step comes back.
pub(super) fn object(
    kind: &str,
    mut object: Value,
    resolving: &str,
    client: &mut Client<'_>,
) -> Result<&'static str, Failure> {
    let name = object.name().to_owned();
    let error = match client.create(object.clone()) {
        Ok(_) => return Ok("Created"),
        Err(error) => error,
    };
    let text = |of: &str| match kind {
        CLUSTER_SERVICE_VERSION => format!("{of} csv {name}"),
        SUBSCRIPTION | "ClusterRole" | "ClusterRoleBinding" | "Role" | "RoleBinding" => {
            format!("{of} {} {name}", kind.to_lowercase())
        }
        "ServiceAccount" => format!("{of} service account: {name}"),
        // Also what cannot be created is said to be updated.
        BUNDLE_SECRET => format!("error updating secret: {name}"),
        "Service" | "ConfigMap" => format!("error updating {}: {name}", kind.to_lowercase()),
        _ => format!("{of} unstructured object {name}"),
    };
    if !error.is_already_exists() {
        return Err(Failure::of(&text("error creating"), &error));
    }
    match kind {
        // Shows V0-071.
        CLUSTER_SERVICE_VERSION | SUBSCRIPTION => return Ok("Present"),
        "ServiceAccount" => match account(&object, client) {
            Some(merged) => object = merged,
            None => return Ok("Present"),
        },
        "ClusterRole" | "ClusterRoleBinding" => object.set(&["metadata", "labels", OWNER], resolving),
        _ => {}
    }
    let updated = client.update(object);
    updated.map(|_| "Present").map_err(|error| Failure::of(&text("error updating"), &error))
}

/// An account keeps its secrets, and owners and annotations of both count. None if nothing changes.
fn account(wanted: &Object, client: &Client<'_>) -> Option<Object> {
    let present = client.get("", "ServiceAccount", wanted.namespace(), wanted.name())?;
    let mut merged = wanted.clone();
    if let Some(secrets) = present.get("secrets") {
        merged["secrets"] = secrets.clone();
    }
    let mut owners = present.owner_references().to_vec();
    let new = wanted.owner_references().iter().filter(|owner| !present.owner_references().contains(owner));
    owners.extend(new.cloned());
    if !owners.is_empty() {
        merged.set(&["metadata", "ownerReferences"], owners);
    }
    let annotations =
        present.at(&["metadata", "annotations"]).and_then(Value::as_object).into_iter().flatten();
    for (key, value) in annotations {
        if wanted.annotation(key).is_none() {
            merged.set(&["metadata", "annotations", key], value.clone());
        }
    }
    let is_same = is_part(&merged, &present);
    (!is_same).then_some(merged)
}

/// Whether all that a value says is so in another.
pub(super) fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => {
            part.iter().all(|(key, value)| whole.get(key).is_some_and(|other| is_part(value, other)))
        }
        (Value::Array(part), Value::Array(whole)) => {
            part.len() == whole.len() && part.iter().zip(whole).all(|(part, whole)| is_part(part, whole))
        }
        _ => part == whole,
    }
}

/// Copies a Secret from the namespace of OLM; one that is there stays.
pub(super) fn copied_secret(
    from: &str,
    to: &str,
    name: &str,
    client: &mut Client<'_>,
) -> Result<&'static str, Failure> {
    let Some(secret) = client.get("", "Secret", from, name) else {
        return Err(Failure::new(format!("secret {name} does not exist - secrets {name:?} not found")));
    };
    let copy = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": name, "namespace": to, "labels": {MANAGED: "true"}},
        "data": secret.get("data").cloned().unwrap_or(json!({})), "type": secret["type"],
    });
    match client.create(copy) {
        Ok(_) => Ok("Created"),
        Err(error) if error.is_already_exists() => Ok("Present"),
        Err(error) => Err(Failure::new(format!("error creating secret {name} - {}", error.message))),
    }
}

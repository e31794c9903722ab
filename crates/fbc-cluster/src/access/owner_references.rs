//! The admission plugin `OwnerReferencesPermissionEnforcement`: who may make one object keep another from vanishing.
//!
//! Source: `kubernetes/kubernetes:plugin/pkg/admission/gc/gc_admission.go`.

use serde_json::Value;

use super::authorizer::Authorizer;
use super::user::Attributes;
use super::writes::Write;
use crate::error::ApiError;
use crate::kind::{GroupVersionKind, Registry};
use crate::object::ObjectFields;

/// Refuses a write that sets owners of an object that the user could not delete, or blocks the deletion of an owner
/// whose finalizers the user could not set.
///
/// # Errors
/// The API server's refusal, 403.
pub(super) fn check_write(
    write: &Write<'_>,
    authorizer: &Authorizer,
    registry: &Registry,
) -> Result<(), ApiError> {
    let Write { user, kind, before: old, object: new, .. } = *write;
    let before = old.map(ObjectFields::owner_references).unwrap_or_default();
    if before == new.owner_references() {
        return Ok(());
    }
    let forbidden = |cause: &str| write.forbidden(cause);
    let refused = |text: &str, reason: &str| forbidden(&format!("{text}: {reason}, <nil>"));
    if old.is_some() {
        let deletion = Attributes::Resource {
            verb: "delete",
            group: &kind.group,
            resource: &kind.plural,
            subresource: "",
            namespace: new.namespace(),
            name: new.name(),
        };
        let decision = authorizer.decide(user, deletion);
        if !decision.allowed {
            return Err(refused("cannot set an ownerRef on a resource you can't delete", &decision.reason));
        }
    }
    for owner in new.owner_references().iter().filter(|owner| blocks_anew(owner, before)) {
        let name = GroupVersionKind::of(owner.api_version(), owner.kind());
        let Some((_, owner_kind)) = registry.served(&name) else {
            return Err(forbidden(&format!(
                "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion {} Kind \
                 {}: no matches for kind {:?} in version {:?}",
                owner.api_version(),
                owner.kind(),
                owner.kind(),
                owner.api_version()
            )));
        };
        let finalizers = Attributes::Resource {
            verb: "update",
            group: &owner_kind.group,
            resource: &owner_kind.plural,
            subresource: "finalizers",
            namespace: if owner_kind.namespaced { new.namespace() } else { "" },
            name: owner.text(&["name"]),
        };
        let decision = authorizer.decide(user, finalizers);
        if !decision.allowed {
            return Err(refused(
                "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on",
                &decision.reason,
            ));
        }
    }
    Ok(())
}

/// Whether a reference blocks the deletion of its owner, and did not before.
fn blocks_anew(owner: &Value, before: &[Value]) -> bool {
    let blocks = |owner: &Value| owner["blockOwnerDeletion"] == true;
    blocks(owner) && !before.iter().any(|other| other["uid"] == owner["uid"] && blocks(other))
}

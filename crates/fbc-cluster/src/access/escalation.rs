//! Roles and bindings must not grant what their writer does not have.
//!
//! Sources: `kubernetes/kubernetes:pkg/registry/rbac/{role,clusterrole,rolebinding,clusterrolebinding}/policybased`,
//! `…/pkg/registry/rbac/validation/rule.go` (`ConfirmNoEscalation`).

use std::collections::BTreeSet;

use fbc_bundle::permissions::rule::{joined, uncovered};
use fbc_bundle::permissions::{RBAC_GROUP, Rule};

use super::authorizer::{Authorizer, rule_of};
use super::user::{Attributes, User};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};

/// Refuses a write of a role or a binding that grants too much; other kinds pass. `old` is absent for one that is
/// created.
///
/// # Errors
/// The API server's refusal: 403, or 404 if the role of a binding does not exist.
pub fn check_write(
    authorizer: &Authorizer,
    user: &User,
    old: Option<&Object>,
    new: &Object,
) -> Result<(), ApiError> {
    let resource = match new.kind() {
        "Role" => "roles",
        "ClusterRole" => "clusterroles",
        "RoleBinding" => "rolebindings",
        "ClusterRoleBinding" => "clusterrolebindings",
        _ => return Ok(()),
    };
    if user.is_master() || !new.api_version().starts_with(RBAC_GROUP) {
        return Ok(());
    }
    let may = |verb: &str, resource: &str, name: &str| {
        let namespace = new.namespace();
        let group = RBAC_GROUP;
        let attributes = Attributes::Resource { verb, group, resource, subresource: "", namespace, name };
        authorizer.allows(user, attributes)
    };
    let forbidden = |cause: &str| ApiError::forbidden(RBAC_GROUP, resource, new.name(), cause);
    if matches!(resource, "roles" | "clusterroles") {
        let same = |field: &str| old.is_some_and(|old| old.get(field) == new.get(field));
        if may("escalate", resource, new.name()) || (same("rules") && same("aggregationRule")) {
            return Ok(());
        }
        if !new.list(&["aggregationRule", "clusterRoleSelectors"]).is_empty() {
            let everything = [
                Rule::new(&["*"], &["*"], &["*"]),
                Rule { non_resource_urls: vec!["*".into()], verbs: vec!["*".into()], ..Rule::default() },
            ];
            confirm(authorizer, user, &everything, new.namespace()).map_err(|escalation| {
                forbidden(&format!(
                    "must have cluster-admin privileges to use an aggregationRule: {escalation}"
                ))
            })?;
        }
        let rules: Vec<Rule> = new.list(&["rules"]).iter().map(rule_of).collect();
        return confirm(authorizer, user, &rules, new.namespace())
            .map_err(|escalation| forbidden(&escalation.to_string()));
    }
    let (kind, name) = (new.text(&["roleRef", "kind"]), new.text(&["roleRef", "name"]));
    let resource_of_role = if kind == "ClusterRole" { "clusterroles" } else { "roles" };
    if may("bind", resource_of_role, name) {
        return Ok(());
    }
    let role = authorizer
        .bound_role(kind, name, new.namespace())
        .map_err(|_| ApiError::not_found(RBAC_GROUP, resource, name))?;
    confirm(authorizer, user, &role.rules, new.namespace())
        .map_err(|escalation| forbidden(&escalation.to_string()))
}

/// Rules that somebody grants and does not have.
#[derive(Debug, thiserror::Error)]
#[error(
    "{user} is attempting to grant RBAC permissions not currently held:\n{}{}",
    missing.iter().map(String::as_str).collect::<Vec<_>>().join("\n"), unresolved(errors)
)]
struct Escalation {
    user: String,
    missing: BTreeSet<String>,
    /// Why not all rules of the user are known.
    errors: Vec<String>,
}

fn unresolved(errors: &[String]) -> String {
    if errors.is_empty() { String::new() } else { format!("; resolution errors: [{}]", errors.join(", ")) }
}

/// Refuses rules that a user does not have.
fn confirm(authorizer: &Authorizer, user: &User, rules: &[Rule], namespace: &str) -> Result<(), Escalation> {
    let (owned, errors) = authorizer.rules_for(user, namespace);
    let owned: Vec<&Rule> = owned.iter().collect();
    let missing = joined(uncovered(&owned, rules));
    if missing.is_empty() {
        return Ok(());
    }
    let missing = missing.iter().map(ToString::to_string).collect();
    Err(Escalation { user: user.to_string(), missing, errors })
}

//! Roles and bindings must not grant what their writer does not have.
//!
//! Every write is checked, not only changes of rules: a label can make other roles take the rules of a role.
//!
//! Sources: `kubernetes/kubernetes:pkg/registry/rbac/{role,clusterrole,rolebinding,clusterrolebinding}/policybased`,
//! `…/pkg/registry/rbac/{escalation_check,helpers}.go`, `…/pkg/registry/rbac/validation/rule.go` (`ConfirmNoEscalation`).

use std::collections::BTreeSet;

use fbc_kubernetes::rbac::rule::{joined, uncovered};
use fbc_kubernetes::rbac::{RBAC_GROUP, Rule};
use serde_json::Value;

use super::authorizer::{Authorizer, rule_of};
use super::user::{Attributes, User};
use super::writes::Write;
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};

/// Refuses a role with rules that its writer does not have, unless the writer may `escalate` roles.
///
/// # Errors
/// The API server's refusal: 403.
pub(super) fn check_role(write: &Write<'_>, authorizer: &Authorizer) -> Result<(), ApiError> {
    let is_allowed = || may(write, authorizer, "escalate", &write.kind.plural, write.name_in_path);
    if write.user.is_master() || is_allowed() || changes_only_what_collectors_do(write) {
        return Ok(());
    }
    let rules: Vec<Rule> = write.object.list(&["rules"]).iter().map(rule_of).collect();
    confirm(authorizer, write, &rules)?;
    // What a role takes from others may be anything, and a role that does so must not be narrowed by just anybody.
    if aggregates(write.object) || write.before.is_some_and(aggregates) {
        let everything = [
            Rule::new(&["*"], &["*"], &["*"]),
            Rule { non_resource_urls: vec!["*".into()], verbs: vec!["*".into()], ..Rule::default() },
        ];
        confirm(authorizer, write, &everything)
            .map_err(|_| write.forbidden("must have cluster-admin privileges to use the aggregationRule"))?;
    }
    Ok(())
}

/// Refuses a binding to a role whose rules its writer does not have, unless the writer may `bind` that role.
///
/// # Errors
/// The API server's refusal: 403, or 404 if the role does not exist.
pub(super) fn check_binding(write: &Write<'_>, authorizer: &Authorizer) -> Result<(), ApiError> {
    if write.user.is_master() || write.before.is_some() && changes_only_what_collectors_do(write) {
        return Ok(());
    }
    let (kind, name) = (write.object.text(&["roleRef", "kind"]), write.object.text(&["roleRef", "name"]));
    let resource = if kind == "ClusterRole" { "clusterroles" } else { "roles" };
    if may(write, authorizer, "bind", resource, name) {
        return Ok(());
    }
    let role = authorizer
        .bound_role(kind, name, write.object.namespace())
        .map_err(|_| ApiError::not_found(RBAC_GROUP, &write.kind.plural, name))?;
    confirm(authorizer, write, &role.rules)
}

fn may(write: &Write<'_>, authorizer: &Authorizer, verb: &str, resource: &str, name: &str) -> bool {
    let namespace = write.object.namespace();
    let attributes =
        Attributes::Resource { verb, group: RBAC_GROUP, resource, subresource: "", namespace, name };
    authorizer.allows(write.user, attributes)
}

fn aggregates(role: &Object) -> bool {
    !role.list(&["aggregationRule", "clusterRoleSelectors"]).is_empty()
}

/// Whether nothing differs but what the garbage collector changes in objects that are to go.
fn changes_only_what_collectors_do(write: &Write<'_>) -> bool {
    const COLLECTED: [&str; 4] = ["ownerReferences", "finalizers", "managedFields", "selfLink"];
    let Some(before) = write.before else { return false };
    same_but(before, write.object, &["metadata"])
        && same_but(&before["metadata"], &write.object["metadata"], &COLLECTED)
}

/// Whether two objects have equal members but for some.
fn same_but(one: &Value, other: &Value, except: &[&str]) -> bool {
    fn members<'o>(object: &'o Value, except: &[&str]) -> impl Iterator<Item = (&'o String, &'o Value)> {
        object.as_object().into_iter().flatten().filter(|(name, _)| !except.contains(&name.as_str()))
    }
    members(one, except).eq(members(other, except))
}

/// Rules that somebody grants and does not have.
#[derive(Debug, thiserror::Error)]
#[error(
    "{user} is attempting to grant RBAC permissions not currently held:\n{}{}",
    missing.iter().map(String::as_str).collect::<Vec<_>>().join("\n"), unresolved(errors)
)]
struct Escalation<'w> {
    user: &'w User,
    missing: BTreeSet<String>,
    /// Why not all rules of the user are known.
    errors: Vec<String>,
}

fn unresolved(errors: &[String]) -> String {
    if errors.is_empty() { String::new() } else { format!("; resolution errors: [{}]", errors.join(", ")) }
}

/// Refuses rules that the writer does not have where the object is.
fn confirm(authorizer: &Authorizer, write: &Write<'_>, rules: &[Rule]) -> Result<(), ApiError> {
    let (owned, errors) = authorizer.rules_for(write.user, write.object.namespace());
    let owned: Vec<&Rule> = owned.iter().collect();
    let missing = joined(uncovered(&owned, rules));
    if missing.is_empty() {
        return Ok(());
    }
    let missing = missing.iter().map(ToString::to_string).collect();
    Err(write.forbidden(&Escalation { user: write.user, missing, errors }.to_string()))
}

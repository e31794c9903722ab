//! Who lets a policy read parameters must be able to read them: what an expression says may show them to others.
//!
//! Sources: `kubernetes/kubernetes:pkg/registry/admissionregistration/{validating,mutating}admissionpolicy{,binding}/authz.go`.

use super::user::Attributes;
use super::writes::Write;
use crate::api::ApiServer;
use crate::error::{ApiError, FieldError};
use crate::kind::GroupVersionKind;
use crate::object::{Object, ObjectFields, ObjectName};

/// Everything, in attributes of a request.
const ALL: &str = "*";

/// Refuses a policy whose writer may not read all objects of its `paramKind`.
///
/// # Errors
/// The API server's refusal: 422.
pub(super) fn check_policy(write: &Write<'_>, api: &ApiServer) -> Result<(), ApiError> {
    const PATH: [&str; 2] = ["spec", "paramKind"];
    let Some(kind) = write.object.given(&PATH) else { return Ok(()) };
    if write.user.is_master() || write.before.and_then(|before| before.given(&PATH)) == Some(kind) {
        return Ok(());
    }
    let (group, resource) = resource(kind, api).unwrap_or_else(|fault| fault.least());
    let read = Attributes::Resource {
        verb: "get",
        group: &group,
        resource: &resource,
        subresource: "",
        namespace: ALL,
        name: ALL,
    };
    if api.authorizer().allows(write.user, read) {
        return Ok(());
    }
    let text = format!(
        "user {} must have \"get\" permission on all objects of the referenced paramKind (kind={}, apiVersion={})",
        write.user.as_go_prints(),
        kind.kind(),
        kind.api_version()
    );
    Err(refusal(write, "spec.paramKind", text))
}

/// Refuses a binding whose writer may not read the objects that its `paramRef` names.
///
/// # Errors
/// The API server's refusal: 422.
pub(super) fn check_binding(write: &Write<'_>, api: &ApiServer) -> Result<(), ApiError> {
    const REFERENCE: [&str; 2] = ["spec", "paramRef"];
    const POLICY: [&str; 2] = ["spec", "policyName"];
    let Some(reference) = write.object.given(&REFERENCE) else { return Ok(()) };
    let is_same = |before: &Object| {
        before.given(&REFERENCE) == Some(reference) && before.text(&POLICY) == write.object.text(&POLICY)
    };
    if write.user.is_master() || write.before.is_some_and(is_same) {
        return Ok(());
    }
    let policy_name = write.object.text(&POLICY);
    let policy_kind = write.kind.kind.trim_end_matches("Binding");
    let policy = api.find(&write.kind.group, policy_kind, &ObjectName::cluster(policy_name));
    let found = match policy.map(|policy| policy.given(&["spec", "paramKind"])) {
        None => Err(Fault::NoPolicy(policy_name.to_owned())),
        Some(None) => Err(Fault::NoKind),
        Some(Some(kind)) => resource(kind, api),
    };
    let (group, resource) = found.as_ref().map_or_else(Fault::least, Clone::clone);
    let name = reference.text(&["name"]);
    let verb = if name.is_empty() { "list" } else { "get" };
    let read = Attributes::Resource {
        verb,
        group: &group,
        resource: &resource,
        subresource: "",
        namespace: reference.text(&["namespace"]),
        name,
    };
    if api.authorizer().allows(write.user, read) {
        return Ok(());
    }
    let user = write.user.as_go_prints();
    let text = match found {
        Ok(_) | Err(Fault::NoKind) => {
            format!("user {user} does not have {verb:?} permission on the object referenced by paramRef")
        }
        Err(fault) => format!(
            "{fault} to determine minimum required permissions and user {user} does not have {verb:?} permission for all \
             groups, versions and resources"
        ),
    };
    Err(refusal(write, "spec.paramRef", text))
}

fn refusal(write: &Write<'_>, field: &str, text: String) -> ApiError {
    let cause = FieldError::forbidden(field, text);
    ApiError::invalid(&write.kind.group, &write.kind.kind, write.object.name(), vec![cause])
}

/// Why it is not known which resource holds the parameters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Fault {
    #[error("unable to get policy {0}")]
    NoPolicy(String),
    #[error("the policy has no paramKind")]
    NoKind,
    #[error("unable to parse paramKind &{{{0} {1}}}")]
    Version(String, String),
    #[error("unable to resolve paramKind &{{{api_version} {kind}}}")]
    Unserved { api_version: String, group: String, kind: String },
}

impl Fault {
    /// Group and resource that somebody must be able to read where not more is known.
    fn least(&self) -> (String, String) {
        let group = match self {
            Self::Unserved { group, .. } => group.as_str(),
            _ => ALL,
        };
        (group.to_owned(), ALL.to_owned())
    }
}

/// Group and resource of a `paramKind`.
fn resource(kind: &Object, api: &ApiServer) -> Result<(String, String), Fault> {
    let (api_version, name) = (kind.api_version().to_owned(), kind.kind().to_owned());
    if api_version.matches('/').count() > 1 {
        return Err(Fault::Version(api_version, name));
    }
    let wanted = GroupVersionKind::of(&api_version, &name);
    match api.registry().served(&wanted) {
        Some((_, served)) => Ok((wanted.group, served.plural.clone())),
        None => Err(Fault::Unserved { api_version, group: wanted.group, kind: name }),
    }
}

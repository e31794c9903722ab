//! Admission policies with the bindings that bring them into force: which requests they are about, what parameters they
//! get, how a refusal reads.
//!
//! Source: `kubernetes/apiserver:pkg/admission/plugin/policy/generic/{policy_dispatcher,policy_matcher}.go`.

use std::sync::Arc;

use serde_json::Value;

use super::policies::PolicyError;
use super::request::Request;
use super::shown_name;
use crate::api::ApiServer;
use crate::error::{ApiError, Cause, Reason};
use crate::kind::GroupVersionKind;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::selector::LabelSelector;

const GROUP: &str = "admissionregistration.k8s.io";

/// What policies do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PolicyKind {
    /// They change objects.
    Mutating,
    /// They refuse them.
    Validating,
}

impl PolicyKind {
    /// The kind of the policies.
    fn policy(self) -> &'static str {
        match self {
            Self::Mutating => "MutatingAdmissionPolicy",
            Self::Validating => "ValidatingAdmissionPolicy",
        }
    }

    /// The kind of their bindings.
    fn binding(self) -> &'static str {
        match self {
            Self::Mutating => "MutatingAdmissionPolicyBinding",
            Self::Validating => "ValidatingAdmissionPolicyBinding",
        }
    }
}

/// A policy with one of its bindings.
pub(super) struct BoundPolicy<'o> {
    kind: PolicyKind,
    pub(super) policy: &'o Object,
    pub(super) binding: &'o Object,
}

/// The policies of a kind that are bound, by the names of their bindings.
pub(super) fn bound(kind: PolicyKind, api: &ApiServer) -> impl Iterator<Item = BoundPolicy<'_>> {
    api.all(GROUP, kind.binding()).filter_map(move |binding| {
        let name = ObjectName::cluster(binding.text(&["spec", "policyName"]));
        let policy = api.find(GROUP, kind.policy(), &name)?;
        Some(BoundPolicy { kind, policy, binding })
    })
}

impl BoundPolicy<'_> {
    /// Whether policy and binding mean a request.
    pub(super) fn is_about(&self, request: &Request<'_>, api: &ApiServer) -> bool {
        let constraints = [&self.policy["spec"]["matchConstraints"], &self.binding["spec"]["matchResources"]];
        constraints.iter().all(|one| is_constrained(one, request, api))
    }

    /// The answer to a request that the policy denies. A mutating policy speaks for itself; a validating one gives the
    /// cause why something is forbidden.
    pub(super) fn refusal(&self, request: &Request<'_>, reason: Reason, cause: &str) -> ApiError {
        let who = match self.kind {
            PolicyKind::Mutating => "policy",
            PolicyKind::Validating => self.kind.policy(),
        };
        let (policy, binding) = (self.policy.name(), self.binding.name());
        let text = format!("{who} '{policy}' with binding '{binding}' denied request: {cause}");
        let (group, resource) = (&request.kind.group, &request.kind.plural);
        let mut error = ApiError::forbidden(group, resource, shown_name(request.about()), &text);
        error.reason = reason;
        if self.kind == PolicyKind::Mutating {
            error.message.clone_from(&text);
        }
        error.details.causes = vec![Cause::message(text)];
        error
    }

    /// Whether a policy that fails denies requests.
    pub(super) fn denies_on_failure(&self) -> bool {
        self.policy.text(&["spec", "failurePolicy"]) != "Ignore"
    }

    /// The objects that a policy gets as `params`: none that it does not ask for.
    ///
    /// # Errors
    /// There must be one, and there is none.
    pub(super) fn params(
        &self,
        request: &Request<'_>,
        api: &ApiServer,
    ) -> Result<Vec<Option<Arc<Object>>>, PolicyError> {
        let wanted = &self.policy["spec"]["paramKind"];
        let reference = &self.binding["spec"]["paramRef"];
        if wanted.is_null() || reference.is_null() {
            return Ok(vec![None]);
        }
        let kind = GroupVersionKind::of(wanted.text(&["apiVersion"]), wanted.text(&["kind"]));
        let namespace = match reference.text(&["namespace"]) {
            "" => request.about().namespace(),
            namespace => namespace,
        };
        let name = reference.text(&["name"]);
        let selector =
            LabelSelector::of_object(reference.get("selector")).unwrap_or_else(|_| LabelSelector::nothing());
        let is_meant = |object: &&Arc<Object>| {
            let is_here = object.namespace().is_empty() || object.namespace() == namespace;
            is_here && if name.is_empty() { selector.matches_object(object) } else { object.name() == name }
        };
        let found: Vec<_> = api
            .all(&kind.group, &kind.kind)
            .filter(is_meant)
            .map(|object| Some(Arc::clone(object)))
            .collect();
        match (found.is_empty(), reference.text(&["parameterNotFoundAction"])) {
            (false, _) => Ok(found),
            (true, "Allow") => Ok(Vec::new()),
            (true, _) => Err(PolicyError::NoParams),
        }
    }
}

/// Whether `matchConstraints` or `matchResources` mean a request; absent ones mean all.
fn is_constrained(constraints: &Value, request: &Request<'_>, api: &ApiServer) -> bool {
    let (rules, excluded) =
        (constraints.list(&["resourceRules"]), constraints.list(&["excludeResourceRules"]));
    let is_named = |rules: &[Value]| {
        let name = request.about().name();
        let has_name = |rule: &&Value| {
            let names = rule.list(&["resourceNames"]);
            names.is_empty() || names.iter().any(|one| one == name)
        };
        rules.iter().filter(has_name).any(|rule| request.fits_rules(std::slice::from_ref(rule)))
    };
    (rules.is_empty() || is_named(rules)) && !is_named(excluded) && request.fits_selectors(constraints, api)
}

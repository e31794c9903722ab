//! Writes that need more than the right to write: which kind is checked for what, and when.
//!
//! The API server has these checks in storages that wrap others (`policybased`), in the strategies of kinds and in admission
//! plugins. Here they are one table that every write passes in [`check`], by whatever verb and whoever sends it.

use super::user::User;
use super::{RBAC_GROUP, certificates, escalation, owner_references, policy_parameters};
use crate::api::{ApiServer, Subresource};
use crate::error::ApiError;
use crate::kind::Kind;
use crate::object::Object;

/// A write that is allowed by its verb.
#[derive(Debug, Clone, Copy)]
pub struct Write<'w> {
    /// Who writes.
    pub user: &'w User,
    /// The kind of the object.
    pub kind: &'w Kind,
    /// The part of the object that is written.
    pub subresource: Subresource,
    /// The name in the path of the request; empty if the path is that of a collection.
    pub name_in_path: &'w str,
    /// What is stored; absent for what is created.
    pub before: Option<&'w Object>,
    /// What is to be stored.
    pub object: &'w Object,
}

impl Write<'_> {
    /// The refusal `roles.rbac.authorization.k8s.io "x" is forbidden: …`.
    pub(super) fn forbidden(&self, cause: &str) -> ApiError {
        let name = crate::admission::shown_name(self.object);
        ApiError::forbidden(&self.kind.group, &self.kind.plural, name, cause)
    }
}

/// Where in the way of a write a check stands, which decides what a write that is wrong in several ways is refused for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// In a storage around the real one: before anything is validated.
    Storage,
    /// In the strategy of the kind, or in admission: once the object is valid.
    Valid,
}

/// What a kind is checked for.
struct Rule {
    stage: Stage,
    group: &'static str,
    /// Empty for every kind.
    kinds: &'static [&'static str],
    subresource: Subresource,
    check: fn(&Write<'_>, &ApiServer) -> Result<(), ApiError>,
}

const ADMISSION: &str = "admissionregistration.k8s.io";
const CERTIFICATES: &str = "certificates.k8s.io";
const REQUESTS: &[&str] = &["CertificateSigningRequest"];

/// Every check, in the order in which the API server makes them.
static RULES: [Rule; 8] = [
    Rule {
        stage: Stage::Storage,
        group: RBAC_GROUP,
        kinds: &["Role", "ClusterRole"],
        subresource: Subresource::None,
        check: |write, api| escalation::check_role(write, api.authorizer()),
    },
    Rule {
        stage: Stage::Storage,
        group: RBAC_GROUP,
        kinds: &["RoleBinding", "ClusterRoleBinding"],
        subresource: Subresource::None,
        check: |write, api| escalation::check_binding(write, api.authorizer()),
    },
    Rule {
        stage: Stage::Valid,
        group: ADMISSION,
        kinds: &["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"],
        subresource: Subresource::None,
        check: policy_parameters::check_policy,
    },
    Rule {
        stage: Stage::Valid,
        group: ADMISSION,
        kinds: &["ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicyBinding"],
        subresource: Subresource::None,
        check: policy_parameters::check_binding,
    },
    Rule {
        stage: Stage::Valid,
        group: CERTIFICATES,
        kinds: REQUESTS,
        subresource: Subresource::Approval,
        check: |write, api| certificates::check_approval(write, api.authorizer()),
    },
    Rule {
        stage: Stage::Valid,
        group: CERTIFICATES,
        kinds: REQUESTS,
        subresource: Subresource::Status,
        check: |write, api| certificates::check_signing(write, api.authorizer()),
    },
    Rule {
        stage: Stage::Valid,
        group: CERTIFICATES,
        kinds: REQUESTS,
        subresource: Subresource::None,
        check: |write, _| certificates::check_subject(write),
    },
    Rule {
        stage: Stage::Valid,
        group: "",
        kinds: &[],
        subresource: Subresource::None,
        check: |write, api| owner_references::check_write(write, api.authorizer(), api.registry()),
    },
];

/// Refuses a write that grants, reveals or signs more than its writer may.
///
/// # Errors
/// The API server's refusal.
pub fn check(stage: Stage, write: &Write<'_>, api: &ApiServer) -> Result<(), ApiError> {
    let is_about = |rule: &&Rule| {
        rule.stage == stage
            && rule.subresource == write.subresource
            && (rule.kinds.is_empty()
                || rule.group == write.kind.group && rule.kinds.contains(&write.kind.kind.as_str()))
    };
    RULES.iter().filter(is_about).try_for_each(|rule| (rule.check)(write, api))
}

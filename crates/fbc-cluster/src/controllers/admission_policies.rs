//! What validating admission policies say about themselves: up to which generation their expressions were looked at.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/validatingadmissionpolicystatus/controller.go`.

use serde_json::json;

use super::write::{outcome, update_status};
use crate::api::ApiServer;
use crate::engine::{Controller, Outcome};
use crate::object::{ObjectFields, ObjectName};

const GROUP: &str = "admissionregistration.k8s.io";
const KIND: &str = "ValidatingAdmissionPolicy";

/// Writes the status of policies. Types are not checked: no warnings are found.
#[derive(Debug, Default)]
pub struct AdmissionPolicies;

impl Controller for AdmissionPolicies {
    fn name(&self) -> &'static str {
        "validatingadmissionpolicy-status-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, KIND)]
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(policy) = api.find(GROUP, KIND, request).cloned() else { return Outcome::Done };
        let generation = policy.generation();
        if policy.number(&["status", "observedGeneration"]) == Some(generation) {
            return Outcome::Done;
        }
        let status = json!({"observedGeneration": generation, "typeChecking": {}});
        outcome(update_status(api, &policy, status))
    }
}

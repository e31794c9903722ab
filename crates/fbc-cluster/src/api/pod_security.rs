//! Pod security in the way of writes: pods are refused, workloads warned of, labels of namespaces checked.
//!
//! Source: `kubernetes/pod-security-admission:admission/admission.go`.

use super::{ApiServer, Subresource};
use crate::admission::pod_security::{
    Policy, is_looked_at, is_significant, judge, namespace_warnings, template,
};
use crate::error::ApiError;
use crate::kind::Kind;
use crate::object::{Object, ObjectFields, ObjectName};

impl ApiServer {
    /// Refuses a pod that its namespace does not let be, and warns of workloads whose pods would be refused.
    pub(super) fn check_pod_security(
        &self,
        kind: &Kind,
        before: Option<&Object>,
        object: &Object,
        subresource: Subresource,
    ) -> Result<(), ApiError> {
        if kind.group.is_empty() && kind.kind == "Namespace" {
            return if subresource == Subresource::None { self.check_labels(before, object) } else { Ok(()) };
        }
        let is_pod = kind.group.is_empty() && kind.kind == "Pod";
        let judged = match (is_pod, before) {
            (true, Some(before)) if !is_looked_at(subresource.name()) || !is_significant(before, object) => {
                None
            }
            (true, _) => Some(object),
            (false, _) if subresource != Subresource::None => None,
            (false, _) => template(&kind.group, &kind.kind, object),
        };
        let Some(judged) = judged else { return Ok(()) };
        let Some(namespace) = self.find("", "Namespace", &ObjectName::cluster(object.namespace())) else {
            return Ok(());
        };
        let (policy, _) = Policy::of(namespace);
        if policy.is_fully_privileged() {
            return Ok(());
        }
        let verdict = judge(&policy, judged, is_pod, self.kubernetes.minor);
        self.warnings.add(verdict.warning.into_iter().collect());
        match verdict.refusal {
            Some(cause) => Err(ApiError::forbidden(&kind.group, &kind.plural, object.name(), &cause)),
            None => Ok(()),
        }
    }

    /// Refuses labels that say nothing, and warns of pods that new ones would refuse.
    fn check_labels(&self, before: Option<&Object>, namespace: &Object) -> Result<(), ApiError> {
        let (policy, errors) = Policy::of(namespace);
        let before = before.map(Policy::of);
        if !errors.is_empty() && before.as_ref().is_none_or(|(_, known)| *known != errors) {
            return Err(ApiError::invalid("", "Namespace", namespace.name(), errors));
        }
        if let Some((before, _)) = before {
            let pods = self.inside("Pod", namespace.name()).into_iter();
            self.warnings.add(namespace_warnings(
                namespace.name(),
                &before.enforce,
                &policy.enforce,
                pods,
                self.kubernetes.minor,
            ));
        }
        Ok(())
    }
}

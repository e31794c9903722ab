//! Which rules hold for which kind.

use super::autoscaler::validate_autoscaler;
use super::certificate_requests::validate_certificate_request;
use super::claims::{validate_claim_spec, validate_claim_update};
use super::ingress::validate_ingress;
use super::jobs::{validate_cron_job, validate_job_spec};
use super::metadata::{validate_metadata, validate_metadata_update};
use super::nodes::validate_node;
use super::others::{
    validate_binding, validate_binding_update, validate_budget, validate_configuration,
    validate_configuration_update, validate_priority_class, validate_priority_class_update, validate_role,
    validate_service, validate_service_update,
};
use super::pod_update::validate_pod_update;
use super::pods::validate_pod;
use super::webhook_configurations::validate_webhooks;
use super::workloads::{validate_workload, validate_workload_update};
use crate::error::FieldError;
use crate::kind::Kind;
use crate::object::{Object, ObjectFields};

/// What is wrong with an object of a built-in kind that is created, after [`super::default`].
pub fn validate(kind: &Kind, object: &Object) -> Vec<FieldError> {
    let mut errors = validate_metadata(kind, object);
    if object.kind() == "CronJob" {
        errors.extend(validate_cron_job(None, object));
    }
    errors.extend(validate_body(object));
    errors
}

/// What is wrong with an object of a built-in kind that is changed, after [`super::default`].
pub fn validate_update(kind: &Kind, old: &Object, new: &Object) -> Vec<FieldError> {
    let mut errors = validate_metadata_update(kind, old, new);
    match new.kind() {
        // Whole pods are validated again, and then what must not change.
        "Pod" => {
            errors.extend(validate_body(new));
            errors.extend(validate_pod_update(old, new));
            return errors;
        }
        "RoleBinding" | "ClusterRoleBinding" => errors.extend(validate_binding_update(old, new)),
        "Service" => errors.extend(validate_service_update(old, new)),
        "PersistentVolumeClaim" => errors.extend(validate_claim_update(old, new)),
        "ConfigMap" | "Secret" => errors.extend(validate_configuration_update(old, new)),
        "CronJob" => errors.extend(validate_cron_job(Some(old), new)),
        "PriorityClass" => {
            errors.extend(validate_priority_class_update(old, new));
            return errors;
        }
        "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet" | "Job" => {
            errors.extend(validate_workload_update(old, new));
        }
        _ => {}
    }
    errors.extend(validate_body(new));
    errors
}

fn validate_body(object: &Object) -> Vec<FieldError> {
    match object.kind() {
        "Node" => validate_node(object),
        "Pod" => validate_pod(object),
        "PersistentVolumeClaim" => validate_claim_spec(&object["spec"], "spec"),
        "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet" => validate_workload(object),
        "Job" => validate_job_spec(&object["spec"], "spec"),
        "Service" => validate_service(object),
        "ConfigMap" | "Secret" => validate_configuration(object),
        "Role" | "ClusterRole" => validate_role(object),
        "RoleBinding" | "ClusterRoleBinding" => validate_binding(object),
        "PodDisruptionBudget" => validate_budget(object),
        "HorizontalPodAutoscaler" => validate_autoscaler(object),
        "Ingress" => validate_ingress(object),
        "CertificateSigningRequest" => validate_certificate_request(object),
        "PriorityClass" => validate_priority_class(object),
        "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration" => validate_webhooks(object),
        _ => Vec::new(),
    }
}

//! Deployments.
//!
//! Source: `operator-framework/operator-controller:…/render/registryv1/generators/generators.go`.

use std::collections::BTreeSet;

use fbc_kubernetes::types::named::DEPLOYMENT;
use fbc_yaml::Node;
use serde_json::{Map, Value, json};

use super::certificates::certificate_of;
use super::json::{change_list, each, member, tree_of};
use super::{Deployment, Object, Plan, deployment_configuration};

/// Where a deployment with webhooks finds its certificate.
struct CertificateVolume {
    name: &'static str,
    path: &'static str,
    certificate_file: &'static str,
    key_file: &'static str,
}

/// The volumes that such a deployment gets, whether or not it serves that sort of webhook.
const CERTIFICATE_VOLUMES: [CertificateVolume; 2] = [
    CertificateVolume {
        name: "webhook-cert",
        path: "/tmp/k8s-webhook-server/serving-certs",
        certificate_file: "tls.crt",
        key_file: "tls.key",
    },
    CertificateVolume {
        name: "apiservice-cert",
        path: "/apiserver.local.config/certificates",
        certificate_file: "apiserver.crt",
        key_file: "apiserver.key",
    },
];

/// The deployments of the install strategy.
pub(super) fn deployments(plan: &Plan<'_>) -> Vec<Object> {
    let with_webhooks: BTreeSet<&str> = plan.operator.webhooks().map(|webhook| webhook.deployment).collect();
    let deployment = |deployment: Deployment<'_>| {
        let mut value = base(plan, deployment);
        if with_webhooks.contains(deployment.name) && plan.certificate_provider.is_some() {
            mount_certificates(&mut value, &certificate_of(deployment.name).name);
        }
        if let Some(configuration) = plan.configuration {
            deployment_configuration::apply(&mut value, configuration);
        }
        Object::typed(&value, DEPLOYMENT)
    };
    plan.operator.deployments().map(deployment).collect()
}

/// The deployments of the install strategy in 4.19.
pub(super) fn deployments_ocp_4_19(plan: &Plan<'_>) -> Vec<Object> {
    plan.operator.deployments().map(|deployment| Object::typed(&base(plan, deployment), DEPLOYMENT)).collect()
}

/// A deployment with what OLM adds to every one. The pods get the annotations of the cluster service
/// version, as if OLM's older generation had copied them from there. What upstream publishes also adds
/// `olm.operatorNamespace`; what OpenShift ships does not.
fn base(plan: &Plan<'_>, deployment: Deployment<'_>) -> Value {
    let mut spec = deployment.spec.to_json();
    let own = deployment.spec.get("template").and_then(|template| template.get("metadata"));
    let own = own.and_then(|metadata| metadata.get("annotations"));
    let mut merged: Map<String, Value> =
        plan.bundle.annotations.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
    merged.extend(
        own.into_iter().flat_map(Node::members).map(|(key, value)| (key.to_owned(), value.to_json())),
    );
    merged.insert("olm.targetNamespaces".to_owned(), json!(plan.targets.join(",")));
    if plan.names_operator_namespace {
        merged.insert("olm.operatorNamespace".to_owned(), json!(plan.namespace));
    }
    *member(member(member(&mut spec, "template"), "metadata"), "annotations") = Value::Object(merged);
    *member(&mut spec, "revisionHistoryLimit") = json!(1);
    json!({
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        "metadata": {
            "name": deployment.name,
            "namespace": plan.namespace,
            "labels": tree_of(deployment.labels),
        },
        "spec": spec,
    })
}

/// The specification of a deployment's pods.
pub(super) fn pod_spec(deployment: &mut Value) -> &mut Value {
    member(member(member(deployment, "spec"), "template"), "spec")
}

/// The text of a member.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Replaces whatever is mounted where certificates belong by the secret of the certificate.
fn mount_certificates(deployment: &mut Value, secret: &str) {
    let pod = pod_spec(deployment);
    let mut replaced: BTreeSet<String> =
        CERTIFICATE_VOLUMES.iter().map(|volume| volume.name.to_owned()).collect();
    for container in each(pod, "containers") {
        let at_paths = each(container, "volumeMounts")
            .filter(|mount| CERTIFICATE_VOLUMES.iter().any(|volume| volume.path == text(mount, "mountPath")));
        replaced.extend(at_paths.map(|mount| text(mount, "name").to_owned()));
    }
    let is_kept = |value: &Value| !replaced.contains(text(value, "name"));
    change_list(pod, "volumes", |volumes| {
        volumes.retain(is_kept);
        volumes.extend(CERTIFICATE_VOLUMES.iter().map(|volume| {
            json!({ "name": volume.name, "secret": { "secretName": secret, "items": [
                { "key": "tls.crt", "path": volume.certificate_file },
                { "key": "tls.key", "path": volume.key_file },
            ] } })
        }));
    });
    for container in each(pod, "containers") {
        change_list(container, "volumeMounts", |mounts| {
            mounts.retain(is_kept);
            mounts.extend(
                CERTIFICATE_VOLUMES
                    .iter()
                    .map(|volume| json!({ "name": volume.name, "mountPath": volume.path })),
            );
        });
    }
}

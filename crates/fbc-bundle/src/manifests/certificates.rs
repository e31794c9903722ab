//! Certificates for webhooks: who makes them, and what that takes.
//!
//! Sources: `operator-framework/operator-controller:…/rukpak/render/certprovider.go` and `…/certproviders`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::json::member;
use super::names::name_with_suffix;
use super::{Object, Plan};

/// Who provides certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateProvider {
    /// cert-manager.
    CertManager,
    /// The service CA of OpenShift.
    OpenShiftServiceCa,
}

/// How long a certificate lasts: two years.
const DURATION: &str = "17520h0m0s";

/// How long before its end a certificate is renewed.
const RENEW_BEFORE: &str = "24h0m0s";

/// The names of what serves the webhooks of a deployment.
pub(super) struct Certificate {
    /// The service in front of the deployment.
    pub(super) service: String,
    /// The certificate and its secret.
    pub(super) name: String,
}

/// The names for a deployment; they are those of OLM's older generation.
pub(super) fn certificate_of(deployment: &str) -> Certificate {
    let service = name_with_suffix(&deployment.replace('.', "-"), "service");
    let name = name_with_suffix(&service, "cert");
    Certificate { service, name }
}

/// The annotation on webhook configurations and custom resource definitions that lets the provider put
/// its certificate there.
pub(super) fn injection(plan: &Plan<'_>, certificate: &Certificate) -> Option<(&'static str, String)> {
    Some(match plan.certificate_provider? {
        CertificateProvider::CertManager => {
            ("cert-manager.io/inject-ca-from", format!("{}/{}", plan.namespace, certificate.name))
        }
        CertificateProvider::OpenShiftServiceCa => {
            ("service.beta.openshift.io/inject-cabundle", "true".to_owned())
        }
    })
}

/// Annotates a service whose certificate OpenShift shall make.
pub(super) fn annotate_service(plan: &Plan<'_>, certificate: &Certificate, service: &mut Value) {
    if plan.certificate_provider == Some(CertificateProvider::OpenShiftServiceCa) {
        let annotations = member(member(service, "metadata"), "annotations");
        *member(annotations, "service.beta.openshift.io/serving-cert-secret-name") =
            Value::String(certificate.name.clone());
    }
}

/// The objects that cert-manager needs: an issuer and a certificate for each deployment with webhooks.
pub(super) fn certificates(plan: &Plan<'_>) -> Vec<Object> {
    if plan.certificate_provider != Some(CertificateProvider::CertManager) {
        return Vec::new();
    }
    let deployments: BTreeSet<&str> = plan.operator.webhooks().map(|webhook| webhook.deployment).collect();
    deployments
        .into_iter()
        .flat_map(|deployment| {
            let Certificate { service, name } = certificate_of(deployment);
            let namespace = plan.namespace;
            let issuer_name = name_with_suffix(&name, "selfsigned-issuer");
            let host = format!("{service}.{namespace}");
            let issuer = json!({
                "apiVersion": "cert-manager.io/v1",
                "kind": "Issuer",
                "metadata": { "name": issuer_name, "namespace": namespace },
                "spec": { "selfSigned": {} },
                "status": {},
            });
            let certificate = json!({
                "apiVersion": "cert-manager.io/v1",
                "kind": "Certificate",
                "metadata": { "name": name, "namespace": namespace },
                "spec": {
                    "secretName": name,
                    "commonName": host,
                    "usages": ["server auth"],
                    "dnsNames": [host, format!("{host}.svc"), format!("{host}.svc.cluster.local")],
                    "issuerRef": { "name": issuer_name },
                    "duration": DURATION,
                    "renewBefore": RENEW_BEFORE,
                },
                "status": {},
            });
            [Object::untyped(&issuer), Object::untyped(&certificate)]
        })
        .collect()
}

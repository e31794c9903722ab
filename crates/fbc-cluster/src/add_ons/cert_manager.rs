//! A stand-in for cert-manager: issuers are ready at once, certificates are issued as soon as their issuer is there, and
//! certificates of authorities are injected.
//!
//! Sources: `cert-manager/cert-manager:pkg/controller/{issuers,certificates}`, `pkg/controller/cainjector`.

use serde_json::{Value, json};

use super::ca_injection::{CaInjector, TARGETS};
use super::certificate;
use crate::api::{ApiServer, Caller, WriteOptions};
use crate::controllers::write::{outcome, set_observed_condition, update_status_as};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;

/// The kinds of cert-manager.
pub(super) const KINDS: &str = include_str!("cert_manager.kinds");
const GROUP: &str = "cert-manager.io";
/// The namespace of the secrets of cluster issuers.
pub(super) const NAMESPACE: &str = "cert-manager";

/// The controllers of cert-manager.
pub(super) fn controllers() -> Vec<Box<dyn Controller>> {
    let mut all: Vec<Box<dyn Controller>> = vec![Box::new(Issuers), Box::new(Certificates)];
    let caller = Caller::service_account(NAMESPACE, "cert-manager-cainjector", "cert-manager-cainjector");
    for target in TARGETS {
        all.push(Box::new(CaInjector::new(target, privileged(caller.clone()), injected)));
    }
    all
}

fn privileged(mut caller: Caller) -> Caller {
    caller.user.groups.push("system:masters".to_owned());
    caller
}

fn caller() -> Caller {
    privileged(Caller::service_account(NAMESPACE, "cert-manager", "cert-manager-certificates-issuing"))
}

/// The certificate that an object asks for: `cert-manager.io/inject-ca-from: NAMESPACE/CERTIFICATE`, or
/// `inject-ca-from-secret: NAMESPACE/SECRET`, or `inject-apiserver-ca`.
fn injected(api: &ApiServer, object: &Object) -> Option<String> {
    if object.annotation("cert-manager.io/inject-apiserver-ca") == Some("true") {
        return Some(certificate::authority());
    }
    let name =
        |text: &str| text.split_once('/').map(|(namespace, name)| ObjectName::namespaced(namespace, name));
    let secret = match object.annotation("cert-manager.io/inject-ca-from") {
        Some(text) => {
            let name = name(text)?;
            let found = api.find(GROUP, "Certificate", &name)?;
            ObjectName::namespaced(&name.namespace, found.text(&["spec", "secretName"]))
        }
        None => name(object.annotation("cert-manager.io/inject-ca-from-secret")?)?,
    };
    let secret = api.find("", "Secret", &secret)?;
    Some(secret.at(&["data", "ca.crt"])?.as_str()?.to_owned())
}

/// Says of every issuer that it is ready.
#[derive(Debug)]
struct Issuers;

impl Controller for Issuers {
    fn name(&self) -> &'static str {
        "cert-manager-issuers"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, "Issuer"), (GROUP, "ClusterIssuer")]
    }

    fn requests(
        &mut self,
        change: &Change,
        _kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        requests.extend(change.after.is_some().then(|| change.key.name.clone()));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let kind = if request.namespace.is_empty() { "ClusterIssuer" } else { "Issuer" };
        let Some(issuer) = api.find(GROUP, kind, request).cloned() else { return Outcome::Done };
        let condition = ("Ready", "True", "IsReady", "Signing CA verified");
        outcome(set_ready_condition(api, &issuer, condition))
    }
}

/// Issues certificates into secrets.
#[derive(Debug)]
struct Certificates;

impl Controller for Certificates {
    fn name(&self) -> &'static str {
        "cert-manager-certificates"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, "Certificate"), (GROUP, "Issuer"), (GROUP, "ClusterIssuer"), ("", "Secret")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        let concerns = |certificate: &Object| match kind.1 {
            "Secret" => {
                certificate.namespace() == name.namespace
                    && certificate.text(&["spec", "secretName"]) == name.name
            }
            "Issuer" | "ClusterIssuer" => issuer_of(certificate) == (kind.1.to_owned(), name.clone()),
            _ => false,
        };
        match kind.1 {
            "Certificate" => requests.extend(change.after.is_some().then(|| name.clone())),
            // Only a secret that goes away is to be made again.
            "Secret" if change.after.is_some() => {}
            _ => {
                let concerned = api.all(GROUP, "Certificate").filter(|certificate| concerns(certificate));
                requests.extend(concerned.map(|certificate| certificate.object_name()));
            }
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(certificate) = api.find(GROUP, "Certificate", request).cloned() else {
            return Outcome::Done;
        };
        outcome(issue(api, &certificate))
    }
}

/// Kind and name of the issuer of a certificate.
fn issuer_of(certificate: &Object) -> (String, ObjectName) {
    let reference = &certificate["spec"]["issuerRef"];
    let name = reference.text(&["name"]);
    match reference.text(&["kind"]) {
        "ClusterIssuer" => ("ClusterIssuer".to_owned(), ObjectName::cluster(name)),
        _ => ("Issuer".to_owned(), ObjectName::namespaced(certificate.namespace(), name)),
    }
}

fn issue(api: &mut ApiServer, certificate: &std::sync::Arc<Object>) -> Result<(), ApiError> {
    let (kind, issuer) = issuer_of(certificate);
    if api.find(GROUP, &kind, &issuer).is_none() {
        let text = "Issuing certificate as Secret does not exist";
        return set_ready_condition(api, certificate, ("Ready", "False", "DoesNotExist", text));
    }
    let secret = certificate.text(&["spec", "secretName"]);
    let name = ObjectName::namespaced(certificate.namespace(), secret);
    if api.find("", "Secret", &name).is_none() {
        api.create(&caller(), secret_of(certificate, &kind, &issuer.name), WriteOptions::default())?;
    }
    let text = "Certificate is up to date and has not expired";
    set_ready_condition(api, certificate, ("Ready", "True", "Ready", text))
}

fn secret_of(certificate: &Object, issuer_kind: &str, issuer: &str) -> Value {
    let labels = certificate.at(&["spec", "secretTemplate", "labels"]).cloned().unwrap_or_else(|| json!({}));
    let mut secret = json!({
        "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
        "metadata": {
            "name": certificate["spec"]["secretName"], "namespace": certificate.namespace(),
            "annotations": {
                "cert-manager.io/certificate-name": certificate.name(),
                "cert-manager.io/issuer-kind": issuer_kind, "cert-manager.io/issuer-name": issuer,
            },
            "labels": labels,
        },
        "data": certificate::secret_data(true),
    });
    secret.set(&["metadata", "labels", "controller.cert-manager.io/fao"], "true");
    secret
}

/// Writes one condition into the status of an object.
fn set_ready_condition(
    api: &mut ApiServer,
    object: &std::sync::Arc<Object>,
    condition: (&str, &str, &str, &str),
) -> Result<(), ApiError> {
    let mut conditions = object.list(&["status", "conditions"]).to_vec();
    set_observed_condition(&mut conditions, api.now(), object.generation(), condition);
    let mut status = object.get("status").cloned().unwrap_or_else(|| json!({}));
    status.set(&["conditions"], conditions);
    update_status_as(&caller(), api, object, status).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::add_ons::{AddOn, open_definition};
    use crate::control_plane::api_server;
    use crate::engine::Cluster;
    use crate::time::{MINUTE, Moment, SECOND};

    #[test]
    fn certificates_are_issued_and_injected() {
        let mut api = api_server(&["sea"], 1, Moment::START);
        for kind in AddOn::CertManager.kinds() {
            api.install_definition(open_definition(&kind)).unwrap();
        }
        let mut cluster = Cluster::new(api);
        AddOn::CertManager
            .controllers()
            .into_iter()
            .for_each(|controller| cluster.add_controller(controller));
        let meta = |name: &str| json!({"name": name, "namespace": "sea"});
        for object in [
            json!({
                "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
                "metadata": {"name": "watch", "annotations": {"cert-manager.io/inject-ca-from": "sea/serving"}},
                "webhooks": [{
                    "name": "watch.sea.example", "sideEffects": "None", "admissionReviewVersions": ["v1"],
                    "clientConfig": {"service": {"name": "watch", "namespace": "sea"}},
                }],
            }),
            json!({
                "apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": meta("serving"),
                "spec": {"secretName": "serving-cert", "issuerRef": {"name": "own", "kind": "Issuer"}},
            }),
        ] {
            cluster.api.create(&Caller::administrator("test"), object, WriteOptions::default()).unwrap();
        }
        cluster.run_until_still(SECOND, cluster.now() + MINUTE).unwrap();
        let ready = |cluster: &Cluster| {
            let name = ObjectName::namespaced("sea", "serving");
            cluster.api.find(GROUP, "Certificate", &name).unwrap().condition_status("Ready").to_owned()
        };
        assert_eq!(ready(&cluster), "False");
        let issuer = json!({
            "apiVersion": "cert-manager.io/v1", "kind": "Issuer", "metadata": meta("own"), "spec": {"selfSigned": {}},
        });
        cluster.api.create(&Caller::administrator("test"), issuer, WriteOptions::default()).unwrap();
        cluster.run_until_still(SECOND, cluster.now() + MINUTE).unwrap();
        assert_eq!(ready(&cluster), "True");
        assert!(cluster.api.find("", "Secret", &ObjectName::namespaced("sea", "serving-cert")).is_some());
        let webhook = ObjectName::cluster("watch");
        let found = cluster
            .api
            .find("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", &webhook)
            .unwrap();
        assert_eq!(found["webhooks"][0]["clientConfig"]["caBundle"], certificate::authority());
    }
}

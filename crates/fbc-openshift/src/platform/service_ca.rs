//! The service CA: certificates for services that ask for them, and its own certificate for whoever asks for that.
//!
//! Source: `openshift/service-ca-operator:pkg/controller/{servingcert,cabundleinjector}`.

use fbc_cluster::add_ons::ca_injection::{CaInjector, TARGETS};
use fbc_cluster::add_ons::certificate;
use fbc_cluster::api::{ApiServer, Caller, Subresource, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use serde_json::json;

/// Annotations of services with the name of the secret that they want.
const SERVING: [&str; 2] = [
    "service.beta.openshift.io/serving-cert-secret-name",
    "service.alpha.openshift.io/serving-cert-secret-name",
];
/// Annotations of what wants the certificate of the authority.
const INJECTED: [&str; 2] =
    ["service.beta.openshift.io/inject-cabundle", "service.alpha.openshift.io/inject-cabundle"];

/// The controllers of the service CA.
pub(super) fn controllers() -> Vec<Box<dyn Controller>> {
    let mut all: Vec<Box<dyn Controller>> = vec![Box::new(ServingCertificates), Box::new(ConfigMaps)];
    for target in TARGETS {
        all.push(Box::new(CaInjector::new(target, caller(), injected)));
    }
    all
}

fn caller() -> Caller {
    Caller::administrator("service-ca-operator")
}

fn injected(_: &ApiServer, object: &Object) -> Option<String> {
    wants_authority(object).then(certificate::authority)
}

fn wants_authority(object: &Object) -> bool {
    INJECTED.iter().any(|key| object.annotation(key) == Some("true"))
}

/// Makes the secrets that services ask for.
#[derive(Debug)]
struct ServingCertificates;

impl Controller for ServingCertificates {
    fn name(&self) -> &'static str {
        "service-ca-serving-certificates"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Service"), ("", "Secret")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        if kind.1 == "Service" {
            requests.extend(change.after.is_some().then(|| name.clone()));
        } else if change.after.is_none() {
            let services = api.all("", "Service").filter(|service| {
                service.namespace() == name.namespace && wanted_secret(service) == Some(name.name.as_str())
            });
            requests.extend(services.map(|service| service.object_name()));
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(service) = api.find("", "Service", request).cloned() else { return Outcome::Done };
        let Some(secret) = wanted_secret(&service) else { return Outcome::Done };
        let name = ObjectName::namespaced(&request.namespace, secret);
        if service.is_terminating() || api.find("", "Secret", &name).is_some() {
            return Outcome::Done;
        }
        let secret = json!({
            "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
            "data": certificate::secret_data(false),
            "metadata": {
                "name": name.name, "namespace": name.namespace,
                "annotations": {
                    "service.beta.openshift.io/originating-service-name": service.name(),
                    "service.beta.openshift.io/originating-service-uid": service.uid(),
                },
                "ownerReferences": [{
                    "apiVersion": "v1", "kind": "Service", "name": service.name(), "uid": service.uid(),
                }],
            },
        });
        outcome(api.create(&caller(), secret, WriteOptions::default()).map(drop))
    }
}

fn wanted_secret(service: &Object) -> Option<&str> {
    SERVING.iter().find_map(|key| service.annotation(key))
}

/// Writes the certificate of the authority into config maps that ask for it.
#[derive(Debug)]
struct ConfigMaps;

impl Controller for ConfigMaps {
    fn name(&self) -> &'static str {
        "service-ca-config-maps"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "ConfigMap")]
    }

    fn requests(&mut self, change: &Change, _: (&str, &str), _: &ApiServer, requests: &mut Vec<ObjectName>) {
        let asks = change.after.as_ref().is_some_and(|map| wants_authority(map));
        requests.extend(asks.then(|| change.key.name.clone()));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(present) = api.find("", "ConfigMap", request).cloned() else { return Outcome::Done };
        let data = json!({"service-ca.crt": certificate::AUTHORITY});
        if present.get("data") == Some(&data) {
            return Outcome::Done;
        }
        let mut object = Object::clone(&present);
        object.set(&["data"], data);
        outcome(api.update(&caller(), object, Subresource::None, WriteOptions::default()).map(drop))
    }
}

fn outcome(result: Result<(), ApiError>) -> Outcome {
    match result {
        Ok(()) => Outcome::Done,
        Err(error) if error.is_not_found() => Outcome::Done,
        Err(error) => Outcome::Failed(error.message),
    }
}

//! What every namespace gets: the service account `default`, and the certificates of the cluster's authority.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/serviceaccount/serviceaccounts_controller.go`,
//! `pkg/controller/certificates/rootcacertpublisher/publisher.go`.

use serde_json::{Value, json};

use super::write::{create, outcome, update};
use crate::api::ApiServer;
use crate::engine::{Controller, Outcome};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;

/// The name of the config map with the authority's certificates.
const ROOT_CERTIFICATES: &str = "kube-root-ca.crt";
/// Keeps the service account `default` in every namespace.
#[derive(Debug, Default)]
pub struct ServiceAccounts;

/// Keeps the config map `kube-root-ca.crt` in every namespace.
#[derive(Debug, Default)]
pub struct RootCertificates;

impl Controller for ServiceAccounts {
    fn name(&self) -> &'static str {
        "serviceaccount-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Namespace"), ("", "ServiceAccount")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        requests.extend(concerned_namespace(change, kind, "default"));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let name = ObjectName::namespaced(&request.name, "default");
        if !is_active(api, request) || api.find("", "ServiceAccount", &name).is_some() {
            return Outcome::Done;
        }
        outcome(create(
            api,
            json!({
                "apiVersion": "v1", "kind": "ServiceAccount",
                "metadata": {"name": "default", "namespace": request.name},
            }),
        ))
    }
}

impl Controller for RootCertificates {
    fn name(&self) -> &'static str {
        "root-ca-cert-publisher"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Namespace"), ("", "ConfigMap")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        requests.extend(concerned_namespace(change, kind, ROOT_CERTIFICATES));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        if !is_active(api, request) {
            return Outcome::Done;
        }
        let name = ObjectName::namespaced(&request.name, ROOT_CERTIFICATES);
        let data = json!({"ca.crt": api.root_certificate()});
        let Some(present) = api.find("", "ConfigMap", &name) else {
            return outcome(create(api, certificates(&request.name, data)));
        };
        if present.get("data") == Some(&data) {
            return Outcome::Done;
        }
        let mut object = Object::clone(present);
        object.set(&["data"], data);
        outcome(update(api, object))
    }
}

fn certificates(namespace: &str, data: Value) -> Object {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "data": data,
        "metadata": {
            "name": ROOT_CERTIFICATES, "namespace": namespace,
            "annotations": {
                "kubernetes.io/description": "Contains a CA bundle that can be used to verify the kube-apiserver when \
                    using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage \
                    is guaranteed across distributions of Kubernetes clusters."
            },
        },
    })
}

/// The namespace to look at: a new one, or that of the object of this name when it is changed or taken away.
fn concerned_namespace(change: &Change, kind: (&str, &str), name: &str) -> Option<ObjectName> {
    if kind.1 == "Namespace" {
        return change.before.is_none().then(|| change.key.name.clone());
    }
    let is_meant = change.key.name.name == name && change.before.is_some();
    is_meant.then(|| ObjectName::cluster(&change.key.name.namespace))
}

fn is_active(api: &ApiServer, namespace: &ObjectName) -> bool {
    api.find("", "Namespace", namespace).is_some_and(|namespace| !namespace.is_terminating())
}

//! What OpenShift puts into every namespace: accounts of builds and deployments, and the service CA's certificate.
//!
//! Sources: `openshift/openshift-controller-manager:pkg/serviceaccounts/controllers/serviceaccounts_controller.go`,
//! `openshift/cluster-kube-controller-manager-operator` (the publisher of `openshift-service-ca.crt`).

use fbc_cluster::add_ons::certificate;
use fbc_cluster::api::{ApiServer, Caller, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use serde_json::{Value, json};

const ACCOUNTS: [&str; 2] = ["builder", "deployer"];
const CERTIFICATE: &str = "openshift-service-ca.crt";

/// Keeps the accounts in every namespace.
#[derive(Debug)]
pub(super) struct Accounts;

/// Keeps the config map with the service CA's certificate in every namespace.
#[derive(Debug)]
pub(super) struct Certificates;

impl Controller for Accounts {
    fn name(&self) -> &'static str {
        "openshift-service-accounts"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Namespace"), ("", "ServiceAccount")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        requests.extend(concerned(change, kind, &ACCOUNTS));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        for name in ACCOUNTS {
            let account = json!({"apiVersion": "v1", "kind": "ServiceAccount"});
            if let Err(error) = keep(api, request, name, account) {
                return Outcome::Failed(error.message);
            }
        }
        Outcome::Done
    }
}

impl Controller for Certificates {
    fn name(&self) -> &'static str {
        "service-ca-certificate-publisher"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Namespace"), ("", "ConfigMap")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        requests.extend(concerned(change, kind, &[CERTIFICATE]));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"service-ca.crt": certificate::AUTHORITY}});
        match keep(api, request, CERTIFICATE, map) {
            Ok(()) => Outcome::Done,
            Err(error) => Outcome::Failed(error.message),
        }
    }
}

/// The namespace to look at: a new one, or that of an object of ours that is gone.
fn concerned(change: &Change, kind: (&str, &str), names: &[&str]) -> Option<ObjectName> {
    if kind.1 == "Namespace" {
        return change.before.is_none().then(|| change.key.name.clone());
    }
    let is_ours = change.after.is_none() && names.contains(&change.key.name.name.as_str());
    is_ours.then(|| ObjectName::cluster(&change.key.name.namespace))
}

/// Makes an object in a namespace unless it is there, or the namespace is not.
fn keep(api: &mut ApiServer, namespace: &ObjectName, name: &str, mut object: Value) -> Result<(), ApiError> {
    let is_active = api.find("", "Namespace", namespace).is_some_and(|found| !found.is_terminating());
    let place = ObjectName::namespaced(&namespace.name, name);
    if !is_active || api.find("", object.kind(), &place).is_some() {
        return Ok(());
    }
    object["metadata"] = json!({"name": name, "namespace": namespace.name});
    let caller = Caller::administrator("openshift-controller-manager");
    api.create(&caller, object, WriteOptions::default()).map(drop)
}

//! APIServices of an operator, and whether everything behind them is in order.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/install/apiservice.go`,
//! `pkg/controller/operators/olm/apiservices.go`.

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_go::base64;
use serde_json::{Value, json};

use super::super::csv::disruption::is_disrupted;
use super::super::csv::object::{api_service_name, api_services, original, phase, replaces};
use super::super::csv::requirements::is_served;
use super::super::owners::{is_managed, labelled_version, managed_labels};
use super::certificates::{authority_hash, decoded, is_certificate};
use super::{
    Failure, KUBE_SYSTEM, auth_delegator_name, auth_reader_name, configuration, secret_name, service_name,
};
use crate::client::Client;
use crate::names::{API_REGISTRATION, CA_HASH, RBAC};
use crate::options::Target;

const KIND: &str = "APIService";

/// Makes an APIService, or takes it over.
pub fn install(
    client: &mut Client<'_>,
    version: &Object,
    description: &Value,
    authority: &[u8],
) -> Result<(), Failure> {
    let name = api_service_name(description);
    let mut object = match client.get(API_REGISTRATION, KIND, "", &name) {
        Some(existing) if is_adoptable(client.api, version, &existing) => Object::clone(&existing),
        Some(_) => return Err(format!("pre-existing APIService {name} is not adoptable").into()),
        None => {
            let mut object = json!({
                "apiVersion": format!("{API_REGISTRATION}/v1"), "kind": KIND, "metadata": {"name": name},
                "spec": {
                    "group": description["group"], "version": description["version"],
                    "groupPriorityMinimum": 2000, "versionPriority": 15,
                },
            });
            let subscription = configuration::subscription(client.api, version);
            let annotations =
                subscription.as_ref().and_then(|one| one.given(&["spec", "config", "annotations"]));
            if let Some(annotations) = annotations {
                object.set(&["metadata", "annotations"], annotations.clone());
            }
            object
        }
    };
    for (key, value) in managed_labels(version) {
        object.set(&["metadata", "labels", &key], value);
    }
    let port = description.number(&["containerPort"]).filter(|port| *port > 0).unwrap_or(443);
    let service = service_name(description.text(&["deploymentName"]));
    object
        .set(&["spec", "service"], json!({"namespace": version.namespace(), "name": service, "port": port}));
    object.set(&["spec", "caBundle"], base64::encode(authority));
    client.replace(object)?;
    Ok(())
}

/// Whether an APIService may be taken over: its labels name this operator, the one that it replaces, or one on its way out.
pub fn is_adoptable(api: &ApiServer, version: &Object, service: &Object) -> bool {
    let Some(owner) = labelled_version(service) else { return false };
    if owner.namespace == version.namespace() && owner.name == version.name() {
        return true;
    }
    let is_replaced = owner.namespace == version.namespace()
        && owner.name == replaces(version)
        && original(api, &owner.namespace, &owner.name).is_some();
    is_replaced
        || original(api, &owner.namespace, &owner.name)
            .is_some_and(|current| ["Replacing", "Deleting"].contains(&phase(&current)))
}

/// Whether an APIService of the operator belongs to somebody else.
pub fn has_conflict(api: &ApiServer, version: &Object) -> bool {
    let owned = api_services(version, &["owned"]).into_iter();
    let found = owned.filter_map(|(name, _)| api.find(API_REGISTRATION, KIND, &ObjectName::cluster(name)));
    found.into_iter().any(|service| !is_adoptable(api, version, service))
}

/// The certificate of the authority that an APIService is checked with, as base64.
pub fn authority(client: &Client<'_>, description: &Value) -> Option<String> {
    let found = client.get(API_REGISTRATION, KIND, "", &api_service_name(description))?;
    Some(found.text(&["spec", "caBundle"]).to_owned()).filter(|bundle| !bundle.is_empty())
}

/// How the APIServices of an operator answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// All do.
    Available,
    /// One does not.
    Missing,
    /// Pods are being moved: it will answer soon.
    Disrupted,
    /// What they serve cannot be found out.
    Unknown(String),
}

/// Whether all APIServices of an operator answer (V0-154).
pub fn availability(api: &ApiServer, target: Target, version: &Object) -> Availability {
    for description in version.list(&["spec", "apiservicedefinitions", "owned"]) {
        let name = ObjectName::cluster(api_service_name(description));
        let Some(found) = api.find(API_REGISTRATION, KIND, &name) else { return Availability::Missing };
        if found.condition_status("Available") != "True" {
            let is_passing = target >= Target::Ocp421 && is_disrupted(api, version);
            return if is_passing { Availability::Disrupted } else { Availability::Missing };
        }
        if !is_served(api, description) {
            let (group, wanted) = (description.text(&["group"]), description.text(&["version"]));
            let mut kinds = api.registry().iter().map(|(_, kind)| kind);
            let is_known =
                kinds.any(|kind| kind.group == group && kind.versions.iter().any(|one| one == wanted));
            return match is_known {
                true => Availability::Missing,
                false => Availability::Unknown("the server could not find the requested resource".to_owned()),
            };
        }
    }
    Availability::Available
}

/// What is wrong with the resources behind APIServices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Damage {
    messages: Vec<String>,
    /// Whether one belongs to somebody else.
    pub is_foreign: bool,
}

impl Damage {
    fn add(&mut self, message: String) {
        if !self.messages.contains(&message) {
            self.messages.push(message);
        }
    }

    /// All that is wrong, as Go joins errors.
    pub fn text(&self) -> String {
        match self.messages.as_slice() {
            [only] => only.clone(),
            several => format!("[{}]", several.join(", ")),
        }
    }
}

/// Looks at everything behind the APIServices of an operator (V0-153).
///
/// # Errors
/// What is wrong.
pub fn check(client: &Client<'_>, version: &Object) -> Result<(), Damage> {
    let mut damage = Damage::default();
    for (name, description) in api_services(version, &["owned"]) {
        let Some(service) = client.get(API_REGISTRATION, KIND, "", &name) else {
            damage.add(missing("apiservice.apiregistration.k8s.io", &name));
            continue;
        };
        if !is_adoptable(client.api, version, &service) {
            damage.add(format!("{name} is unadoptable"));
            damage.is_foreign = true;
            break;
        }
        check_one(client, version, &service, description.text(&["deploymentName"]), &mut damage);
    }
    if damage.messages.is_empty() { Ok(()) } else { Err(damage) }
}

fn missing(resource: &str, name: &str) -> String {
    format!("{resource} {name:?} not found")
}

fn check_one(
    client: &Client<'_>,
    version: &Object,
    api_service: &Object,
    deployment: &str,
    damage: &mut Damage,
) {
    let namespace = version.namespace();
    let managed = |group: &str, kind: &str, namespace: &str, name: &str| {
        client.get(group, kind, namespace, name).filter(|one| is_managed(one))
    };
    let service = service_name(deployment);
    if managed("", "Service", namespace, &service).is_none() {
        return damage.add(missing("service", &service));
    }
    let reference = |field| api_service.text(&["spec", "service", field]);
    if reference("name") != service || reference("namespace") != namespace {
        return damage.add("found APIService and service reference mismatch".to_owned());
    }
    let bundle = api_service.at(&["spec", "caBundle"]);
    if !is_certificate(bundle) {
        return damage.add("cert PEM empty".to_owned());
    }
    let secret = secret_name(&service);
    let Some(found) = managed("", "Secret", namespace, &secret) else {
        return damage.add(missing("secret", &secret));
    };
    if !is_certificate(found.at(&["data", "tls.crt"])) {
        return damage.add("cert PEM empty".to_owned());
    }
    let hash = authority_hash(&decoded(bundle.and_then(Value::as_str).unwrap_or_default()));
    if found.annotation(CA_HASH) != Some(&*hash) {
        return damage.add(format!("secret {secret} CA cert hash does not match expected"));
    }
    let Some(found) = managed("apps", "Deployment", namespace, deployment) else {
        return damage.add(missing("deployment.apps", deployment));
    };
    if found.text(&["spec", "template", "metadata", "annotations", CA_HASH]) != hash {
        return damage.add(format!("deployment {deployment} CA cert hash does not match expected"));
    }
    let account = match found.text(&["spec", "template", "spec", "serviceAccountName"]) {
        "" => "default",
        account => account,
    };
    if client.get("", "ServiceAccount", namespace, account).is_none() {
        damage.add(missing("serviceaccounts", account));
    }
    for (kind, namespace, name) in [
        ("Role", namespace, secret.clone()),
        ("RoleBinding", namespace, secret),
        ("ClusterRoleBinding", "", auth_delegator_name(&service)),
        ("RoleBinding", KUBE_SYSTEM, auth_reader_name(&service)),
    ] {
        if managed(RBAC, kind, namespace, &name).is_none() {
            damage.add(missing(&format!("{}.{RBAC}", kind.to_lowercase()), &name));
        }
    }
}

//! Labels that say to which operator something belongs: on a Subscription, what it installed, and all that this owns.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/adoption_controller.go`.

use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use serde_json::{Value, json};

use super::csv::object::{has_copy_label, originals};
use super::operators::{component_kinds, is_seen, label, names};
use super::owners::{is_labelled_by, is_managed, is_owned_by, labelled_version, referenced_versions};
use crate::Options;
use crate::client::Client;
use crate::names::{
    API_REGISTRATION, CLUSTER_SERVICE_VERSION, EXTENSIONS, GROUP, INSTALL_PLAN, OPERATOR_CONDITION, OWNER,
    RBAC, SUBSCRIPTION,
};

/// Labels an object; one that has the label or is gone needs nothing.
fn adopt(client: &mut Client<'_>, object: Option<&Object>, label: &str) -> Result<(), ApiError> {
    let Some(object) = object.filter(|object| object.label(label).is_none()) else { return Ok(()) };
    match client.merge(object, json!({"metadata": {"labels": {label: ""}}})) {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}

/// Takes a label away.
fn disown(client: &mut Client<'_>, object: &Object, label: &str) -> Result<(), ApiError> {
    let labels = object.at(&["metadata", "labels"]).and_then(Value::as_object);
    let is_last = labels.is_none_or(|labels| labels.len() < 2);
    let change = if is_last { Value::Null } else { json!({label: null}) };
    client.merge(object, json!({"metadata": {"labels": change}})).map(drop)
}

/// Labels Subscriptions, and what they installed.
pub struct Subscriptions {
    caller: Caller,
}

impl Subscriptions {
    /// The controller of an installation of OLM.
    pub fn new(options: &Options) -> Self {
        Self { caller: options.olm_operator() }
    }

    fn look(&self, api: &mut ApiServer, subscription: &Object) -> Result<(), ApiError> {
        let package = subscription.text(&["spec", "name"]);
        if package.is_empty() {
            return Ok(());
        }
        let namespace = subscription.namespace();
        let label = label(&format!("{package}.{namespace}"));
        let mut client = Client::new(api, &self.caller);
        adopt(&mut client, Some(subscription), &label)?;
        let installed = subscription.text(&["status", "installedCSV"]);
        let version = client.get(GROUP, CLUSTER_SERVICE_VERSION, namespace, installed);
        adopt(&mut client, version.as_deref(), &label)?;
        let Some(reference) = subscription.given(&["status", "installPlanRef"]) else { return Ok(()) };
        let (namespace, latest) = (reference.text(&["namespace"]), reference.text(&["name"]));
        let plan = client.get(GROUP, INSTALL_PLAN, namespace, latest);
        adopt(&mut client, plan.as_deref(), &label)?;
        // Older plans belong to it no more.
        let Some(id) = client.api.kind_id(GROUP, INSTALL_PLAN) else { return Ok(()) };
        let labelled = client.api.store().with_label(id, &label, "");
        let older: Vec<Arc<Object>> =
            labelled.filter(|plan| plan.namespace() == namespace && plan.name() != latest).cloned().collect();
        older.iter().try_for_each(|plan| disown(&mut client, plan, &label))
    }
}

impl Controller for Subscriptions {
    fn name(&self) -> &'static str {
        "subscription-adoption"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, SUBSCRIPTION), (GROUP, CLUSTER_SERVICE_VERSION), (GROUP, INSTALL_PLAN)]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        if kind.1 == SUBSCRIPTION {
            requests.push(name.clone());
        } else if let Some(id) = api.kind_id(GROUP, SUBSCRIPTION) {
            let all = api.store().in_namespace(id, &name.namespace);
            requests.extend(all.map(|subscription| subscription.object_name()));
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(found) = api.find(GROUP, SUBSCRIPTION, request).cloned() else { return Outcome::Done };
        match self.look(api, &found) {
            Ok(()) => Outcome::Done,
            Err(error) => Outcome::Failed(error.message),
        }
    }

    fn events_end_waits(&self) -> bool {
        true
    }
}

/// Passes the labels of ClusterServiceVersions on to all that they own, and to the definitions that they bring.
pub struct Components {
    caller: Caller,
}

impl Components {
    /// The controller of an installation of OLM.
    pub fn new(options: &Options) -> Self {
        Self { caller: options.olm_operator() }
    }

    fn look(&self, api: &mut ApiServer, version: &Object) -> Result<(), ApiError> {
        let labels: Vec<String> = names(version).map(label).collect();
        if labels.is_empty() {
            return Ok(());
        }
        let mut client = Client::new(api, &self.caller);
        let parts = parts(client.api, version);
        for label in &labels {
            for part in &parts {
                adopt(&mut client, Some(part), label)?;
            }
        }
        Ok(())
    }
}

/// Everything that a ClusterServiceVersion owns, and its definitions.
fn parts(api: &ApiServer, version: &Object) -> Vec<Arc<Object>> {
    let owned: Vec<_> = api.store().owned_by(version.uid()).collect();
    let mut parts: Vec<Arc<Object>> = Vec::new();
    for kind in component_kinds() {
        let Some(id) = api.kind_id(kind.0, kind.1) else { continue };
        let referenced = owned.iter().filter(|(key, _)| key.kind == id).map(|(_, object)| *object);
        let labelled = api.store().with_label(id, OWNER, version.name());
        let labelled = labelled.filter(|one| is_labelled_by(one, version) && !is_owned_by(one, version));
        parts.extend(referenced.chain(labelled).filter(|one| is_seen(kind, one)).cloned());
    }
    for owned in version.list(&["spec", "customresourcedefinitions", "owned"]) {
        let name = ObjectName::cluster(owned.text(&["name"]));
        let definition = api.find(EXTENSIONS, "CustomResourceDefinition", &name);
        parts.extend(definition.filter(|one| is_managed(one)).cloned());
    }
    parts
}

impl Controller for Components {
    fn name(&self) -> &'static str {
        "component-adoption"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (GROUP, CLUSTER_SERVICE_VERSION),
            ("apps", "Deployment"),
            ("", "Namespace"),
            ("", "Service"),
            (EXTENSIONS, "CustomResourceDefinition"),
            (API_REGISTRATION, "APIService"),
            (GROUP, SUBSCRIPTION),
            (GROUP, OPERATOR_CONDITION),
            ("", "Secret"),
            ("", "ConfigMap"),
            ("", "ServiceAccount"),
            (RBAC, "Role"),
            (RBAC, "RoleBinding"),
            (RBAC, "ClusterRole"),
            (RBAC, "ClusterRoleBinding"),
        ]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        match kind {
            (GROUP, CLUSTER_SERVICE_VERSION) => {
                let is_original = change.after.as_ref().is_some_and(|version| !has_copy_label(version));
                requests.extend(is_original.then(|| name.clone()));
            }
            (EXTENSIONS, _) => {
                let brings = |version: &Object| {
                    let owned = version.list(&["spec", "customresourcedefinitions", "owned"]);
                    owned.iter().any(|one| one["name"] == name.name)
                };
                let all = originals(api, "").into_iter().filter(|version| brings(version));
                requests.extend(all.map(|version| version.object_name()));
            }
            _ => {
                for object in
                    [&change.before, &change.after].into_iter().flatten().filter(|one| is_seen(kind, one))
                {
                    if object.namespace().is_empty() {
                        requests.extend(labelled_version(object));
                    } else {
                        requests.extend(referenced_versions(object));
                    }
                }
            }
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(found) = api.find(GROUP, CLUSTER_SERVICE_VERSION, request).cloned() else {
            return Outcome::Done;
        };
        match self.look(api, &found) {
            Ok(()) => Outcome::Done,
            Err(error) => Outcome::Failed(error.message),
        }
    }

    fn events_end_waits(&self) -> bool {
        true
    }
}

//! OperatorConditions: one for each ClusterServiceVersion, with the rights to write it, and the status that upgrades ask.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/operatorconditiongenerator_controller.go`,
//! `operatorcondition_controller.go`.

use fbc_cluster::api::{ApiServer, Caller};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use serde_json::{Value, json};

use super::csv::object::{deployments, has_copy_label, is_readable};
use super::install::configuration::items;
use super::owners::{is_managed, is_owned_by, reference, referenced_versions};
use crate::Options;
use crate::client::Client;
use crate::names::{CLUSTER_SERVICE_VERSION, GROUP, MANAGED, OPERATOR_CONDITION, RBAC, V2};

/// The variable by which an operator finds its condition.
const VARIABLE: &str = "OPERATOR_CONDITION_NAME";

/// Makes OperatorConditions.
pub struct Generator {
    caller: Caller,
}

impl Generator {
    /// The controller of an installation of OLM.
    pub fn new(options: &Options) -> Self {
        Self { caller: options.olm_operator() }
    }
}

/// The condition that a ClusterServiceVersion is to have.
fn wanted(version: &Object) -> Object {
    let list = |which: &str| version.list(&["spec", "install", "spec", which]).iter();
    let accounts = list("clusterPermissions").chain(list("permissions"));
    let mut accounts: Vec<&str> =
        accounts.map(|one| one.text(&["serviceAccountName"])).filter(|name| !name.is_empty()).collect();
    if accounts.is_empty() {
        accounts.push("default");
    }
    let deployments = deployments(version).iter().map(|one| one.text(&["name"]));
    json!({
        "apiVersion": V2, "kind": OPERATOR_CONDITION,
        "metadata": {
            "name": version.name(), "namespace": version.namespace(),
            "ownerReferences": [reference(version, true)],
        },
        "spec": {
            "serviceAccounts": accounts,
            "deployments": deployments.filter(|name| !name.is_empty()).collect::<Vec<_>>(),
        },
    })
}

impl Generator {
    fn ensure(&self, api: &mut ApiServer, version: &Object) -> Result<(), ApiError> {
        let wanted = wanted(version);
        let mut client = Client::new(api, &self.caller);
        let Some(found) = client.get(GROUP, OPERATOR_CONDITION, version.namespace(), version.name()) else {
            return client.create(wanted).map(drop);
        };
        let parts =
            [&["metadata", "ownerReferences"][..], &["spec", "deployments"], &["spec", "serviceAccounts"]];
        let of = |object: &Object, part: &[&str]| object.list(part).to_vec();
        if parts.iter().all(|part| of(&found, part) == of(&wanted, part)) {
            return Ok(());
        }
        let mut object = Object::clone(&found);
        for part in parts {
            object.set(part, of(&wanted, part));
        }
        client.update(object).map(drop)
    }
}

impl Controller for Generator {
    fn name(&self) -> &'static str {
        "operator-condition-generator"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, CLUSTER_SERVICE_VERSION), (GROUP, OPERATOR_CONDITION)]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let Some(object) = change.after.as_ref().or(change.before.as_ref()) else { return };
        if kind.1 == CLUSTER_SERVICE_VERSION {
            requests.extend((!has_copy_label(object)).then(|| change.key.name.clone()));
        } else {
            requests.extend(referenced_versions(object));
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let found = api.find(GROUP, CLUSTER_SERVICE_VERSION, request).cloned();
        let Some(version) = found.filter(|found| is_readable(found) && !has_copy_label(found)) else {
            return Outcome::Done;
        };
        match self.ensure(api, &version) {
            Ok(()) => Outcome::Done,
            Err(error) => Outcome::Failed(error.message),
        }
    }

    fn events_end_waits(&self) -> bool {
        true
    }
}

/// Gives operators the rights to write their conditions, and copies what they write into the status.
pub struct Conditions {
    caller: Caller,
}

impl Conditions {
    /// The controller of an installation of OLM.
    pub fn new(options: &Options) -> Self {
        Self { caller: options.olm_operator() }
    }

    fn look(&self, api: &mut ApiServer, condition: &Object) -> Result<(), ApiError> {
        let mut client = Client::new(api, &self.caller);
        ensure_rights(&mut client, condition)?;
        for name in condition.list(&["spec", "deployments"]).iter().filter_map(Value::as_str) {
            let found = client.get("apps", "Deployment", condition.namespace(), name);
            let Some(found) = found.filter(|found| is_managed(found)) else {
                // The Deployment wakes this controller when it comes.
                return Ok(());
            };
            if referenced_versions(&found).next().is_some_and(|owner| owner.name == condition.name()) {
                ensure_variable(&mut client, condition, &found)?;
            }
        }
        sync_status(&mut client, condition)
    }
}

fn ensure_rights(client: &mut Client<'_>, condition: &Object) -> Result<(), ApiError> {
    let (name, namespace) = (condition.name(), condition.namespace());
    let metadata = json!({
        "name": name, "namespace": namespace, "labels": {MANAGED: "true"},
        "ownerReferences": [reference(condition, true)],
    });
    let rule = json!({
        "verbs": ["get", "update", "patch"], "apiGroups": [GROUP], "resources": ["operatorconditions"],
        "resourceNames": [name],
    });
    let accounts = condition.list(&["spec", "serviceAccounts"]).iter();
    let subjects: Vec<Value> = accounts.map(|name| json!({"kind": "ServiceAccount", "name": name})).collect();
    let rbac = format!("{RBAC}/v1");
    let role = json!({"apiVersion": rbac, "kind": "Role", "metadata": metadata, "rules": [rule]});
    let binding = json!({
        "apiVersion": rbac, "kind": "RoleBinding", "metadata": metadata, "subjects": subjects,
        "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": name},
    });
    for (wanted, fields) in [(role, &["rules"][..]), (binding, &["subjects", "roleRef"])] {
        let found = client.get(RBAC, wanted.kind(), namespace, name).filter(|found| is_managed(found));
        let Some(found) = found else {
            client.replace(wanted)?;
            continue;
        };
        if is_owned_by(&found, condition) && fields.iter().all(|field| found[*field] == wanted[*field]) {
            continue;
        }
        let mut object = Object::clone(&found);
        object.set(&["metadata", "ownerReferences"], wanted["metadata"]["ownerReferences"].clone());
        for field in fields {
            object.set(&[field], wanted[*field].clone());
        }
        client.update(object)?;
    }
    Ok(())
}

fn ensure_variable(client: &mut Client<'_>, condition: &Object, deployment: &Object) -> Result<(), ApiError> {
    let mut object = deployment.clone();
    for container in items(object.place(&["spec", "template", "spec"]), "containers") {
        let variable = json!({"name": VARIABLE, "value": condition.name()});
        super::install::configuration::inject_variables(container, &[variable]);
    }
    if object == *deployment {
        return Ok(());
    }
    client.update(object).map(drop)
}

fn sync_status(client: &mut Client<'_>, condition: &Object) -> Result<(), ApiError> {
    let generation = condition.generation();
    let now = client.api.now().to_string();
    let mut conditions = condition.list(&["status", "conditions"]).to_vec();
    let mut has_changed = false;
    for wanted in condition.list(&["spec", "conditions"]) {
        let place = conditions.iter().position(|one| one["type"] == wanted["type"]);
        let current = place.and_then(|place| conditions.get(place));
        let is_same_status = current.is_some_and(|current| current["status"] == wanted["status"]);
        if is_same_status
            && current.and_then(|current| current.number(&["observedGeneration"])) == Some(generation)
        {
            continue;
        }
        let mut new = wanted.clone();
        new.set(&["observedGeneration"], generation);
        let since = match current.filter(|_| is_same_status) {
            Some(current) => current["lastTransitionTime"].clone(),
            None => new.given(&["lastTransitionTime"]).cloned().unwrap_or_else(|| now.as_str().into()),
        };
        new.set(&["lastTransitionTime"], since);
        match place.and_then(|place| conditions.get_mut(place)) {
            Some(place) => *place = new,
            None => conditions.push(new),
        }
        has_changed = true;
    }
    if !has_changed {
        return Ok(());
    }
    client.update_status(condition, json!({"conditions": conditions})).map(drop)
}

impl Controller for Conditions {
    fn name(&self) -> &'static str {
        "operator-conditions"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, OPERATOR_CONDITION), (RBAC, "Role"), (RBAC, "RoleBinding"), ("apps", "Deployment")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let Some(object) = change.after.as_ref().or(change.before.as_ref()) else { return };
        match kind {
            (GROUP, _) => requests.push(change.key.name.clone()),
            (RBAC, _) => {
                let owner = object.controller().filter(|owner| owner.kind() == OPERATOR_CONDITION);
                requests.extend(
                    owner.map(|owner| ObjectName::namespaced(object.namespace(), owner.text(&["name"]))),
                );
            }
            _ => requests.extend(referenced_versions(object).next()),
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(condition) = api.find(GROUP, OPERATOR_CONDITION, request).cloned() else {
            return Outcome::Done;
        };
        match self.look(api, &condition) {
            Ok(()) => Outcome::Done,
            Err(error) => Outcome::Failed(error.message),
        }
    }

    fn events_end_waits(&self) -> bool {
        true
    }
}

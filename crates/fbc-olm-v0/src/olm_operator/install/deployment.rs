//! The Deployments of an operator: how they are made of a ClusterServiceVersion, and whether they are ready.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/install/{deployment,status_viewer}.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_kubernetes::types::Named;
use serde_json::{Map, Value, json};

use super::super::hash::deep_hash;
use super::super::owners::{is_labelled_by, is_managed, managed_labels, reference};
use super::configuration::{inject, inject_variables, items};
use crate::look_error::{LookError, fail};
use crate::names::DEPLOYMENT_SPEC_HASH;

const SPEC: Named = Named::new("apps", "DeploymentSpec");

/// A Deployment that a ClusterServiceVersion asks for.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Its name.
    pub name: String,
    /// Its specification.
    pub spec: Value,
    labels: Map<String, Value>,
}

/// The Deployments that a ClusterServiceVersion asks for, as it has them.
pub fn wanted(version: &Object) -> Vec<Wanted> {
    let all = version.list(&["spec", "install", "spec", "deployments"]).iter();
    all.map(|one| Wanted {
        name: one.text(&["name"]).to_owned(),
        spec: one.get("spec").cloned().unwrap_or_else(|| json!({})),
        labels: one.at(&["label"]).and_then(Value::as_object).cloned().unwrap_or_default(),
    })
    .collect()
}

/// The Deployment that is to be, and the hash of its specification. Shows V0-100.
pub fn build(api: &ApiServer, version: &Object, wanted: &Wanted) -> (Object, String) {
    let mut labels = wanted.labels.clone();
    labels.extend(managed_labels(version));
    let mut deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {
            "name": wanted.name, "namespace": version.namespace(),
            "ownerReferences": [reference(version, false)],
        },
        "spec": wanted.spec,
    });
    deployment.set(&["metadata", "labels"], labels);
    for (key, value) in
        version.at(&["metadata", "annotations"]).and_then(Value::as_object).into_iter().flatten()
    {
        deployment.set(&["spec", "template", "metadata", "annotations", key], value.clone());
    }
    inject(api, version, &mut deployment);
    let condition = [json!({"name": "OPERATOR_CONDITION_NAME", "value": version.name()})];
    for container in items(deployment.place(&["spec", "template", "spec"]), "containers") {
        inject_variables(container, &condition);
    }
    deployment.set(&["spec", "revisionHistoryLimit"], 1);
    let hash = deep_hash(&deployment["spec"], SPEC);
    deployment.set(&["metadata", "labels", DEPLOYMENT_SPEC_HASH], hash.as_str());
    (deployment, hash)
}

/// The Deployments in the namespace whose labels name a ClusterServiceVersion.
pub fn labelled(api: &ApiServer, version: &Object) -> BTreeMap<String, Arc<Object>> {
    let Some(id) = api.kind_id("apps", "Deployment") else { return BTreeMap::new() };
    let all = api.store().in_namespace(id, version.namespace());
    all.filter(|one| is_managed(one) && is_labelled_by(one, version))
        .map(|one| (one.name().to_owned(), Arc::clone(one)))
        .collect()
}

/// What is wrong with Deployments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// What kind of trouble.
    pub kind: TroubleKind,
    /// In words.
    pub message: String,
}

/// Kinds of trouble, which decide what becomes of the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TroubleKind {
    /// It may pass, or be installed once more.
    Waiting,
    /// It is not what it is to be: installing once more helps.
    Changed,
    /// It took too long.
    Expired,
}

fn trouble(kind: TroubleKind, message: String) -> Trouble {
    Trouble { kind, message }
}

/// Whether all Deployments are there, ready and as they are to be.
///
/// # Errors
/// The first thing that is wrong, by the order of the list.
pub fn check(api: &ApiServer, version: &Object, wanted: &[Wanted]) -> Result<(), Trouble> {
    let existing = labelled(api, version);
    for one in wanted {
        let name = &one.name;
        let Some(found) = existing.get(name) else {
            return Err(trouble(TroubleKind::Waiting, format!("missing deployment with name={name}")));
        };
        match readiness(found) {
            Ok(None) => {}
            Ok(Some(why)) => {
                let text = format!("waiting for deployment {name} to become ready: {why}");
                return Err(trouble(TroubleKind::Waiting, text));
            }
            Err(why) => {
                let text = format!("deployment {name} not ready before timeout: {why}");
                return Err(trouble(TroubleKind::Expired, text));
            }
        }
        check_annotations(version, found)?;
        let Some(old) = found.label(DEPLOYMENT_SPEC_HASH) else {
            let text = format!("deployment {name} doesn't have a spec hash, update it");
            return Err(trouble(TroubleKind::Changed, text));
        };
        // Shows V0-149.
        let (_, new) = build(api, version, one);
        if old != new {
            let text = format!("deployment changed old hash={old}, new hash={new}");
            return Err(trouble(TroubleKind::Changed, text));
        }
    }
    Ok(())
}

/// Shows V0-146.
fn check_annotations(version: &Object, deployment: &Object) -> Result<(), Trouble> {
    let expected = version.at(&["metadata", "annotations"]).and_then(Value::as_object);
    let found = deployment.at(&["spec", "template", "metadata", "annotations"]);
    for (key, value) in expected.into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        let text = match found.map(|found| found.get(key).and_then(Value::as_str)) {
            None => "no annotations found on deployment".to_owned(),
            Some(None) => format!("annotations on deployment does not contain expected key: {key}"),
            Some(Some(actual)) if actual != value => {
                format!("unexpected annotation on deployment. Expected {key}:{value}, found {key}:{actual}")
            }
            Some(Some(_)) => continue,
        };
        return Err(trouble(TroubleKind::Changed, text));
    }
    Ok(())
}

/// Why a Deployment is not ready, if it is not; an error if it took too long. Shows V0-106, V0-108.
fn readiness(deployment: &Object) -> Result<Option<String>, LookError> {
    let name = deployment.name();
    let count = |field| deployment.number(&["status", field]).unwrap_or_default();
    if deployment.generation() > count("observedGeneration") {
        return Ok(Some(format!("waiting for spec update of deployment {name:?} to be observed...")));
    }
    let progressing = deployment.condition("Progressing");
    if progressing.is_some_and(|condition| condition["reason"] == "ProgressDeadlineExceeded") {
        return fail(format!("deployment {name:?} exceeded its progress deadline"));
    }
    let outdated = count("replicas") - count("updatedReplicas");
    if outdated > 0 {
        return Ok(Some(format!(
            "deployment {name:?} waiting for {outdated} outdated replica(s) to be terminated"
        )));
    }
    let why = match deployment.condition("Available") {
        Some(available) if available["status"] == "True" => return Ok(None),
        Some(available) => available.text(&["message"]),
        None => "missing condition \"Available\"",
    };
    Ok(Some(format!("deployment {name:?} not available: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deployments_are_ready_when_their_conditions_say_so() {
        let deployment =
            |status: Value| json!({"metadata": {"name": "web", "generation": 2}, "status": status});
        let available = json!({"type": "Available", "status": "True"});
        let late = json!({"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"});
        for (status, expected) in [
            (json!({}), Ok(Some("waiting for spec update of deployment \"web\" to be observed..."))),
            (
                json!({"observedGeneration": 2}),
                Ok(Some("deployment \"web\" not available: missing condition \"Available\"")),
            ),
            (json!({"observedGeneration": 2, "conditions": [available]}), Ok(None)),
            (
                json!({"observedGeneration": 2, "replicas": 3, "updatedReplicas": 1, "conditions": [available]}),
                Ok(Some("deployment \"web\" waiting for 2 outdated replica(s) to be terminated")),
            ),
            (
                json!({"observedGeneration": 2, "conditions": [{"type": "Available", "status": "False", "message": "none"}]}),
                Ok(Some("deployment \"web\" not available: none")),
            ),
            (
                json!({"observedGeneration": 2, "conditions": [available, late]}),
                fail("deployment \"web\" exceeded its progress deadline"),
            ),
        ] {
            let result = readiness(&deployment(status.clone()));
            assert_eq!(result, expected.map(|why: Option<&str>| why.map(str::to_owned)), "{status}");
        }
    }
}

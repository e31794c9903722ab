//! How InstallPlans come about.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/catalog/operator.go`
//! (`ensureInstallPlan`, `createInstallPlan`).

use std::collections::BTreeSet;
use std::sync::Arc;

use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::plans::generation;
use super::resolution::in_namespace;
use crate::client::Client;
use crate::names::{CLUSTER_SERVICE_VERSION, INSTALL_PLAN, SUBSCRIPTION, V1ALPHA1};

/// A plan that is wanted.
pub(super) struct Order<'o> {
    pub(super) namespace: &'o str,
    pub(super) generation: i64,
    /// All Subscriptions of the namespace.
    pub(super) subscriptions: &'o [Arc<Object>],
    pub(super) steps: Vec<Value>,
    pub(super) lookups: Vec<Value>,
}

impl Order<'_> {
    /// Makes the plan, or finds the one of that generation. None if there is nothing to do.
    pub(super) fn ensure(self, client: &mut Client<'_>) -> Result<Option<Arc<Object>>, ApiError> {
        if self.steps.is_empty() && self.lookups.is_empty() {
            return Ok(None);
        }
        let existing = in_namespace(client.api, INSTALL_PLAN, self.namespace);
        if let Some(plan) = existing.into_iter().find(|plan| generation(plan) == self.generation) {
            return Ok(Some(plan));
        }
        // Shows V0-006 and V0-063.
        let is_manual =
            self.subscriptions.iter().any(|one| one.text(&["spec", "installPlanApproval"]) == "Manual");
        let of_versions =
            self.steps.iter().filter(|step| step.text(&["resource", "kind"]) == CLUSTER_SERVICE_VERSION);
        let names: Vec<&str> = of_versions.map(|step| step.text(&["resource", "name"])).collect();
        let sources: BTreeSet<&str> =
            self.steps.iter().map(|step| step.text(&["resource", "sourceName"])).collect();
        let owners: Vec<Value> = self
            .subscriptions
            .iter()
            .map(|one| {
                json!({
                    "apiVersion": one.api_version(), "kind": SUBSCRIPTION, "name": one.name(), "uid": one.uid(),
                    "controller": false, "blockOwnerDeletion": false,
                })
            })
            .collect();
        let plan = client.create(json!({
            "apiVersion": V1ALPHA1, "kind": INSTALL_PLAN,
            "metadata": {"generateName": "install-", "namespace": self.namespace, "ownerReferences": owners},
            "spec": {
                "clusterServiceVersionNames": names, "approval": if is_manual { "Manual" } else { "Automatic" },
                "approved": !is_manual, "generation": self.generation,
            },
        }))?;
        let mut status = json!({
            "phase": if is_manual { "RequiresApproval" } else { "Installing" },
            "catalogSources": sources, "plan": self.steps,
        });
        if !self.lookups.is_empty() {
            status["bundleLookups"] = Value::Array(self.lookups);
        }
        client.update_status(&plan, status).map(Some)
    }
}

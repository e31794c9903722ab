//! What a plan creates: steps, each with a manifest.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/registry/resolver/steps.go`.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_go::json::escape_html;
use fbc_kubernetes::types::Named;
use fbc_kubernetes::types::named::{
    CLUSTER_ROLE, CLUSTER_ROLE_BINDING, CLUSTER_SERVICE_VERSION as VERSION, ROLE, ROLE_BINDING,
    SERVICE_ACCOUNT,
};
use fbc_resolve_v0::{GeneratedSubscription, SourceKey};
use serde_json::{Value, json};

use super::permissions;
use crate::go_json;
use crate::names::{CLUSTER_SERVICE_VERSION, GROUP, PROPERTIES, RBAC, SUBSCRIPTION};

/// The kind by which plans tell Secrets of bundles from those that they copy.
pub(super) const BUNDLE_SECRET: &str = "BundleSecret";

/// Why no steps can be made of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum StepsError {
    /// Nothing but other content helps.
    #[error("{0}")]
    Fatal(String),
    /// It is tried again.
    #[error("{0}")]
    Retried(String),
}

/// A bundle to install.
pub(super) struct BundleToInstall<'b> {
    pub(super) name: &'b str,
    pub(super) namespace: &'b str,
    /// `spec.replaces`; empty where there is none.
    pub(super) replaces: &'b str,
    /// The text of the annotation with the properties.
    pub(super) properties: &'b str,
    pub(super) catalog: &'b SourceKey,
    /// The manifests in their order; one of them is the ClusterServiceVersion.
    pub(super) objects: Vec<Value>,
}

impl BundleToInstall<'_> {
    /// The steps: the ClusterServiceVersion, the other objects, the roles.
    pub(super) fn steps(&self) -> Result<Vec<Value>, StepsError> {
        let retried = |error: &dyn std::fmt::Display| StepsError::Retried(error.to_string());
        let is_version = |object: &&Value| object.kind() == CLUSTER_SERVICE_VERSION;
        let mut version = self.objects.iter().find(is_version).cloned().unwrap_or_default();
        if version.api_version().is_empty() {
            return Err(StepsError::Fatal(format!("bundle CSV {} missing APIVersion", version.name())));
        }
        version.set(&["metadata", "namespace"], self.namespace);
        if self.replaces.is_empty() {
            version.remove(&["spec", "replaces"]);
        } else {
            version.set(&["spec", "replaces"], self.replaces);
        }
        version.set(&["metadata", "annotations", PROPERTIES], self.properties);
        let mut steps = vec![self.typed(CLUSTER_SERVICE_VERSION, GROUP, "v1alpha1", &version, VERSION)?];
        for object in self.objects.iter().filter(|object| !is_version(object)) {
            steps.push(self.untyped(object));
        }
        for (kind, object) in permissions::objects(&version).map_err(|error| retried(&error))? {
            let (group, of) = match kind {
                "ServiceAccount" => ("", SERVICE_ACCOUNT),
                "Role" => (RBAC, ROLE),
                "RoleBinding" => (RBAC, ROLE_BINDING),
                "ClusterRole" => (RBAC, CLUSTER_ROLE),
                _ => (RBAC, CLUSTER_ROLE_BINDING),
            };
            steps.push(self.typed(kind, group, "v1", &object, of)?);
        }
        Ok(steps)
    }

    fn typed(
        &self,
        kind: &str,
        group: &str,
        version: &str,
        object: &Value,
        of: Named,
    ) -> Result<Value, StepsError> {
        let manifest = go_json::encode(object, of).map_err(|error| StepsError::Retried(error.to_string()))?;
        Ok(step(self.name, self.catalog, [group, version, kind, object.name()], format!("{manifest}\n")))
    }

    fn untyped(&self, object: &Value) -> Value {
        let (group, version) = object.api_version().split_once('/').unwrap_or(("", object.api_version()));
        let kind = if object.kind() == "Secret" { BUNDLE_SECRET } else { object.kind() };
        let name = [object.name(), object.text(&["metadata", "generateName"])];
        let name = name.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        let manifest = format!("{}\n", escape_html(&object.to_string()));
        step(self.name, self.catalog, [group, version, kind, name], manifest)
    }
}

fn step(
    resolving: &str,
    catalog: &SourceKey,
    [group, version, kind, name]: [&str; 4],
    manifest: String,
) -> Value {
    json!({
        "resolving": resolving, "status": "Unknown",
        "resource": {
            "group": group, "version": version, "kind": kind, "name": name, "manifest": manifest,
            "sourceName": catalog.name, "sourceNamespace": catalog.namespace,
        },
    })
}

/// The step that makes a Subscription for an operator that others need.
///
/// Shows V0-045.
pub(super) fn of_subscription(generated: &GeneratedSubscription, namespace: &str) -> Value {
    let manifest = json!({
        "metadata": {"name": generated.name, "namespace": namespace},
        "spec": {
            "source": generated.source.name, "sourceNamespace": generated.source.namespace, "name": generated.package,
            "channel": generated.channel, "startingCSV": generated.starting_csv, "installPlanApproval": "Automatic",
        },
        "status": {"lastUpdated": null},
    });
    let resource = [GROUP, "v1alpha1", SUBSCRIPTION, &*generated.name];
    step(&generated.starting_csv, &generated.source, resource, format!("{manifest}\n"))
}

/// Steps in the order of a plan: versions, definitions, everything else.
pub(super) fn in_order(steps: Vec<Value>) -> Vec<Value> {
    let rank = |step: &Object| match step.text(&["resource", "kind"]) {
        CLUSTER_SERVICE_VERSION => 0,
        "CustomResourceDefinition" => 1,
        _ => 2,
    };
    let mut steps = steps;
    steps.sort_by_key(rank);
    steps
}

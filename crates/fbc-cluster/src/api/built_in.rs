//! What the API server itself writes into objects of built-in kinds when they begin and when they change.

use serde_json::json;

use super::ApiServer;
use crate::admission::{classes, limit_ranges, pods as admission, service_account};
use crate::error::ApiError;
use crate::kind::Kind;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::schema::check;
use crate::validation;

/// The annotation of daemon sets that counts their templates.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

impl ApiServer {
    /// Sets the status with which new objects begin.
    ///
    /// Source: `kubernetes/kubernetes:pkg/registry/{core/namespace,core/pod,core/persistentvolume,apps/daemonset}/strategy.go`.
    pub(super) fn begin_built_in(&self, kind: &Kind, object: &mut Object) {
        match (kind.group.as_str(), kind.kind.as_str()) {
            ("", "Namespace") => object.set(&["status"], json!({"phase": "Active"})),
            ("", "Pod") => {
                object.set(&["status"], json!({"phase": "Pending"}));
                if !object.list(&["spec", "schedulingGates"]).is_empty() {
                    let condition = json!({
                        "type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
                        "message": "Scheduling is blocked due to non-empty scheduling gates",
                        "lastTransitionTime": null,
                    });
                    object.set(&["status", "conditions"], json!([condition]));
                }
            }
            ("", "PersistentVolume") => {
                let status = json!({"phase": "Pending", "lastPhaseTransitionTime": self.now().to_string()});
                object.set(&["status"], status);
            }
            ("policy", "PodDisruptionBudget") => {
                object.set(
                    &["status"],
                    json!({"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}),
                );
            }
            ("apps", "ReplicaSet") => object.set(&["status"], json!({"replicas": 0})),
            ("apps", "StatefulSet") => {
                object.set(&["status"], json!({"replicas": 0, "availableReplicas": 0}));
            }
            ("apps", "DaemonSet") => {
                object.set(&["metadata", "annotations", TEMPLATE_GENERATION], "1");
                object.set(
                    &["status"],
                    json!({
                        "currentNumberScheduled": 0, "desiredNumberScheduled": 0, "numberMisscheduled": 0,
                        "numberReady": 0,
                    }),
                );
            }
            ("apiextensions.k8s.io", "CustomResourceDefinition") => check::prepare_for_create(object),
            _ => {}
        }
    }

    /// Adds what the strategies of kinds add to new objects that admission has seen: finalizers, labels and selectors.
    ///
    /// Source: `kubernetes/kubernetes:pkg/registry/{core/namespace,batch/job}/strategy.go` (`PrepareForCreate`).
    pub(super) fn prepare_built_in(kind: &Kind, object: &mut Object) {
        match (kind.group.as_str(), kind.kind.as_str()) {
            ("", "Namespace")
                if !object
                    .list(&["spec", "finalizers"])
                    .iter()
                    .any(|finalizer| finalizer == "kubernetes") =>
            {
                let mut finalizers = object.list(&["spec", "finalizers"]).to_vec();
                finalizers.push("kubernetes".into());
                object.set(&["spec", "finalizers"], finalizers);
            }
            ("batch", "Job")
                if object.at(&["spec", "manualSelector"]).is_none_or(|manual| manual != true) =>
            {
                let labels = [
                    ("batch.kubernetes.io/controller-uid", object.uid().to_owned()),
                    ("batch.kubernetes.io/job-name", object.name().to_owned()),
                    ("controller-uid", object.uid().to_owned()),
                    ("job-name", object.name().to_owned()),
                ];
                for (label, value) in &labels {
                    object.set(&["spec", "template", "metadata", "labels", label], value.clone());
                }
                let [(label, uid), ..] = labels;
                object.set(&["spec", "selector", "matchLabels", label], uid);
                // A job has the labels of its template where it has none of its own.
                validation::default(object);
            }
            _ => {}
        }
    }

    /// Adds to a complete object that is created (`before` is absent) or changed what built-in admission plugins add.
    pub(super) fn admit_built_in(
        &self,
        kind: &Kind,
        before: Option<&Object>,
        object: &mut Object,
    ) -> Result<(), ApiError> {
        match (kind.group.as_str(), kind.kind.as_str()) {
            ("", "LimitRange") => limit_ranges::complete(object),
            ("", "Pod") => {
                if before.is_none() {
                    let namespace = object.namespace().to_owned();
                    limit_ranges::set_defaults(object, &self.inside("LimitRange", &namespace))?;
                }
                admission::add_default_tolerations(object);
                let namespace = self.find("", "Namespace", &ObjectName::cluster(object.namespace()));
                if let Some(namespace) = namespace {
                    admission::restrict_tolerations(object, before, namespace)?;
                }
                if before.is_none() {
                    if self.plugins.service_accounts {
                        let namespace = object.namespace().to_owned();
                        let account = |name: &str| {
                            let name = ObjectName::namespaced(&namespace, name);
                            self.find("", "ServiceAccount", &name).map(|account| &**account)
                        };
                        service_account::admit(object, account)?;
                    }
                    let class = |name: &str| self.class("node.k8s.io", "RuntimeClass", name);
                    classes::apply_runtime_class(object, class)?;
                    self.set_priority(object)?;
                    self.copy_topology(object);
                    object.set(&["status", "qosClass"], admission::quality_of_service(object));
                }
            }
            ("", "Node") if before.is_none() => admission::taint_new_node(object),
            ("", "PersistentVolumeClaim") if before.is_none() => {
                let all = self.all("storage.k8s.io", "StorageClass").map(|class| &**class);
                classes::set_storage_class(object, all);
            }
            ("networking.k8s.io", "Ingress") if before.is_none() => {
                let all = self.all("networking.k8s.io", "IngressClass").map(|class| &**class);
                classes::set_ingress_class(object, all);
            }
            _ => {}
        }
        Ok(())
    }

    /// A class of a kind, by name.
    fn class(&self, group: &str, kind: &str, name: &str) -> Option<&Object> {
        self.find(group, kind, &ObjectName::cluster(name)).map(|class| &**class)
    }

    /// Refuses a valid claim that grows where its class does not let it.
    pub(super) fn check_growth(&self, kind: &Kind, before: &Object, object: &Object) -> Result<(), ApiError> {
        if !kind.group.is_empty() || kind.kind != "PersistentVolumeClaim" {
            return Ok(());
        }
        classes::check_growth(before, object, |name| self.class("storage.k8s.io", "StorageClass", name))
    }

    fn set_priority(&self, pod: &mut Object) -> Result<(), ApiError> {
        const GROUP: (&str, &str) = ("scheduling.k8s.io", "PriorityClass");
        let class = |name: Option<&str>| match name {
            Some(name) => self.find(GROUP.0, GROUP.1, &ObjectName::cluster(name)).map(|class| &**class),
            None => {
                let is_default = |class: &&Object| class["globalDefault"] == true;
                self.all(GROUP.0, GROUP.1).map(|class| &**class).find(is_default)
            }
        };
        admission::set_priority(pod, &class)
    }

    /// Gives a pod with a node the labels that say where that is.
    pub(super) fn copy_topology(&self, pod: &mut Object) {
        let node = ObjectName::cluster(pod.text(&["spec", "nodeName"]));
        if let Some(node) = self.find("", "Node", &node) {
            admission::copy_topology(pod, node);
        }
    }

    /// Counts the templates of daemon sets, and fills changed definitions in.
    ///
    /// Source: `kubernetes/kubernetes:pkg/registry/apps/daemonset/strategy.go`.
    pub(super) fn follow_built_in(&self, kind: &Kind, before: &Object, object: &mut Object) {
        match (kind.group.as_str(), kind.kind.as_str()) {
            ("apps", "DaemonSet") => {}
            ("apiextensions.k8s.io", "CustomResourceDefinition") => {
                return check::prepare_for_update(object, before);
            }
            _ => return,
        }
        let number: i64 =
            before.annotation(TEMPLATE_GENERATION).and_then(|number| number.parse().ok()).unwrap_or(1);
        let is_new = before["spec"]["template"] != object["spec"]["template"];
        let number = number + i64::from(is_new);
        object.set(&["metadata", "annotations", TEMPLATE_GENERATION], number.to_string());
    }
}

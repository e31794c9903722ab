//! What the API server itself writes into objects of built-in kinds when they begin and when they are to go.

use serde_json::{Value, json};

use super::ApiServer;
use crate::kind::Kind;
use crate::object::{Object, ObjectFields};

/// The finalizer that holds a definition until its objects are gone.
const DEFINITION_FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// The annotation of daemon sets that counts their templates.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

impl ApiServer {
    /// Sets the status with which new objects begin, and what namespaces get besides.
    ///
    /// Source: `kubernetes/kubernetes:pkg/registry/{core/namespace,core/pod,apps/daemonset,batch/job}/strategy.go`.
    pub(super) fn begin_built_in(&self, kind: &Kind, object: &mut Object) {
        match (kind.group.as_str(), kind.kind.as_str()) {
            ("", "Namespace") => {
                let name = object.name().to_owned();
                object.set(&["metadata", "labels", "kubernetes.io/metadata.name"], name);
                if !object.list(&["spec", "finalizers"]).iter().any(|finalizer| finalizer == "kubernetes") {
                    let mut finalizers = object.list(&["spec", "finalizers"]).to_vec();
                    finalizers.push("kubernetes".into());
                    object.set(&["spec", "finalizers"], finalizers);
                }
                object.set(&["status"], json!({"phase": "Active"}));
            }
            ("", "Pod") => object.set(&["status"], json!({"phase": "Pending"})),
            ("apps", "ReplicaSet") => object.set(&["status"], json!({"replicas": 0})),
            ("batch", "Job") => {
                let labels = [
                    ("batch.kubernetes.io/controller-uid", object.uid().to_owned()),
                    ("batch.kubernetes.io/job-name", object.name().to_owned()),
                    ("controller-uid", object.uid().to_owned()),
                    ("job-name", object.name().to_owned()),
                ];
                if object.at(&["spec", "manualSelector"]).is_none_or(|manual| manual != true) {
                    for (label, value) in &labels {
                        object.set(&["spec", "template", "metadata", "labels", label], value.clone());
                    }
                    let [(label, uid), ..] = labels;
                    object.set(&["spec", "selector", "matchLabels", label], uid);
                }
            }
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
            ("apiextensions.k8s.io", "CustomResourceDefinition") => {
                let is_stored = |version: &&Value| version["storage"] == true;
                let versions = object.list(&["spec", "versions"]).iter().filter(is_stored);
                let stored: Vec<Value> = versions.map(|version| version["name"].clone()).collect();
                object.set(
                    &["status"],
                    json!({"acceptedNames": {"kind": "", "plural": ""}, "conditions": null, "storedVersions": stored}),
                );
            }
            _ => {}
        }
    }

    /// Counts the templates of daemon sets.
    ///
    /// Source: `kubernetes/kubernetes:pkg/registry/apps/daemonset/strategy.go`.
    pub(super) fn follow_built_in(&self, kind: &Kind, before: &Object, object: &mut Object) {
        if kind.group != "apps" || kind.kind != "DaemonSet" {
            return;
        }
        let number: i64 =
            before.annotation(TEMPLATE_GENERATION).and_then(|number| number.parse().ok()).unwrap_or(1);
        let is_new = before["spec"]["template"] != object["spec"]["template"];
        let number = number + i64::from(is_new);
        object.set(&["metadata", "annotations", TEMPLATE_GENERATION], number.to_string());
    }

    /// Holds a definition that is to be deleted until its objects are gone.
    ///
    /// Source: `kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/etcd.go`.
    pub(super) fn hold_built_in(&self, kind: &Kind, object: &mut Object) {
        let is_definition = kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition";
        if !is_definition || object.is_terminating() {
            return;
        }
        let mut finalizers = object.list(&["metadata", "finalizers"]).to_vec();
        if !finalizers.iter().any(|finalizer| finalizer == DEFINITION_FINALIZER) {
            finalizers.push(DEFINITION_FINALIZER.into());
            object.set(&["metadata", "finalizers"], finalizers);
        }
        let mut conditions = object.list(&["status", "conditions"]).to_vec();
        conditions.retain(|condition| condition["type"] != "Terminating");
        conditions.push(json!({
            "type": "Terminating", "status": "True", "reason": "InstanceDeletionPending",
            "message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
            "lastTransitionTime": self.now().to_string(),
        }));
        object.set(&["status", "conditions"], conditions);
    }
}

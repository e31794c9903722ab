//! Getting a payload: the pod that copies it to the node.
//!
//! Source: `openshift/cluster-version-operator:pkg/cvo/updatepayload.go`.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fbc_cluster::api::{ApiServer, DeleteOptions, WriteOptions};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::random::Random;
use fbc_cluster::time::{MINUTE, Milliseconds, Moment};
use md5::{Digest as _, Md5};
use serde_json::{Value, json};

use super::NAMESPACE;
use super::apply::caller;
use super::options::Outside;
use crate::release::payload::missing_part;

/// So long a retrieval may take.
const TIME_LIMIT: Milliseconds = 4 * MINUTE;
const LABEL: &str = "k8s-app";
const LABEL_VALUE: &str = "retrieve-openshift-release";
const DIRECTORY: &str = "/etc/cvo/updatepayloads";

/// A retrieval that is going on.
#[derive(Debug, Clone)]
pub(super) struct Retrieval {
    pub(super) image: String,
    pub(super) pod: ObjectName,
    pub(super) deadline: Moment,
    /// What is wrong with the signature, where the update was forced.
    pub(super) verification: Option<String>,
}

/// A payload that is there, or why it is not.
#[derive(Debug, Clone)]
pub(super) struct Retrieved {
    pub(super) image: String,
    /// What is wrong with the signature, where the update was forced.
    pub(super) verification: Option<String>,
    pub(super) outcome: Result<(), RetrievalError>,
    /// What events say of a failure besides.
    pub(super) details: String,
}

/// Why a payload is not there, in the words of the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum RetrievalError {
    #[error("The update cannot be verified: {0}")]
    Unverified(String),
    #[error("Unable to download and prepare the update: {0}")]
    Unable(Fault),
}

/// What keeps a payload from the node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error(
        "confirming the presence of release-image content in {directory:?}: stat {directory}/{part}: no such file or \
         directory"
    )]
    Incomplete { directory: String, part: String },
    #[error("the server has no pods")]
    NoPods,
    #[error("failed to prune pods: error deleting pods: failed to delete pod {pod}: {error}")]
    Prune { pod: String, error: ApiError },
    #[error("fetching update payload: {0}")]
    Fetch(ApiError),
    #[error("fetching update payload: timed out waiting for the condition")]
    Timeout,
    #[error(
        "fetching update payload: pod {pod} {when} with reason {reason:?} and message {message:?} and status {statuses}"
    )]
    Pod { pod: String, when: &'static str, reason: String, message: String, statuses: String },
}

/// Where the payload of an image lies on the node.
pub(super) fn directory(image: &str) -> String {
    format!("{DIRECTORY}/{}", URL_SAFE_NO_PAD.encode(Md5::digest(image.as_bytes())))
}

/// Whether a payload is whole.
pub(super) fn confirm(outside: &Outside, image: &str) -> Result<(), Fault> {
    let missing = match outside.payloads.get(image) {
        Some(tree) => missing_part(tree.as_ref()),
        None => Some("manifests".to_owned()),
    };
    match missing {
        None => Ok(()),
        Some(part) => Err(Fault::Incomplete { directory: directory(image), part }),
    }
}

/// Deletes pods of earlier retrievals and starts a new one.
pub(super) fn start(
    api: &mut ApiServer,
    random: &mut Random,
    node: &str,
    version: &str,
    image: &str,
    verification: Option<String>,
) -> Result<Retrieval, Fault> {
    let kind = api.kind_id("", "Pod").ok_or(Fault::NoPods)?;
    let old: Vec<ObjectName> = api
        .all("", "Pod")
        .filter(|pod| pod.namespace() == NAMESPACE && pod.label(LABEL) == Some(LABEL_VALUE))
        .map(|pod| pod.object_name())
        .collect();
    for name in old {
        let options = DeleteOptions { grace_period: Some(0), ..DeleteOptions::default() };
        api.delete(&caller(), kind, &name, &options)
            .map_err(|error| Fault::Prune { pod: name.name, error })?;
    }
    let name = format!("{}-{version}-{}", super::VERSION, random.suffix());
    let pod = pod(&name, node, image, &random.suffix());
    let created = api.create(&caller(), pod, WriteOptions::default());
    created.map_err(Fault::Fetch)?;
    Ok(Retrieval {
        image: image.to_owned(),
        pod: ObjectName::namespaced(NAMESPACE, name),
        deadline: api.now() + TIME_LIMIT,
        verification,
    })
}

/// What became of the pod; nothing while it is at work.
pub(super) fn outcome(api: &ApiServer, retrieval: &Retrieval) -> Option<Result<(), Fault>> {
    if api.now() >= retrieval.deadline {
        return Some(Err(Fault::Timeout));
    }
    let pod = api.find("", "Pod", &retrieval.pod)?;
    let fail = |when, statuses| {
        let text = |field: &str| pod.text(&["status", field]).to_owned();
        let (reason, message) = (text("reason"), text("message"));
        Some(Err(Fault::Pod { pod: pod.name().to_owned(), when, reason, message, statuses }))
    };
    match pod.text(&["status", "phase"]) {
        "Succeeded" => Some(Ok(())),
        "Failed" => {
            let statuses = statuses(pod, |_, message| !message.is_empty());
            fail("failed", statuses)
        }
        "" | "Pending" => {
            let statuses = statuses(pod, |reason, message| {
                reason == "SignatureValidationFailed"
                    || reason == "ErrImagePull" && message.contains("manifest unknown")
            });
            if statuses.is_empty() {
                return None;
            }
            fail("failed at pending", statuses)
        }
        _ => None,
    }
}

fn statuses(pod: &Object, counts: impl Fn(&str, &str) -> bool) -> String {
    let mut texts = Vec::new();
    for (list, word) in [("containerStatuses", "container"), ("initContainerStatuses", "initcontainer")] {
        for status in pod.list(&["status", list]) {
            let name = status.text(&["name"]);
            let of = |state: &str| {
                (status.text(&["state", state, "reason"]), status.text(&["state", state, "message"]))
            };
            let (reason, message) = of("waiting");
            if status.at(&["state", "waiting"]).is_some() && counts(reason, message) {
                texts
                    .push(format!("{word} {name} is waiting with reason {reason:?} and message {message:?}"));
            }
            let (reason, message) = of("terminated");
            if !message.is_empty() {
                texts.push(format!(
                    "{word} {name} is terminated with reason {reason:?} and message {message:?}"
                ));
            }
        }
    }
    texts.join(",")
}

fn pod(name: &str, node: &str, image: &str, suffix: &str) -> Object {
    const MASTER: &str = "node-role.kubernetes.io/master";
    let target = directory(image);
    let temporary = format!("{target}-{suffix}");
    let container = |name: &str, command: Value| {
        json!({
            "name": name, "image": image, "command": command,
            "volumeMounts": [{"mountPath": DIRECTORY, "name": "payloads"}],
            "securityContext": {"privileged": true, "readOnlyRootFilesystem": true},
            "resources": {"requests": {"cpu": "10m", "memory": "50Mi", "ephemeral-storage": "2Mi"}},
            "terminationMessagePolicy": "FallbackToLogsOnError",
        })
    };
    let copy =
        |directory: &str| json!(["cp", "-r", format!("/{directory}"), format!("{temporary}/{directory}")]);
    let mut cleanup = container("cleanup", json!(["sh", "-c", "rm -fR ./*"]));
    cleanup.set(&["workingDir"], format!("{DIRECTORY}/"));
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": name, "namespace": NAMESPACE, "labels": {LABEL: LABEL_VALUE},
            "annotations": {"openshift.io/required-scc": "privileged"},
        },
        "spec": {
            "serviceAccountName": "update-payload",
            "activeDeadlineSeconds": 120,
            "initContainers": [
                cleanup,
                container("make-temporary-directory", json!(["mkdir", temporary])),
                container("copy-operator-manifests-to-temporary-directory", copy("manifests")),
                container("copy-release-manifests-to-temporary-directory", copy("release-manifests")),
            ],
            "containers": [container("rename-to-final-location", json!(["mv", temporary, target]))],
            "volumes": [{"name": "payloads", "hostPath": {"path": DIRECTORY}}],
            "nodeName": node,
            "nodeSelector": {MASTER: ""},
            "priorityClassName": "openshift-user-critical",
            "tolerations": [{"key": MASTER}],
            "restartPolicy": "OnFailure",
        },
    })
}

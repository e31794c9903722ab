//! Fields that a selector may ask for: of each kind a few, of all kinds name and namespace.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/v1/conversion.go`, and the strategies of the kinds.

use fbc_cluster::error::ApiError;
use fbc_cluster::kind::Kind;

/// Group, kind, and the fields that selectors may ask for besides name and namespace.
const FIELDS: [(&str, &str, &[&str]); 10] = [
    (
        "",
        "Pod",
        &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
        ],
    ),
    (
        "",
        "Event",
        &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
    ),
    (
        "events.k8s.io",
        "Event",
        &[
            "regarding.kind",
            "regarding.namespace",
            "regarding.name",
            "regarding.uid",
            "regarding.apiVersion",
            "regarding.resourceVersion",
            "regarding.fieldPath",
            "reason",
            "reportingController",
            "type",
        ],
    ),
    ("", "Secret", &["type"]),
    ("", "Node", &["spec.unschedulable"]),
    ("", "Namespace", &["status.phase"]),
    ("", "Service", &["spec.clusterIP", "spec.type"]),
    ("", "ReplicationController", &["status.replicas"]),
    ("apps", "ReplicaSet", &["status.replicas"]),
    ("batch", "Job", &["status.successful"]),
];

/// Refuses a selector that asks for other fields.
///
/// # Errors
/// The first field that cannot be asked for.
pub(super) fn check(
    kind: &Kind,
    api_version: &str,
    selector: &str,
    selectable: &[String],
) -> Result<(), ApiError> {
    let of_kind = FIELDS.iter().find(|(group, name, _)| *group == kind.group && *name == kind.kind);
    let fields = of_kind.map(|(_, _, fields)| *fields).unwrap_or_default();
    for part in selector.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let field = part.split(['=', '!']).next().unwrap_or_default();
        let is_known = ["metadata.name", "metadata.namespace"].contains(&field)
            || fields.contains(&field)
            || selectable.iter().any(|path| path == field);
        if is_known {
            continue;
        }
        let is_built_in = !kind.group.contains('.') || kind.group.ends_with(".k8s.io");
        let text = if is_built_in && of_kind.is_none() {
            format!("{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")
        } else {
            format!("field label not supported: {field}")
        };
        return Err(ApiError::bad_request(format!(
            "Unable to find {:?} that match label selector \"\", field selector {selector:?}: {text}",
            format!("{api_version}, Resource={}", kind.plural)
        )));
    }
    Ok(())
}

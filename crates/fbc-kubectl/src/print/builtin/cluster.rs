//! Nodes, namespaces, events, leases, priority classes, definitions and API services.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::{Column, Definition, always, count, name, object_age, scalar, text_or, wide};
use crate::age::age;
use crate::print::{NONE, none_if_empty};

pub(super) const TABLES: &[Definition] = &[
    Definition { group: "", kind: "Node", columns: NODE, cells: node },
    Definition { group: "", kind: "Namespace", columns: NAMESPACE, cells: namespace },
    Definition { group: "", kind: "Event", columns: EVENT, cells: event },
    Definition { group: "events.k8s.io", kind: "Event", columns: EVENT, cells: event },
    Definition { group: "coordination.k8s.io", kind: "Lease", columns: LEASE, cells: lease },
    Definition {
        group: "scheduling.k8s.io",
        kind: "PriorityClass",
        columns: PRIORITY_CLASS,
        cells: priority_class,
    },
    Definition {
        group: "apiextensions.k8s.io",
        kind: "CustomResourceDefinition",
        columns: CREATED_AT,
        cells: created_at,
    },
    Definition {
        group: "apiregistration.k8s.io",
        kind: "APIService",
        columns: API_SERVICE,
        cells: api_service,
    },
];

const NODE: &[Column] = &[
    always("NAME"),
    always("STATUS"),
    always("ROLES"),
    always("AGE"),
    always("VERSION"),
    wide("INTERNAL-IP"),
    wide("EXTERNAL-IP"),
    wide("OS-IMAGE"),
    wide("KERNEL-VERSION"),
    wide("CONTAINER-RUNTIME"),
];

const NAMESPACE: &[Column] = &[always("NAME"), always("STATUS"), always("AGE")];

const EVENT: &[Column] = &[
    always("LAST SEEN"),
    always("TYPE"),
    always("REASON"),
    always("OBJECT"),
    wide("SUBOBJECT"),
    wide("SOURCE"),
    always("MESSAGE"),
    wide("FIRST SEEN"),
    wide("COUNT"),
    wide("NAME"),
];

const LEASE: &[Column] = &[always("NAME"), always("HOLDER"), always("AGE")];

const PRIORITY_CLASS: &[Column] =
    &[always("NAME"), always("VALUE"), always("GLOBAL-DEFAULT"), always("AGE"), always("PREEMPTIONPOLICY")];

/// Kinds that show when they were created instead of their age.
pub(super) const CREATED_AT: &[Column] = &[always("NAME"), always("CREATED AT")];

const API_SERVICE: &[Column] = &[always("NAME"), always("SERVICE"), always("AVAILABLE"), always("AGE")];

/// The roles in a node's labels, sorted.
pub(crate) fn node_roles(node: &Value) -> String {
    let labels = node.at(&["metadata", "labels"]).and_then(Value::as_object);
    let mut roles: Vec<&str> = labels
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => Some(role),
            None if key == "kubernetes.io/role" => value.as_str(),
            None => None,
        })
        .filter(|role| !role.is_empty())
        .collect();
    roles.sort_unstable();
    roles.dedup();
    none_if_empty(roles.join(","))
}

fn node(object: &Value, now: Moment) -> Vec<String> {
    let mut status = match object.condition_status("Ready") {
        "True" => "Ready",
        "" => "Unknown",
        _ => "NotReady",
    }
    .to_owned();
    if object["spec"]["unschedulable"] == true {
        status.push_str(",SchedulingDisabled");
    }
    let address = |kind: &str| {
        let found = object.list(&["status", "addresses"]).iter().find(|address| address["type"] == kind);
        found.map_or(NONE, |address| address.text(&["address"])).to_owned()
    };
    let info = |field: &str| text_or(object, &["status", "nodeInfo", field], "<unknown>");
    let kernel = match object.text(&["status", "nodeInfo", "architecture"]) {
        "" => info("kernelVersion"),
        architecture => format!("{} ({architecture})", info("kernelVersion")),
    };
    vec![
        name(object),
        status,
        node_roles(object),
        object_age(object, now),
        object.text(&["status", "nodeInfo", "kubeletVersion"]).to_owned(),
        address("InternalIP"),
        address("ExternalIP"),
        info("osImage"),
        kernel,
        info("containerRuntimeVersion"),
    ]
}

fn namespace(object: &Value, now: Moment) -> Vec<String> {
    vec![name(object), object.text(&["status", "phase"]).to_owned(), object_age(object, now)]
}

fn event(object: &Value, now: Moment) -> Vec<String> {
    let first = text_or(object, &["firstTimestamp"], object.text(&["eventTime"]));
    let series = text_or(object, &["series", "lastObservedTime"], &first);
    let last = text_or(object, &["lastTimestamp"], &series);
    let count = object.number(&["series", "count"]).or_else(|| object.number(&["count"])).unwrap_or(1).max(1);
    let involved = format!(
        "{}/{}",
        object.text(&["involvedObject", "kind"]).to_lowercase(),
        object.text(&["involvedObject", "name"])
    );
    let component = text_or(object, &["source", "component"], object.text(&["reportingComponent"]));
    let host = text_or(object, &["source", "host"], object.text(&["reportingInstance"]));
    let source = if host.is_empty() { component } else { format!("{component}, {host}") };
    let text = |field: &str| object.text(&[field]).to_owned();
    vec![
        age(&last, now),
        text("type"),
        text("reason"),
        involved,
        object.text(&["involvedObject", "fieldPath"]).to_owned(),
        source,
        object.text(&["message"]).trim().to_owned(),
        age(&first, now),
        count.to_string(),
        name(object),
    ]
}

fn lease(object: &Value, now: Moment) -> Vec<String> {
    vec![name(object), object.text(&["spec", "holderIdentity"]).to_owned(), object_age(object, now)]
}

fn priority_class(object: &Value, now: Moment) -> Vec<String> {
    vec![
        name(object),
        count(object, &["value"]),
        scalar(object.at(&["globalDefault"])).unwrap_or_else(|| "false".to_owned()),
        object_age(object, now),
        object.text(&["preemptionPolicy"]).to_owned(),
    ]
}

/// Name and creation time.
pub(super) fn created_at(object: &Value, _now: Moment) -> Vec<String> {
    vec![name(object), object.text(&["metadata", "creationTimestamp"]).to_owned()]
}

fn api_service(object: &Value, now: Moment) -> Vec<String> {
    let service = match object.at(&["spec", "service"]).filter(|service| service.is_object()) {
        Some(service) => format!("{}/{}", service.text(&["namespace"]), service.text(&["name"])),
        None => "Local".to_owned(),
    };
    let available = match object.condition("Available") {
        Some(condition) if condition["status"] == "True" => "True".to_owned(),
        Some(condition) => format!("{} ({})", condition.text(&["status"]), condition.text(&["reason"])),
        None => "Unknown".to_owned(),
    };
    vec![name(object), service, available, object_age(object, now)]
}

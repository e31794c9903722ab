//! What decides how requests and pods are taken: flow control, runtime classes, requests for certificates.

use serde_json::Value;

use super::{Column, Definition, always, name, object_age, scalar, text_or};
use crate::print::NONE;
use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;

const FLOW_CONTROL: &str = "flowcontrol.apiserver.k8s.io";

pub(super) const TABLES: &[Definition] = &[
    Definition { group: FLOW_CONTROL, kind: "FlowSchema", columns: FLOW_SCHEMA, cells: flow_schema },
    Definition {
        group: FLOW_CONTROL,
        kind: "PriorityLevelConfiguration",
        columns: PRIORITY_LEVEL,
        cells: priority_level,
    },
    Definition { group: "node.k8s.io", kind: "RuntimeClass", columns: RUNTIME_CLASS, cells: runtime_class },
    Definition {
        group: "certificates.k8s.io",
        kind: "CertificateSigningRequest",
        columns: SIGNING_REQUEST,
        cells: signing_request,
    },
];

const FLOW_SCHEMA: &[Column] = &[
    always("NAME"),
    always("PRIORITYLEVEL"),
    always("MATCHINGPRECEDENCE"),
    always("DISTINGUISHERMETHOD"),
    always("AGE"),
    always("MISSINGPL"),
];
const PRIORITY_LEVEL: &[Column] = &[
    always("NAME"),
    always("TYPE"),
    always("NOMINALCONCURRENCYSHARES"),
    always("QUEUES"),
    always("HANDSIZE"),
    always("QUEUELENGTHLIMIT"),
    always("AGE"),
];
const RUNTIME_CLASS: &[Column] = &[always("NAME"), always("HANDLER"), always("AGE")];
const SIGNING_REQUEST: &[Column] = &[
    always("NAME"),
    always("AGE"),
    always("SIGNERNAME"),
    always("REQUESTOR"),
    always("REQUESTEDDURATION"),
    always("CONDITION"),
];

fn number(object: &Value, path: &[&str]) -> String {
    scalar(object.at(path)).unwrap_or_else(|| NONE.to_owned())
}

fn flow_schema(object: &Value, now: Moment) -> Vec<String> {
    let dangling = object.condition_status("Dangling");
    vec![
        name(object),
        object.text(&["spec", "priorityLevelConfiguration", "name"]).to_owned(),
        number(object, &["spec", "matchingPrecedence"]),
        text_or(object, &["spec", "distinguisherMethod", "type"], NONE),
        object_age(object, now),
        if dangling.is_empty() { "?" } else { dangling }.to_owned(),
    ]
}

fn priority_level(object: &Value, now: Moment) -> Vec<String> {
    let queuing = |field| number(object, &["spec", "limited", "limitResponse", "queuing", field]);
    let shares = ["limited", "exempt"]
        .into_iter()
        .find_map(|kind| scalar(object.at(&["spec", kind, "nominalConcurrencyShares"])));
    vec![
        name(object),
        object.text(&["spec", "type"]).to_owned(),
        shares.unwrap_or_else(|| NONE.to_owned()),
        queuing("queues"),
        queuing("handSize"),
        queuing("queueLengthLimit"),
        object_age(object, now),
    ]
}

fn runtime_class(object: &Value, now: Moment) -> Vec<String> {
    vec![name(object), object.text(&["handler"]).to_owned(), object_age(object, now)]
}

fn signing_request(object: &Value, now: Moment) -> Vec<String> {
    let types = || object.list(&["status", "conditions"]).iter().map(|condition| condition.text(&["type"]));
    let mut condition: Vec<&str> =
        ["Approved", "Denied", "Failed"].into_iter().filter(|kind| types().any(|one| one == *kind)).collect();
    if condition.is_empty() {
        condition.push("Pending");
    }
    if !object.text(&["status", "certificate"]).is_empty() {
        condition.push("Issued");
    }
    let seconds = scalar(object.at(&["spec", "expirationSeconds"]));
    vec![
        name(object),
        object_age(object, now),
        text_or(object, &["spec", "signerName"], NONE),
        object.text(&["spec", "username"]).to_owned(),
        seconds.map_or_else(|| NONE.to_owned(), |seconds| format!("{seconds}s")),
        condition.join(","),
    ]
}

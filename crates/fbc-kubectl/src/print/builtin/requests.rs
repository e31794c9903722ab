//! What decides how requests and pods are taken: flow control, runtime classes, requests for certificates.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::{Column, Definition, always, name, object_age, scalar, text_or};
use crate::age::human_duration;
use crate::print::NONE;

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

fn scalar_or_none(object: &Value, path: &[&str]) -> String {
    scalar(object.at(path)).unwrap_or_else(|| NONE.to_owned())
}

fn flow_schema(object: &Value, now: Moment) -> Vec<String> {
    let dangling = object.condition_status("Dangling");
    vec![
        name(object),
        object.text(&["spec", "priorityLevelConfiguration", "name"]).to_owned(),
        scalar_or_none(object, &["spec", "matchingPrecedence"]),
        text_or(object, &["spec", "distinguisherMethod", "type"], NONE),
        object_age(object, now),
        if dangling.is_empty() { "?" } else { dangling }.to_owned(),
    ]
}

fn priority_level(object: &Value, now: Moment) -> Vec<String> {
    let queuing = |field| scalar_or_none(object, &["spec", "limited", "limitResponse", "queuing", field]);
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
    let conditions = object.list(&["status", "conditions"]);
    let has = |kind: &str| conditions.iter().any(|condition| condition.text(&["type"]) == kind);
    let mut condition = vec![match (has("Denied"), has("Approved")) {
        (true, _) => "Denied",
        (_, true) => "Approved",
        _ => "Pending",
    }];
    if has("Failed") {
        condition.push("Failed");
    }
    if !object.text(&["status", "certificate"]).is_empty() {
        condition.push("Issued");
    }
    let seconds = object.number(&["spec", "expirationSeconds"]);
    vec![
        name(object),
        object_age(object, now),
        text_or(object, &["spec", "signerName"], NONE),
        object.text(&["spec", "username"]).to_owned(),
        seconds.map_or_else(|| NONE.to_owned(), human_duration),
        condition.join(","),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_of_the_four_kinds() {
        let cells = |kind: &str, object: Value| {
            let table = TABLES.iter().find(|table| table.kind == kind).unwrap();
            let cells = (table.cells)(&object, Moment::START);
            assert_eq!(cells.len(), table.columns.len(), "{kind}");
            cells.into_iter().filter(|cell| !cell.contains("unknown")).collect::<Vec<_>>().join(" ")
        };
        let flow = json!({"metadata": {"name": "a"}, "spec": {
            "priorityLevelConfiguration": {"name": "b"}, "matchingPrecedence": 900, "distinguisherMethod": {"type": "ByUser"}}});
        assert_eq!(cells("FlowSchema", flow), "a b 900 ByUser ?");
        let queuing = json!({"queues": 64, "handSize": 6, "queueLengthLimit": 50});
        let limited = json!({"nominalConcurrencyShares": 40, "limitResponse": {"queuing": queuing}});
        let level = json!({"metadata": {"name": "a"}, "spec": {"type": "Limited", "limited": limited}});
        assert_eq!(cells("PriorityLevelConfiguration", level), "a Limited 40 64 6 50");
        let exempt = json!({"metadata": {"name": "a"}, "spec": {"type": "Exempt", "exempt": {"nominalConcurrencyShares": 0}}});
        assert_eq!(cells("PriorityLevelConfiguration", exempt), "a Exempt 0 <none> <none> <none>");
        assert_eq!(cells("RuntimeClass", json!({"metadata": {"name": "a"}, "handler": "kata"})), "a kata");
        for (types, certificate, expected) in [
            (&[][..], "", "Pending"),
            (&["Approved"], "eA==", "Approved,Issued"),
            (&["Approved", "Denied"], "", "Denied"),
            (&["Failed"], "", "Pending,Failed"),
        ] {
            let conditions: Vec<Value> = types.iter().map(|kind| json!({"type": kind})).collect();
            let request = json!({
                "metadata": {"name": "a"}, "spec": {"signerName": "s", "username": "u", "expirationSeconds": 3600},
                "status": {"conditions": conditions, "certificate": certificate},
            });
            assert_eq!(cells("CertificateSigningRequest", request), format!("a s u 60m {expected}"));
        }
    }
}

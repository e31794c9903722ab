//! Disruption budgets and autoscalers.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::{Column, Definition, always, count, name, object_age, scalar};

pub(super) const TABLES: &[Definition] = &[
    Definition { group: "policy", kind: "PodDisruptionBudget", columns: BUDGET, cells: budget },
    Definition {
        group: "autoscaling",
        kind: "HorizontalPodAutoscaler",
        columns: AUTOSCALER,
        cells: autoscaler,
    },
];

const BUDGET: &[Column] = &[
    always("NAME"),
    always("MIN AVAILABLE"),
    always("MAX UNAVAILABLE"),
    always("ALLOWED DISRUPTIONS"),
    always("AGE"),
];
const AUTOSCALER: &[Column] = &[
    always("NAME"),
    always("REFERENCE"),
    always("TARGETS"),
    always("MINPODS"),
    always("MAXPODS"),
    always("REPLICAS"),
    always("AGE"),
];

fn budget(object: &Value, now: Moment) -> Vec<String> {
    let limit = |field: &str| scalar(object.at(&["spec", field])).unwrap_or_else(|| "N/A".to_owned());
    vec![
        name(object),
        limit("minAvailable"),
        limit("maxUnavailable"),
        count(object, &["status", "disruptionsAllowed"]),
        object_age(object, now),
    ]
}

fn autoscaler(object: &Value, now: Moment) -> Vec<String> {
    let target = &object["spec"]["scaleTargetRef"];
    let metric = |metric: &Value| {
        let resource = metric.text(&["resource", "name"]);
        match metric.number(&["resource", "target", "averageUtilization"]) {
            Some(wanted) => format!("{resource}: <unknown>/{wanted}%"),
            None => format!("<unknown> {}", metric.text(&["type"]).to_lowercase()),
        }
    };
    let metrics: Vec<String> = object.list(&["spec", "metrics"]).iter().map(metric).collect();
    vec![
        name(object),
        format!("{}/{}", target.text(&["kind"]), target.text(&["name"])),
        if metrics.is_empty() { "<none>".to_owned() } else { metrics.join(", ") },
        object
            .number(&["spec", "minReplicas"])
            .map_or_else(|| "<unset>".to_owned(), |number| number.to_string()),
        count(object, &["spec", "maxReplicas"]),
        count(object, &["status", "currentReplicas"]),
        object_age(object, now),
    ]
}

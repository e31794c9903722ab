//! Deployments, replica sets, stateful sets, daemon sets.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::{Column, Definition, always, count, joined, name, object_age, wide};
use crate::print::{none_if_empty, pairs_text, selector_text};

pub(super) const TABLES: &[Definition] = &[
    Definition { group: "apps", kind: "Deployment", columns: DEPLOYMENT, cells: deployment },
    Definition { group: "apps", kind: "ReplicaSet", columns: REPLICA_SET, cells: replica_set },
    Definition { group: "", kind: "ReplicationController", columns: REPLICA_SET, cells: replica_set },
    Definition { group: "apps", kind: "StatefulSet", columns: STATEFUL_SET, cells: stateful_set },
    Definition { group: "apps", kind: "DaemonSet", columns: DAEMON_SET, cells: daemon_set },
    Definition {
        group: "apps",
        kind: "ControllerRevision",
        columns: CONTROLLER_REVISION,
        cells: controller_revision,
    },
];

const DEPLOYMENT: &[Column] = &[
    always("NAME"),
    always("READY"),
    always("UP-TO-DATE"),
    always("AVAILABLE"),
    always("AGE"),
    wide("CONTAINERS"),
    wide("IMAGES"),
    wide("SELECTOR"),
];

const REPLICA_SET: &[Column] = &[
    always("NAME"),
    always("DESIRED"),
    always("CURRENT"),
    always("READY"),
    always("AGE"),
    wide("CONTAINERS"),
    wide("IMAGES"),
    wide("SELECTOR"),
];

const STATEFUL_SET: &[Column] =
    &[always("NAME"), always("READY"), always("AGE"), wide("CONTAINERS"), wide("IMAGES")];

const DAEMON_SET: &[Column] = &[
    always("NAME"),
    always("DESIRED"),
    always("CURRENT"),
    always("READY"),
    always("UP-TO-DATE"),
    always("AVAILABLE"),
    always("NODE SELECTOR"),
    always("AGE"),
    wide("CONTAINERS"),
    wide("IMAGES"),
    wide("SELECTOR"),
];

const CONTROLLER_REVISION: &[Column] =
    &[always("NAME"), always("CONTROLLER"), always("REVISION"), always("AGE")];

/// Names of containers, their images, and the selector.
pub(super) fn containers(template: &Value) -> [String; 2] {
    let containers = template.list(&["spec", "containers"]);
    [joined(containers, &["name"]), joined(containers, &["image"])]
}

fn selector(object: &Value) -> String {
    none_if_empty(selector_text(&object["spec"]["selector"]))
}

fn ready(object: &Value) -> String {
    format!("{}/{}", count(object, &["status", "readyReplicas"]), count(object, &["spec", "replicas"]))
}

fn deployment(object: &Value, now: Moment) -> Vec<String> {
    let [names, images] = containers(&object["spec"]["template"]);
    vec![
        name(object),
        ready(object),
        count(object, &["status", "updatedReplicas"]),
        count(object, &["status", "availableReplicas"]),
        object_age(object, now),
        names,
        images,
        selector(object),
    ]
}

fn replica_set(object: &Value, now: Moment) -> Vec<String> {
    let [names, images] = containers(&object["spec"]["template"]);
    vec![
        name(object),
        count(object, &["spec", "replicas"]),
        count(object, &["status", "replicas"]),
        count(object, &["status", "readyReplicas"]),
        object_age(object, now),
        names,
        images,
        selector(object),
    ]
}

fn stateful_set(object: &Value, now: Moment) -> Vec<String> {
    let [names, images] = containers(&object["spec"]["template"]);
    vec![name(object), ready(object), object_age(object, now), names, images]
}

fn daemon_set(object: &Value, now: Moment) -> Vec<String> {
    let [names, images] = containers(&object["spec"]["template"]);
    let status = |field: &str| count(object, &["status", field]);
    vec![
        name(object),
        status("desiredNumberScheduled"),
        status("currentNumberScheduled"),
        status("numberReady"),
        status("updatedNumberScheduled"),
        status("numberAvailable"),
        none_if_empty(pairs_text(object.at(&["spec", "template", "spec", "nodeSelector"]))),
        object_age(object, now),
        names,
        images,
        selector(object),
    ]
}

fn controller_revision(object: &Value, now: Moment) -> Vec<String> {
    let owner = object.controller().map(|owner| {
        let kind = fbc_cluster::kind::GroupVersionKind::of(owner.api_version(), owner.kind());
        let kind = crate::print::qualified_kind(&kind.group, &kind.kind);
        format!("{kind}/{}", owner.text(&["name"]))
    });
    vec![
        name(object),
        none_if_empty(owner.unwrap_or_default()),
        count(object, &["revision"]),
        object_age(object, now),
    ]
}

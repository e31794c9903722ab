//! Deployments, replica sets, stateful sets, daemon sets and jobs.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::events::events;
use super::page::{number, scalar};
use super::pod_parts::pod_template;
use super::{Look, Page};
use crate::age::{human_duration, rfc_1123, seconds_between};
use crate::print::{NONE, none_if_empty, pairs_text, selector_text};

const REVISION: &str = "deployment.kubernetes.io/revision";

fn selector(object: &Value) -> String {
    none_if_empty(selector_text(&object["spec"]["selector"]))
}

fn created(object: &Value) -> String {
    rfc_1123(object.text(&["metadata", "creationTimestamp"]))
}

/// Objects of a kind that an object controls.
fn controlled(object: &Value, look: &dyn Look, group: &str, kind: &str) -> Vec<Object> {
    let mut found = look.list(group, kind, Some(object.namespace()));
    found
        .retain(|candidate| candidate.controller().is_some_and(|owner| owner.text(&["uid"]) == object.uid()));
    found
}

/// The pods of an object, counted by phase.
fn pods_status(object: &Value, look: &dyn Look) -> String {
    let pods = controlled(object, look, "", "Pod");
    let count = |phase: &str| pods.iter().filter(|pod| pod.text(&["status", "phase"]) == phase).count();
    let [running, waiting, succeeded, failed] = ["Running", "Pending", "Succeeded", "Failed"].map(count);
    format!("{running} Running / {waiting} Waiting / {succeeded} Succeeded / {failed} Failed")
}

fn conditions(page: &mut Page, object: &Value) {
    let conditions = object.list(&["status", "conditions"]);
    if conditions.is_empty() {
        return;
    }
    page.line(0, "Conditions:\n  Type\tStatus\tReason");
    page.line(1, "----\t------\t------");
    for condition in conditions {
        let text = |field: &str| condition.text(&[field]);
        page.line(1, format!("{} \t{}\t{}", text("type"), text("status"), text("reason")));
    }
}

pub(super) fn deployment(page: &mut Page, object: &Value, look: &dyn Look, now: Moment) {
    let status = |field: &str| number(object, &["status", field]);
    page.names(object);
    page.entry(0, "CreationTimestamp", created(object));
    page.object_labels(object);
    page.entry(0, "Selector", selector(object));
    page.entry(
        0,
        "Replicas",
        format!(
            "{} desired | {} updated | {} total | {} available | {} unavailable",
            number(object, &["spec", "replicas"]),
            status("updatedReplicas"),
            status("replicas"),
            status("availableReplicas"),
            status("unavailableReplicas")
        ),
    );
    page.entry(0, "StrategyType", object.text(&["spec", "strategy", "type"]));
    page.entry(0, "MinReadySeconds", number(object, &["spec", "minReadySeconds"]));
    if let Some(rolling) =
        object.at(&["spec", "strategy", "rollingUpdate"]).filter(|rolling| rolling.is_object())
    {
        let limit = |field: &str| scalar(rolling.get(field), "25%");
        let text = format!("{} max unavailable, {} max surge", limit("maxUnavailable"), limit("maxSurge"));
        page.entry(0, "RollingUpdateStrategy", text);
    }
    pod_template(page, &object["spec"]["template"]);
    conditions(page, object);
    let sets = controlled(object, look, "apps", "ReplicaSet");
    let is_new = |set: &&Object| {
        object.annotation(REVISION).is_some() && set.annotation(REVISION) == object.annotation(REVISION)
    };
    let text = |set: &Object| {
        let (ready, wanted) = (number(set, &["status", "replicas"]), number(set, &["spec", "replicas"]));
        format!("{} ({ready}/{wanted} replicas created)", set.name())
    };
    let old: Vec<String> = sets.iter().filter(|set| !is_new(set)).map(text).collect();
    page.entry(0, "OldReplicaSets", none_if_empty(old.join(", ")));
    page.entry(0, "NewReplicaSet", sets.iter().find(is_new).map_or_else(|| NONE.to_owned(), text));
    events(page, object, look, now);
}

pub(super) fn replica_set(page: &mut Page, object: &Value, look: &dyn Look, now: Moment) {
    page.names(object);
    page.entry(0, "Selector", selector(object));
    page.object_labels(object);
    page.controller(object);
    let (current, desired) = (number(object, &["status", "replicas"]), number(object, &["spec", "replicas"]));
    page.entry(0, "Replicas", format!("{current} current / {desired} desired"));
    page.entry(0, "Pods Status", pods_status(object, look));
    pod_template(page, &object["spec"]["template"]);
    conditions(page, object);
    events(page, object, look, now);
}

pub(super) fn stateful_set(page: &mut Page, object: &Value, look: &dyn Look, now: Moment) {
    page.names(object);
    page.entry(0, "CreationTimestamp", created(object));
    page.entry(0, "Selector", selector(object));
    page.object_labels(object);
    let (desired, total) = (number(object, &["spec", "replicas"]), number(object, &["status", "replicas"]));
    page.entry(0, "Replicas", format!("{desired} desired | {total} total"));
    page.entry(0, "Update Strategy", object.text(&["spec", "updateStrategy", "type"]));
    if let Some(partition) = object.number(&["spec", "updateStrategy", "rollingUpdate", "partition"]) {
        page.entry(1, "Partition", partition);
    }
    page.entry(0, "Pods Status", pods_status(object, look));
    pod_template(page, &object["spec"]["template"]);
    let claims = object.list(&["spec", "volumeClaimTemplates"]);
    if claims.is_empty() {
        page.entry(0, "Volume Claims", NONE);
    } else {
        page.line(0, "Volume Claims:");
        for claim in claims {
            page.entry(1, "Name", claim.name());
            page.entry(1, "StorageClass", claim.text(&["spec", "storageClassName"]));
            page.labels(1, "Labels", claim.at(&["metadata", "labels"]));
            page.annotations(1, "Annotations", claim.at(&["metadata", "annotations"]));
            page.entry(
                1,
                "Capacity",
                scalar(claim.at(&["spec", "resources", "requests", "storage"]), "<default>"),
            );
            let modes: Vec<&str> =
                claim.list(&["spec", "accessModes"]).iter().filter_map(Value::as_str).collect();
            page.entry(1, "Access Modes", format!("[{}]", modes.join(" ")));
        }
    }
    events(page, object, look, now);
}

pub(super) fn daemon_set(page: &mut Page, object: &Value, look: &dyn Look, now: Moment) {
    let node_selector = pairs_text(object.at(&["spec", "template", "spec", "nodeSelector"]));
    page.names(object);
    page.entry(0, "Selector", selector(object));
    page.entry(0, "Node-Selector", none_if_empty(node_selector));
    page.object_labels(object);
    for (field, title) in [
        ("desiredNumberScheduled", "Desired Number of Nodes Scheduled"),
        ("currentNumberScheduled", "Current Number of Nodes Scheduled"),
        ("updatedNumberScheduled", "Number of Nodes Scheduled with Up-to-date Pods"),
        ("numberAvailable", "Number of Nodes Scheduled with Available Pods"),
        ("numberMisscheduled", "Number of Nodes Misscheduled"),
    ] {
        page.line(0, format!("{title}: {}", number(object, &["status", field])));
    }
    page.entry(0, "Pods Status", pods_status(object, look));
    pod_template(page, &object["spec"]["template"]);
    events(page, object, look, now);
}

pub(super) fn job(page: &mut Page, object: &Value, look: &dyn Look, now: Moment) {
    let status = |field: &str| number(object, &["status", field]);
    page.names(object);
    page.entry(0, "Selector", selector(object));
    page.object_labels(object);
    page.controller(object);
    if let Some(parallelism) = object.number(&["spec", "parallelism"]) {
        page.entry(0, "Parallelism", parallelism);
    }
    page.entry(0, "Completions", scalar(object.at(&["spec", "completions"]), "<unset>"));
    for (field, title) in
        [("completionMode", "Completion Mode"), ("suspend", "Suspend"), ("backoffLimit", "Backoff Limit")]
    {
        if let Some(value) = object.at(&["spec", field]) {
            page.entry(0, title, scalar(Some(value), ""));
        }
    }
    let [start, end] = ["startTime", "completionTime"].map(|field| object.text(&["status", field]));
    if !start.is_empty() {
        page.entry(0, "Start Time", rfc_1123(start));
    }
    if !end.is_empty() {
        page.entry(0, "Completed At", rfc_1123(end));
    }
    if let (Some(start), Some(end)) = (Moment::parse(start), Moment::parse(end)) {
        page.entry(0, "Duration", human_duration(seconds_between(start, end)));
    }
    if let Some(deadline) = object.number(&["spec", "activeDeadlineSeconds"]) {
        page.entry(0, "Active Deadline Seconds", format!("{deadline}s"));
    }
    let (active, ready) = (status("active"), status("ready"));
    let (succeeded, failed) = (status("succeeded"), status("failed"));
    page.entry(
        0,
        "Pods Statuses",
        format!("{active} Active ({ready} Ready) / {succeeded} Succeeded / {failed} Failed"),
    );
    pod_template(page, &object["spec"]["template"]);
    events(page, object, look, now);
}

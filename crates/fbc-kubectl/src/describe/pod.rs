//! Pods.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::events::events;
use super::page::{number, scalar};
use super::pod_parts::{containers, tolerations, volumes};
use super::{Look, Page};
use crate::age::{age, rfc_1123};
use crate::print::NONE;

pub(super) fn pod(page: &mut Page, object: &Value, look: &dyn Look, now: Moment) {
    let (spec, status) = (&object["spec"], &object["status"]);
    page.names(object);
    if let Some(priority) = spec.number(&["priority"]) {
        page.entry(0, "Priority", priority);
    }
    for (field, title) in [
        ("priorityClassName", "Priority Class Name"),
        ("runtimeClassName", "Runtime Class Name"),
        ("serviceAccountName", "Service Account"),
    ] {
        if !spec.text(&[field]).is_empty() {
            page.entry(0, title, spec.text(&[field]));
        }
    }
    match spec.text(&["nodeName"]) {
        "" => page.entry(0, "Node", NONE),
        node => page.entry(0, "Node", format!("{node}/{}", status.text(&["hostIP"]))),
    }
    if !status.text(&["startTime"]).is_empty() {
        page.entry(0, "Start Time", rfc_1123(status.text(&["startTime"])));
    }
    page.object_labels(object);
    if object.is_terminating() {
        page.entry(
            0,
            "Status",
            format!("Terminating (lasts {})", age(object.text(&["metadata", "deletionTimestamp"]), now)),
        );
        let grace = number(object, &["metadata", "deletionGracePeriodSeconds"]);
        page.entry(0, "Termination Grace Period", format!("{grace}s"));
    } else {
        page.entry(0, "Status", status.text(&["phase"]));
    }
    for (field, title) in [("reason", "Reason"), ("message", "Message")] {
        if !status.text(&[field]).is_empty() {
            page.entry(0, title, status.text(&[field]));
        }
    }
    page.entry(0, "IP", status.text(&["podIP"]));
    let ips = status.list(&["podIPs"]);
    if ips.is_empty() {
        page.entry(0, "IPs", NONE);
    } else {
        page.line(0, "IPs:");
        ips.iter().for_each(|ip| page.entry(1, "IP", ip.text(&["ip"])));
    }
    page.controller(object);
    if !status.text(&["nominatedNodeName"]).is_empty() {
        page.entry(0, "NominatedNodeName", status.text(&["nominatedNodeName"]));
    }
    if !spec.list(&["initContainers"]).is_empty() {
        let statuses = status.list(&["initContainerStatuses"]);
        containers(page, "Init Containers", spec.list(&["initContainers"]), Some(statuses), false);
    }
    containers(
        page,
        "Containers",
        spec.list(&["containers"]),
        Some(status.list(&["containerStatuses"])),
        false,
    );
    let gates = spec.list(&["readinessGates"]);
    if !gates.is_empty() {
        page.line(0, "Readiness Gates:\n  Type\tStatus");
        for gate in gates {
            let kind = gate.text(&["conditionType"]);
            let state = object.condition_status(kind);
            page.line(1, format!("{kind} \t{} ", if state.is_empty() { NONE } else { state }));
        }
    }
    let conditions = status.list(&["conditions"]);
    if !conditions.is_empty() {
        page.line(0, "Conditions:\n  Type\tStatus");
        for condition in conditions {
            page.line(1, format!("{} \t{} ", condition.text(&["type"]), condition.text(&["status"])));
        }
    }
    volumes(page, spec.list(&["volumes"]), false);
    page.entry(0, "QoS Class", scalar(status.get("qosClass"), "BestEffort"));
    page.labels(0, "Node-Selectors", spec.get("nodeSelector"));
    tolerations(page, 0, spec.list(&["tolerations"]));
    events(page, object, look, now);
}

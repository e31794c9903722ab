//! Nodes, with the pods that run on them.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use fbc_kubernetes::quantity::Quantity;
use serde_json::Value;

use super::events::events;
use super::page::scalar;
use super::{Look, Page};
use crate::age::{age, rfc_1123};
use crate::print::node_roles;

pub(super) fn node(page: &mut Page, object: &Value, look: &dyn Look, now: Moment) {
    page.entry(0, "Name", object.name());
    page.entry(0, "Roles", node_roles(object));
    page.object_labels(object);
    page.entry(0, "CreationTimestamp", rfc_1123(object.text(&["metadata", "creationTimestamp"])));
    page.entries(0, "Taints", taints(object));
    page.entry(0, "Unschedulable", object["spec"]["unschedulable"] == true);
    let leases = look.list("coordination.k8s.io", "Lease", Some("kube-node-lease"));
    if let Some(lease) = leases.iter().find(|lease| lease.name() == object.name()) {
        let time = |field: &str| match lease.text(&["spec", field]) {
            "" => "<unset>".to_owned(),
            time => rfc_1123(time),
        };
        page.line(0, "Lease:");
        page.entry(1, "HolderIdentity", scalar(lease.at(&["spec", "holderIdentity"]), "<unset>"));
        page.entry(1, "AcquireTime", time("acquireTime"));
        page.entry(1, "RenewTime", time("renewTime"));
    }
    conditions(page, object);
    page.line(0, "Addresses:");
    for address in object.list(&["status", "addresses"]) {
        page.entry(1, address.text(&["type"]), address.text(&["address"]));
    }
    for (field, title) in [("capacity", "Capacity"), ("allocatable", "Allocatable")] {
        let amounts = object.at(&["status", field]).and_then(Value::as_object);
        if let Some(amounts) = amounts.filter(|amounts| !amounts.is_empty()) {
            page.line(0, format!("{title}:"));
            amounts.iter().for_each(|(name, amount)| page.entry(1, name, scalar(Some(amount), "0")));
        }
    }
    page.line(0, "System Info:");
    for (field, title) in [
        ("machineID", "Machine ID"),
        ("systemUUID", "System UUID"),
        ("bootID", "Boot ID"),
        ("kernelVersion", "Kernel Version"),
        ("osImage", "OS Image"),
        ("operatingSystem", "Operating System"),
        ("architecture", "Architecture"),
        ("containerRuntimeVersion", "Container Runtime Version"),
        ("kubeletVersion", "Kubelet Version"),
    ] {
        page.entry(1, title, object.text(&["status", "nodeInfo", field]));
    }
    for (field, title) in [("podCIDR", "PodCIDR"), ("providerID", "ProviderID")] {
        if !object.text(&["spec", field]).is_empty() {
            page.entry(0, title, object.text(&["spec", field]));
        }
    }
    pods(page, object, look, now);
    events(page, object, look, now);
}

/// Taints by effect, then by key.
fn taints(node: &Value) -> Vec<String> {
    let effects = ["NoExecute", "NoSchedule", "PreferNoSchedule"];
    let mut taints: Vec<&Value> = node.list(&["spec", "taints"]).iter().collect();
    let order = |taint: &Value| effects.iter().position(|effect| taint["effect"] == **effect);
    taints.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| a.text(&["key"]).cmp(b.text(&["key"]))));
    let text = |taint: &&Value| {
        let (key, value, effect) = (taint.text(&["key"]), taint.text(&["value"]), taint.text(&["effect"]));
        if value.is_empty() { format!("{key}:{effect}") } else { format!("{key}={value}:{effect}") }
    };
    taints.iter().map(text).collect()
}

fn conditions(page: &mut Page, node: &Value) {
    let conditions = node.list(&["status", "conditions"]);
    if conditions.is_empty() {
        return;
    }
    page.line(0, "Conditions:\n  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage");
    page.line(1, "----\t------\t-----------------\t------------------\t------\t-------");
    for condition in conditions {
        let text = |field: &str| condition.text(&[field]);
        let times =
            format!("{} \t{}", rfc_1123(text("lastHeartbeatTime")), rfc_1123(text("lastTransitionTime")));
        page.line(
            1,
            format!(
                "{} \t{} \t{times} \t{} \t{}",
                text("type"),
                text("status"),
                text("reason"),
                text("message")
            ),
        );
    }
}

/// A quantity of an object, 0 where there is none.
fn quantity_or_zero(value: Option<&Value>) -> Quantity {
    value.and_then(Quantity::from_json).unwrap_or_default()
}

/// Whole hundredths of another amount, 0 if that is 0.
fn percent(amount: Quantity, whole: Quantity) -> i128 {
    match whole.thousandths() {
        0 => 0,
        whole => i128::from(amount.thousandths()) * 100 / i128::from(whole),
    }
}

/// What a pod asks for of a resource: its containers together, or its largest init container.
fn amount(pod: &Value, field: &str, resource: &str) -> Quantity {
    let of = |container: &Value| quantity_or_zero(container.at(&["resources", field, resource]));
    let running = pod.list(&["spec", "containers"]).iter().map(of).fold(Quantity::default(), Quantity::plus);
    let starting =
        pod.list(&["spec", "initContainers"]).iter().map(of).fold(Quantity::default(), Quantity::max);
    let overhead = quantity_or_zero(pod.at(&["spec", "overhead", resource]));
    running.max(starting).plus(overhead)
}

fn pods(page: &mut Page, node: &Value, look: &dyn Look, now: Moment) {
    let mut pods = look.list("", "Pod", None);
    pods.retain(|pod| {
        let phase = pod.text(&["status", "phase"]);
        pod.text(&["spec", "nodeName"]) == node.name() && !matches!(phase, "Succeeded" | "Failed")
    });
    let capacity = ["allocatable", "capacity"].into_iter().find_map(|field| node.at(&["status", field]));
    let whole = |resource: &str| quantity_or_zero(capacity.and_then(|capacity| capacity.get(resource)));
    let share =
        |amount: Quantity, resource: &str| format!("{amount} ({}%)", percent(amount, whole(resource)));
    page.entry(0, "Non-terminated Pods", format!("({} in total)", pods.len()));
    page.line(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge");
    page.line(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---");
    for pod in &pods {
        let cell = |field: &str, resource: &str| share(amount(pod, field, resource), resource);
        let cpu = format!("{}\t{}", cell("requests", "cpu"), cell("limits", "cpu"));
        let memory = format!("{}\t{}", cell("requests", "memory"), cell("limits", "memory"));
        let seen = age(pod.text(&["metadata", "creationTimestamp"]), now);
        page.line(1, format!("{}\t{}\t\t{cpu}\t{memory}\t{seen}", pod.namespace(), pod.name()));
    }
    page.line(0, "Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)");
    page.line(1, "Resource\tRequests\tLimits");
    page.line(1, "--------\t--------\t------");
    let extended = capacity
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .filter(|name| name.starts_with("hugepages-") || name.contains('/'));
    for resource in ["cpu", "memory", "ephemeral-storage"].into_iter().chain(extended) {
        let sum = |field: &str| {
            pods.iter().map(|pod| amount(pod, field, resource)).fold(Quantity::default(), Quantity::plus)
        };
        let (requests, limits) = (sum("requests"), sum("limits"));
        if resource.contains('/') {
            page.line(1, format!("{resource}\t{requests}\t{limits}"));
        } else {
            page.line(1, format!("{resource}\t{}\t{}", share(requests, resource), share(limits, resource)));
        }
    }
}

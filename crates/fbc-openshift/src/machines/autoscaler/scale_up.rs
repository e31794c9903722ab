//! Sets become larger for pods that no node takes: by as many machines as these pods need, up to the maximum of the
//! MachineAutoscaler and of the whole cluster.
//!
//! A further node is taken to be like a ready node of the set, or like what annotations of the set say of its instances.
//! Of several sets the one that takes most pods becomes larger, then the one that needs fewest machines, then the first
//! by name; the reference chooses at random unless it is configured otherwise.
//!
//! Sources: `kubernetes/autoscaler:cluster-autoscaler/core/scaleup/orchestrator/orchestrator.go`,
//! `estimator/binpacking_estimator.go`, `processors/status/eventing_scale_up_processor.go`,
//! `cloudprovider/clusterapi/clusterapi_utils.go` (annotations).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::controllers::scheduler::Rehearsal;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::{AUTOSCALING, Autoscaler, CANDIDATE, GOING};
use crate::machines::GROUP;

/// Taints of nodes that do not take pods yet (`utils/kubernetes/ready.go`).
const UNREADY: [&str; 4] = [
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/network-unavailable",
    "node.kubernetes.io/pid-pressure",
];

/// A set that may become larger.
struct Group {
    name: ObjectName,
    size: i64,
    most: i64,
    /// Nodes that are there.
    nodes: i64,
    /// Nodes that are ready.
    ready: i64,
    /// A further node, and the pods that every node has; nothing if neither nodes nor annotations say what it is like.
    template: Option<(Object, Vec<Object>)>,
}

/// How much larger a group has to become, and for which pods.
struct Plan {
    machines: i64,
    pods: Vec<usize>,
}

impl Autoscaler {
    /// Makes a set larger if pods wait for which there is no room, not even on nodes that are on their way. True if it
    /// did.
    pub(super) fn scale_up(&mut self, api: &mut ApiServer, autoscaler: &Object) -> bool {
        let groups = groups(api);
        let mut waiting: Vec<Arc<Object>> = api.all("", "Pod").filter(|pod| waits(pod)).cloned().collect();
        if waiting.is_empty() || groups.is_empty() {
            self.explained.clear();
            return false;
        }
        let mut rehearsal = Rehearsal::new(api);
        let count = i64::try_from(waiting.len()).unwrap_or(i64::MAX);
        for group in &groups {
            let Some((node, pods)) = &group.template else { continue };
            // Further nodes than there are pods change nothing.
            for number in group.ready..group.size.min(group.ready.saturating_add(count)) {
                add(&mut rehearsal, node, pods, &format!("upcoming-{number}"));
            }
        }
        waiting.retain(|pod| rehearsal.place(pod, |_| true).is_err());
        let room = room(api, autoscaler, &groups);
        let mut reasons: Vec<BTreeMap<String, usize>> = vec![BTreeMap::new(); waiting.len()];
        // A pod that another set would take waits for it without an event.
        let mut fits: BTreeSet<usize> = BTreeSet::new();
        let mut best: Option<(&Group, Plan)> = None;
        for group in &groups {
            let plan = plan(rehearsal.clone(), group, &waiting, room, &mut reasons);
            fits.extend(&plan.pods);
            let rank = |plan: &Plan| (plan.pods.len(), std::cmp::Reverse(plan.machines));
            if plan.machines > 0 && best.as_ref().is_none_or(|(_, known)| rank(&plan) > rank(known)) {
                best = Some((group, plan));
            }
        }
        let is_larger = best.is_some_and(|(group, plan)| self.enlarge(api, group, &plan, &waiting));
        self.explain(api, &waiting, &fits, &reasons);
        is_larger
    }

    /// Says of pods that no set takes why not, unless the last scan has said the same: every ten seconds it would be
    /// one event with a count.
    fn explain(
        &mut self,
        api: &mut ApiServer,
        waiting: &[Arc<Object>],
        fits: &BTreeSet<usize>,
        reasons: &[BTreeMap<String, usize>],
    ) {
        let waits: BTreeSet<&str> = waiting.iter().map(|pod| pod.uid()).collect();
        self.explained.retain(|uid, _| waits.contains(uid.as_str()));
        for (index, (pod, reasons)) in waiting.iter().zip(reasons).enumerate() {
            if fits.contains(&index) {
                continue;
            }
            let reasons: Vec<String> =
                reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
            let text = format!("pod didn't trigger scale-up: {}", reasons.join(", "));
            if self.explained.insert(pod.uid().to_owned(), text.clone()).as_ref() != Some(&text) {
                self.recorder.normal(api, pod, "NotTriggerScaleUp", &text);
            }
        }
    }

    /// Makes a set larger; false if it cannot be written, which the next scan comes back to.
    fn enlarge(&mut self, api: &mut ApiServer, group: &Group, plan: &Plan, waiting: &[Arc<Object>]) -> bool {
        let size = group.size.saturating_add(plan.machines);
        let written = self.writer.change(api, GROUP, "MachineSet", &group.name, |set| {
            set.set(&["spec", "replicas"], size);
        });
        if written.is_err() {
            return false;
        }
        let id = format!("MachineSet/{}", group.name);
        let text = format!("pod triggered scale-up: [{{{id} {}->{size} (max: {})}}]", group.size, group.most);
        for pod in plan.pods.iter().filter_map(|index| waiting.get(*index)) {
            self.recorder.normal(api, pod, "TriggeredScaleUp", &text);
        }
        true
    }
}

/// For how many further nodes the cluster has room, besides those that are on their way.
fn room(api: &ApiServer, autoscaler: &Object, groups: &[Group]) -> i64 {
    let upcoming = groups.iter().map(|group| group.size.saturating_sub(group.nodes).max(0));
    let nodes = i64::try_from(api.all("", "Node").count()).unwrap_or(i64::MAX);
    let total = upcoming.fold(nodes, i64::saturating_add);
    let most_nodes = autoscaler.number(&["spec", "resourceLimits", "maxNodesTotal"]);
    most_nodes.map_or(i64::MAX, |most| most.saturating_sub(total).max(0))
}

/// True for a pod that the scheduler has found no node for.
fn waits(pod: &Object) -> bool {
    let refusal = pod.condition("PodScheduled");
    pod.text(&["spec", "nodeName"]).is_empty()
        && !pod.is_terminating()
        && refusal
            .is_some_and(|condition| condition["status"] == "False" && condition["reason"] == "Unschedulable")
}

/// Puts pods on further nodes of a group, one node after another, and notes why not where it does not. The cluster has
/// room for so many further nodes.
fn plan(
    mut rehearsal: Rehearsal<'_>,
    group: &Group,
    waiting: &[Arc<Object>],
    room: i64,
    reasons: &mut [BTreeMap<String, usize>],
) -> Plan {
    let mut plan = Plan { machines: 0, pods: Vec::new() };
    let mut refuse = |index: usize, reason: &str| {
        *reasons[index].entry(reason.to_owned()).or_default() += 1;
    };
    let Some((node, pods)) = &group.template else {
        (0..waiting.len()).for_each(|index| refuse(index, "node group has no template node"));
        return plan;
    };
    let mut added: BTreeSet<String> = BTreeSet::new();
    for (index, pod) in waiting.iter().enumerate() {
        if rehearsal.place(pod, |name| added.contains(name)).is_ok() {
            plan.pods.push(index);
            continue;
        }
        if plan.machines >= group.most.saturating_sub(group.size) {
            refuse(index, "max node group size reached");
            continue;
        }
        if plan.machines >= room {
            refuse(index, "max node total count already reached");
            continue;
        }
        let name = add(&mut rehearsal, node, pods, &format!("new-{}", plan.machines));
        match rehearsal.place(pod, |one| one == name) {
            Ok(()) => {
                plan.machines += 1;
                plan.pods.push(index);
                added.insert(name);
            }
            Err(causes) => {
                rehearsal.remove_node(&name);
                causes.iter().for_each(|cause| refuse(index, cause));
            }
        }
    }
    plan
}

/// Adds a node of a template with its pods; the answer is its name.
fn add(rehearsal: &mut Rehearsal<'_>, node: &Object, pods: &[Object], suffix: &str) -> String {
    let mut node = node.clone();
    let name = format!("{}-{suffix}", node.name());
    node.set(&["metadata", "name"], name.as_str());
    node.set(&["metadata", "labels", "kubernetes.io/hostname"], name.as_str());
    let mut pods = pods.to_vec();
    for pod in &mut pods {
        let own = format!("{}-{name}", pod.name());
        pod.set(&["metadata", "name"], own);
    }
    rehearsal.add_node(&node, &pods);
    name
}

/// The sets that may become larger, by name.
fn groups(api: &ApiServer) -> Vec<Group> {
    let mut groups: Vec<Group> =
        api.all(AUTOSCALING, "MachineAutoscaler").filter_map(|autoscaler| group(api, autoscaler)).collect();
    groups.sort_by(|one, other| one.name.cmp(&other.name));
    groups
}

fn group(api: &ApiServer, autoscaler: &Object) -> Option<Group> {
    let target = &autoscaler["spec"]["scaleTargetRef"];
    let name = ObjectName::namespaced(autoscaler.namespace(), target.text(&["name"]));
    let set = api.find(GROUP, "MachineSet", &name).filter(|_| target["kind"] == "MachineSet")?;
    let is_of_set = |node: &&Arc<Object>| {
        let machine = node.annotation("machine.openshift.io/machine").and_then(|text| text.split_once('/'));
        let machine = machine.and_then(|(namespace, name)| {
            api.find(GROUP, "Machine", &ObjectName::namespaced(namespace, name))
        });
        machine
            .and_then(|machine| machine.controller())
            .is_some_and(|owner| owner.text(&["uid"]) == set.uid())
    };
    let nodes: Vec<&Arc<Object>> = api.all("", "Node").filter(is_of_set).collect();
    let mut ready = nodes.iter().filter(|node| is_ready(node)).peekable();
    let template = match ready.peek() {
        Some(node) => Some(like(api, node)),
        None => from_annotations(set).map(|node| (node, Vec::new())),
    };
    Some(Group {
        size: set.number(&["spec", "replicas"]).unwrap_or(1),
        most: autoscaler.number(&["spec", "maxReplicas"]).unwrap_or_default(),
        nodes: i64::try_from(nodes.len()).unwrap_or(i64::MAX),
        ready: i64::try_from(ready.count()).unwrap_or(i64::MAX),
        template,
        name,
    })
}

/// True for a node that takes pods: a taint that says otherwise stays for a moment after the condition.
fn is_ready(node: &Object) -> bool {
    let is_unready = |taint: &Value| UNREADY.contains(&taint.text(&["key"]));
    node.condition_status("Ready") == "True" && !node.list(&["spec", "taints"]).iter().any(is_unready)
}

/// A node like one that is there, without what belongs to its present state, and the pods of its daemon sets.
fn like(api: &ApiServer, node: &Object) -> (Object, Vec<Object>) {
    let is_of_daemon = |pod: &&Arc<Object>| {
        pod.text(&["spec", "nodeName"]) == node.name()
            && pod.controller().is_some_and(|owner| owner["kind"] == "DaemonSet")
    };
    let pods = api.all("", "Pod").filter(is_of_daemon).map(|pod| Object::clone(pod)).collect();
    let mut template = node.clone();
    template.remove(&["spec", "unschedulable"]);
    let mut taints = node.list(&["spec", "taints"]).to_vec();
    taints.retain(|taint| {
        let key = taint.text(&["key"]);
        ![CANDIDATE, GOING].contains(&key) && !key.starts_with("node.kubernetes.io/")
    });
    template.set(&["spec", "taints"], taints);
    (template, pods)
}

/// A node as annotations of a set without nodes say that its instances are.
fn from_annotations(set: &Object) -> Option<Object> {
    const PREFIX: &str = "machine.openshift.io/";
    let amount = |name: &str| set.annotation(&format!("{PREFIX}{name}"));
    let mut resources = json!({
        "cpu": amount("vCPU")?, "memory": format!("{}Mi", amount("memoryMb")?), "pods": amount("maxPods").unwrap_or("110"),
    });
    if let Some(count) = amount("GPU").filter(|count| *count != "0") {
        resources["nvidia.com/gpu"] = count.into();
    }
    let template = &set["spec"]["template"]["spec"];
    let mut labels = json!({"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"});
    for (key, value) in template.at(&["metadata", "labels"]).and_then(Value::as_object).into_iter().flatten()
    {
        labels.set(&[key], value.clone());
    }
    for pair in
        set.annotation("capacity.cluster-autoscaler.kubernetes.io/labels").unwrap_or_default().split(',')
    {
        if let Some((key, value)) = pair.split_once('=') {
            labels.set(&[key], value);
        }
    }
    let taints = template.get("taints").cloned().unwrap_or(Value::Null);
    Some(json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": set.name(), "labels": labels},
        "spec": {"taints": taints}, "status": {"allocatable": resources, "capacity": resources},
    }))
}

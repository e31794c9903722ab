//! Sets become larger for pods that no node takes: by as many machines as these pods need, up to the maximum of the
//! MachineAutoscaler and of the whole cluster.
//!
//! What a further node would be like is told by a ready node of the set, or else by what annotations of the set say of
//! its instances. Of several sets the one that takes most pods becomes larger, then the one that needs fewest machines,
//! then the first by name; the reference chooses by chance unless it is told otherwise.
//!
//! Sources: `kubernetes/autoscaler:cluster-autoscaler/core/scaleup/orchestrator/orchestrator.go`,
//! `estimator/binpacking_estimator.go`, `processors/status/eventing_scale_up_processor.go`,
//! `cloudprovider/clusterapi/clusterapi_utils.go` (annotations).

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::controllers::scheduler::Rehearsal;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::{AUTOSCALING, Autoscaler, CANDIDATE, GOING};
use crate::machines::GROUP;

/// A set that may become larger.
struct Group {
    name: ObjectName,
    size: i64,
    most: i64,
    /// Nodes that are ready.
    ready: i64,
    /// A further node, and the pods that every node has; nothing if nobody can tell what it would be like.
    template: Option<(Object, Vec<Object>)>,
}

/// How much larger a group has to become, and for which pods.
struct Plan {
    machines: i64,
    pods: Vec<usize>,
}

impl Autoscaler {
    /// Makes a set larger if pods wait for which there is no room, not even on nodes that are on their way.
    pub(super) fn grow(&mut self, api: &mut ApiServer, autoscaler: &Object) {
        let groups = groups(api);
        let mut waiting: Vec<Arc<Object>> = api.all("", "Pod").filter(|pod| waits(pod)).cloned().collect();
        if waiting.is_empty() || groups.is_empty() {
            self.told.clear();
            return;
        }
        let mut rehearsal = Rehearsal::new(api);
        for group in &groups {
            let Some((node, pods)) = &group.template else { continue };
            for number in group.ready..group.size {
                add(&mut rehearsal, node, pods, &format!("upcoming-{number}"));
            }
        }
        waiting.retain(|pod| rehearsal.place(pod, |_| true).is_err());
        self.told.retain(|uid, _| waiting.iter().any(|pod| pod.uid() == uid));
        let total: i64 = groups.iter().map(|group| (group.size - group.ready).max(0)).sum();
        let total = total + i64::try_from(api.all("", "Node").count()).unwrap_or(i64::MAX);
        let most_nodes = autoscaler.number(&["spec", "resourceLimits", "maxNodesTotal"]);
        let room = most_nodes.map_or(i64::MAX, |most| (most - total).max(0));
        let mut reasons: Vec<BTreeMap<String, usize>> = vec![BTreeMap::new(); waiting.len()];
        let mut best: Option<(&Group, Plan)> = None;
        for group in &groups {
            let left = (group.most - group.size).min(room);
            let plan = plan(&mut rehearsal, group, &waiting, left, &mut reasons);
            let rank = |plan: &Plan| (plan.pods.len(), std::cmp::Reverse(plan.machines));
            if plan.machines > 0 && best.as_ref().is_none_or(|(_, known)| rank(&plan) > rank(known)) {
                best = Some((group, plan));
            }
        }
        let helped = best.as_ref().map(|(_, plan)| plan.pods.clone()).unwrap_or_default();
        if let Some((group, plan)) = best {
            self.enlarge(api, group, &plan, &waiting);
        }
        for (index, pod) in waiting.iter().enumerate().filter(|(index, _)| !helped.contains(index)) {
            let reasons: Vec<String> =
                reasons[index].iter().map(|(reason, count)| format!("{count} {reason}")).collect();
            let text = format!("pod didn't trigger scale-up: {}", reasons.join(", "));
            // Nobody wants to read the same every ten seconds.
            if self.told.insert(pod.uid().to_owned(), text.clone()).as_ref() != Some(&text) {
                self.recorder.normal(api, pod, "NotTriggerScaleUp", &text);
            }
        }
    }

    fn enlarge(&mut self, api: &mut ApiServer, group: &Group, plan: &Plan, waiting: &[Arc<Object>]) {
        let size = group.size + plan.machines;
        let written = self.writer.change(api, GROUP, "MachineSet", &group.name, |set| {
            set.set(&["spec", "replicas"], size);
        });
        // The next scan comes back to what could not be written.
        if written.is_err() {
            return;
        }
        let id = format!("MachineSet/{}", group.name);
        let text = format!("pod triggered scale-up: [{{{id} {}->{size} (max: {})}}]", group.size, group.most);
        for pod in plan.pods.iter().filter_map(|index| waiting.get(*index)) {
            self.recorder.normal(api, pod, "TriggeredScaleUp", &text);
        }
    }
}

/// True for a pod that the scheduler has found no node for.
fn waits(pod: &Object) -> bool {
    let refusal = pod.condition("PodScheduled");
    pod.text(&["spec", "nodeName"]).is_empty()
        && !pod.is_terminating()
        && refusal
            .is_some_and(|condition| condition["status"] == "False" && condition["reason"] == "Unschedulable")
}

/// Puts pods on further nodes of a group, one node after another, and says why not where it does not.
fn plan(
    rehearsal: &mut Rehearsal<'_>,
    group: &Group,
    waiting: &[Arc<Object>],
    most: i64,
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
    let mut added: Vec<String> = Vec::new();
    for (index, pod) in waiting.iter().enumerate() {
        if rehearsal.place(pod, |name| added.iter().any(|one| one == name)).is_ok() {
            plan.pods.push(index);
            continue;
        }
        if plan.machines >= most {
            refuse(index, "max node group size reached");
            continue;
        }
        let name = add(rehearsal, node, pods, &format!("new-{}", plan.machines));
        match rehearsal.place(pod, |one| one == name) {
            Ok(()) => {
                plan.machines += 1;
                plan.pods.push(index);
                added.push(name);
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
    let ready: Vec<&Arc<Object>> = api
        .all("", "Node")
        .filter(|node| node.condition_status("Ready") == "True")
        .filter(is_of_set)
        .collect();
    let template = match ready.first() {
        Some(node) => Some(like(api, node)),
        None => from_annotations(set).map(|node| (node, Vec::new())),
    };
    Some(Group {
        size: set.number(&["spec", "replicas"]).unwrap_or(1),
        most: autoscaler.number(&["spec", "maxReplicas"]).unwrap_or_default(),
        ready: i64::try_from(ready.len()).unwrap_or(i64::MAX),
        template,
        name,
    })
}

/// A node like one that is there, without what only has to do with its present state, and the pods of its daemon sets.
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
    let mut labels = template.at(&["metadata", "labels"]).cloned().unwrap_or_else(|| json!({}));
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

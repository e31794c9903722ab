//! What the API server adds to pods and nodes of itself before they are validated.
//!
//! Sources: `kubernetes/kubernetes:plugin/pkg/admission/{defaulttolerationseconds,nodetaint}`.

use serde_json::{Value, json};

use super::shown_name;
use crate::error::{ApiError, Reason};
use crate::object::{Object, ObjectFields};
use crate::taints::{MEMORY_PRESSURE, NOT_READY, UNREACHABLE};

/// Gives a pod that is created or changed the tolerations of nodes that are not ready or not reachable for five
/// minutes, each unless it has one for that key that covers `NoExecute`.
pub fn add_default_tolerations(pod: &mut Object) {
    for key in [NOT_READY, UNREACHABLE] {
        let covers = |toleration: &Value| {
            let own = toleration.text(&["key"]);
            (own.is_empty() || own == key) && matches!(toleration.text(&["effect"]), "" | "NoExecute")
        };
        if pod.list(&["spec", "tolerations"]).iter().any(covers) {
            continue;
        }
        let added =
            json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300});
        match pod.place(&["spec", "tolerations"]) {
            Value::Array(tolerations) => tolerations.push(added),
            place => *place = json!([added]),
        }
    }
}

/// Taints a node that is created as not ready, unless it says so itself.
pub fn taint_new_node(node: &mut Object) {
    let is_same =
        |taint: &Value| taint.text(&["key"]) == NOT_READY && taint.text(&["effect"]) == "NoSchedule";
    if node.list(&["spec", "taints"]).iter().any(is_same) {
        return;
    }
    let added = json!({"key": NOT_READY, "effect": "NoSchedule"});
    match node.place(&["spec", "taints"]) {
        Value::Array(taints) => taints.push(added),
        place => *place = json!([added]),
    }
}

/// Priority classes that every cluster has.
const SYSTEM_CLASSES: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// Gives a new pod the priority of its class. `class` looks one up by its name, and the default one without.
///
/// # Errors
/// There is no such class, or the pod says another priority itself.
///
/// Source: `kubernetes/kubernetes:plugin/pkg/admission/priority/admission.go`.
pub fn set_priority<'c>(
    pod: &mut Object,
    class: &dyn Fn(Option<&str>) -> Option<&'c Object>,
) -> Result<(), ApiError> {
    let wanted = pod.text(&["spec", "priorityClassName"]).to_owned();
    let refused = |cause: &str| ApiError::forbidden("", "pods", shown_name(pod), cause);
    let system = SYSTEM_CLASSES.iter().find(|(name, _)| *name == wanted).map(|(_, priority)| *priority);
    let found = if wanted.is_empty() { class(None) } else { class(Some(&wanted)) };
    let (priority, policy) = match (system, found) {
        (Some(priority), _) => (priority, ""),
        (None, Some(class)) => {
            (class.number(&["value"]).unwrap_or_default(), class.text(&["preemptionPolicy"]))
        }
        (None, None) if wanted.is_empty() => (0, ""),
        (None, None) => return Err(refused(&format!("no PriorityClass with name {wanted} was found"))),
    };
    let policy = if policy.is_empty() { "PreemptLowerPriority" } else { policy }.to_owned();
    let name = found.map(|class| class.name().to_owned()).filter(|_| wanted.is_empty());
    if pod.number(&["spec", "priority"]).is_some_and(|own| own != priority) {
        let text = "the integer value of priority must not be provided in pod spec; priority admission controller \
                    computed";
        let own = pod.number(&["spec", "priority"]).unwrap_or_default();
        return Err(refused(&format!(
            "{text} {priority} from the given PriorityClass name, but it was {own}"
        )));
    }
    pod.set(&["spec", "priority"], priority);
    if pod.at(&["spec", "preemptionPolicy"]).is_none() {
        pod.set(&["spec", "preemptionPolicy"], policy);
    }
    if let Some(name) = name {
        pod.set(&["spec", "priorityClassName"], name);
    }
    Ok(())
}

/// Labels that a pod takes over from its node.
const TOPOLOGY: [&str; 2] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/// Gives a pod that gets a node the labels that say where the node is.
///
/// Source: `kubernetes/kubernetes:plugin/pkg/admission/podtopologylabels/admission.go`.
pub fn copy_topology(pod: &mut Object, node: &Object) {
    for key in TOPOLOGY {
        if let Some(value) = node.label(key) {
            pod.set(&["metadata", "labels", key], value);
        }
    }
}

/// The annotation of namespaces with the tolerations that their pods get.
const DEFAULT_TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/defaultTolerations";
/// The annotation of namespaces with the tolerations that their pods may have.
const ALLOWED_TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";

/// Merges what a namespace gives and allows its pods: default tolerations, and for pods that asked for resources that
/// of pressure on memory, when a pod is created (`before` is absent); then the list of what is allowed.
///
/// # Errors
/// The API server's refusal, which has code 500 whatever is wrong.
///
/// Source: `kubernetes/kubernetes:plugin/pkg/admission/podtolerationrestriction`.
pub fn restrict_tolerations(
    pod: &mut Object,
    before: Option<&Object>,
    namespace: &Object,
) -> Result<(), ApiError> {
    if before.is_none() {
        let mut added = annotated(namespace, DEFAULT_TOLERATIONS)?;
        if quality_of_service(pod) != "BestEffort" {
            added.push(json!({
                "key": MEMORY_PRESSURE, "operator": "Exists", "effect": "NoSchedule",
            }));
        }
        if !added.is_empty() {
            let merged = merged(pod.list(&["spec", "tolerations"]), added);
            pod.set(&["spec", "tolerations"], merged);
        }
    }
    let allowed = annotated(namespace, ALLOWED_TOLERATIONS)?;
    let is_allowed = |toleration: &Value| allowed.iter().any(|allowed| includes(allowed, toleration));
    if allowed.is_empty() || pod.list(&["spec", "tolerations"]).iter().all(is_allowed) {
        return Ok(());
    }
    let text = "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist";
    Err(ApiError::other(Reason::InternalError, text))
}

/// The tolerations in an annotation of a namespace.
fn annotated(namespace: &Object, annotation: &str) -> Result<Vec<Value>, ApiError> {
    let Some(text) = namespace.annotation(annotation).filter(|text| !text.is_empty()) else {
        return Ok(Vec::new());
    };
    let refused = |text: String| ApiError::other(Reason::InternalError, text);
    let (document, _) =
        fbc_yaml::json_reader::read_value(text.as_bytes(), 0).map_err(|error| refused(error.message))?;
    let value: Value = fbc_go::json::read_value(&fbc_yaml::json_writer::compact(document.root()))
        .map_err(|error| refused(error.to_string()))?;
    match value {
        Value::Array(tolerations) => Ok(tolerations),
        Value::Null => Ok(Vec::new()),
        _ => Err(refused("json: cannot unmarshal into Go value of type []v1.Toleration".to_owned())),
    }
}

/// Both lists, without what another toleration includes; of equal ones the first stays.
fn merged(first: &[Value], second: Vec<Value>) -> Vec<Value> {
    let all: Vec<Value> = first.iter().cloned().chain(second).collect();
    let mut merged: Vec<Value> = Vec::new();
    for (index, toleration) in all.iter().enumerate() {
        let later = all.iter().skip(index + 1).filter(|other| *other != toleration);
        if !merged.iter().chain(later).any(|other| includes(other, toleration)) {
            merged.push(toleration.clone());
        }
    }
    merged
}

/// True if every taint that the second toleration tolerates is tolerated, as long, by the first.
///
/// Source: `kubernetes/kubernetes:pkg/util/tolerations/tolerations.go` (`isSuperset`).
fn includes(toleration: &Value, other: &Value) -> bool {
    if toleration == other {
        return true;
    }
    let (key, effect) = (toleration.text(&["key"]), toleration.text(&["effect"]));
    let exists = toleration.text(&["operator"]) == "Exists";
    if key != other.text(&["key"]) && !(key.is_empty() && exists) {
        return false;
    }
    if !effect.is_empty() && effect != other.text(&["effect"]) {
        return false;
    }
    let seconds = |toleration: &Value| toleration.number(&["tolerationSeconds"]);
    if effect == "NoExecute"
        && let Some(own) = seconds(toleration)
        && seconds(other).is_none_or(|other| other > own)
    {
        return false;
    }
    exists
        || matches!(other.text(&["operator"]), "" | "Equal")
            && toleration.text(&["value"]) == other.text(&["value"])
}

/// The class that a pod is of, by the processors and the memory that its containers ask for.
///
/// Source: `kubernetes/kubernetes:pkg/apis/core/helper/qos/qos.go`.
pub fn quality_of_service(pod: &Object) -> &'static str {
    let containers = ["containers", "initContainers"].map(|list| pod.list(&["spec", list])).concat();
    let asked = |container: &Value, part: &str, resource: &str| {
        container
            .at(&["resources", part, resource])
            .and_then(Value::as_str)
            .filter(|amount| !amount.trim_start_matches(['0', '.']).is_empty())
            .map(str::to_owned)
    };
    let mut is_best_effort = true;
    let mut is_guaranteed = true;
    for container in &containers {
        for resource in ["cpu", "memory"] {
            let (request, limit) =
                (asked(container, "requests", resource), asked(container, "limits", resource));
            is_best_effort &= request.is_none() && limit.is_none();
            is_guaranteed &= limit.is_some() && request == limit;
        }
    }
    match (is_best_effort, is_guaranteed) {
        (true, _) => "BestEffort",
        (false, true) => "Guaranteed",
        (false, false) => "Burstable",
    }
}

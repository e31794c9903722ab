//! Quotas: how much of each resource the objects of a namespace may use together.
//!
//! What is used is counted from the objects that are there, so that a quota counts from the moment when it is created.
//!
//! Source: `kubernetes/kubernetes:pkg/quota/v1/evaluator/core` and
//! `kubernetes/apiserver:pkg/admission/plugin/resourcequota/controller.go`.

use std::collections::{BTreeMap, BTreeSet};

use fbc_kubernetes::quantity::Quantity;
use serde_json::Value;

use super::amounts::{Amounts, of_pod, read};
use super::pods::quality_of_service;
use super::shown_name;
use crate::error::ApiError;
use crate::kind::Kind;
use crate::object::{Object, ObjectFields};
use crate::pod_resources::Resources as _;

/// Kinds of the core that count under their own names.
pub(crate) const COUNTED: [&str; 7] = [
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
];
/// What containers must say in a namespace with a quota for it.
const COMPUTE: [&str; 6] =
    ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];
/// The marker of a storage class in the names of resources.
const CLASS: &str = ".storageclass.storage.k8s.io/";

/// What an object uses, by the names that quotas have for it.
pub(crate) fn usage(group: &str, plural: &str, object: &Object) -> Amounts {
    let counted = if group.is_empty() { plural.to_owned() } else { format!("{plural}.{group}") };
    let mut usage = Amounts::from([(format!("count/{counted}"), Quantity::whole(1))]);
    if !group.is_empty() {
        return usage;
    }
    if plural == "pods" && matches!(object.text(&["status", "phase"]), "Succeeded" | "Failed") {
        return usage;
    }
    if COUNTED.contains(&plural) {
        usage.insert(plural.to_owned(), Quantity::whole(1));
    }
    match plural {
        "pods" => usage.extend(compute(&of_pod(object, "requests"), &of_pod(object, "limits"))),
        "services" => {
            let ports = i64::try_from(object.list(&["spec", "ports"]).len()).unwrap_or(i64::MAX);
            let balanced = object.text(&["spec", "type"]) == "LoadBalancer";
            let has_node_ports = balanced && object["spec"]["allocateLoadBalancerNodePorts"] != false
                || object.text(&["spec", "type"]) == "NodePort";
            usage.insert("services.loadbalancers".to_owned(), Quantity::whole(i64::from(balanced)));
            let node_ports = if has_node_ports { ports } else { 0 };
            usage.insert("services.nodeports".to_owned(), Quantity::whole(node_ports));
        }
        "persistentvolumeclaims" => {
            let storage = read(object.at(&["spec", "resources", "requests"])).remove("storage");
            let class = object
                .annotation("volume.beta.kubernetes.io/storage-class")
                .unwrap_or_else(|| object.text(&["spec", "storageClassName"]));
            if !class.is_empty() {
                usage.insert(format!("{class}{CLASS}persistentvolumeclaims"), Quantity::whole(1));
            }
            if let Some(storage) = storage {
                usage.insert("requests.storage".to_owned(), storage);
                if !class.is_empty() {
                    usage.insert(format!("{class}{CLASS}requests.storage"), storage);
                }
            }
        }
        _ => {}
    }
    usage
}

/// Requests and limits under the names that quotas have for them.
fn compute(requests: &Amounts, limits: &Amounts) -> Amounts {
    let mut usage = Amounts::new();
    for (name, amount) in requests {
        let is_plain = matches!(name.as_str(), "cpu" | "memory" | "ephemeral-storage");
        if is_plain || name.starts_with("hugepages-") {
            usage.insert(name.clone(), *amount);
        }
        if is_plain || name.starts_with("hugepages-") || name.contains('/') {
            usage.insert(format!("requests.{name}"), *amount);
        }
    }
    for (name, amount) in limits {
        if matches!(name.as_str(), "cpu" | "memory" | "ephemeral-storage") {
            usage.insert(format!("limits.{name}"), *amount);
        }
    }
    usage
}

/// The kind, by group and plural name, whose objects use a resource of a quota; nothing if it is not known.
pub(crate) fn counted_kind(resource: &str) -> Option<(&str, &str)> {
    if let Some(counted) = resource.strip_prefix("count/") {
        let (plural, group) = counted.split_once('.').unwrap_or((counted, ""));
        return Some((group, plural));
    }
    if resource == "requests.storage" || resource.contains(CLASS) {
        return Some(("", "persistentvolumeclaims"));
    }
    if resource.starts_with("services.") {
        return Some(("", "services"));
    }
    if let Some(plural) = COUNTED.into_iter().find(|plural| *plural == resource) {
        return Some(("", plural));
    }
    let name = resource.strip_prefix("requests.").or(resource.strip_prefix("limits.")).unwrap_or(resource);
    let is_of_pods = matches!(name, "cpu" | "memory" | "ephemeral-storage")
        || name.starts_with("hugepages-")
        || resource.starts_with("requests.");
    is_of_pods.then_some(("", "pods"))
}

/// True if a quota counts an object: one with scopes counts pods alone, those that all scopes select.
pub(crate) fn counts(quota: &Object, plural: &str, object: &Object) -> bool {
    let scopes = quota.list(&["spec", "scopes"]).iter().filter_map(Value::as_str).map(|scope| (scope, None));
    let expressions = quota.list(&["spec", "scopeSelector", "matchExpressions"]).iter();
    let expressions = expressions.map(|expression| (expression.text(&["scopeName"]), Some(expression)));
    let mut all = scopes.chain(expressions).peekable();
    if all.peek().is_none() {
        return true;
    }
    plural == "pods" && all.all(|(scope, expression)| is_in_scope(object, scope, expression))
}

/// Source: `kubernetes/kubernetes:pkg/quota/v1/evaluator/core/pods.go` (`podMatchesScopeFunc`).
fn is_in_scope(pod: &Object, scope: &str, expression: Option<&Value>) -> bool {
    let has_end = pod.number(&["spec", "activeDeadlineSeconds"]).is_some_and(|seconds| seconds >= 0);
    let is_best_effort = quality_of_service(pod) == "BestEffort";
    match scope {
        "Terminating" => has_end,
        "NotTerminating" => !has_end,
        "BestEffort" => is_best_effort,
        "NotBestEffort" => !is_best_effort,
        "CrossNamespacePodAffinity" => ["podAffinity", "podAntiAffinity"].iter().any(|kind| {
            let affinity = pod.at(&["spec", "affinity", kind]).cloned().unwrap_or_default();
            let wanted = affinity.list(&["preferredDuringSchedulingIgnoredDuringExecution"]);
            let terms = affinity.list(&["requiredDuringSchedulingIgnoredDuringExecution"]).iter();
            terms.chain(wanted.iter().filter_map(|one| one.at(&["podAffinityTerm"]))).any(|term| {
                !term.list(&["namespaces"]).is_empty() || term.at(&["namespaceSelector"]).is_some()
            })
        }),
        "PriorityClass" => {
            let own = pod.text(&["spec", "priorityClassName"]);
            let Some(expression) = expression else { return !own.is_empty() };
            let is_named = expression.list(&["values"]).iter().any(|value| value == own);
            match expression.text(&["operator"]) {
                "In" => is_named,
                "NotIn" => !is_named,
                "Exists" => !own.is_empty(),
                "DoesNotExist" => own.is_empty(),
                _ => false,
            }
        }
        _ => false,
    }
}

/// A quota, with what the objects of a kind in its namespace use of it.
pub(crate) struct Counted<'q> {
    pub(crate) quota: &'q Object,
    pub(crate) used: Amounts,
}

/// Checks an object that is created (`before` is absent) or changed against the quotas that count it.
///
/// # Errors
/// The refusal of the API server.
pub(crate) fn check(
    kind: &Kind,
    before: Option<&Object>,
    object: &Object,
    quotas: &[Counted<'_>],
) -> Result<(), ApiError> {
    let plural = kind.plural.as_str();
    let forbidden = |cause: &str| ApiError::forbidden(&kind.group, plural, shown_name(object), cause);
    let own = usage(&kind.group, plural, object);
    let old = before.map(|before| usage(&kind.group, plural, before)).unwrap_or_default();
    for Counted { quota, used } in quotas {
        let hard = read(quota.at(&["spec", "hard"]));
        if plural == "pods" && before.is_none() {
            let missing = unspecified(object, &hard);
            if !missing.is_empty() {
                let text = format!("failed quota: {}: must specify {missing}", quota.name());
                return Err(forbidden(&text));
            }
        }
        let (mut asked, mut present, mut most) = (Amounts::new(), Amounts::new(), Amounts::new());
        for (resource, limit) in &hard {
            let Some(amount) = own.get(resource) else { continue };
            let more = amount.checked_sub(&old.get(resource).copied().unwrap_or_default()).unwrap_or(*amount);
            let used = used.get(resource).copied().unwrap_or_default();
            if more.sign() > 0 && used.plus(more) > *limit {
                asked.insert(resource.clone(), more);
                present.insert(resource.clone(), used);
                most.insert(resource.clone(), *limit);
            }
        }
        if !asked.is_empty() {
            return Err(forbidden(&format!(
                "exceeded quota: {}, requested: {}, used: {}, limited: {}",
                quota.name(),
                shown(&asked),
                shown(&present),
                shown(&most)
            )));
        }
    }
    Ok(())
}

fn shown(amounts: &Amounts) -> String {
    amounts.iter().map(|(name, amount)| format!("{name}={amount}")).collect::<Vec<_>>().join(",")
}

/// What containers of a pod do not say although a quota counts it: `limits.cpu for: a,b; memory for: a`.
fn unspecified(pod: &Object, hard: &Amounts) -> String {
    let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for container in ["containers", "initContainers"].iter().flat_map(|list| pod.list(&["spec", list])) {
        let part = |part: &str| read(container.at(&["resources", part]));
        let said = compute(&part("requests"), &part("limits"));
        for resource in COMPUTE.into_iter().filter(|resource| hard.contains_key(*resource)) {
            if !said.contains_key(resource) {
                missing.entry(resource).or_default().insert(container.text(&["name"]));
            }
        }
    }
    let one = |(resource, names): (&str, BTreeSet<&str>)| {
        format!("{resource} for: {}", names.into_iter().collect::<Vec<_>>().join(","))
    };
    missing.into_iter().map(one).collect::<Vec<_>>().join("; ")
}

/// What objects use together of the resources of a quota.
pub(crate) fn used<'o>(
    quota: &Object,
    group: &str,
    plural: &str,
    objects: impl Iterator<Item = &'o Object>,
) -> Amounts {
    let mut sum = Amounts::new();
    for object in objects.filter(|object| counts(quota, plural, object)) {
        sum.add(&usage(group, plural, object));
    }
    let hard = quota.at(&["spec", "hard"]);
    sum.retain(|resource, _| hard.is_some_and(|hard| hard.get(resource).is_some()));
    sum
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_use_what_quotas_name() {
        for (plural, object, resource, amount) in [
            (
                "pods",
                json!({"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}),
                "requests.cpu",
                "1",
            ),
            ("pods", json!({"status": {"phase": "Failed"}}), "count/pods", "1"),
            ("services", json!({"spec": {"type": "NodePort", "ports": [{}, {}]}}), "services.nodeports", "2"),
            ("services", json!({"spec": {"type": "LoadBalancer"}}), "services.loadbalancers", "1"),
            (
                "persistentvolumeclaims",
                json!({"spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "1Gi"}}}}),
                "fast.storageclass.storage.k8s.io/requests.storage",
                "1Gi",
            ),
        ] {
            let usage = usage("", plural, &object);
            assert_eq!(usage.get(resource).map(ToString::to_string).as_deref(), Some(amount), "{usage:?}");
            assert_eq!(counted_kind(resource), Some(("", plural)));
        }
        assert!(!usage("", "pods", &json!({"status": {"phase": "Failed"}})).contains_key("pods"));
        assert_eq!(counted_kind("count/deployments.apps"), Some(("apps", "deployments")));
        assert_eq!(counted_kind("attention"), None);
    }

    #[test]
    fn what_containers_do_not_say_is_named() {
        let hard = read(Some(&json!({"requests.cpu": "1", "limits.memory": "1Gi", "pods": "1"})));
        let pod = json!({"spec": {"containers": [
            {"name": "b", "resources": {"requests": {"cpu": "1"}}}, {"name": "a"},
        ]}});
        assert_eq!(unspecified(&pod, &hard), "limits.memory for: a,b; requests.cpu for: a");
    }

    #[test]
    fn scopes_select_pods() {
        let quota = |scope: &str| json!({"spec": {"scopes": [scope]}});
        let (short, long) = (json!({"spec": {"activeDeadlineSeconds": 5}}), json!({"spec": {}}));
        for (scope, for_short, for_long) in
            [("Terminating", true, false), ("NotTerminating", false, true), ("BestEffort", true, true)]
        {
            assert_eq!(counts(&quota(scope), "pods", &short), for_short, "{scope}");
            assert_eq!(counts(&quota(scope), "pods", &long), for_long, "{scope}");
        }
        assert!(!counts(&quota("BestEffort"), "services", &long));
        let class = json!({"spec": {"scopeSelector": {"matchExpressions": [
            {"scopeName": "PriorityClass", "operator": "In", "values": ["high"]},
        ]}}});
        assert!(counts(&class, "pods", &json!({"spec": {"priorityClassName": "high"}})));
        assert!(!counts(&class, "pods", &long));
    }
}

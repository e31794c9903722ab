//! Disruption budgets: how many pods there should be, how many serve, how many may be evicted.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/disruption/disruption.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::deployments::share;
use super::events::Recorder;
use super::pods::is_ready;
use super::write::{outcome, update_status};
use crate::api::ApiServer;
use crate::engine::{Controller, Outcome};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::selector::LabelSelector;
use crate::store::Change;
use crate::time::{MINUTE, Milliseconds, Moment};

/// So long an evicted pod is expected to go; then it counts again.
const DELETION_TIMEOUT: Milliseconds = 2 * MINUTE;

/// Keeps the status of disruption budgets.
#[derive(Debug)]
pub struct DisruptionBudgets {
    events: Recorder,
}

impl Default for DisruptionBudgets {
    fn default() -> Self {
        Self { events: Recorder::new("controllermanager") }
    }
}

impl Controller for DisruptionBudgets {
    fn name(&self) -> &'static str {
        "disruption-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("policy", "PodDisruptionBudget"), ("", "Pod")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if kind.1 == "PodDisruptionBudget" {
            requests.extend(change.after.is_some().then(|| change.key.name.clone()));
            return;
        }
        let Some(budgets) = api.kind_id("policy", "PodDisruptionBudget") else { return };
        // A pod should have one budget; of several only the first hears of it, as in the reference.
        let is_meant = |budget: &&Arc<Object>, pod: &Object| {
            let selector = LabelSelector::of_object(budget.at(&["spec", "selector"]));
            selector.is_ok_and(|selector| selector.matches_object(pod))
        };
        for pod in change.before.iter().chain(&change.after) {
            let mut budgets = api.store().in_namespace(budgets, &change.key.name.namespace);
            requests.extend(budgets.find(|budget| is_meant(budget, pod)).map(|budget| budget.object_name()));
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(budget) = api.find("policy", "PodDisruptionBudget", request).cloned() else {
            return Outcome::Done;
        };
        let pods = selected(api, &budget);
        if pods.is_empty() {
            self.events.normal(api, &budget, "NoPods", "No matching pods found");
        }
        let (status, next) = status(api, &budget, &pods);
        let now = api.now();
        match outcome(update_status(api, &budget, status)) {
            Outcome::Done => next.map_or(Outcome::Done, |next| Outcome::After(next.since(now))),
            other => other,
        }
    }
}

/// The pods that a budget is for.
fn selected(api: &ApiServer, budget: &Object) -> Vec<Arc<Object>> {
    let (Ok(selector), Some(kind)) =
        (LabelSelector::of_object(budget.at(&["spec", "selector"])), api.kind_id("", "Pod"))
    else {
        return Vec::new();
    };
    let fits = |pod: &&Arc<Object>| selector.matches_object(pod);
    match selector.required_label() {
        Some((key, value)) => {
            api.store().with_label_in(kind, budget.namespace(), key, value).filter(fits).cloned().collect()
        }
        None => api.store().in_namespace(kind, budget.namespace()).filter(fits).cloned().collect(),
    }
}

/// The status of a budget, and when it changes by waiting alone.
fn status(api: &ApiServer, budget: &Object, pods: &[Arc<Object>]) -> (Value, Option<Moment>) {
    let (now, generation) = (api.now(), budget.generation());
    let (expected, desired) = wanted(api, budget, pods);
    let (disrupted, next) = disrupted(budget, pods, now);
    let serves =
        |pod: &&Arc<Object>| is_ready(pod) && !pod.is_terminating() && !disrupted.contains_key(pod.name());
    let healthy = i64::try_from(pods.iter().filter(serves).count()).unwrap_or_default();
    let allowed = if expected > 0 { (healthy - desired).max(0) } else { 0 };
    let mut status = budget.get("status").cloned().unwrap_or_default();
    for (field, number) in [
        ("observedGeneration", generation),
        ("disruptionsAllowed", allowed),
        ("currentHealthy", healthy),
        ("desiredHealthy", desired),
        ("expectedPods", expected),
    ] {
        status.set(&[field], number);
    }
    if disrupted.is_empty() {
        status.remove(&["disruptedPods"]);
    } else {
        status.set(&["disruptedPods"], disrupted);
    }
    set_allowed(&mut status, generation, allowed, now);
    (status, next)
}

/// How many pods there should be, and how many of them must serve.
fn wanted(api: &ApiServer, budget: &Object, pods: &[Arc<Object>]) -> (i64, i64) {
    let field = |name: &str| budget.given(&["spec", name]);
    match (field("maxUnavailable"), field("minAvailable")) {
        (Some(most), _) => {
            let expected = replicas_of_owners(api, pods);
            (expected, (expected - share(most, expected, true)).max(0))
        }
        (None, Some(Value::Number(least))) => {
            (i64::try_from(pods.len()).unwrap_or_default(), least.as_i64().unwrap_or_default())
        }
        (None, Some(least)) => {
            let expected = replicas_of_owners(api, pods);
            (expected, share(least, expected, true))
        }
        (None, None) => (0, 0),
    }
}

/// How many pods those want that the pods belong to. Pods without an owner count for nothing.
fn replicas_of_owners(api: &ApiServer, pods: &[Arc<Object>]) -> i64 {
    let mut owners: BTreeMap<String, i64> = BTreeMap::new();
    // Thousands of pods have the same controller.
    let references: BTreeMap<&str, &Object> = pods
        .iter()
        .filter_map(|pod| pod.controller())
        .map(|reference| (reference.text(&["uid"]), reference))
        .collect();
    for reference in references.into_values() {
        let Some(mut owner) = api.owner(reference) else { continue };
        if owner.kind() == "ReplicaSet"
            && let Some(deployment) = owner.controller().and_then(|reference| api.owner(reference))
        {
            owner = deployment;
        }
        if let Some(replicas) = owner.number(&["spec", "replicas"]) {
            owners.insert(owner.uid().to_owned(), replicas);
        }
    }
    owners.values().sum()
}

/// Evicted pods whose deletion has not begun yet, and when the first of them counts again.
fn disrupted(budget: &Object, pods: &[Arc<Object>], now: Moment) -> (Map<String, Value>, Option<Moment>) {
    let (mut waiting, mut next) = (Map::new(), None);
    let Some(disrupted) = budget.at(&["status", "disruptedPods"]).and_then(Value::as_object) else {
        return (waiting, next);
    };
    let staying: BTreeSet<&str> =
        pods.iter().filter(|pod| !pod.is_terminating()).map(|pod| pod.name()).collect();
    for (name, since) in disrupted {
        let goes = staying.contains(name.as_str());
        let until = since.as_str().and_then(Moment::parse).map(|since| since + DELETION_TIMEOUT);
        let Some(until) = until.filter(|until| goes && *until > now) else { continue };
        waiting.insert(name.clone(), since.clone());
        next = Some(next.map_or(until, |next: Moment| next.min(until)));
    }
    (waiting, next)
}

/// Writes the condition that says whether anything may be evicted.
///
/// Source: `kubernetes/component-helpers:apps/poddisruptionbudget/helpers.go`.
pub(crate) fn set_allowed(status: &mut Value, generation: i64, allowed: i64, now: Moment) {
    let (value, reason) =
        if allowed > 0 { ("True", "SufficientPods") } else { ("False", "InsufficientPods") };
    let mut conditions = status.list(&["conditions"]).to_vec();
    let present = conditions.iter_mut().find(|condition| condition["type"] == "DisruptionAllowed");
    let since = present
        .as_ref()
        .filter(|condition| condition["status"] == value)
        .map(|condition| condition.text(&["lastTransitionTime"]).to_owned());
    let condition = json!({
        "type": "DisruptionAllowed", "status": value, "reason": reason, "message": "",
        "observedGeneration": generation, "lastTransitionTime": since.unwrap_or_else(|| now.to_string()),
    });
    match present {
        Some(present) => *present = condition,
        None => conditions.push(condition),
    }
    status.set(&["conditions"], conditions);
}

//! Replica sets: as many pods as are wanted.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/replicaset/{replica_set,replica_set_utils}.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::claims::{Selectors, claim, orphans, owned};
use super::events::Recorder;
use super::pod_counts::{PodCounts, Tally};
use super::pods::{from_template, is_active, sort_for_deletion};
use super::write::{create, manager, outcome, update_status};
use crate::api::{ApiServer, DeleteOptions};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::kind::KindId;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::selector::LabelSelector;
use crate::store::Change;
use crate::time::{Milliseconds, SECOND};

/// The most pods that are made or deleted at once.
const BURST: usize = 500;

/// Keeps the pods of replica sets.
#[derive(Debug)]
pub struct ReplicaSets {
    selectors: Selectors,
    counts: PodCounts,
    events: Recorder,
}

impl Default for ReplicaSets {
    fn default() -> Self {
        Self {
            selectors: Selectors::default(),
            counts: PodCounts::default(),
            events: Recorder::new("replicaset-controller"),
        }
    }
}

impl Controller for ReplicaSets {
    fn name(&self) -> &'static str {
        "replicaset-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("apps", "ReplicaSet"), ("", "Pod")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if kind.1 == "ReplicaSet" {
            self.selectors.follow(change);
            requests.extend(change.after.is_some().then(|| change.key.name.clone()));
        } else {
            self.counts.follow(&change.key.name, change.after.as_deref());
            self.selectors.concerned(change, "ReplicaSet", requests);
        }
    }

    fn start_over(&mut self) {
        self.counts = PodCounts::default();
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let (Some(set), Some(pods)) =
            (api.find("apps", "ReplicaSet", request).cloned(), api.kind_id("", "Pod"))
        else {
            return Outcome::Done;
        };
        self.sync(api, &set, pods).unwrap_or_else(|error| outcome(Err::<(), _>(error)))
    }
}

impl ReplicaSets {
    fn sync(&mut self, api: &mut ApiServer, set: &Arc<Object>, kind: KindId) -> Result<Outcome, ApiError> {
        let Ok(selector) = LabelSelector::of_object(set.at(&["spec", "selector"])) else {
            return Ok(Outcome::Done);
        };
        let known = self.counts.of(set.uid());
        let is_known = known.is_none_or(|tally| tally.is_selected(&selector))
            && (set.is_terminating() || orphans(api, set, kind, &selector).is_empty());
        // Pods that come or go by their labels alone are rare, and looked at one by one.
        let claimed = if is_known { Tally::default() } else { count(&claim(api, set, kind, &selector)?) };
        let tally = if is_known { known.unwrap_or(&claimed) } else { &claimed };
        let managed = if set.is_terminating() {
            Ok(())
        } else {
            manage(api, set, (kind, &selector), tally.active, &mut self.events)
        };
        let failure = managed.as_ref().err().map(|error| error.message.clone());
        let status = status(api, set, tally, failure.as_deref());
        let (_, next) = tally.not_yet_available(wait(set), api.now());
        update_status(api, set, status)?;
        if let Err(error) = managed {
            return Ok(Outcome::Failed(error.message));
        }
        Ok(next.map_or(Outcome::Done, |next| Outcome::After(next.since(api.now()))))
    }
}

fn count(pods: &[Arc<Object>]) -> Tally {
    Tally::count(pods.iter().map(|pod| &**pod))
}

/// Makes pods that are missing, or deletes what is too much.
fn manage(
    api: &mut ApiServer,
    set: &Object,
    (kind, selector): (KindId, &LabelSelector),
    active: usize,
    events: &mut Recorder,
) -> Result<(), ApiError> {
    let wanted = replicas(set);
    for _ in active..wanted.min(active + BURST) {
        if api.has_written_much() {
            // The pods that were made bring the controller back, as those below that were deleted.
            return Ok(());
        }
        let mut pod = from_template(&set["spec"]["template"], set);
        pod.set(&["metadata", "generateName"], format!("{}-", set.name()));
        match create(api, pod) {
            Ok(pod) => {
                let text = format!("Created pod: {}", pod.name());
                events.normal(api, set, "SuccessfulCreate", &text);
            }
            Err(error) if error.message.ends_with("because it is being terminated") => return Ok(()),
            Err(error) => {
                events.warning(api, set, "FailedCreate", &format!("Error creating: {error}"));
                return Err(error);
            }
        }
    }
    let surplus = active.saturating_sub(wanted).min(BURST);
    if surplus == 0 {
        return Ok(());
    }
    let by_node = related_pods(api, set, kind);
    let mut active = owned(api, set, kind);
    active.retain(|pod| is_active(pod) && selector.matches_object(pod));
    sort_for_deletion(&mut active, |node| by_node.get(node).copied().unwrap_or_default());
    for pod in active.iter().take(surplus) {
        if api.has_written_much() {
            return Ok(());
        }
        match api.delete(&manager(), kind, &pod.object_name(), &DeleteOptions::default()) {
            Err(error) if !error.is_not_found() => {
                events.warning(api, set, "FailedDelete", &format!("Error deleting: {error}"));
                return Err(error);
            }
            _ => {
                let text = format!("Deleted pod: {}", pod.name());
                events.normal(api, set, "SuccessfulDelete", &text);
            }
        }
    }
    Ok(())
}

/// How many pods of all replica sets of the same owner run on each node.
fn related_pods(api: &ApiServer, set: &Object, kind: KindId) -> BTreeMap<String, usize> {
    let owner = set.controller().and_then(|reference| api.owner(reference));
    let sets: Vec<Arc<Object>> = match (owner, api.kind_id("apps", "ReplicaSet")) {
        (Some(owner), Some(sets)) => owned(api, owner, sets),
        _ => Vec::new(),
    };
    let mut by_node = BTreeMap::new();
    let sets = if sets.is_empty() { vec![set] } else { sets.iter().map(|set| &**set).collect() };
    for pod in sets.into_iter().flat_map(|set| owned(api, set, kind)).filter(|pod| is_active(pod)) {
        *by_node.entry(pod.text(&["spec", "nodeName"]).to_owned()).or_default() += 1;
    }
    by_node
}

/// `spec.replicas`, 1 by default.
pub(super) fn replicas(set: &Object) -> usize {
    set.number(&["spec", "replicas"]).map_or(1, |number| usize::try_from(number).unwrap_or_default())
}

/// `spec.minReadySeconds`
pub(super) fn min_ready_seconds(set: &Object) -> u64 {
    set.number(&["spec", "minReadySeconds"])
        .and_then(|seconds| u64::try_from(seconds).ok())
        .unwrap_or_default()
}

/// `spec.minReadySeconds` as a span.
fn wait(set: &Object) -> Milliseconds {
    min_ready_seconds(set) * SECOND
}

fn status(api: &ApiServer, set: &Object, tally: &Tally, failure: Option<&str>) -> Value {
    let labels = LabelSelector::of_map(set.at(&["spec", "template", "metadata", "labels"]));
    let ready = tally.ready();
    let (not_yet, _) = tally.not_yet_available(wait(set), api.now());
    let mut status = Map::new();
    status.insert("replicas".into(), tally.active.into());
    status.insert("terminatingReplicas".into(), tally.terminating.into());
    status.insert("observedGeneration".into(), set.generation().into());
    for (field, number) in [
        ("fullyLabeledReplicas", tally.selected(&labels)),
        ("readyReplicas", ready),
        ("availableReplicas", ready - not_yet),
    ] {
        if number > 0 {
            status.insert(field.into(), number.into());
        }
    }
    if let Some(failure) = failure {
        let reason = if tally.active < replicas(set) { "FailedCreate" } else { "FailedDelete" };
        let condition = set.condition("ReplicaFailure").cloned().unwrap_or_else(|| {
            json!({
                "type": "ReplicaFailure", "status": "True", "reason": reason, "message": failure,
                "lastTransitionTime": api.now().to_string(),
            })
        });
        status.insert("conditions".into(), json!([condition]));
    }
    Value::Object(status)
}

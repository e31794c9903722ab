//! Horizontal pod autoscalers: how many replicas a workload is to have, by what its pods use.
//!
//! What pods use comes from behaviours. Without any that says so there is no metrics API, as in a cluster without a
//! metrics server: the autoscaler then reports that, and keeps the number within its bounds only.
//!
//! | module | what it does |
//! |---|---|
//! | `metrics` | what a metric asks for, by what the pods use |
//! | `rate` | how fast the number may change, and what earlier recommendations hold it back |
//!
//! Source: `kubernetes/kubernetes:pkg/controller/podautoscaler/{horizontal,replica_calculator}.go`.

mod metrics;
mod rate;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use self::metrics::{Metrics, Recommendation};
use self::rate::History;
use super::behaviour::Behaviour;
use super::events::Recorder;
use super::write::{manager, outcome, set_condition, update_status};
use crate::api::{ApiServer, Subresource, WriteOptions};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;
use crate::time::{Milliseconds, SECOND};

const GROUP: &str = "autoscaling";
const KIND: &str = "HorizontalPodAutoscaler";

/// How often each autoscaler looks (`--horizontal-pod-autoscaler-sync-period`).
const PERIOD: Milliseconds = 15 * SECOND;

/// Scales workloads.
#[derive(Debug)]
pub struct HorizontalAutoscaler {
    metrics: Metrics,
    histories: BTreeMap<ObjectName, History>,
    events: Recorder,
}

impl HorizontalAutoscaler {
    /// Autoscalers of pods that behave like this.
    pub fn new(behaviours: Vec<Behaviour>, seed: u64) -> Self {
        Self {
            metrics: Metrics::new(behaviours, seed),
            histories: BTreeMap::new(),
            events: Recorder::new("horizontal-pod-autoscaler"),
        }
    }
}

impl Controller for HorizontalAutoscaler {
    fn name(&self) -> &'static str {
        "horizontal-pod-autoscaler"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, KIND)]
    }

    fn requests(
        &mut self,
        change: &Change,
        _kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        // Its own status is no news; a new wish is.
        let wish = |object: &Option<Arc<Object>>| object.as_ref().map(|object| object["spec"].clone());
        if wish(&change.before) != wish(&change.after) {
            requests.push(change.key.name.clone());
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(autoscaler) = api.find(GROUP, KIND, request).cloned() else {
            self.histories.remove(request);
            return Outcome::Done;
        };
        match self.sync(api, &autoscaler) {
            Ok(true) => Outcome::After(PERIOD),
            Ok(false) => Outcome::Routinely(PERIOD),
            Err(error) => match outcome::<()>(Err(error)) {
                Outcome::Done => Outcome::Routinely(PERIOD),
                failed => failed,
            },
        }
    }
}

/// What is known of an autoscaler while it is looked at.
struct Round {
    conditions: Vec<Value>,
    metrics: Value,
    desired: i64,
}

impl HorizontalAutoscaler {
    /// One look; true if the number of replicas changed.
    fn sync(&mut self, api: &mut ApiServer, autoscaler: &Arc<Object>) -> Result<bool, ApiError> {
        let mut round = Round {
            conditions: autoscaler.list(&["status", "conditions"]).to_vec(),
            metrics: autoscaler.at(&["status", "currentMetrics"]).cloned().unwrap_or(Value::Null),
            desired: 0,
        };
        let Some(target) = target(api, autoscaler) else {
            let text = missing_target(api, autoscaler);
            self.events.warning(api, autoscaler, "FailedGetScale", &text);
            let message = format!("the HPA controller was unable to get the target's current scale: {text}");
            round.condition(api, "AbleToScale", false, "FailedGetScale", &message);
            write_status(api, autoscaler, round, None, None)?;
            return Ok(false);
        };
        let message = "the HPA controller was able to get the target's current scale";
        round.condition(api, "AbleToScale", true, "SucceededGetScale", message);
        let current = target.number(&["spec", "replicas"]).unwrap_or(1);
        let bounds = Bounds::of(autoscaler);
        let Some(reason) = self.decide(api, autoscaler, &target, current, bounds, &mut round) else {
            write_status(api, autoscaler, round, Some(&target), None)?;
            return Ok(false);
        };
        let rescales = round.desired != current;
        if rescales {
            let mut scaled = Object::clone(&target);
            scaled.set(&["spec", "replicas"], round.desired);
            let written = api.update(&manager(), scaled, Subresource::Scale, WriteOptions::default());
            if let Err(error) = written {
                let text = format!("New size: {}; reason: {reason}; error: {}", round.desired, error.message);
                self.events.warning(api, autoscaler, "FailedRescale", &text);
                let text =
                    format!("the HPA controller was unable to update the target scale: {}", error.message);
                round.condition(api, "AbleToScale", false, "FailedUpdateScale", &text);
                round.desired = current;
                write_status(api, autoscaler, round, Some(&target), None)?;
                return Err(error);
            }
            let text = format!(
                "the HPA controller was able to update the target scale to {desired}",
                desired = round.desired
            );
            round.condition(api, "AbleToScale", true, "SucceededRescale", &text);
            let text = format!("New size: {}; reason: {reason}", round.desired);
            self.events.normal(api, autoscaler, "SuccessfulRescale", &text);
            let now = api.now();
            self.history(autoscaler).note_scaling(now, round.desired - current);
        }
        let last_scale = rescales.then(|| api.now().to_string());
        write_status(api, autoscaler, round, Some(&target), last_scale)?;
        Ok(rescales)
    }

    fn history(&mut self, autoscaler: &Object) -> &mut History {
        self.histories.entry(autoscaler.object_name()).or_default()
    }

    /// Sets the number of replicas that is right now, and says why; `None` if nothing can be said.
    fn decide(
        &mut self,
        api: &mut ApiServer,
        autoscaler: &Arc<Object>,
        target: &Object,
        current: i64,
        bounds: Bounds,
        round: &mut Round,
    ) -> Option<String> {
        round.desired = current;
        if current == 0 && bounds.least != 0 {
            let message = "scaling is disabled since the replica count of the target is zero";
            round.condition(api, "ScalingActive", false, "ScalingDisabled", message);
            return None;
        }
        if current > bounds.most {
            round.desired = bounds.most;
            return Some("Current number of replicas above Spec.MaxReplicas".to_owned());
        }
        if current < bounds.least {
            round.desired = bounds.least;
            return Some("Current number of replicas below Spec.MinReplicas".to_owned());
        }
        let recommendation = self.recommend(api, autoscaler, target, current, round)?;
        let reason = match recommendation.replicas {
            replicas if replicas > current => format!("{} above target", recommendation.metric),
            replicas if replicas < current => "All metrics below target".to_owned(),
            _ => String::new(),
        };
        let now = api.now();
        let behaviour = autoscaler.at(&["spec", "behavior"]);
        let limited =
            self.history(autoscaler).limit(now, behaviour, recommendation.replicas, current, bounds);
        let (reason_of_stability, message) = limited.stability;
        round.condition(api, "AbleToScale", true, reason_of_stability, message);
        let (is_limited, reason_of_limit, message) = limited.limit;
        round.condition(api, "ScalingLimited", is_limited, reason_of_limit, message);
        round.desired = limited.replicas;
        Some(reason)
    }

    /// The largest number that a metric asks for. A metric that fails holds a scaling down back, and all of them any.
    fn recommend(
        &mut self,
        api: &mut ApiServer,
        autoscaler: &Arc<Object>,
        target: &Object,
        current: i64,
        round: &mut Round,
    ) -> Option<Recommendation> {
        let default = [json!({
            "type": "Resource",
            "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
        })];
        let metrics = match autoscaler.list(&["spec", "metrics"]) {
            [] => &default[..],
            metrics => metrics,
        };
        let (mut best, mut failures, mut values) = (None::<Recommendation>, Vec::new(), Vec::new());
        for metric in metrics {
            match self.metrics.recommend(api, target, metric, current) {
                Ok(recommendation) => {
                    values.push(recommendation.status.clone());
                    if best.as_ref().is_none_or(|best| recommendation.replicas > best.replicas) {
                        best = Some(recommendation);
                    }
                }
                Err(failure) => failures.push(failure),
            }
        }
        round.metrics = json!(values);
        let holds_back = best.as_ref().is_none_or(|best| best.replicas < current);
        if let Some(failure) = failures.first().filter(|_| holds_back) {
            self.events.warning(api, autoscaler, failure.reason, &failure.cause);
            let message = format!("the HPA was unable to compute the replica count: {}", failure.cause);
            round.condition(api, "ScalingActive", false, failure.reason, &message);
            let text = format!(
                "invalid metrics ({} invalid out of {}), first error is: {}",
                failures.len(),
                metrics.len(),
                failure.text()
            );
            self.events.warning(api, autoscaler, "FailedComputeMetricsReplicas", &text);
            return None;
        }
        let best = best?;
        let message =
            format!("the HPA was able to successfully calculate a replica count from {}", best.metric);
        round.condition(api, "ScalingActive", true, "ValidMetricFound", &message);
        Some(best)
    }
}

impl Round {
    fn condition(&mut self, api: &ApiServer, kind: &str, holds: bool, reason: &str, message: &str) {
        let status = if holds { "True" } else { "False" };
        set_condition(&mut self.conditions, api.now(), kind, status, reason, message);
    }
}

/// Between which numbers an autoscaler chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bounds {
    least: i64,
    most: i64,
}

impl Bounds {
    fn of(autoscaler: &Object) -> Self {
        Self {
            least: autoscaler.number(&["spec", "minReplicas"]).unwrap_or(1),
            most: autoscaler.number(&["spec", "maxReplicas"]).unwrap_or(1),
        }
    }
}

fn reference(autoscaler: &Object) -> (&str, &str, &str) {
    let target = &autoscaler["spec"]["scaleTargetRef"];
    let group = target.text(&["apiVersion"]).split_once('/').map_or("", |(group, _)| group);
    (group, target.text(&["kind"]), target.text(&["name"]))
}

fn target(api: &ApiServer, autoscaler: &Object) -> Option<Arc<Object>> {
    let (group, kind, name) = reference(autoscaler);
    api.find(group, kind, &ObjectName::namespaced(autoscaler.namespace(), name)).cloned()
}

fn missing_target(api: &ApiServer, autoscaler: &Object) -> String {
    let (group, kind, name) = reference(autoscaler);
    match api.registry().iter().find(|(_, served)| served.group == group && served.kind == kind) {
        Some((_, served)) => ApiError::not_found(group, &served.plural, name).message,
        None => {
            let version = autoscaler.text(&["spec", "scaleTargetRef", "apiVersion"]);
            format!("no matches for kind {kind:?} in version {version:?}")
        }
    }
}

fn write_status(
    api: &mut ApiServer,
    autoscaler: &Arc<Object>,
    round: Round,
    target: Option<&Object>,
    last_scale: Option<String>,
) -> Result<(), ApiError> {
    let current = target.map_or(0, |target| target.number(&["status", "replicas"]).unwrap_or_default());
    let mut status = json!({
        "conditions": round.conditions, "currentReplicas": current, "desiredReplicas": round.desired,
        "currentMetrics": round.metrics,
    });
    let last_scale =
        last_scale.map(Value::from).or_else(|| autoscaler.at(&["status", "lastScaleTime"]).cloned());
    if let Some(time) = last_scale {
        status.set(&["lastScaleTime"], time);
    }
    if status["currentMetrics"].as_array().is_none_or(Vec::is_empty) {
        status.set(&["currentMetrics"], Value::Null);
    }
    update_status(api, autoscaler, status).map(drop)
}

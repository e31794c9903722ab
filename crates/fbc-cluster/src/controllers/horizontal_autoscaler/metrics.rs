//! How many replicas a metric asks for.

use std::sync::Arc;

use fbc_kubernetes::quantity::Quantity;
use serde_json::{Value, json};

use super::super::behaviour::{self, Behaviour};
use super::super::kubelet::Usage;
use super::super::pods::{is_finished, is_ready};
use crate::api::ApiServer;
use crate::object::{Object, ObjectFields};
use crate::selector::LabelSelector;
use crate::time::{MINUTE, Milliseconds, Moment, SECOND};

/// By so little a value may miss its target (`--horizontal-pod-autoscaler-tolerance`).
const TOLERANCE: f64 = 0.1;
/// So long after its start a pod that is not ready is taken for starting (`--horizontal-pod-autoscaler-cpu-initialization-period`).
const CPU_INITIALIZATION: Milliseconds = 5 * MINUTE;
/// A change of readiness within this time after the start is taken for the first one
/// (`--horizontal-pod-autoscaler-initial-readiness-delay`).
const INITIAL_READINESS_DELAY: Milliseconds = 30 * SECOND;

/// What the metrics API would say of pods.
#[derive(Debug)]
pub(super) struct Metrics {
    behaviours: Vec<Behaviour>,
    seed: u64,
}

/// What a metric asks for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Recommendation {
    pub(super) replicas: i64,
    /// The metric as conditions and events name it.
    pub(super) metric: String,
    /// The entry of `status.currentMetrics`.
    pub(super) status: Value,
}

/// Why a metric asks for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// The reason of the condition and the event.
    pub(super) reason: &'static str,
    /// What is in front of the cause where all failures are counted.
    before: String,
    pub(super) cause: String,
}

impl Failure {
    pub(super) fn text(&self) -> String {
        format!("{}{}", self.before, self.cause)
    }
}

impl Metrics {
    pub(super) fn new(behaviours: Vec<Behaviour>, seed: u64) -> Self {
        Self { behaviours, seed }
    }

    fn is_served(&self) -> bool {
        self.behaviours.iter().any(|behaviour| behaviour.usage != Usage::default())
    }

    /// What a metric asks for, or why it cannot be computed.
    pub(super) fn recommend(
        &self,
        api: &ApiServer,
        target: &Object,
        metric: &Value,
        current: i64,
    ) -> Result<Recommendation, Failure> {
        let source = metric.text(&["type"]);
        if source != "Resource" && source != "ContainerResource" {
            return Err(other_source(source, metric));
        }
        let field = if source == "Resource" { "resource" } else { "containerResource" };
        let wish = &metric[field];
        let resource = wish.text(&["name"]);
        let utilization = wish.number(&["target", "averageUtilization"]);
        let what = if utilization.is_some() { "utilization" } else { "usage" };
        let fail = |cause: String| Failure {
            reason: if source == "Resource" {
                "FailedGetResourceMetric"
            } else {
                "FailedGetContainerResourceMetric"
            },
            before: format!("failed to get {resource} resource metric value: "),
            cause: format!("failed to get {resource} {what}: {cause}"),
        };
        if !self.is_served() {
            return Err(fail(format!(
                "unable to get metrics for resource {resource}: unable to fetch metrics from resource metrics API: \
                 the server could not find the requested resource (get pods.metrics.k8s.io)"
            )));
        }
        let container = (source == "ContainerResource").then(|| wish.text(&["container"]));
        let pods = pods(api, target);
        if pods.is_empty() {
            return Err(fail("no pods returned by selector while calculating replica count".to_owned()));
        }
        let measured: Result<Vec<Measured>, MissingRequest> = pods
            .iter()
            .map(|pod| self.measure(pod, resource, container, utilization.is_some(), api.now()))
            .collect();
        let measured = measured.map_err(|missing| fail(missing.to_string()))?;
        let ready: Vec<&Measured> = measured.iter().filter(|pod| pod.is_ready).collect();
        if ready.is_empty() {
            return Err(fail("did not receive metrics for targeted pods (pods might be unready)".to_owned()));
        }
        let used: i64 = ready.iter().map(|pod| pod.used).sum();
        let asked = |pods: &[&Measured]| match utilization {
            Some(percent) => {
                let requested: i64 = pods.iter().map(|pod| pod.requested).sum();
                requested as f64 * percent as f64 / 100.0
            }
            None => {
                let average = Quantity::from_json(&wish["target"]["averageValue"]).unwrap_or_default();
                average.thousandths() as f64 * pods.len() as f64
            }
        };
        let replicas = replicas(used as f64, &ready, &measured, current, asked);
        let average = used / ready.len() as i64;
        let mut value = json!({"averageValue": amount(resource, average)});
        let requested: i64 = ready.iter().map(|pod| pod.requested).sum();
        let mut name = format!("{resource} resource");
        if let Some(container) = container {
            name = format!("{resource} container resource of container {container}");
        }
        if utilization.is_some() {
            value.set(&["averageUtilization"], (used * 100).checked_div(requested).unwrap_or_default());
            name.push_str(" utilization (percentage of request)");
        }
        let mut status = json!({"name": resource, "current": value});
        if let Some(container) = container {
            status.set(&["container"], container);
        }
        Ok(Recommendation { replicas, metric: name, status: json!({"type": source, field: status}) })
    }

    fn measure(
        &self,
        pod: &Object,
        resource: &str,
        container: Option<&str>,
        needs_request: bool,
        now: Moment,
    ) -> Result<Measured, MissingRequest> {
        let usage = behaviour::plan(&self.behaviours, pod, self.seed).usage;
        let mut requested = 0;
        let meant = pod
            .list(&["spec", "containers"])
            .iter()
            .filter(|member| container.is_none_or(|name| member["name"] == name));
        for member in meant {
            match member.at(&["resources", "requests", resource]).and_then(Quantity::from_json) {
                Some(amount) => requested += amount.thousandths(),
                None if needs_request => {
                    return Err(MissingRequest {
                        resource: resource.to_owned(),
                        container: member.text(&["name"]).to_owned(),
                        pod: pod.name().to_owned(),
                    });
                }
                None => {}
            }
        }
        let used = match resource {
            "cpu" => usage.cpu,
            "memory" => usage.memory.saturating_mul(1000),
            _ => 0,
        };
        Ok(Measured { used, requested, is_ready: counts(pod, resource, now) })
    }
}

/// Whether the use of a pod counts: not while it is pending, and its processor time not while it starts.
///
/// Source: `kubernetes/kubernetes:pkg/controller/podautoscaler/replica_calculator.go` (`groupPods`).
fn counts(pod: &Object, resource: &str, now: Moment) -> bool {
    if pod.text(&["status", "phase"]) == "Pending" {
        return false;
    }
    if resource != "cpu" || is_ready(pod) {
        return true;
    }
    let started = Moment::parse(pod.text(&["status", "startTime"]));
    let (Some(started), Some(ready)) = (started, pod.condition("Ready")) else { return false };
    let since = Moment::parse(ready.text(&["lastTransitionTime"])).unwrap_or(started);
    // One that was ready before has only lost its readiness.
    now >= started + CPU_INITIALIZATION && since >= started + INITIAL_READINESS_DELAY
}

/// A container that does not say how much of a resource it asks for.
#[derive(Debug, thiserror::Error)]
#[error("missing request for {resource} in container {container} of Pod {pod}")]
struct MissingRequest {
    resource: String,
    container: String,
    pod: String,
}

/// A pod, in thousandths of the unit of the resource.
#[derive(Debug)]
struct Measured {
    used: i64,
    requested: i64,
    is_ready: bool,
}

/// The number of pods that would use what is asked for. Pods that are not ready count as idle where more are wanted.
fn replicas(
    used: f64,
    ready: &[&Measured],
    all: &[Measured],
    current: i64,
    asked: impl Fn(&[&Measured]) -> f64,
) -> i64 {
    let ratio = used / asked(ready).max(f64::MIN_POSITIVE);
    let is_close = |ratio: f64| (ratio - 1.0).abs() <= TOLERANCE;
    if ready.len() == all.len() || ratio <= 1.0 {
        return if is_close(ratio) { current } else { (ratio * ready.len() as f64).ceil() as i64 };
    }
    let everyone: Vec<&Measured> = all.iter().collect();
    let with_idle = used / asked(&everyone).max(f64::MIN_POSITIVE);
    if is_close(with_idle) || with_idle < 1.0 {
        return current;
    }
    ((with_idle * all.len() as f64).ceil() as i64).max(current)
}

fn pods(api: &ApiServer, target: &Object) -> Vec<Arc<Object>> {
    let selector = LabelSelector::of_object(target.at(&["spec", "selector"])).ok();
    let Some((selector, kind)) = selector.zip(api.kind_id("", "Pod")) else { return Vec::new() };
    let pods = api.store().in_namespace(kind, target.namespace());
    pods.filter(|pod| selector.matches_object(pod) && !is_finished(pod) && !pod.is_terminating())
        .cloned()
        .collect()
}

fn amount(resource: &str, thousandths: i64) -> String {
    if resource == "cpu" { format!("{thousandths}m") } else { (thousandths / 1000).to_string() }
}

/// Metrics of objects, pods and the world outside come from adapters that no simulated cluster has.
fn other_source(source: &str, metric: &Value) -> Failure {
    let (field, reason, api) = match source {
        "Object" => ("object", "FailedGetObjectMetric", "custom"),
        "External" => ("external", "FailedGetExternalMetric", "external"),
        _ => ("pods", "FailedGetPodsMetric", "custom"),
    };
    let name = metric.text(&[field, "metric", "name"]);
    Failure {
        reason,
        before: format!("failed to get {field} metric value: "),
        cause: format!(
            "unable to get metric {name}: unable to fetch metrics from {api} metrics API: the server could not find \
             the requested resource"
        ),
    }
}

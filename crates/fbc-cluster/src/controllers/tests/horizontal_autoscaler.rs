//! Deployments that grow and shrink.

use serde_json::{Value, json};

use super::play::Play;
use crate::controllers::behaviour::read_all;
use crate::controllers::deployments::Deployments;
use crate::controllers::horizontal_autoscaler::HorizontalAutoscaler;
use crate::controllers::kubelet::Kubelet;
use crate::controllers::replica_sets::ReplicaSets;
use crate::controllers::scheduler::Scheduler;

use crate::object::{ObjectFields, ObjectName};

fn play(behaviours: &[Value], replicas: i64, spec: Value) -> Play {
    let behaviours = read_all(behaviours).unwrap();
    let mut play = Play::new(vec![
        Box::new(Scheduler::with_virtual_node("node")),
        Box::new(Kubelet::new(behaviours.clone(), 1)),
        Box::new(ReplicaSets::default()),
        Box::new(Deployments::default()),
        Box::new(HorizontalAutoscaler::new(behaviours, 1)),
    ]);
    play.create(json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [
                    {"name": "c", "image": "x", "resources": {"requests": {"cpu": "100m"}}}
                ]},
            },
        },
    }));
    let mut autoscaler = json!({
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"},
        "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
    });
    for (field, value) in spec.as_object().unwrap() {
        autoscaler.set(&["spec", field], value.clone());
    }
    play.create(autoscaler);
    play
}

fn replicas(play: &Play) -> Option<i64> {
    let web = play.cluster.api.find("apps", "Deployment", &ObjectName::namespaced("ns", "web"))?;
    web.number(&["spec", "replicas"])
}

fn conditions(play: &Play) -> Vec<(String, String, String)> {
    let name = ObjectName::namespaced("ns", "web");
    let autoscaler = play.cluster.api.find("autoscaling", "HorizontalPodAutoscaler", &name).unwrap();
    let conditions = autoscaler.list(&["status", "conditions"]).iter();
    conditions
        .map(|one| ["type", "status", "reason"].map(|field| one.text(&[field]).to_owned()).into())
        .collect()
}

fn condition(parts: [&str; 3]) -> (String, String, String) {
    parts.map(str::to_owned).into()
}

#[test]
fn busy_pods_get_company_until_the_bound() {
    let busy = json!({"labels": {"app": "web"}, "cpu": "160m"});
    let metrics = json!([{
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
    }]);
    let mut play = play(&[busy], 2, json!({"maxReplicas": 7, "metrics": metrics}));
    play.run_to(1_000);
    assert_eq!(replicas(&play), Some(2), "nothing was measured yet");
    play.run_to(16_000);
    assert_eq!(replicas(&play), Some(4));
    play.run_to(100_000);
    assert_eq!(replicas(&play), Some(7));
    assert_eq!(
        conditions(&play),
        [
            condition(["AbleToScale", "True", "ReadyForNewScale"]),
            condition(["ScalingActive", "True", "ValidMetricFound"]),
            condition(["ScalingLimited", "True", "TooManyReplicas"]),
        ]
    );
}

#[test]
fn idle_pods_go_after_a_while() {
    let idle = json!({"labels": {"app": "web"}, "cpu": "20m"});
    let mut play = play(&[idle], 4, json!({"minReplicas": 2, "maxReplicas": 7}));
    play.run_to(400_000);
    assert_eq!(replicas(&play), Some(2));
}

#[test]
fn without_metrics_only_the_bounds_count() {
    let mut play = play(&[], 9, json!({"maxReplicas": 5}));
    play.run_to(60_000);
    assert_eq!(replicas(&play), Some(5));
    assert_eq!(
        conditions(&play),
        [
            condition(["AbleToScale", "True", "SucceededGetScale"]),
            condition(["ScalingActive", "False", "FailedGetResourceMetric"]),
        ]
    );
    let texts: Vec<String> =
        play.cluster.api.all("", "Event").map(|event| event.text(&["message"]).to_owned()).collect();
    assert!(
        texts.contains(&"New size: 5; reason: Current number of replicas above Spec.MaxReplicas".to_owned())
    );
    let missing = "invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: failed \
                   to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from \
                   resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)";
    assert!(texts.contains(&missing.to_owned()), "{texts:?}");
}

#[test]
fn a_missing_workload_is_reported() {
    let wish = json!({"maxReplicas": 5, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x"}});
    let mut play = play(&[], 1, wish);
    play.run_to(60_000);
    assert_eq!(conditions(&play), [condition(["AbleToScale", "False", "FailedGetScale"])]);
}

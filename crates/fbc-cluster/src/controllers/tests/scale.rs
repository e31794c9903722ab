//! What many objects cost.

use serde_json::{Value, json};

use super::play::Play;
use super::workloads;
use crate::api::Propagation;
use crate::controllers::garbage::GarbageCollector;
use crate::controllers::namespaces::Namespaces;
use crate::controllers::replica_sets::ReplicaSets;
use crate::controllers::stateful_sets::StatefulSets;
use crate::object::ObjectFields;
use crate::time::Moment;

fn deployment(number: usize) -> Value {
    let name = format!("web-{number:04}");
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "c", "image": "registry.example/app:1"}]},
            },
        },
    })
}

/// Reconciliations and writes until one more deployment is available.
fn cost_of_one(play: &mut Play, number: usize) -> (u64, u64) {
    let before = (play.cluster.reconciliations(), play.cluster.api.store().revision());
    let at = play.elapsed();
    play.create(deployment(number));
    play.run_to(at + 5000);
    let web = play.get(&format!("Deployment/web-{number:04}")).unwrap();
    assert_eq!(web.condition_status("Available"), "True");
    (play.cluster.reconciliations() - before.0, play.cluster.api.store().revision() - before.1)
}

#[test]
fn unrelated_deployments_cost_nothing() {
    let mut play = workloads::play();
    let alone = cost_of_one(&mut play, 0);
    for number in 1..1000 {
        let mut unrelated = deployment(number);
        unrelated.set(&["spec", "replicas"], i64::from(number % 10 == 0));
        play.create(unrelated);
        // A lost watch would bring every object back.
        if number % 100 == 0 {
            let at = play.elapsed();
            play.run_to(at + 5000);
        }
    }
    let at = play.elapsed();
    play.run_to(at + 5000);
    assert_eq!(cost_of_one(&mut play, 1000), alone, "reconciliations and writes");
    let total = play.cluster.reconciliations();
    assert!(total < 1001 * (alone.0 + 5), "{total} for all, {} for one", alone.0);
}

#[test]
fn many_pods_of_one_deployment_are_looked_at_together() {
    let mut play = workloads::play();
    let mut large = deployment(0);
    // As many as three nodes take.
    large.set(&["spec", "replicas"], 330);
    play.create(large);
    play.run_to(5000);
    let web = play.get("Deployment/web-0000").unwrap();
    assert_eq!(web["status"]["availableReplicas"], 330);
    let reconciliations = play.cluster.reconciliations();
    assert!(reconciliations < 330 * 8, "{reconciliations}");
}

/// However many objects there are, nobody waits long for a controller.
#[test]
fn no_reconciliation_writes_everything() {
    let mut play = Play::new(vec![
        Box::new(GarbageCollector::default()),
        Box::new(Namespaces::default()),
        Box::new(StatefulSets::default()),
        Box::new(ReplicaSets::default()),
    ]);
    let pods = json!({
        "metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "x"}]},
    });
    let spec = |replicas: u64| json!({"replicas": replicas, "selector": {"matchLabels": {"app": "a"}}, "template": pods});
    let mut parallel = spec(700);
    parallel.set(&["podManagementPolicy"], "Parallel");
    let run = |play: &mut Play, end: u64| {
        let end = Moment::START + end;
        loop {
            let before = play.cluster.api.store().revision();
            if !play.cluster.step(end).unwrap() {
                break;
            }
            let writes = play.cluster.api.store().revision() - before;
            assert!(writes <= 220, "{writes} writes at a time");
        }
    };
    let count = |play: &Play, kind: &str| play.cluster.api.all("", kind).count();
    for number in 0..700 {
        let name = format!("map-{number}");
        play.create(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}));
    }
    play.create(
        json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "a"}, "spec": parallel}),
    );
    run(&mut play, 1_000);
    assert_eq!(count(&play, "Pod"), 700);
    play.delete("StatefulSet/a", Propagation::Orphan);
    run(&mut play, 2_000);
    assert!(play.get("StatefulSet/a").is_none());
    assert_eq!(count(&play, "Pod"), 700);
    play.create(json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "a"}, "spec": spec(1_400)}));
    run(&mut play, 3_000);
    assert_eq!(count(&play, "Pod"), 1_400);
    play.patch("ReplicaSet/a", json!({"spec": {"replicas": 0}}));
    run(&mut play, 4_000);
    assert_eq!(count(&play, "Pod"), 0);
    play.delete("Namespace/ns", Propagation::Background);
    run(&mut play, 60_000);
    assert!(play.get("Namespace/ns").is_none());
    assert_eq!(count(&play, "ConfigMap"), 0);
}

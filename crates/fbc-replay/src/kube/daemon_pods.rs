//! The tolerations that pods of daemon sets get.

use fbc_cluster::object::ObjectFields;
use serde_json::{Value, json};

use super::compare::same;
use super::world::{World, node, recorded_settings};
use crate::Verdict;

pub(crate) fn play(case: &Value) -> Verdict {
    let mut world = World::new(recorded_settings(), &["ds"]);
    world.create(node("d1", "zd", "worker"))?;
    world.pass(1500)?;
    let name = case.text(&["name"]);
    let mut container = json!({"name": "c", "image": "registry.example/app:1"});
    if case["resources"].is_object() {
        container.set(&["resources"], case["resources"].clone());
    }
    world.create(json!({
        "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": name, "namespace": "ds"},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {
                    "tolerations": case["template.tolerations"], "hostNetwork": case["hostNetwork"],
                    "containers": [container],
                },
            },
        },
    }))?;
    world.pass(1000)?;
    let pod = world.cluster.api.all("", "Pod").next().cloned().ok_or("there is no pod")?;
    same("tolerations", &pod.list(&["spec", "tolerations"]), &case.list(&["pod.tolerations"]))?;
    same("affinity", &pod["spec"]["affinity"], &case["pod.affinity"])?;
    // Some pods were recorded before they had their node, and with it the labels of the zone.
    let labels = |labels: &Value| {
        let mut labels = labels.clone();
        labels.remove(&["topology.kubernetes.io/region"]);
        labels.remove(&["topology.kubernetes.io/zone"]);
        labels.set(&["controller-revision-hash"], "<hash>");
        labels
    };
    same("labels", &labels(&pod["metadata"]["labels"]), &labels(&case["pod.labels"]))
}

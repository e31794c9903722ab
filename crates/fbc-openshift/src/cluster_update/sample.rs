//! A payload of any size, for measurements and tests.

use fbc_model::tree::MemoryTree;
use serde_json::{Value, json};

/// Runlevels, each with as many operators as there are for it.
const RUNLEVELS: [&str; 8] = ["03", "10", "20", "25", "30", "50", "80", "90"];

/// A payload of a version with so many operators and manifests; `machine-config` is the last operator of runlevel 80.
pub fn payload(version: &str, operators: usize, manifests: usize) -> MemoryTree {
    let mut tree = MemoryTree::default();
    let own =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "openshift-cluster-version"}});
    tree.insert("manifests/0000_00_cluster-version-operator_00_namespace.yaml".to_owned(), own.to_string());
    let mut add =
        |name: String, object: &Value| tree.insert(format!("release-manifests/{name}"), object.to_string());
    let metadata =
        json!({"kind": "cincinnati-metadata-v0", "version": version, "previous": [], "metadata": {}});
    add("release-metadata".to_owned(), &metadata);
    let images = json!({
        "kind": "ImageStream", "apiVersion": "image.openshift.io/v1", "metadata": {"name": version}, "spec": {"tags": []},
    });
    add("image-references".to_owned(), &images);
    let include = json!({"include.release.openshift.io/self-managed-high-availability": "true"});
    // Namespace, Deployment and ClusterOperator of each operator; the rest are ConfigMaps.
    let each = (manifests / operators.max(1)).saturating_sub(3);
    let mut left = manifests.saturating_sub(operators * 3 + each * operators);
    for number in 0..operators {
        let is_last = number + 1 == operators;
        let name = if is_last { "machine-config".to_owned() } else { format!("operator-{number:02}") };
        let level = if is_last { "80" } else { RUNLEVELS[number * 6 / operators.max(1)] };
        let namespace = format!("openshift-{name}");
        let file = |step: usize, kind: &str| format!("0000_{level}_{name}_{step:02}_{kind}.yaml");
        let meta = |object: &str| json!({"name": object, "namespace": namespace, "annotations": include});
        add(
            file(0, "namespace"),
            &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace, "annotations": include}}),
        );
        let extra = each + usize::from(left > 0);
        left = left.saturating_sub(1);
        for step in 0..extra {
            let object = json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta(&format!("config-{step:02}")),
                "data": {"version": version},
            });
            add(file(step + 1, &format!("config-{step:02}")), &object);
        }
        let labels = json!({"app": name});
        let deployment = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta(&name),
            "spec": {
                "replicas": 1, "selector": {"matchLabels": labels},
                "template": {
                    "metadata": {"labels": labels},
                    "spec": {"containers": [{
                        "name": "operator", "image": format!("registry.example/{name}:{version}"),
                        "env": [{"name": "RELEASE_VERSION", "value": version}],
                    }]},
                },
            },
        });
        add(file(97, "deployment"), &deployment);
        let operator = json!({
            "apiVersion": "config.openshift.io/v1", "kind": "ClusterOperator",
            "metadata": {"name": name, "annotations": include}, "spec": {},
            "status": {"versions": [{"name": "operator", "version": version}]},
        });
        add(file(98, "clusteroperator"), &operator);
    }
    tree
}

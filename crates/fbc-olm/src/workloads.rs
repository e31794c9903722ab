//! The objects that OLM's own controllers are installed with, where a cluster is served: what people wait for, look at and
//! forward ports to. What they do runs in the simulation, not in their pods.
//!
//! Source: `operator-framework/operator-controller:helm/olmv1/templates`.

use serde_json::{Value, json};

use crate::Options;
use crate::catalogd::service;

/// The objects of catalogd.
pub fn catalogd(options: &Options) -> Vec<Value> {
    let ports = json!([
        {"name": "metrics", "containerPort": 7443}, {"name": service::PORT, "containerPort": 8443},
        {"name": "webhook", "containerPort": 9443},
    ]);
    let [account, deployment] = controller("catalogd", &options.catalogd_namespace, &ports, &[]);
    vec![service::service(options), account, deployment]
}

/// The objects of operator-controller.
pub fn operator_controller(options: &Options) -> Vec<Value> {
    let namespace = &options.system_namespace;
    let name = "operator-controller";
    let service = json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "operator-controller-service", "namespace": namespace, "labels": labels(name)},
        "spec": {
            "ports": [{"name": "metrics", "port": 8443, "protocol": "TCP", "targetPort": 8443}],
            "selector": {"app.kubernetes.io/name": name},
        },
    });
    // Tests look here for what they may expect.
    let gates = options.gates.values().map(|(gate, is_on)| format!("--feature-gates={gate}={is_on}"));
    let ports = json!([{"name": "metrics", "containerPort": 8443}]);
    let [account, deployment] = controller(name, namespace, &ports, &gates.collect::<Vec<_>>());
    vec![service, account, deployment]
}

fn labels(name: &str) -> Value {
    json!({"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "olm"})
}

/// The account of a controller, and the pod that it runs in.
fn controller(name: &str, namespace: &str, ports: &Value, arguments: &[String]) -> [Value; 2] {
    let manager = format!("{name}-controller-manager");
    let mut of_pod = labels(name);
    of_pod["control-plane"] = manager.as_str().into();
    let account = json!({
        "apiVersion": "v1", "kind": "ServiceAccount",
        "metadata": {"name": manager, "namespace": namespace, "labels": labels(name)},
    });
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {
            "name": manager, "namespace": namespace, "labels": labels(name),
            "annotations": {"kubectl.kubernetes.io/default-logs-container": "manager"},
        },
        "spec": {
            "replicas": 1,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "selector": {"matchLabels": {"control-plane": manager}},
            "template": {
                "metadata": {
                    "labels": of_pod, "annotations": {"kubectl.kubernetes.io/default-container": "manager"},
                },
                "spec": {
                    "serviceAccountName": manager,
                    "containers": [{
                        "name": "manager", "image": format!("quay.io/operator-framework/{name}"),
                        "ports": ports, "args": arguments,
                    }],
                },
            },
        },
    });
    [account, deployment]
}

//! The scheduler alone: what no recording shows.

use serde_json::{Value, json};

use super::Scheduler;
use crate::api::{ApiServer, Caller, WriteOptions};
use crate::control_plane;
use crate::engine::Cluster;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::time::{Moment, SECOND};

fn cluster() -> Cluster {
    let mut cluster = Cluster::new(control_plane::api_server(&[], 1, Moment::START));
    cluster.add_controller(Box::new(Scheduler::new()));
    cluster
}

fn create(api: &mut ApiServer, object: Object) {
    api.create(&Caller::administrator("test"), object, WriteOptions::default()).unwrap();
}

fn node(name: &str, zone: &str, cpu: &str) -> Object {
    let amounts = json!({"cpu": cpu, "memory": "64Gi", "pods": "500"});
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone}},
        "spec": {"taints": []}, "status": {"capacity": amounts, "allocatable": amounts},
    })
}

fn pod(name: &str, spec: Value) -> Object {
    let mut spec = spec;
    if spec.get("containers").is_none() {
        spec.set(&["containers"], json!([{"name": "c", "image": "i:1"}]));
    }
    // The taint with which nodes begin stays, as no controller of nodes runs.
    spec.set(&["tolerations"], json!([{"operator": "Exists"}]));
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "labels": {"app": "a"}}, "spec": spec,
    })
}

fn place(cluster: &Cluster, name: &str) -> (String, String) {
    let pod = cluster.api.find("", "Pod", &ObjectName::namespaced("default", name)).unwrap();
    let condition = pod.condition("PodScheduled").cloned().unwrap_or_default();
    (pod.text(&["spec", "nodeName"]).to_owned(), condition.text(&["message"]).to_owned())
}

fn pass(cluster: &mut Cluster) {
    let end = cluster.now() + SECOND;
    cluster.run_until(end).unwrap();
}

#[test]
fn host_ports_are_taken_once_on_each_node() {
    let mut cluster = cluster();
    create(&mut cluster.api, node("n1", "a", "4"));
    let port = json!({"containers": [{"name": "c", "image": "i:1", "ports": [{"containerPort": 80, "hostPort": 80}]}]});
    for name in ["one", "two"] {
        create(&mut cluster.api, pod(name, port.clone()));
        pass(&mut cluster);
    }
    assert_eq!(place(&cluster, "one").0, "n1");
    let (node, text) = place(&cluster, "two");
    assert_eq!(node, "");
    assert!(text.starts_with(
        "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."
    ));
}

#[test]
fn claims_must_exist_and_be_bound() {
    let mut cluster = cluster();
    create(&mut cluster.api, node("n1", "a", "4"));
    let spec = json!({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]});
    create(&mut cluster.api, pod("p", spec));
    pass(&mut cluster);
    let missing = "0/1 nodes are available: persistentvolumeclaim \"data\" not found.";
    assert!(place(&cluster, "p").1.starts_with(missing), "{:?}", place(&cluster, "p"));
    create(
        &mut cluster.api,
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "late"},
            "provisioner": "example.com/p", "volumeBindingMode": "WaitForFirstConsumer",
        }),
    );
    create(
        &mut cluster.api,
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "default"},
            "spec": {
                "storageClassName": "late", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
            },
        }),
    );
    pass(&mut cluster);
    assert_eq!(place(&cluster, "p").0, "n1");
}

#[test]
fn replicas_of_one_owner_spread_over_zones() {
    let mut cluster = cluster();
    // Two small nodes in one zone, a large one in the other: by room alone all would go to the large one.
    for (name, zone, cpu) in [("n1", "a", "8"), ("n2", "b", "64")] {
        create(&mut cluster.api, node(name, zone, cpu));
    }
    for number in 0..6 {
        let mut replica = pod(&format!("r{number}"), json!({}));
        let owner = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u", "controller": true});
        replica["metadata"]["ownerReferences"] = json!([owner]);
        create(&mut cluster.api, replica);
        pass(&mut cluster);
    }
    let on_first = (0..6).filter(|number| place(&cluster, &format!("r{number}")).0 == "n1").count();
    assert_eq!(on_first, 3);
}

#[test]
fn the_most_important_pod_is_placed_first() {
    let mut cluster = cluster();
    for (name, value) in [("low", 1), ("high", 10)] {
        create(
            &mut cluster.api,
            json!({
                "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value,
            }),
        );
    }
    let container = json!([{"name": "c", "image": "i:1", "resources": {"requests": {"cpu": "700m"}}}]);
    for name in ["low", "high"] {
        create(&mut cluster.api, pod(name, json!({"priorityClassName": name, "containers": container})));
    }
    create(&mut cluster.api, node("n1", "a", "1"));
    pass(&mut cluster);
    pass(&mut cluster);
    pass(&mut cluster);
    assert_eq!((place(&cluster, "high").0.as_str(), place(&cluster, "low").0.as_str()), ("n1", ""));
}

//! Sets that become larger for pods without room.

use fbc_cluster::api::{ApiServer, Caller, Patch, Subresource, WriteOptions};
use fbc_cluster::control_plane::api_server;
use fbc_cluster::engine::Controller as _;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{Moment, SECOND};
use serde_json::{Value, json};

use crate::definitions::machine_api;
use crate::machines::autoscaler::Autoscaler;
use crate::machines::{GROUP, NAMESPACE};

/// A set: its name, its replicas, how many it may have, and the processors of its machines if annotations say so.
type Set = (&'static str, i64, i64, Option<&'static str>);

const LARGEST: i64 = 2_147_483_647;

fn user() -> Caller {
    Caller::administrator("user")
}

fn create(api: &mut ApiServer, object: Object) {
    api.create(&user(), object, WriteOptions::default()).unwrap();
}

/// A cluster with these sets and so many nodes at the most, in which pods wait that ask for so many processors.
fn cluster(sets: &[Set], pods: &[u32], most_nodes: Option<i64>) -> ApiServer {
    let mut api = api_server(&[NAMESPACE], 1, Moment::START);
    for definition in machine_api() {
        api.install_definition(definition).unwrap();
    }
    let limits = most_nodes.map_or_else(|| json!({}), |most| json!({"maxNodesTotal": most}));
    create(
        &mut api,
        json!({
            "apiVersion": "autoscaling.openshift.io/v1", "kind": "ClusterAutoscaler",
            "metadata": {"name": "default"}, "spec": {"resourceLimits": limits},
        }),
    );
    for (name, replicas, most, processors) in sets {
        let annotations = processors.map_or_else(
            || json!({}),
            |processors| {
                json!({
                    "machine.openshift.io/vCPU": processors, "machine.openshift.io/memoryMb": "4096",
                    "capacity.cluster-autoscaler.kubernetes.io/labels": "zone=x",
                })
            },
        );
        let labels = json!({"set": name});
        create(
            &mut api,
            json!({
                "apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineSet",
                "metadata": {"name": name, "namespace": NAMESPACE, "annotations": annotations},
                "spec": {
                    "replicas": replicas, "selector": {"matchLabels": labels},
                    "template": {"metadata": {"labels": labels}, "spec": {"providerSpec": {"value": {}}}},
                },
            }),
        );
        let target =
            json!({"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineSet", "name": name});
        create(
            &mut api,
            json!({
                "apiVersion": "autoscaling.openshift.io/v1beta1", "kind": "MachineAutoscaler",
                "metadata": {"name": name, "namespace": NAMESPACE},
                "spec": {"minReplicas": 0, "maxReplicas": most, "scaleTargetRef": target},
            }),
        );
    }
    for (number, processors) in pods.iter().enumerate() {
        add_pod(&mut api, &format!("p{number}"), *processors);
    }
    api
}

fn add_pod(api: &mut ApiServer, name: &str, processors: u32) {
    let resources = json!({"requests": {"cpu": processors.to_string()}});
    create(
        api,
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
            "spec": {
                "nodeSelector": {"kubernetes.io/os": "linux", "zone": "x"},
                "containers": [{"name": "c", "image": "i:1", "resources": resources}],
            },
        }),
    );
    let kind = api.kind_id("", "Pod").unwrap();
    let refusal = json!({"type": "PodScheduled", "status": "False", "reason": "Unschedulable"});
    let patch = Patch::Merge(json!({"status": {"conditions": [refusal]}}));
    let name = ObjectName::namespaced("default", name);
    api.patch(&user(), kind, &name, &patch, Subresource::Status, WriteOptions::default()).unwrap();
}

fn scan(autoscaler: &mut Autoscaler, api: &mut ApiServer) {
    autoscaler.reconcile(&ObjectName::cluster("default"), api);
}

fn replicas(api: &ApiServer, set: &str) -> Option<i64> {
    api.find(GROUP, "MachineSet", &ObjectName::namespaced(NAMESPACE, set))?.number(&["spec", "replicas"])
}

/// `pod: text` of all events, in order.
fn events(api: &ApiServer) -> Vec<String> {
    let text =
        |event: &Value| format!("{}: {}", event.text(&["involvedObject", "name"]), event.text(&["message"]));
    let mut events: Vec<String> = api.all("", "Event").map(|event| text(event)).collect();
    events.sort();
    events
}

fn larger(pod: &str, set: &str, sizes: &str, most: i64) -> String {
    format!("{pod}: pod triggered scale-up: [{{MachineSet/{NAMESPACE}/{set} {sizes} (max: {most})}}]")
}

fn not_larger(pod: &str, reasons: &str) -> String {
    format!("{pod}: pod didn't trigger scale-up: {reasons}")
}

/// What there is, how many replicas the sets have then, and what events say.
struct Case {
    what: &'static str,
    sets: Vec<Set>,
    pods: Vec<u32>,
    most_nodes: Option<i64>,
    replicas: Vec<i64>,
    events: Vec<String>,
}

#[test]
fn sets_become_larger_for_pods_without_room() {
    let cases = [
        Case {
            what: "a pod that another set would take has no event",
            sets: vec![("a", 0, 3, Some("2")), ("b", 0, 1, Some("4"))],
            pods: vec![3, 1, 1],
            most_nodes: None,
            replicas: vec![1, 0],
            events: vec![larger("p1", "a", "0->1", 3), larger("p2", "a", "0->1", 3)],
        },
        Case {
            what: "the set is as large as it may be",
            sets: vec![("a", 0, 1, Some("1"))],
            pods: vec![1, 1],
            most_nodes: None,
            replicas: vec![1],
            events: vec![larger("p0", "a", "0->1", 1), not_larger("p1", "1 max node group size reached")],
        },
        Case {
            what: "the cluster is as large as it may be",
            sets: vec![("a", 0, 5, Some("1"))],
            pods: vec![1, 1],
            most_nodes: Some(1),
            replicas: vec![1],
            events: vec![
                larger("p0", "a", "0->1", 5),
                not_larger("p1", "1 max node total count already reached"),
            ],
        },
        Case {
            what: "a node that is on its way suffices",
            sets: vec![("a", 1, 5, Some("1"))],
            pods: vec![1],
            most_nodes: None,
            replicas: vec![1],
            events: vec![],
        },
        Case {
            what: "more nodes are on their way than anybody can count",
            sets: vec![("a", LARGEST, LARGEST, Some("1")), ("b", LARGEST, LARGEST, Some("1"))],
            pods: vec![1, 1],
            most_nodes: Some(10),
            replicas: vec![LARGEST, LARGEST],
            events: vec![],
        },
        Case {
            what: "the set that takes more pods wins",
            sets: vec![("a", 0, 1, Some("1")), ("b", 0, 2, Some("1"))],
            pods: vec![1, 1],
            most_nodes: None,
            replicas: vec![0, 2],
            events: vec![larger("p0", "b", "0->2", 2), larger("p1", "b", "0->2", 2)],
        },
        Case {
            what: "nothing says what the machines are like",
            sets: vec![("a", 0, 2, None)],
            pods: vec![1],
            most_nodes: None,
            replicas: vec![0],
            events: vec![not_larger("p0", "1 node group has no template node")],
        },
        Case {
            what: "the machines are too small",
            sets: vec![("a", 0, 2, Some("2"))],
            pods: vec![3],
            most_nodes: None,
            replicas: vec![0],
            events: vec![not_larger("p0", "1 Insufficient cpu")],
        },
    ];
    for Case { what, sets, pods, most_nodes, replicas: expected, events: texts } in cases {
        let mut api = cluster(&sets, &pods, most_nodes);
        scan(&mut Autoscaler::new(), &mut api);
        let sizes: Vec<i64> = sets.iter().filter_map(|(name, ..)| replicas(&api, name)).collect();
        assert_eq!((sizes, events(&api)), (expected, texts), "{what}");
    }
}

#[test]
fn the_same_text_gives_no_second_event() {
    let mut api = cluster(&[("a", 0, 2, Some("2"))], &[3], None);
    let mut autoscaler = Autoscaler::new();
    for number in 1..=3 {
        scan(&mut autoscaler, &mut api);
        api.advance_to(Moment::START + number * 10 * SECOND);
    }
    let counts: Vec<Option<i64>> = api.all("", "Event").map(|event| event.number(&["count"])).collect();
    assert_eq!(counts, [Some(1)]);
}

//! How long a large cluster takes: `cargo run --release -p fbc-cluster --example node_scale [NODES PODS]...`.
//!
//! For each pair it creates the nodes and the pods, lets all pods be placed and run, then taints a fifth of the nodes so
//! that their pods leave. Without arguments it goes from 500 nodes and 10,000 pods to 5,000 and 100,000.

use std::time::Instant;

use fbc_cluster::api::{Caller, Patch, Subresource, WriteOptions};
use fbc_cluster::control_plane;
use fbc_cluster::controllers::kubelet::Kubelet;
use fbc_cluster::controllers::node_lifecycle::NodeLifecycle;
use fbc_cluster::controllers::scheduler::Scheduler;
use fbc_cluster::controllers::taint_eviction::TaintEviction;
use fbc_cluster::engine::Cluster;
use fbc_cluster::error::ApiError;
use fbc_cluster::object::ObjectName;
use fbc_cluster::time::{Moment, SECOND};
use serde_json::json;

/// As in the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Result<Vec<usize>, _> = std::env::args().skip(1).map(|text| text.parse()).collect();
    let numbers = match numbers?.as_slice() {
        [] => vec![500, 10_000, 1_000, 20_000, 2_500, 50_000, 5_000, 100_000],
        given => given.to_vec(),
    };
    println!("{:>6} {:>7} {:>9} {:>9} {:>9}", "nodes", "pods", "create s", "place s", "evict s");
    for pair in numbers.chunks_exact(2) {
        measure(pair[0], pair[1])?;
    }
    Ok(())
}

fn measure(nodes: usize, pods: usize) -> Result<(), Box<dyn std::error::Error>> {
    let caller = Caller::administrator("scale");
    let mut cluster = Cluster::new(control_plane::api_server(&[], 1, Moment::START));
    cluster.add_controller(Box::new(Scheduler::new()));
    cluster.add_controller(Box::new(NodeLifecycle::default()));
    cluster.add_controller(Box::new(TaintEviction::default()));
    cluster.add_controller(Box::new(Kubelet::default()));
    let start = Instant::now();
    for number in 0..nodes {
        let labels = json!({
            "kubernetes.io/hostname": format!("node-{number}"),
            "topology.kubernetes.io/zone": format!("zone-{}", number % 5),
        });
        let node = json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": format!("node-{number:04}"), "labels": labels},
        });
        cluster.api.create(&caller, node, WriteOptions::default())?;
    }
    let now = cluster.now();
    cluster.run_until(now + 10 * SECOND)?;
    for number in 0..pods {
        create_pod(&mut cluster, &caller, number)?;
        // As requests arrive, so that watches are not lost.
        if number % 1000 == 999 {
            let now = cluster.now();
            cluster.run_until(now)?;
        }
    }
    let created = start.elapsed();
    let now = cluster.now();
    cluster.run_until(now + 60 * SECOND)?;
    let placed = start.elapsed();
    let running = cluster.api.all("", "Pod").filter(|pod| pod["status"]["phase"] == "Running").count();
    assert_eq!(running, pods, "pods that run");
    let id = cluster.api.kind_id("", "Node").ok_or("no kind Node")?;
    for number in 0..nodes / 5 {
        let patch = Patch::Merge(json!({"spec": {"taints": [{"key": "gone", "effect": "NoExecute"}]}}));
        let name = ObjectName::cluster(format!("node-{number:04}"));
        cluster.api.patch(&caller, id, &name, &patch, Subresource::None, WriteOptions::default())?;
    }
    let now = cluster.now();
    cluster.run_until(now + 60 * SECOND)?;
    let evicted = start.elapsed();
    println!(
        "{nodes:>6} {pods:>7} {:>9.2} {:>9.2} {:>9.2}   {} pods left",
        created.as_secs_f64(),
        (placed - created).as_secs_f64(),
        (evicted - placed).as_secs_f64(),
        cluster.api.all("", "Pod").count()
    );
    Ok(())
}

fn create_pod(cluster: &mut Cluster, caller: &Caller, number: usize) -> Result<(), ApiError> {
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": format!("pod-{number:06}"), "namespace": "default", "labels": {"app": format!("app-{}", number % 50)}},
        "spec": {
            "terminationGracePeriodSeconds": 1,
            "containers": [{
                "name": "c", "image": "registry.example/app:1",
                "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
            }],
        },
    });
    cluster.api.create(caller, pod, WriteOptions::default()).map(drop)
}

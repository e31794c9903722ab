//! What client libraries and programs do with a cluster.

use std::path::Path;

use fbc_testing::is_installed;

use super::{python, script, testdata, with_cluster};

/// Walks through a cluster with a client, which prints what all clients print.
fn walk(program: &str, client: &str) {
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let path = |name: &str| clients.join(name).display().to_string();
    let scenario = testdata("scenarios/two-versions.yaml").display().to_string();
    let arguments = ["--nodes", "2", "--scenario", &scenario];
    let output = with_cluster(&arguments, &[program, &path(client), &path("manifests")]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let expected = std::fs::read_to_string(path("expected.txt")).unwrap();
    assert_eq!(printed, expected, "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success());
}

#[test]
fn kubectl_walks_through_a_cluster() {
    if is_installed("kubectl") {
        walk("sh", "walk.sh");
    }
}

#[test]
fn python_walks_through_a_cluster() {
    if let Some(python) = python() {
        walk(python, "walk.py");
    }
}

#[test]
fn the_python_client_reads_writes_and_watches() {
    let Some(python) = python() else { return };
    let printed = script(&["--nodes", "1"], &format!("{python} -c '{PYTHON}'"));
    assert_eq!(printed, "map added\npieces 2\nready 2\nrefused 403\n");
}

/// A client that watches, writes, lists in pieces, and asks with a token of an account without rights.
const PYTHON: &str = r#"
from kubernetes import client, config, watch
config.load_kube_config()
core, apps = client.CoreV1Api(), client.AppsV1Api()
body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="a"))
version = core.list_namespaced_config_map("default").metadata.resource_version
core.create_namespaced_config_map("default", body)
events = watch.Watch().stream(core.list_namespaced_config_map, "default", resource_version=version, timeout_seconds=1)
print("map", next(events)["type"].lower())
labels = {"app": "web"}
template = client.V1PodTemplateSpec(
    metadata=client.V1ObjectMeta(labels=labels),
    spec=client.V1PodSpec(containers=[client.V1Container(name="c", image="i")]))
spec = client.V1DeploymentSpec(replicas=2, selector=client.V1LabelSelector(match_labels=labels), template=template)
apps.create_namespaced_deployment("default", client.V1Deployment(metadata=client.V1ObjectMeta(name="web"), spec=spec))
first = core.list_namespaced_pod("default", limit=1)
second = core.list_namespaced_pod("default", limit=1, _continue=first.metadata._continue)
print("pieces", len({first.items[0].metadata.name, second.items[0].metadata.name}))
print("ready", apps.read_namespaced_deployment("web", "default").status.ready_replicas)
try:
    bob = client.ApiClient()
    bob.set_default_header("Impersonate-User", "bob")
    client.CoreV1Api(bob).list_namespaced_pod("default")
except client.ApiException as error:
    print("refused", error.status)
"#;

//! Ports of pods that clients forward to their own machine.

use fbc_testing::is_installed;

use super::{python, script, served_sample, testdata};

/// Forwards a port while something else runs; the script finds its number in `$port`. Newer clients end by themselves when a
/// connection to a port fails.
fn forwarded(what: &str, script: &str) -> String {
    format!(
        "log=$(mktemp); kubectl port-forward {what} >$log 2>&1 &\n\
         forward=$!\n\
         trap 'kill $forward 2>/dev/null || true; cat $log; rm -f $log' EXIT\n\
         until grep -q '^Forwarding from 127' $log; do kill -0 $forward; sleep 0.05; done\n\
         port=$(sed -n 's/^Forwarding from 127.0.0.1:\\([0-9]*\\) .*/\\1/p' $log)\n{script}"
    )
}

#[test]
fn kubectl_forwards_ports_of_what_answers() {
    if !is_installed("kubectl") || !is_installed("curl") {
        return;
    }
    let catalog = format!("sample={}", testdata("sample-catalog").display());
    let path = "catalogs/sample/api/v1/all";
    // Several connections at once, and one to a port behind which there is nothing.
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().display();
    let fetch = format!(
        "for number in 1 2 3; do curl -skf https://127.0.0.1:$port/{path} -o {place}/$number & fetched=\"$fetched $!\"; done\n\
         for one in $fetched; do wait $one; done"
    );
    let printed = script(
        &["--catalog", &catalog],
        &forwarded("-n olmv1-system svc/catalogd-service :443", &format!("fetched=''\n{fetch}")),
    );
    let expected = served_sample(&format!("/{path}"));
    for number in ["1", "2", "3"] {
        let fetched = std::fs::read_to_string(directory.path().join(number)).unwrap();
        assert!(!expected.is_empty() && fetched == expected, "{printed}");
    }
    let printed = script(
        &["--registry"],
        &forwarded("-n kube-system svc/registry :80", "curl -sf http://127.0.0.1:$port/v2/_catalog"),
    );
    assert!(printed.contains("{\"repositories\":[]}"), "{printed}");
    let printed = script(
        &[],
        &forwarded(
            "-n olmv1-system deployment/catalogd-controller-manager :7443",
            "curl -s http://127.0.0.1:$port/ || true\ntries=600; until grep -q 'error forwarding' $log; do tries=$((tries - 1)); [ $tries -gt 0 ]; sleep 0.1; done",
        ),
    );
    assert!(printed.contains("the pod is simulated, and of its ports only 8443 can be reached"), "{printed}");
    let printed = script(
        &[],
        "kubectl create deployment web --image=web >/dev/null; kubectl port-forward deployment/web :80 2>&1 || true",
    );
    assert!(printed.contains("is simulated: nothing listens on its ports"), "{printed}");
}

#[test]
fn python_forwards_ports_through_channels() {
    let Some(python) = python() else { return };
    let catalog = format!("sample={}", testdata("sample-catalog").display());
    let printed = script(&["--catalog", &catalog], &format!("{python} -c '{CHANNELS}'"));
    assert!(printed.starts_with("HTTP/1.0 200 OK\nNone\nerror forwarding port 9443 to pod"), "{printed}");
}

/// A client that forwards two ports through one connection, of which one answers.
const CHANNELS: &str = r#"
import ssl
from kubernetes import client, config
from kubernetes.stream import portforward
config.load_kube_config()
core = client.CoreV1Api()
pod = core.list_namespaced_pod("olmv1-system", label_selector="app.kubernetes.io/name=catalogd").items[0]
forward = portforward(
    core.connect_get_namespaced_pod_portforward, pod.metadata.name, "olmv1-system", ports="8443,9443")
socket = forward.socket(8443)
socket.setblocking(True)
socket = ssl._create_unverified_context().wrap_socket(socket, server_hostname="localhost")
socket.sendall(b"GET /catalogs/sample/api/v1/packages HTTP/1.0\r\nHost: x\r\n\r\n")
print(socket.recv(4096).decode().splitlines()[0])
print(forward.error(8443))
print(forward.error(9443))
"#;

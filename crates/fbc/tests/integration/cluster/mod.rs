//! `fbc cluster` as real clients meet it: kubectl and the Python client, where they are installed.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use fbc_testing::{is_installed, skip, testdata};

mod budgets;
mod clients;
mod images;
mod port_forward;

/// Runs a command line with a cluster.
fn with_cluster(arguments: &[&str], command: &[&str]) -> Output {
    crate::fbc().args(["cluster", "run"]).args(arguments).arg("--").args(command).output()
}

/// Runs a script with a cluster, and answers with what it printed; the script must succeed.
fn script(arguments: &[&str], script: &str) -> String {
    let output = with_cluster(arguments, &["sh", "-euc", script]);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{script}\n{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// A Python that has the client `kubernetes`: the first one, or that of the system.
fn python() -> Option<&'static str> {
    let has_client = |program: &&str| {
        let output = Command::new(program).args(["-c", "import kubernetes, yaml"]).output();
        output.is_ok_and(|output| output.status.success())
    };
    let found = ["python3", "/usr/bin/python3"].into_iter().find(has_client);
    if found.is_none() {
        skip("the Python client `kubernetes` is not installed");
    }
    found
}

#[test]
fn the_exit_code_is_that_of_the_command() {
    for (command, code) in [(&["true"][..], 0), (&["sh", "-c", "exit 7"], 7), (&["no-such-program"], 2)] {
        assert_eq!(with_cluster(&[], command).status.code(), Some(code), "{command:?}");
    }
    let output = with_cluster(&[], &["sh", "-c", "test -s \"$KUBECONFIG\""]);
    assert!(output.status.success(), "the command finds its cluster");
}

/// A terminal sends Ctrl-C to the command as well, which may go on; who ends the program alone ends the command.
#[cfg(unix)]
#[test]
fn signals_are_for_the_command() {
    let mut program = crate::fbc()
        .args(["cluster", "run", "--", "sh", "-c", "echo ready; exec sleep 600"])
        .stdout(Stdio::piped())
        .spawn();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    for signal in ["-INT", "-TERM"] {
        let sent = Command::new("kill").args([signal, &program.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }
    assert_eq!(program.wait().unwrap().code(), Some(143));
}

#[test]
fn wrong_flags_are_refused_before_anything_starts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config");
    std::fs::write(&file, "apiVersion: v1\nkind: Config\ncontexts: [{name: work}]\n").unwrap();
    let file = file.display().to_string();
    let manifest = folder.path().join("manifest.yaml");
    std::fs::write(&manifest, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\n").unwrap();
    let manifest = manifest.display().to_string();
    for (arguments, text) in [
        (&["--without", "nobody"][..], "there is no part"),
        (&["--time", "slow"], "expected still"),
        (&["--kubeconfig", &file], "is not a kubeconfig of `fbc cluster`"),
        (&["--kubeconfig", &manifest], "is not a kubeconfig of `fbc cluster`"),
        (&["--scenario", "nothing.yaml"], "nothing.yaml"),
        (&["--listen", "192.0.2.1:1"], "cannot listen"),
    ] {
        let output = with_cluster(arguments, &["true"]);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(text), "{error}");
    }
}

#[test]
fn kubectl_applies_waits_drains_and_deletes() {
    if !is_installed("kubectl") {
        return;
    }
    let manifest = r#"
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
"#;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("web.yaml"), manifest).unwrap();
    let printed = script(
        &["--nodes", "2"],
        &format!(
            "kubectl apply -f {folder}; kubectl rollout status deployment/web; kubectl get deployment web; \
             kubectl drain node-1 --ignore-daemonsets; kubectl get nodes; kubectl describe deployment web; \
             kubectl explain deployment.spec; kubectl delete -f {folder}; kubectl get pods 2>&1",
            folder = folder.path().display()
        ),
    );
    for text in [
        "deployment.apps/web created",
        "successfully rolled out",
        "web    3/3     3            3",
        "evicted",
        "Ready,SchedulingDisabled",
        "NewReplicaSetAvailable",
        "strategy",
        "deployment.apps \"web\" deleted",
        "No resources found",
    ] {
        assert!(printed.contains(text), "{text:?} is missing in\n{printed}");
    }
}

#[test]
fn kubectl_installs_an_operator() {
    if !is_installed("kubectl") {
        return;
    }
    let scenario = testdata("scenarios/install.yaml");
    let manifests = testdata("scenarios/manifests");
    let printed = script(
        &["--scenario", &scenario.display().to_string()],
        &format!(
            "kubectl apply -f {manifests}/ferry.yaml; \
             kubectl wait --for=condition=Installed clusterextension/ferry --timeout=20s; \
             kubectl get clusterextension ferry; kubectl delete clusterextension ferry; \
             kubectl get clusterextensions 2>&1",
            manifests = manifests.display()
        ),
    );
    for text in ["ferry condition met", "1.0.0", "\"ferry\" deleted", "No resources found"] {
        assert!(printed.contains(text), "{text:?} is missing in\n{printed}");
    }
}

/// What `fbc serve` answers to a request for the sample catalog.
fn served_sample(path: &str) -> String {
    let reference = format!("sample={}", testdata("sample-catalog").display());
    let options = ["serve", &reference, "--http", "127.0.0.1:0", "--poll", "never"];
    let mut server = crate::fbc().args(options).stderr(Stdio::piped()).spawn();
    let mut log = BufReader::new(server.stderr.take().unwrap()).lines();
    let address = log.find_map(|line| Some(line.unwrap().split_once("address=")?.1.to_owned())).unwrap();
    let mut stream = TcpStream::connect(&address).unwrap();
    // Without chunks, which the first version of HTTP does not have.
    write!(stream, "GET {path} HTTP/1.0\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[test]
fn catalogd_answers_as_fbc_serve_does() {
    if !is_installed("kubectl") {
        return;
    }
    let catalog = format!("sample={}", testdata("sample-catalog").display());
    let proxy = "/api/v1/namespaces/olmv1-system/services/https:catalogd-service:443/proxy";
    for path in [
        "/catalogs/sample/api/v1/all",
        "/catalogs/sample/api/v1/packages",
        "/catalogs/sample/api/v1/metas?schema=olm.channel&package=lighthouse-operator",
        "/catalogs/sample/api/v1/metas?schema=olm.bundle&fields=name,properties.type",
    ] {
        let printed = script(&["--catalog", &catalog], &format!("kubectl get --raw '{proxy}{path}'"));
        let expected = served_sample(path);
        assert!(!expected.is_empty() && printed == expected, "{path}: {printed}");
    }
    for (path, arguments, refusal) in [
        (format!("{proxy}/catalogs/other/api/v1/all"), &[][..], "Error from server (NotFound)"),
        (proxy.replace("443", "1"), &[], "no service port 1 found for service \"catalogd-service\""),
        (proxy.replace("443", "metrics"), &[], "no endpoints available for service"),
        (proxy.replace("https:", "http:"), &[], "Error from server (BadRequest)"),
        (proxy.to_owned(), &["--without", "catalogd"], "services \"catalogd-service\" not found"),
    ] {
        let arguments = [&["--catalog", &catalog], arguments].concat();
        let printed = script(&arguments, &format!("kubectl get --raw '{path}' 2>&1 || true"));
        assert!(printed.contains(refusal), "{path}: {printed}");
    }
    // OpenShift has it in a namespace of its own.
    let arguments = ["--target", "ocp-4.20", "--catalog", &catalog];
    let proxy_of_openshift = proxy.replace("olmv1-system", "openshift-catalogd");
    let path = "/catalogs/sample/api/v1/packages";
    assert_eq!(
        script(&arguments, &format!("kubectl get --raw '{proxy_of_openshift}{path}'")),
        served_sample(path)
    );
    // A catalog that is not available is not served.
    let printed = script(
        &["--catalog", &catalog],
        &format!(
            "kubectl patch clustercatalog sample --type merge -p '{{\"spec\":{{\"availabilityMode\":\"Unavailable\"}}}}'; \
             kubectl get --raw '{proxy}/catalogs/sample/api/v1/all' 2>&1 || true"
        ),
    );
    assert!(printed.contains("Error from server (NotFound)"), "{printed}");
}

#[test]
fn a_session_is_played_again_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace").display().to_string();
    let advance = format!("\"{}\" cluster advance 10m", crate::FBC);
    script(&["--time", "paused", "--trace", &trace], &advance);
    let replayed = crate::fbc().args(["simulate", "--replay-trace", &trace]).output();
    let text = String::from_utf8_lossy(&replayed.stdout).into_owned();
    assert!(replayed.status.success(), "{text}{}", String::from_utf8_lossy(&replayed.stderr));
    assert!(text.contains("0 answered otherwise"), "{text}");
    assert!(text.contains("200 POST /fbc/time"), "{text}");
}

/// Nobody listens at the address, of which a substitute would know nothing.
#[test]
fn what_a_webhook_at_a_url_answered_is_played_again() {
    if !is_installed("kubectl") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let (trace, configuration) = (place("trace"), place("webhook.yaml"));
    let manifest = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n\
                    metadata: {name: maps}\nwebhooks:\n- name: maps.example.org\n  sideEffects: None\n  \
                    admissionReviewVersions: [v1]\n  clientConfig: {url: \"https://127.0.0.1:1/\"}\n  \
                    rules: [{apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]\n";
    std::fs::write(&configuration, manifest).unwrap();
    let printed = script(
        &["--trace", &trace],
        &format!("kubectl apply -f {configuration}; ! kubectl create configmap a --from-literal=b=c 2>&1"),
    );
    assert!(printed.contains("connect: connection refused"), "{printed}");
    let replayed = crate::fbc().args(["simulate", "--replay-trace", &trace]).output();
    let text = String::from_utf8_lossy(&replayed.stdout).into_owned();
    assert!(text.contains("500 POST /api/v1/namespaces/default/configmaps"), "{text}");
    assert!(text.contains("0 answered otherwise"), "{text}");
}

#[test]
fn every_release_of_openshift_serves_its_kinds() {
    if !is_installed("kubectl") {
        return;
    }
    for target in ["ocp-4.20", "ocp-4.21", "ocp-5.0"] {
        let kinds = script(&["--target", target], "kubectl api-resources --api-group=config.openshift.io");
        assert!(kinds.contains("ClusterVersion"), "{target}: {kinds}");
    }
}

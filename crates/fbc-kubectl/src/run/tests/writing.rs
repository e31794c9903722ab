//! What is validated, what is only shown, and which file a refusal is about.

use fbc_cluster::control_plane::api_server;
use fbc_cluster::time::Moment;

use super::{Case, line, play};
use crate::command_line::{parse, split};
use crate::run::memory::Memory;
use crate::run::{Outcome, Session, run};

/// Runs a line on the API server of the engine.
fn on_api_server(text: &str, manifest: &[u8]) -> Outcome {
    let mut api = api_server(&[], 1, Moment::START);
    let command = parse(&split(text).unwrap()).unwrap_or_else(|error| panic!("{text}: {error}"));
    run(&command, &mut Session::default(), &mut api, &|_| Some(manifest.to_vec()))
}

#[test]
fn unknown_fields_are_refused_told_or_dropped() {
    let manifest = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndta: {a: b}\n";
    let refused = "Error from server (BadRequest): error when creating \"f\": ConfigMap in version \"v1\" cannot be handled \
                   as a ConfigMap: strict decoding error: unknown field \"dta\"\n";
    let warning = "Warning: unknown field \"dta\"\n";
    for verb in ["create", "apply"] {
        for (flag, stdout, stderr) in [
            ("", "", refused),
            ("--validate", "", refused),
            ("--validate=true", "", refused),
            ("--validate=warn", "configmap/a created\n", warning),
            ("--validate=ignore", "configmap/a created\n", ""),
            ("--validate=false", "configmap/a created\n", ""),
        ] {
            let outcome = on_api_server(&format!("kubectl {verb} -f f {flag}"), manifest);
            let seen = (outcome.stdout.as_str(), outcome.stderr.as_str());
            assert_eq!(seen, (stdout, stderr), "{verb} {flag}");
        }
    }
    let error = parse(&split("kubectl create -f f --validate=foo").unwrap()).unwrap_err();
    let text =
        "error: invalid - validate option \"foo\"; must be one of: strict (or true), warn, ignore (or false)";
    assert_eq!(error.text, text);
}

#[test]
fn what_is_not_text_is_no_manifest_and_may_be_data() {
    let outcome = on_api_server("kubectl apply -f f", b"\x7fELF\x01\x00\xff\xfe");
    assert_eq!(
        outcome.stderr,
        "error: error parsing f: error converting YAML to JSON: yaml: control characters are not allowed\n"
    );
    let outcome = on_api_server("kubectl create cm a --from-file=k=f --dry-run=client -o yaml", b"\xff\x00");
    assert_eq!(
        outcome.stdout,
        "apiVersion: v1\nbinaryData:\n  k: /wA=\nkind: ConfigMap\nmetadata:\n  name: a\n"
    );
}

#[test]
fn what_is_only_shown_has_the_empty_fields_of_its_type() {
    for (what, expected) in [
        ("ns a", "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\nspec: {}\nstatus: {}\n"),
        ("secret generic a", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n"),
        ("sa a -n b", "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: a\n  namespace: b\n"),
        (
            "deployment a --image=b",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  labels:\n    app: a\n  name: a\nspec:\n  replicas: 1\n  \
             selector:\n    matchLabels:\n      app: a\n  strategy: {}\n  template:\n    metadata:\n      labels:\n        \
             app: a\n    spec:\n      containers:\n      - image: b\n        name: b\n        resources: {}\nstatus: {}\n",
        ),
        (
            "job a --image=b",
            "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\nspec:\n  template:\n    metadata: {}\n    spec:\n      \
             containers:\n      - image: b\n        name: a\n        resources: {}\n      restartPolicy: Never\nstatus: {}\n",
        ),
    ] {
        let outcome =
            line(&mut Memory::new(), &format!("kubectl create {what} --dry-run=client -o yaml"), "");
        assert_eq!(outcome.stdout, expected, "{what}: {}", outcome.stderr);
    }
}

#[test]
fn nothing_is_sent_by_a_client_that_only_shows() {
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: z}\n";
    let cases: [Case; 6] = [
        ("kubectl apply -f f --dry-run=client", "configmap/a created (dry run)\n", "", 0),
        (
            "kubectl apply -f f --dry-run=client -o yaml",
            "apiVersion: v1\ndata:\n  x: z\nkind: ConfigMap\nmetadata:\n  annotations:\n    \
             kubectl.kubernetes.io/last-applied-configuration: |\n      \
             {\"apiVersion\":\"v1\",\"data\":{\"x\":\"z\"},\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{},\
             \"name\":\"a\",\"namespace\":\"default\"}}\n  name: a\n  namespace: default\n",
            "",
            0,
        ),
        (
            "kubectl delete -f f",
            "",
            "Error from server (NotFound): error when deleting \"f\": configmaps \"a\" not found\n",
            1,
        ),
        ("kubectl delete -f f --ignore-not-found", "", "", 0),
        ("kubectl apply -f f", "configmap/a created\n", "", 0),
        ("kubectl apply -f f --dry-run=client", "configmap/a configured (dry run)\n", "", 0),
    ];
    play(&mut Memory::new(), manifest, &cases);
}

#[test]
fn who_asks_is_a_table_for_kubectl_and_a_name_for_oc() {
    let table =
        "ATTRIBUTE   VALUE\nUsername    system:admin\nGroups      [system:masters system:authenticated]\n";
    let review = "apiVersion: authentication.k8s.io/v1\nkind: SelfSubjectReview\nmetadata: {}\nstatus:\n  userInfo:\n    \
                  groups:\n    - system:masters\n    - system:authenticated\n    username: system:admin\n";
    let cases: [Case; 3] = [
        ("kubectl auth whoami", table, "", 0),
        ("kubectl auth whoami -o yaml", review, "", 0),
        ("oc whoami", "system:admin\n", "", 0),
    ];
    play(&mut Memory::new(), "", &cases);
}

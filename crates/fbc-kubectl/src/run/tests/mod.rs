//! Command lines against a small server.

pub(crate) mod objects;
pub(crate) mod recorded;
mod upgrade;
mod writing;

use fbc_cluster::time::SECOND;
use serde_json::{Value, json};

use super::memory::Memory;
use super::{Outcome, Request, Server, Session, run};
use crate::command_line::{parse, split};

/// Runs a line; `manifest` is what every file holds.
fn line(server: &mut Memory, text: &str, manifest: &str) -> Outcome {
    let command = parse(&split(text).unwrap()).unwrap_or_else(|error| panic!("{text}: {error}"));
    run(&command, &mut Session::default(), server, &|path| {
        (path != "missing").then(|| manifest.as_bytes().to_vec())
    })
}

fn map(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}, "data": data})
}

/// A line, its standard output, its standard error, its exit code.
type Case = (&'static str, &'static str, &'static str, u8);

fn play(server: &mut Memory, manifest: &str, cases: &[Case]) {
    for (text, stdout, stderr, exit_code) in cases {
        let outcome = line(server, text, manifest);
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (*stdout, *stderr), "{text}");
        assert_eq!(outcome.exit_code, *exit_code, "{text}");
    }
}

#[test]
fn logs_tell_what_containers_did() {
    let at = |second: u32| format!("2026-01-01T00:00:{second:02}Z");
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "default"},
        "spec": {"nodeName": "n", "containers": [{"name": "main", "image": "i"}, {"name": "side", "image": "i"}]},
        "status": {"containerStatuses": [
            {
                "name": "main", "state": {"running": {"startedAt": at(11)}},
                "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "startedAt": at(0), "finishedAt": at(9)}},
            },
            {"name": "side", "state": {"waiting": {"reason": "ImagePullBackOff"}}},
        ]},
    });
    let mut server = Memory::new();
    server.create(&Request::default(), pod).unwrap();
    play(
        &mut server,
        "",
        &[
            (
                "oc logs a",
                "2026-01-01T00:00:11Z container main started\n",
                "Defaulted container \"main\" out of: main, side\n",
                0,
            ),
            (
                "oc logs pod/a -c main -p",
                "2026-01-01T00:00:00Z container main started\n2026-01-01T00:00:09Z container main ended with exit code 1 (Error)\n",
                "",
                0,
            ),
            (
                "oc logs a side",
                "",
                "Error from server (BadRequest): container \"side\" in pod \"a\" is waiting to start: trying and failing to pull image\n",
                1,
            ),
            ("oc logs a -c other", "", "error: container other is not valid for pod a\n", 1),
            ("oc logs nosuch", "", "Error from server (NotFound): pods \"nosuch\" not found\n", 1),
        ],
    );
}

#[test]
fn objects_come_and_go() {
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: y}\n---\napiVersion: v1\nkind: List\nitems:\n- \
                    apiVersion: v1\n  kind: Namespace\n  metadata: {name: one}\n";
    play(
        &mut Memory::new(),
        manifest,
        &[
            (
                "oc apply -f f --dry-run=server",
                "configmap/a created (server dry run)\nnamespace/one created (server dry run)\n",
                "",
                0,
            ),
            ("oc apply -f f", "configmap/a created\nnamespace/one created\n", "", 0),
            ("oc apply -f f", "configmap/a unchanged\nnamespace/one unchanged\n", "", 0),
            (
                "oc apply -f f --server-side",
                "configmap/a serverside-applied\nnamespace/one serverside-applied\n",
                "",
                0,
            ),
            (
                "oc create -f f",
                "",
                "Error from server (AlreadyExists): error when creating \"f\": configmaps \"a\" already exists\n\
                 Error from server (AlreadyExists): error when creating \"f\": namespaces \"one\" already exists\n",
                1,
            ),
            ("oc create ns m", "namespace/m created\n", "", 0),
            ("oc create ns m", "", "Error from server (AlreadyExists): namespaces \"m\" already exists\n", 1),
            ("oc create cm b --from-file=k=f -o jsonpath={.data.k}", manifest, "", 0),
            ("oc create sa s -o name", "serviceaccount/s\n", "", 0),
            ("oc create cm a", "", "error: failed to create configmap: configmaps \"a\" already exists\n", 1),
            ("oc get cm a -o name", "configmap/a\n", "", 0),
            (
                "oc get cm a nosuch -o name",
                "configmap/a\n",
                "Error from server (NotFound): configmaps \"nosuch\" not found\n",
                1,
            ),
            ("oc get cm nosuch --ignore-not-found", "", "", 0),
            ("oc get cm -o jsonpath={.items[*].metadata.name}", "a b", "", 0),
            ("oc get cm -n one", "", "No resources found in one namespace.\n", 0),
            ("oc get clusterroles", "", "No resources found\n", 0),
            ("oc label cm a x=1 y=2", "configmap/a labeled\n", "", 0),
            ("oc label cm a x=2", "", "error: 'x' already has a value (1), and --overwrite is false\n", 1),
            ("oc label cm a x=2 y- --overwrite", "configmap/a modified\n", "", 0),
            ("oc label cm a y-", "label \"y\" not found.\nconfigmap/a not labeled\n", "", 0),
            ("oc annotate cm a k=v", "configmap/a annotated\n", "", 0),
            ("oc get cm -l x=2 -L x --no-headers", "a     1     <unknown>   2\n", "", 0),
            ("oc patch cm a -p '{\"data\": {\"x\": \"z\"}}'", "configmap/a patched\n", "", 0),
            (
                "oc patch cm/a --type merge -p '{\"data\": {\"x\": \"z\"}}'",
                "configmap/a patched (no change)\n",
                "",
                0,
            ),
            ("oc edit cm a -p 'data: {x: q}'", "configmap/a edited\n", "", 0),
            (
                "oc delete cm a b",
                "configmap \"a\" deleted from default namespace\nconfigmap \"b\" deleted from default namespace\n",
                "",
                0,
            ),
            ("oc delete cm a", "", "Error from server (NotFound): configmaps \"a\" not found\n", 1),
            ("oc delete cm --all", "No resources found\n", "", 0),
            ("oc delete cm", "", "error: resource(s) were provided, but no name was specified\n", 1),
            ("oc delete ns m", "namespace \"m\" deleted\n", "", 0),
            (
                "oc delete ns one -n x",
                "namespace \"one\" deleted\n",
                "Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n",
                0,
            ),
            ("oc get frobs", "", "error: the server doesn't have a resource type \"frobs\"\n", 1),
            ("oc apply -f missing", "", "error: the path \"missing\" does not exist\n", 1),
            ("oc auth can-i get pods", "yes\n", "", 0),
            ("oc auth can-i get pods --as nobody", "no\n", "", 1),
            ("oc whoami", "system:admin\n", "", 0),
            (
                "oc get cm --as nobody",
                "",
                "Error from server (Forbidden): configmaps is forbidden: User \"nobody\" cannot list resource \"configmaps\"\n",
                1,
            ),
        ],
    );
}

#[test]
fn kinds_that_are_not_there() {
    let manifest = "apiVersion: x.io/v1\nkind: Foo\nmetadata: {name: a}\n";
    let text = "error: resource mapping not found for name: \"a\" namespace: \"\" from \"f\": no matches for kind \"Foo\" in \
                version \"x.io/v1\"\nensure CRDs are installed first\n";
    let outcome = line(&mut Memory::new(), "oc apply -f f", manifest);
    assert_eq!((outcome.stderr.as_str(), outcome.exit_code), (text, 1));
}

#[test]
fn conflicts_come_with_advice() {
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {conflict: x}}\n";
    let mut server = Memory::new().with([map("a", json!({}))]);
    let outcome = line(&mut server, "oc apply --server-side -f f", manifest);
    assert!(
        outcome
            .stderr
            .starts_with("error: Apply failed with 1 conflict: conflict with \"a\": .data.x\nPlease review")
    );
    let outcome = line(&mut server, "oc apply --server-side --force-conflicts -f f", manifest);
    assert_eq!(outcome.stdout, "configmap/a serverside-applied\n");
}

#[test]
fn rules_get_the_groups_of_their_resources() {
    let mut server = Memory::new();
    let outcome = line(
        &mut server,
        "oc create role r --verb=get,list --resource=pods,deploy,deployments/scale -o json",
        "",
    );
    let role: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(
        role["rules"],
        json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]},
            {"apiGroups": ["apps"], "resources": ["deployments", "deployments/scale"], "verbs": ["get", "list"]}])
    );
}

#[test]
fn subjects_are_added_to_bindings() {
    let mut server = Memory::new();
    let added = "clusterrole.rbac.authorization.k8s.io/admin added: \"alice\"\n";
    assert_eq!(line(&mut server, "oc adm policy add-cluster-role-to-user admin alice", "").stdout, added);
    line(&mut server, "oc adm policy add-cluster-role-to-user admin bob", "");
    let subjects =
        line(&mut server, "oc get clusterrolebinding admin -o jsonpath='{.subjects[*].name}'", "").stdout;
    assert_eq!(subjects, "alice bob");
}

#[test]
fn projects_become_current() {
    let mut server = Memory::new();
    let mut session = Session::default();
    for (text, namespace) in [("oc new-project a", "a"), ("oc adm new-project b", "a"), ("oc project b", "b")]
    {
        let command = parse(&split(text).unwrap()).unwrap();
        let outcome = run(&command, &mut session, &mut server, &|_| None);
        assert_eq!(
            (outcome.exit_code, session.namespace.as_str()),
            (0, namespace),
            "{text}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn waiting_ends_when_the_condition_is_met() {
    let pod = |status: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "default", "generation": 2, "uid": "u"},
            "status": {"phase": "Pending", "conditions": [{"type": "Ready", "status": status, "observedGeneration": 2}]}})
    };
    for condition in
        ["condition=ready", "condition=Ready=true", "jsonpath='{.status.conditions[0].status}'=True"]
    {
        let mut server = Memory::new().with([pod("False")]);
        let mut waiting = line(&mut server, &format!("oc wait pod/a --for={condition}"), "").waiting.unwrap();
        assert_eq!(waiting.poll(&mut server).exit_code, None, "{condition}");
        server = server.with([pod("True")]);
        let poll = waiting.poll(&mut server);
        assert_eq!((poll.stdout.as_str(), poll.exit_code), ("pod/a condition met\n", Some(0)), "{condition}");
    }
}

#[test]
fn waiting_ends_when_time_is_up() {
    let mut held = map("a", json!({}));
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    let mut server = Memory::new().with([held]);
    let outcome = line(&mut server, "oc delete cm a --timeout=2s", "");
    assert_eq!(outcome.stdout, "configmap \"a\" deleted from default namespace\n");
    let mut waiting = outcome.waiting.unwrap();
    assert_eq!(waiting.deadline(), Some(server.now + 2 * SECOND));
    assert_eq!(waiting.poll(&mut server).exit_code, None);
    server.now = server.now + 2 * SECOND;
    let poll = waiting.poll(&mut server);
    assert_eq!(poll.stderr, "error: timed out waiting for the condition on configmaps/a\n");
    assert_eq!(poll.exit_code, Some(1));
    server.objects.clear();
    assert_eq!(waiting.poll(&mut server).exit_code, Some(0));
    assert_eq!(line(&mut server, "oc delete cm a --ignore-not-found --wait", "").waiting, None);
}

fn deployment(updated: i64, available: i64, annotations: &Value) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default", "uid": "d", "generation": 1, "annotations": annotations},
        "spec": {"replicas": 2, "template": {"metadata": {"labels": {"v": "2"}}}},
        "status": {"observedGeneration": 1, "replicas": 2, "updatedReplicas": updated, "availableReplicas": available}})
}

#[test]
fn rollouts() {
    let mut server = Memory::new().with([deployment(1, 0, &json!({}))]);
    let mut waiting = line(&mut server, "oc rollout status deploy/web", "").waiting.unwrap();
    let progress =
        "Waiting for deployment \"web\" rollout to finish: 1 out of 2 new replicas have been updated...\n";
    assert_eq!(waiting.poll(&mut server).stdout, progress);
    assert_eq!(waiting.poll(&mut server).stdout, "");
    server = server.with([deployment(2, 2, &json!({}))]);
    assert_eq!(waiting.poll(&mut server).stdout, "deployment \"web\" successfully rolled out\n");
    play(
        &mut server,
        "",
        &[
            ("oc rollout restart deploy/web", "deployment.apps/web restarted\n", "", 0),
            ("oc scale deploy web --replicas=3", "deployment.apps/web scaled\n", "", 0),
            (
                "oc scale deploy web --replicas=3 --current-replicas=2",
                "",
                "error: Expected replicas to be 2, was 3\n",
                1,
            ),
        ],
    );
}

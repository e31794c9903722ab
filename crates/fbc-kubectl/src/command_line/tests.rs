//! Lines and what they say.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::{MINUTE, SECOND};
use serde_json::json;

use super::*;

fn read(line: &str) -> Command {
    parse(&split(line).unwrap()).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn refusal(line: &str) -> String {
    split(line).and_then(|words| parse(&words)).unwrap_err().text
}

#[test]
fn words_are_cut_as_a_shell_cuts_them() {
    for (line, expected) in [
        ("oc get  pods", vec!["oc", "get", "pods"]),
        (r#"a 'b c' "d \"e\" $f" g\ h"#, vec!["a", "b c", "d \"e\" $f", "g h"]),
        ("a '' \"\"", vec!["a", "", ""]),
        ("a \\\n  b # comment", vec!["a", "b"]),
        ("x='{\"a\": 1}'", vec!["x={\"a\": 1}"]),
        ("", vec![]),
    ] {
        assert_eq!(split(line).unwrap(), expected, "{line}");
    }
    for line in ["a 'b", "a \"b", "a | b", "a > b", "a; b", "a $(b)", "a `b`"] {
        assert!(split(line).is_err(), "{line}");
    }
}

#[test]
fn flags_may_stand_anywhere() {
    for line in [
        "oc get pods web -n demo --show-labels -L a,b",
        "oc -n demo get pods web -L=a,b --show-labels=true",
        "kubectl --namespace demo get -La,b --show-labels pods web",
        "kubectl get pods --namespace=demo --show-labels -L a -L b -- web",
    ] {
        let Command { context, verb: Verb::Get(get), .. } = read(line) else { panic!("{line}") };
        assert_eq!(context.namespace.as_deref(), Some("demo"), "{line}");
        assert_eq!(get.selection.arguments, ["pods", "web"], "{line}");
        assert_eq!((get.show_labels, get.label_columns.join(" ").as_str()), (true, "a b"), "{line}");
    }
    let command = read("oc get pods --kubeconfig x --as=alice --as-group dev --as-group ops");
    assert_eq!(command.context.user.as_deref(), Some("alice"));
    assert_eq!(command.context.groups, ["dev", "ops"]);
    assert_eq!(command.context.notes, ["note: --kubeconfig is ignored: there is one simulated cluster"]);
}

#[test]
fn verbs_of_the_documents() {
    let Verb::Patch(patch) =
        read(r#"oc patch clustercatalog x -p '{"spec": {"availabilityMode": "Unavailable"}}' --type=merge"#)
            .verb
    else {
        panic!()
    };
    assert_eq!(patch.patch_type, Some(PatchType::Merge));
    assert_eq!(patch.source, PatchSource::Text(r#"{"spec": {"availabilityMode": "Unavailable"}}"#.into()));
    let Verb::Get(get) = read("oc get crds -l 'owner-kind=ClusterExtension,owner-name=x'").verb else {
        panic!()
    };
    assert_eq!(get.selection.selector.as_deref(), Some("owner-kind=ClusterExtension,owner-name=x"));
    let Verb::Create(creation) = read("oc adm new-project pipelines --description d").verb else { panic!() };
    let object = creation.object.unwrap();
    assert_eq!((object.name(), object.annotation("openshift.io/description")), ("pipelines", Some("d")));
    let Verb::Policy(policy) = read("oc adm policy add-cluster-role-to-user admin alice bob").verb else {
        panic!()
    };
    assert_eq!((policy.role.as_str(), policy.subjects.len(), policy.cluster), ("admin", 2, true));
    assert!(matches!(read("oc whoami").verb, Verb::WhoAmI { with_groups: false }));
    assert!(matches!(read("oc project").verb, Verb::Project { name: None }));
}

#[test]
fn waiting() {
    for (line, name, status, timeout) in [
        ("kubectl wait pod/a --for=condition=Ready", "Ready", "true", 30 * SECOND),
        ("kubectl wait pod/a --for=condition=Ready=False --timeout=1m30s", "Ready", "False", 90 * SECOND),
        ("oc wait --for condition=Installed ce/x --timeout 5m", "Installed", "true", 5 * MINUTE),
    ] {
        let Verb::Wait(wait) = read(line).verb else { panic!() };
        assert_eq!(wait.condition, WaitFor::Condition { name: name.into(), status: status.into() });
        assert_eq!(wait.timeout, timeout, "{line}");
    }
    for (line, expected) in [
        ("kubectl wait pod/a --for=jsonpath='{.status.phase}'=Running", Some("Running")),
        ("kubectl wait pod/a --for=jsonpath='{.status.phase}'", None),
        (r#"kubectl wait pod/a --for=jsonpath='{.a[?(@.b=="c")].d}'=e"#, Some("e")),
    ] {
        let Verb::Wait(Wait { condition: WaitFor::JsonPath { value, .. }, .. }) = read(line).verb else {
            panic!()
        };
        assert_eq!(value.as_deref(), expected, "{line}");
    }
    let Verb::Wait(wait) = read("kubectl wait pod/a --for=delete --timeout=-1s").verb else { panic!() };
    assert_eq!(wait.timeout, 7 * 24 * 60 * MINUTE);
}

#[test]
fn deletions() {
    for (flags, cascade, grace_period, wait) in [
        ("", Cascade::Background, None, true),
        ("--cascade=foreground --wait=false", Cascade::Foreground, None, false),
        ("--cascade", Cascade::Background, None, true),
        ("--cascade=orphan --grace-period=5", Cascade::Orphan, Some(5), true),
        ("--force", Cascade::Background, Some(0), true),
        ("--grace-period=0 --force", Cascade::Background, Some(0), true),
        ("--grace-period=0", Cascade::Background, Some(1), true),
        ("--now", Cascade::Background, Some(1), true),
    ] {
        let Verb::Delete(delete) = read(&format!("kubectl delete pod a {flags}")).verb else { panic!() };
        assert_eq!(
            (delete.cascade, delete.grace_period, delete.wait),
            (cascade, grace_period, wait),
            "{flags}"
        );
    }
}

#[test]
fn sub_commands_of_create_make_objects() {
    for (line, expected) in [
        ("ns a", json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}})),
        (
            "cm a --from-literal=x=y=z",
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "y=z"}}),
        ),
        (
            "secret generic a --from-literal=x=y",
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"x": "eQ=="}}),
        ),
        (
            "clusterrolebinding b --clusterrole=c --serviceaccount=n:s --user=u",
            json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "b"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "c"},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "u"},
                    {"kind": "ServiceAccount", "name": "s", "namespace": "n"}]}),
        ),
        (
            "deployment d --image=a/b:1@sha256:x --port=80",
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "labels": {"app": "d"}},
                "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "d"}}, "template": {"metadata": {"labels": {"app": "d"}},
                    "spec": {"containers": [{"name": "b", "image": "a/b:1@sha256:x", "ports": [{"containerPort": 80}]}]}}}}),
        ),
        (
            "job j --image=i -- sh -c true",
            json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": {"spec": {
                "containers": [{"name": "j", "image": "i", "command": ["sh", "-c", "true"]}], "restartPolicy": "Never"}}}}),
        ),
    ] {
        let Verb::Create(creation) = read(&format!("kubectl create {line}")).verb else { panic!() };
        assert_eq!(creation.object, Some(expected), "{line}");
    }
}

#[test]
fn labels_and_annotations() {
    let Verb::Metadata(change) = read("oc label ns a x=1 y- --overwrite").verb else { panic!() };
    assert_eq!(change.selection.arguments, ["ns", "a"]);
    assert_eq!(change.set, [("x".to_owned(), "1".to_owned())]);
    assert_eq!(change.remove, ["y"]);
}

#[test]
fn refusals_are_kubectls() {
    for (line, expected) in [
        ("kubectl get --bar", "error: unknown flag: --bar\nSee 'kubectl get --help' for usage."),
        ("kubectl get -x", "error: unknown shorthand flag: 'x' in -x\nSee 'kubectl get --help' for usage."),
        (
            "kubectl get pods -n",
            "error: flag needs an argument: 'n' in -n\nSee 'kubectl get --help' for usage.",
        ),
        ("kubectl apply", "error: must specify one of -f and -k"),
        ("kubectl apply -f a --force-conflicts", "error: --force-conflicts only works with --server-side"),
        (
            "kubectl apply -f a --dry-run=foo",
            "error: Invalid dry-run value (foo). Must be \"none\", \"server\", or \"client\".",
        ),
        (
            "kubectl create foo",
            "error: Unexpected args: [foo]\nSee 'kubectl create -h' for help and examples",
        ),
        (
            "kubectl create ns",
            "error: exactly one NAME is required, got 0\nSee 'kubectl create namespace -h' for help and examples",
        ),
        ("kubectl create role a", "error: at least one verb must be specified"),
        ("kubectl create rolebinding a", "error: exactly one of clusterrole or role must be specified"),
        ("kubectl create clusterrolebinding a", "error: required flag(s) \"clusterrole\" not set"),
        ("kubectl create cm a --from-literal=x", "error: invalid literal source x, expected key=value"),
        (
            "kubectl patch pod a",
            "error: must specify --patch or --patch-file containing the contents of the patch",
        ),
        (
            "kubectl patch pod a -p {} --type=foo",
            "error: --type must be one of [json merge strategic], not \"foo\"",
        ),
        ("kubectl label pod a", "error: at least one label update is required"),
        (
            "kubectl delete pods --cascade=foo",
            "error: invalid cascade value (foo). Must be \"background\", \"foreground\", or \"orphan\"",
        ),
        ("kubectl wait pod/a --for=foo", "error: unrecognized condition: \"foo\""),
        ("kubectl rollout status", "error: required resource not specified"),
        (
            "kubectl cordon",
            "error: USAGE: cordon NODE [flags]\nSee 'kubectl cordon -h' for help and examples",
        ),
        (
            "kubectl taint nodes a:NoSchedule",
            "error: at least one resource name must be specified since 'all' parameter is not set",
        ),
        ("kubectl taint nodes", "error: at least one taint update is required"),
        (
            "kubectl drain a --delete-local-data",
            "error: unknown flag: --delete-local-data\nSee 'kubectl drain --help' for usage.",
        ),
        ("kubectl get pods -w", "error: watching is not supported in a simulated cluster"),
        ("kubectl logs -f a", "error: following is not supported in a simulated cluster"),
        ("kubectl debug node/a", "error: \"debug\" is not supported in a simulated cluster"),
        ("kubectl diff -f a", "error: \"diff\" is not supported in a simulated cluster"),
        ("oc rollout undo deploy/a", "error: \"rollout undo\" is not supported in a simulated cluster"),
        ("oc create pdb a", "error: \"create pdb\" is not supported in a simulated cluster"),
        ("kubectl frob a", "error: unknown command \"frob\" for \"kubectl\""),
        ("helm list", "error: \"helm\" is not a program of a simulated cluster"),
    ] {
        assert_eq!(refusal(line), expected, "{line}");
    }
}

/// All command lines in a recording, with what went to standard error.
fn command_lines(value: &serde_json::Value, found: &mut Vec<(Vec<String>, String)>) {
    if let Some(arguments) = value.get("args").and_then(serde_json::Value::as_array) {
        let words = arguments.iter().filter_map(|word| word.as_str().map(str::to_owned));
        found.push((
            std::iter::once("kubectl".to_owned()).chain(words).collect(),
            value.text(&["stderr"]).to_owned(),
        ));
    }
    match value {
        serde_json::Value::Array(items) => items.iter().for_each(|item| command_lines(item, found)),
        serde_json::Value::Object(members) => {
            members.values().for_each(|member| command_lines(member, found))
        }
        _ => {}
    }
}

#[test]
fn recorded_lines_are_read_or_refused_in_the_same_words() {
    let mut found = Vec::new();
    for file in [
        "01-taint-cli",
        "09-drain",
        "10a-deployments",
        "10e-garbage-collection",
        "10g-server-side-apply",
        "10h-rbac",
    ] {
        let Some(cases) = fbc_testing::recorded_json(&format!("kube/{file}/cases.json")) else { return };
        command_lines(&cases, &mut found);
    }
    assert!(found.len() > 200, "{}", found.len());
    for (words, stderr) in found {
        match parse(&words) {
            Err(error) if error.hint.is_none() => assert_eq!(error.text + "\n", stderr, "{words:?}"),
            Err(error) => println!("not supported: {words:?}: {error}"),
            Ok(_) => assert!(!stderr.contains("unknown flag"), "{words:?}: {stderr}"),
        }
    }
}

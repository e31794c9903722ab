//! Tables, lists and formats over small objects.

use serde_json::{Value, json};

use super::*;

fn kind(group: &str, name: &str, namespaced: bool) -> Kind {
    Kind {
        group: group.into(),
        versions: vec!["v1".into()],
        kind: name.into(),
        plural: format!("{}s", name.to_lowercase()),
        singular: name.to_lowercase(),
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced,
        has_status: true,
        has_generation: true,
    }
}

fn print(kind: &Kind, columns: &[Value], objects: &[Value], options: &TableOptions) -> String {
    let group = Group { kind, printer_columns: columns, objects: objects.iter().collect() };
    tables(&[group], options, Moment::START)
}

fn catalog_columns() -> Vec<Value> {
    vec![
        json!({"name": "LastUnpacked", "type": "date", "jsonPath": ".status.lastUnpacked"}),
        json!({"name": "Serving", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Serving\")].status"}),
        json!({"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}),
        json!({"name": "Size", "type": "integer", "jsonPath": ".spec.size", "priority": 1}),
    ]
}

fn catalogs() -> [Value; 2] {
    [
        json!({"metadata": {"name": "my-catalog", "creationTimestamp": "2025-12-31T23:58:56Z", "labels": {"a/b": "1"}},
            "spec": {"size": 7},
            "status": {"lastUnpacked": "2025-12-31T23:59:05Z", "conditions": [{"type": "Serving", "status": "True"}]}}),
        json!({"metadata": {"name": "off", "creationTimestamp": "2025-12-31T17:06:00Z"},
            "spec": {"size": "seven"}, "status": {"conditions": [{"type": "Serving", "status": "False"}]}}),
    ]
}

#[test]
fn columns_of_definitions() {
    let kind = kind("olm.operatorframework.io", "ClusterCatalog", false);
    let options = TableOptions { with_namespace: true, ..TableOptions::default() };
    assert_eq!(
        print(&kind, &catalog_columns(), &catalogs(), &options),
        "NAME         LASTUNPACKED   SERVING   AGE\n\
         my-catalog   55s            True      64s\n\
         off                         False     6h54m\n"
    );
    let options = TableOptions { wide: true, no_headers: true, show_labels: true, ..TableOptions::default() };
    assert_eq!(
        print(&kind, &catalog_columns(), &catalogs(), &options),
        "my-catalog   55s   True    64s     7     a/b=1\n\
         off                False   6h54m         <none>\n"
    );
}

#[test]
fn definitions_without_columns_show_the_age() {
    let kind = kind("example.com", "Widget", true);
    let objects =
        [json!({"metadata": {"name": "a", "namespace": "n", "creationTimestamp": "2025-12-31T23:00:00Z"}})];
    let options = TableOptions {
        with_namespace: true,
        with_kind: true,
        label_columns: vec!["x/zone".into()],
        ..TableOptions::default()
    };
    assert_eq!(
        print(&kind, &[], &objects, &options),
        "NAMESPACE   NAME                   AGE   ZONE\nn           widget.example.com/a   60m   <none>\n"
    );
}

#[test]
fn several_kinds_are_apart() {
    let (maps, secrets) = (kind("", "ConfigMap", true), kind("", "Secret", true));
    let map = json!({"metadata": {"name": "m"}, "data": {"a": "", "b": ""}, "binaryData": {"c": ""}});
    let secret = json!({"metadata": {"name": "s"}, "type": "Opaque", "data": {"a": ""}});
    let group = |kind, object| Group { kind, printer_columns: &[], objects: vec![object] };
    let empty = Group { kind: &maps, printer_columns: &[], objects: Vec::new() };
    let groups = [group(&maps, &map), empty, group(&secrets, &secret)];
    let options = TableOptions { with_kind: true, ..TableOptions::default() };
    assert_eq!(
        tables(&groups, &options, Moment::START),
        "NAME          DATA   AGE\nconfigmap/m   3      <unknown>\n\n\
         NAME       TYPE     DATA   AGE\nsecret/s   Opaque   1      <unknown>\n"
    );
}

#[test]
fn rows_stay_in_one_line() {
    let kind = kind("example.com", "Widget", false);
    let columns = [json!({"name": "Message", "type": "string", "jsonPath": ".m"})];
    let objects = [json!({"metadata": {"name": "a"}, "m": "first\nsecond"})];
    assert_eq!(
        print(&kind, &columns, &objects, &TableOptions::default()),
        "NAME   MESSAGE\na      first...\n"
    );
}

#[test]
fn formats() {
    let object = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"n": [1, {"a": "b"}]}});
    for (format, expected) in [
        ("name", "deployment.apps/web\n"),
        (
            "yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  \"n\":\n  - 1\n  - a: b\n",
        ),
        ("jsonpath={.metadata.name}", "web"),
        ("go-template={{.kind}}:{{range .spec.n}}{{.}} {{end}}", "Deployment:1 map[a:b]"),
        ("template={{.metadata.name}}", "web"),
        ("jsonpath-as-json={.metadata.name}", "[\n    \"web\"\n]\n"),
        (
            "custom-columns=NAME:.metadata.name,N:.spec.n[*],X:.x,ALL:.spec",
            "NAME   N           X        ALL\nweb    1,map[a:b]   <none>   map[n:[1 map[a:b]]]\n",
        ),
    ] {
        let printed = Output::parse(format, None).unwrap().print(&object, false).unwrap();
        assert_eq!(
            printed.split_whitespace().collect::<Vec<_>>(),
            expected.split_whitespace().collect::<Vec<_>>(),
            "{format}"
        );
    }
    let list = list_of(vec![object.clone(), object]);
    assert_eq!(Output::Name.print(&list, false).unwrap(), "deployment.apps/web\ndeployment.apps/web\n");
}

#[test]
fn formats_that_are_refused() {
    for (format, expected) in [
        ("foo", "unable to match a printer suitable for the output format \"foo\""),
        ("jsonpath=", "template format specified but no template given"),
        ("jsonpath={.a", "error parsing jsonpath {.a, unclosed action"),
        ("custom-columns=", "custom-columns format specified but no custom columns given"),
        ("custom-columns=A", "unexpected custom-columns spec: A, expected <header>:<json-path-expr>"),
        ("go-template", "template format specified but no template given"),
        ("go-template={{.x", "error parsing template {{.x, template: output:1: unclosed action"),
        ("jsonpath-file", "template format specified but no template given"),
    ] {
        let error = Output::parse(format, None).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{format}: {error}");
    }
}

#[test]
fn sorting_by_a_path() {
    let objects: Vec<Value> = [("a", json!(3)), ("b", json!(null)), ("c", json!(1))]
        .map(|(name, n)| json!({"metadata": {"name": name}, "n": n}))
        .to_vec();
    let mut order: Vec<&Value> = objects.iter().collect();
    sort_by(&mut order, ".n").unwrap();
    assert_eq!(order.iter().map(|object| object.name()).collect::<String>(), "bca");
    assert!(sort_by(&mut order, ".x").unwrap_err().to_string().contains("couldn't find any field with path"));
}

#[test]
fn tables_of_built_in_kinds() {
    for (group, name, object, expected) in [
        (
            "",
            "Service",
            json!({"spec": {"type": "NodePort", "clusterIP": "10.0.0.1", "ports": [{"port": 80, "nodePort": 30080, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]}}),
            "x NodePort 10.0.0.1 <none> 80:30080/TCP,53/UDP <unknown>",
        ),
        (
            "",
            "Service",
            json!({"spec": {"type": "LoadBalancer", "clusterIP": "None"}}),
            "x LoadBalancer None <pending> <none> <unknown>",
        ),
        (
            "rbac.authorization.k8s.io",
            "ClusterRoleBinding",
            json!({"roleRef": {"kind": "ClusterRole", "name": "admin"}}),
            "x ClusterRole/admin <unknown>",
        ),
        ("", "ServiceAccount", json!({}), "x 0 <unknown>"),
        (
            "batch",
            "CronJob",
            json!({"spec": {"schedule": "@daily", "suspend": false}}),
            "x @daily <none> False 0 <none> <unknown>",
        ),
        (
            "",
            "PersistentVolumeClaim",
            json!({"spec": {"volumeName": "v", "storageClassName": "s"}, "status": {"phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}}),
            "x Bound v 1Gi RWO s <unset> <unknown>",
        ),
        (
            "",
            "Endpoints",
            json!({"subsets": [{"addresses": [{"ip": "1.1.1.1"}, {"ip": "2.2.2.2"}], "ports": [{"port": 1}, {"port": 2}]}]}),
            "x 1.1.1.1:1,2.2.2.2:1,1.1.1.1:2 + 1 more... <unknown>",
        ),
        (
            "admissionregistration.k8s.io",
            "ValidatingWebhookConfiguration",
            json!({"webhooks": [{}]}),
            "x 1 <unknown>",
        ),
    ] {
        let mut object = object;
        object.set(&["metadata", "name"], "x");
        let options = TableOptions { no_headers: true, ..TableOptions::default() };
        let row = print(&kind(group, name, true), &[], &[object], &options);
        assert_eq!(row.split_whitespace().collect::<Vec<_>>().join(" "), expected);
    }
}

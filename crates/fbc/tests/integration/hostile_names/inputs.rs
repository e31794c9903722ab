//! What is read: files in which every name is hostile.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

/// What each name begins and ends with.
const BEFORE: &str = "::error::INJ ";
const AFTER: &str = "\n::error::INJ\n  ::stop-commands::INJ\n##vso[task.INJ]\u{1b}[2J\u{1b}]0;INJ\u{7}\u{9b}31m\r\u{202e}\u{2028}\
                     [INJ](http://evil.example) ![INJ](http://evil.example/i.png) <img src=x> @INJ `INJ` | INJ \"; INJ";

pub(crate) fn hostile(name: &str) -> String {
    format!("{BEFORE}{name}{AFTER}")
}

/// A text as JSON has it between the quotes.
fn escaped(text: &str) -> String {
    json!(text).to_string().trim_matches('"').to_owned()
}

/// A catalog in which every text is hostile.
fn catalog(versions: &[&str], message: &str) -> String {
    let (package, channel) = (hostile("package"), hostile("stable"));
    let bundle = |version: &str| hostile(&format!("name.v{version}"));
    let mut entries: Vec<Value> = Vec::new();
    for (index, version) in versions.iter().enumerate() {
        let replaces = index.checked_sub(1).map(|before| bundle(versions[before]));
        entries.push(json!({
            "name": bundle(version),
            "replaces": replaces,
            "skips": [hostile("skipped")],
            "skipRange": format!("<{version}{AFTER}"),
        }));
    }
    let mut blobs = vec![
        json!({"schema": "olm.package", "name": package, "defaultChannel": channel, "description": hostile("text")}),
        json!({"schema": "olm.channel", "package": package, "name": channel, "entries": entries}),
        json!({"schema": "olm.deprecations", "package": package, "entries": [
            {"reference": {"schema": "olm.channel", "name": channel}, "message": hostile(message)}]}),
        json!({"schema": hostile("schema"), "package": package, "name": hostile("other")}),
    ];
    blobs.extend(versions.iter().map(|version| {
        json!({
            "schema": "olm.bundle", "package": package, "name": bundle(version),
            "image": format!("quay.io/x/y:{}", hostile(version)),
            "relatedImages": [{"name": hostile("image"), "image": hostile("quay.io/x/z")}],
            "properties": [
                {"type": "olm.package", "value": {"packageName": package, "version": version}},
                {"type": "olm.package.required", "value": {"packageName": hostile("other"), "versionRange": ">1"}},
                {"type": "olm.gvk", "value": {"group": hostile("group"), "version": "v1", "kind": hostile("Kind")}},
            ],
        })
    }));
    // A package whose name may stand on a command line.
    let (plain, head) = ("plain", bundle("2.0.0"));
    blobs.push(json!({"schema": "olm.package", "name": plain, "defaultChannel": channel}));
    let entries = json!([{"name": head}, {"name": bundle("3.0.0"), "replaces": head}]);
    blobs.push(json!({"schema": "olm.channel", "package": plain, "name": channel, "entries": entries}));
    blobs.extend(["2.0.0", "3.0.0"].map(|version| {
        json!({
            "schema": "olm.bundle", "package": plain, "name": bundle(version), "image": hostile("quay.io/x/plain"),
            "properties": [{"type": "olm.package", "value": {"packageName": plain, "version": version}}],
        })
    }));
    blobs.iter().map(|blob| format!("{blob:#}\n")).collect()
}

fn definition(plural: &str, kind: &str) -> String {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": hostile("name")},
        "spec": {"group": "a.b", "scope": "Namespaced", "names": {"plural": plural, "kind": hostile(kind)},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {hostile("field"): {"type": "object", "description": hostile(kind),
                "properties": {kind: {"type": "string", "enum": [hostile("value")]}}}}}}}]},
    })
    .to_string()
}

fn configuration() -> Value {
    json!({"name": "made", "repo": hostile("r"), "tag": hostile("t"), "references": [
        {"name": hostile("one").replace('/', "_"), "image": hostile("quay.io/x/y")},
        {"name": "two", "image": "q.io/x/z"}]})
}

/// Updates of OpenShift, with risks.
fn updates() -> Value {
    let node = |version: &str| {
        json!({"version": version, "payload": hostile("p"), "metadata": {
            "url": hostile("u"), "io.openshift.upgrades.graph.release.channels": hostile("stable-4.18")}})
    };
    json!({"version": 1, "nodes": [node("4.18.3"), node("4.18.8"), node("4.18.9")],
        "edges": [[0, 1]],
        "conditionalEdges": [{"edges": [{"from": "4.18.3", "to": "4.18.9"}], "risks": [{"name": hostile("Risk"),
            "url": hostile("https://evil.example"), "message": hostile("text"), "matchingRules": [
                {"type": "PromQL", "promql": {"promql": hostile("up")}}]}]}]})
}

fn scenario() -> Value {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": hostile("b")},
        "metadata": {"name": "a", "namespace": "default", "annotations": {"a": hostile("c")}}});
    json!({"title": hostile("title"), "objects": [map.clone()], "steps": [
        {"name": hostile("step"), "apply": map, "expect": [
            {"object": "ConfigMap/default/a", "fields": {".data.a": hostile("other")}}]},
        {"run": "oc get configmap a -o yaml", "prints": hostile("x")},
        {"run": "oc get configmaps -n default", "prints": hostile("x")}]})
}

/// A name that no input has, but a file.
pub(crate) fn odd() -> String {
    format!("odd{AFTER}").replace('/', "_")
}

/// Writes all inputs into a directory.
pub(crate) fn write(folder: &Path) {
    let path = |path: &str| folder.join(path);
    let file = "a\n::error::INJ\n\u{1b}[2J##vso[x].yaml";
    for (side, versions, message) in
        [("old", vec!["1.0.0", "1.1.0"], "a"), ("new", vec!["1.1.0", "1.2.0"], "b")]
    {
        fs::create_dir_all(path(side)).unwrap();
        fs::write(path(side).join(file), catalog(&versions, message)).unwrap();
    }
    // Images whose names can be mirrored, in a catalog of hostile ones.
    fs::create_dir_all(path("images")).unwrap();
    let named = catalog(&["1.0.0"], "a")
        .replace(&escaped(&hostile("1.0.0")), "v1")
        .replace(&escaped(&hostile("quay.io/x/z")), "quay.io/x/z");
    fs::write(
        path("images").join(file),
        named.replace(&escaped(&hostile("quay.io/x/plain")), "quay.io/x/plain"),
    )
    .unwrap();
    fs::create_dir_all(path("broken")).unwrap();
    fs::write(path("broken").join(file), format!("schema: {:?}\n---\n- x\n", hostile("x"))).unwrap();
    for side in ["bundle", "bundle2"] {
        let manifests = path(side).join("manifests");
        fs::create_dir_all(&manifests).unwrap();
        fs::create_dir_all(path(side).join("metadata")).unwrap();
        fs::write(manifests.join(file), "kind: [\n").unwrap();
        let version = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
            "metadata": {"name": hostile("x.v1.0.0")}, "spec": {"version": "1.0.0", "displayName": hostile("x"),
            "install": {"strategy": "deployment", "spec": {"deployments": [{"name": hostile("d"), "spec": {}}],
            "clusterPermissions": [{"serviceAccountName": hostile("sa"), "rules": [
                {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]}]}}}});
        if side == "bundle2" {
            fs::remove_file(manifests.join(file)).unwrap();
        }
        fs::write(manifests.join("csv.yaml"), version.to_string()).unwrap();
        let annotations = json!({"annotations": {
            "operators.operatorframework.io.bundle.package.v1": hostile("x"),
            "operators.operatorframework.io.bundle.channels.v1": hostile("stable"),
            "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1"}});
        fs::write(path(side).join("metadata/annotations.yaml"), annotations.to_string()).unwrap();
    }
    fs::write(path("old-crd.yaml"), definition("as", "A")).unwrap();
    fs::write(path("new-crd.yaml"), definition("bs", "B")).unwrap();
    fs::write(path("template.yaml"), json!({"schema": hostile("x")}).to_string()).unwrap();
    let basic = json!({"schema": "olm.template.basic", "entries": [
        {"schema": "olm.bundle", "image": hostile("quay.io/x/y:v1")}]});
    fs::write(path("basic.yaml"), basic.to_string()).unwrap();
    fs::write(path("fbc.toml"), format!("[rules]\n{:?} = \"off\"\n", hostile("GRF"))).unwrap();
    fs::write(path("configuration.yaml"), configuration().to_string()).unwrap();
    fs::write(path("map.yaml"), json!({hostile("quay.io/x/y"): "old", "q.io/x/z": "old"}).to_string())
        .unwrap();
    fs::write(path("updates.json"), updates().to_string()).unwrap();
    fs::write(path("scenario.yaml"), scenario().to_string()).unwrap();
    let finding = json!({
        "code": "GRF001", "name": hostile("name"), "severity": "error", "message": hostile("text"), "file": hostile("p"),
    });
    let report = json!({"schemaVersion": 1, "findings": [finding], "summary": {"errors": 1, "warnings": 0, "notes": 0}});
    fs::write(path("report.json"), report.to_string()).unwrap();
    let unknown = json!({"findings": [], hostile("field"): hostile("text")});
    fs::write(path("unknown.json"), unknown.to_string()).unwrap();
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": hostile("role")},
        "rules": [{"apiGroups": [hostile("a")], "resources": [hostile("r")], "verbs": [hostile("get")]}],
    });
    fs::write(path("rbac.yaml"), role.to_string()).unwrap();
    let repository = path("repository").join(format!("v4.17{AFTER}").replace('/', "_"));
    fs::create_dir_all(repository.join(hostile("x").replace('/', "_"))).unwrap();
    fs::copy(path("old").join(file), repository.join(hostile("x").replace('/', "_")).join("c.json")).unwrap();
    fs::write(path(&odd()), "schema: x\n").unwrap();
}

//! Names that others wrote, through every command and format: nothing in them drives a terminal, a CI system or the
//! page of a pull request.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// What each name begins and ends with.
const BEFORE: &str = "::error::INJ ";
const AFTER: &str = "\n::error::INJ\n  ::stop-commands::INJ\n##vso[task.INJ]\u{1b}[2J\u{1b}]0;INJ\u{7}\u{9b}31m\r\u{202e}\u{2028}\
                     [INJ](http://evil.example) ![INJ](http://evil.example/i.png) <img src=x> @INJ `INJ` | INJ \"; INJ";

fn hostile(name: &str) -> String {
    format!("{BEFORE}{name}{AFTER}")
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
    json!({"version": 1, "nodes": [node("4.18.3"), node("4.18.8"), node("4.18.9"), node(&hostile("4.18.10"))],
        "edges": [[0, 1], [1, 3]],
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

/// What the output of a command is.
#[derive(Clone, Copy, PartialEq)]
enum Medium {
    Text,
    Markdown,
    GitHub,
    Json,
    /// Text for another program, such as graphviz.
    Drawing,
}

fn check(words: &str, medium: Medium, text: &str, is_error: bool) {
    let lines = || text.split(['\n', '\r', '\u{2028}']).map(str::trim_start);
    for c in ['\u{1b}', '\u{7}', '\u{9b}'] {
        assert!(!text.contains(c) || medium == Medium::Json && !c.is_ascii(), "{words}: {c:?} in\n{text}");
    }
    if medium != Medium::Json || is_error {
        for c in ['\r', '\u{202e}', '\u{2028}'] {
            assert!(!text.contains(c) || medium == Medium::Drawing, "{words}: {c:?} in\n{text}");
        }
    }
    for line in lines() {
        let is_ours =
            medium == Medium::GitHub && ["::error ", "::warning "].iter().any(|ours| line.starts_with(ours));
        assert!(!line.starts_with("::") || is_ours, "{words}: a workflow command in\n{text}");
        assert!(!line.starts_with("##vso["), "{words}: a logging command in\n{text}");
    }
    if medium == Medium::Text || is_error {
        assert!(!text.contains("##vso["), "{words}: a logging command in\n{text}");
    }
    if medium == Medium::Markdown && !is_error {
        let without_code: String = text.split('`').step_by(2).collect();
        for markup in ["](", "<img", "@INJ", "http://"] {
            let is_escaped = markup == "](" && !without_code.replace("\\](", "").contains(markup);
            assert!(!without_code.contains(markup) || is_escaped, "{words}: {markup:?} in\n{text}");
        }
    }
    if medium == Medium::Json && !is_error && !text.is_empty() {
        let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        assert!(values.map(Result::unwrap).count() > 0, "{words}");
    }
}

#[test]
fn names_stay_names_in_every_command_and_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |path: &str| folder.path().join(path);
    let file = "a\n::error::INJ\n\u{1b}[2J##vso[x].yaml";
    for (side, versions, message) in
        [("old", vec!["1.0.0", "1.1.0"], "a"), ("new", vec!["1.1.0", "1.2.0"], "b")]
    {
        fs::create_dir_all(path(side)).unwrap();
        fs::write(path(side).join(file), catalog(&versions, message)).unwrap();
    }
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
    let report = json!([{"rule": hostile("GRF001"), "severity": "error", "message": hostile("text"), "path": hostile("p")}]);
    fs::write(path("report.json"), report.to_string()).unwrap();
    let repository = path("repository").join(format!("v4.17{AFTER}").replace('/', "_"));
    fs::create_dir_all(repository.join(hostile("x").replace('/', "_"))).unwrap();
    fs::copy(path("old").join(file), repository.join(hostile("x").replace('/', "_")).join("c.json")).unwrap();
    let odd = format!("odd{AFTER}").replace('/', "_");
    fs::write(path(&odd), "schema: x\n").unwrap();

    let (package, channel) = (hostile("package"), hostile("stable"));
    let (package, channel, odd) = (package.as_str(), channel.as_str(), odd.as_str());
    let bundle = hostile("name.v1.1.0");
    let mut commands: Vec<(Vec<&str>, Medium)> = Vec::new();
    let mut add = |words: &[&'static str], more: &[&'_ str], medium| {
        // The words of the test outlive the list of commands.
        let more = more.iter().map(|word| -> &'static str { Box::leak(word.to_string().into_boxed_str()) });
        commands.push((words.iter().copied().chain(more).collect(), medium));
    };
    use Medium::{Drawing, GitHub, Json, Markdown, Text};
    for (format, medium) in [
        ("full", Text),
        ("concise", Text),
        ("json", Json),
        ("jsonl", Json),
        ("sarif", Json),
        ("github", GitHub),
        ("gitlab", Json),
        ("junit", Drawing),
        ("markdown", Markdown),
        ("opm", Text),
    ] {
        for catalog in ["old", "broken", "."] {
            add(&["validate", "--no-config", "--profile", "all", "--format", format, catalog], &[], medium);
        }
        add(&["bundle", "validate", "--format", format, "bundle"], &[], medium);
        add(&["bundle", "validate", "--format", format, "bundle2"], &[], medium);
        add(&["validate", "--no-config", "--format", format], &[odd], medium);
    }
    add(&["validate", "old"], &[], Text);
    add(&["validate", "--no-config", "-v", "old", "broken"], &[], Text);
    add(&["validate", "--no-config", "--show-config", "old"], &[], Text);
    for what in ["packages", "channels", "bundles"] {
        add(&["list", what, "old"], &[], Text);
        add(&["list", what, "old", "--output", "json"], &[], Json);
    }
    add(&["list", "bundles", "old"], &[odd], Text);
    for (format, medium) in
        [("mermaid", Drawing), ("dot", Drawing), ("svg", Drawing), ("html", Drawing), ("json", Json)]
    {
        add(&["graph", "old", "--format", format], &[], medium);
        add(&["graph", "old", "--format", format, "--package"], &[package], medium);
        add(&["graph", "old", "--format", format, "--package"], &[odd], medium);
    }
    for (format, medium) in [("text", Text), ("json", Json)] {
        add(&["paths", "old", "--output", format], &[package], medium);
        add(&["paths", "old", "--output", format], &[package, "--from", "1.0.0"], medium);
        add(&["paths", "old", "--output", format], &[package, "--channel", channel], medium);
        add(&["paths", "old", "--output", format], &[package, "--from", odd], medium);
        add(&["images", "old", "--output", format], &[], medium);
        add(&["images", "old", "new", "-v", "--output", format], &[], medium);
        add(&["resolve", "--explain", "--format", format, "old", "--package"], &[package], medium);
        add(
            &["resolve", "--explain", "--format", format, "old", "--installed", "1.0.0", "--package"],
            &[package, "--channel", channel],
            medium,
        );
        add(&["crd", "diff", "--format", format, "old-crd.yaml", "new-crd.yaml"], &[], medium);
        add(&["bundle", "ready", "--output", format, "bundle2"], &[], medium);
        add(&["bundle", "preauth", "bundle2", "--format", format], &[], medium);
        add(&["diff", "old", "new", "--format", format], &[], medium);
    }
    add(&["diff", "old", "new", "-v"], &[], Text);
    add(&["diff", "old", "new", "--format", "markdown"], &[], Markdown);
    add(&["diff", "old", "new", "--format", "sarif"], &[], Json);
    add(&["diff", "old", "new", "--package"], &[odd], Text);
    add(&["crd", "diff", "--format", "markdown", "old-crd.yaml", "new-crd.yaml"], &[], Markdown);
    add(&["bundle", "rbac", "bundle2", "--report"], &[], Text);
    add(&["bundle", "manifests", "bundle2"], &[], Text);
    add(&["render", "broken"], &[], Json);
    add(&["render", "old"], &[], Json);
    add(&["query", ".name", "old"], &[], Json);
    add(&["query", "error(.name)", "old"], &[], Json);
    add(&["filter", "old", "--package"], &[package], Json);
    add(&["filter", "old", "--package"], &[odd], Json);
    add(&["filter", "old", "-v", "--heads-only", "--package"], &[package], Json);
    add(&["deprecate", "old", "--dry-run", "--message", "x"], &[package], Text);
    add(&["deprecate", "old", "--dry-run", "--message", "x"], &[odd], Text);
    add(&["deprecate", "old", "--dry-run", "--remove"], &[package, "--channel", channel], Text);
    add(&["add", "--dry-run"], &[&bundle, "old", "--channel", channel], Text);
    add(&["add", "--dry-run"], &[&bundle, "old", "--no-edges", "--create-channel", "--channel", odd], Text);
    add(&["add", "bundle2", "old", "--channel", "x", "--dry-run"], &[], Text);
    add(&["template", "render", "template.yaml"], &[], Json);
    add(&["template", "render", "basic.yaml"], &[], Json);
    add(&["template", "convert", "basic", "old"], &[], Json);
    add(&["catalog", "from-bundles", "bundle2"], &[], Json);
    add(&["catalog", "from-bundles"], &[odd], Json);
    add(&["pin", "--check", "--offline", "basic.yaml", "old"], &[], Text);
    add(&["lifecycle", "inject", "--check", "old"], &[odd], Text);
    add(&["migrate-to-v1", "bundle2"], &[odd], Text);
    add(&["merge-driver", "old", "new"], &[odd], Text);
    add(&["release", "verify", "old"], &[], Text);
    add(&["release", "diff", "old"], &[odd], Text);
    add(&["range"], &[odd, odd], Text);
    add(&["explain"], &[odd], Text);
    add(&["unpack"], &[odd, odd], Text);
    add(&[], &[odd], Text);
    add(&["validate"], &["nowhere", odd, package], Text);
    add(&["build", "old", "--no-validate", "--to", "oci:layout:q.io/x/y:v1"], &[], Text);
    add(&["build", "old", "--to"], &[odd], Text);
    add(&["build", "old", "--no-validate", "--to", "oci:layout:v1", "--tag"], &[odd], Text);
    add(&["push", "oci:layout:v1"], &[odd], Text);
    add(&["pull"], &[odd, odd], Text);
    add(&["mirror", "old", "--dry-run", "--to-dir", "disk"], &[], Text);
    add(&["mirror", "old", "--target-catalog", "a/b:v1", "--dry-run", "--to-dir", "disk"], &[], Text);
    add(&["mirror", "--to-dir", "disk", "--from-dir"], &[odd], Text);
    add(&["generate", "catalog", "configuration.yaml", "--image-map", "map.yaml", "--dockerfile"], &[], Text);
    add(&["generate", "--repository", "repository"], &[], Text);
    add(&["generate", "dockerfile"], &[odd], Text);
    add(&["init", "--description"], &[odd, package], Json);
    add(&["init"], &[package], Json);
    for (format, medium) in [("text", Text), ("json", Json), ("dot", Drawing), ("mermaid", Drawing)] {
        add(&["updates", "updates.json", "--output", format], &[], medium);
        add(&["updates", "updates.json", "--from", "4.18.3", "--output", format], &[], medium);
        add(
            &["updates", "updates.json", "--from", "4.18.3", "--to", "4.18.8", "--output", format],
            &[],
            medium,
        );
    }
    add(&["updates", "updates.json", "--from"], &[odd], Text);
    add(&["updates"], &[odd], Text);
    add(&["merge-reports", "report.json"], &[], Text);
    add(&["merge-reports", "report.json"], &[odd], Text);
    add(&["repository", "repository"], &[], Text);
    add(&["repository", "repository", "--output", "json"], &[], Json);
    add(&["repository"], &[odd], Text);
    add(&["doctor", "--offline"], &[odd], Text);
    add(&["sign"], &[odd], Text);
    add(&["verify"], &[odd], Text);
    add(&["serve", "broken", "--grpc", "127.0.0.1:0"], &[], Text);
    add(&["serve"], &[odd], Text);
    add(&["cluster", "run", "--scenario"], &[odd, "--", "true"], Text);
    add(&["cluster", "run", "--", "kubectl-that-is-not-there"], &[odd], Text);
    add(&["schema"], &[odd], Text);
    add(&["completions"], &[odd], Text);
    add(&["simulate", "scenario.yaml"], &[], Text);
    add(&["simulate", "scenario.yaml", "-v"], &[], Text);
    add(&["simulate", "scenario.yaml", "--output", "json"], &[], Json);
    add(&["simulate", "scenario.yaml", "--output", "junit"], &[], Drawing);
    add(&["simulate", "install", "bundle2"], &[], Text);
    add(&["simulate", "install", "bundle2", "--output", "json"], &[], Json);
    add(&["simulate", "install"], &[odd], Text);
    add(&["simulate", "upgrade", "old", "new"], &[], Text);
    add(&["simulate", "upgrade", "old", "new", "--output", "json"], &[], Json);
    add(&["simulate"], &[odd], Text);
    add(&["simulate", "upgrade"], &["old", "new", "--package", package], Text);
    add(&["simulate", "upgrade"], &["old", "new", "--package", odd], Text);

    for (words, medium) in &commands {
        for color in ["never", "always"] {
            let output = Command::new(env!("CARGO_BIN_EXE_fbc"))
                .args(words)
                .args(["--color", color])
                .current_dir(folder.path())
                .env_remove("FBC_IMAGE_MAP")
                .output()
                .unwrap();
            let shown = format!("{words:?} --color {color}");
            let code = output.status.code();
            assert!(matches!(code, Some(0..=2)), "{shown}: {code:?}");
            let text = |bytes: Vec<u8>| without_colors(String::from_utf8(bytes).unwrap(), color);
            check(&shown, *medium, &text(output.stdout), false);
            check(&shown, *medium, &text(output.stderr), true);
        }
    }
}

/// The text without the sequences that set colours, where there may be some.
fn without_colors(text: String, color: &str) -> String {
    if color == "never" {
        return text;
    }
    let mut plain = String::new();
    for (number, part) in text.split("\u{1b}[").enumerate() {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(part.len());
        match (number, part[end..].strip_prefix('m')) {
            (0, _) => plain.push_str(part),
            (_, Some(rest)) => plain.push_str(rest),
            (_, None) => plain.push_str(&format!("\u{1b}[{part}")),
        }
    }
    plain
}

/// The commands of the test are those of the program: none lacks, but those that write no names of others.
#[test]
fn no_command_is_forgotten() {
    let this =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile_names.rs")).unwrap();
    let own = ["cache", "version", "man", "opm", "help", "debug", "lsp"];
    for command in fbc::command_line().get_subcommands() {
        let name = command.get_name();
        assert!(own.contains(&name) || this.contains(&format!("\"{name}\"")), "{name}");
    }
}

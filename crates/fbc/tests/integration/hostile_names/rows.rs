//! The command lines.

use super::inputs::{hostile, odd};
use super::medium::Medium;

/// A command line, and what its output is.
pub(crate) struct Row {
    pub(crate) words: Vec<String>,
    pub(crate) medium: Medium,
}

/// Command lines that the program itself refuses: with what is wrong, and how to call it.
pub(crate) fn refused() -> Vec<Row> {
    let odd = odd();
    let before: [&[&str]; 9] = [
        &[],
        &["build", "old", "--to"],
        &["completions"],
        &["filter", "old", "--package"],
        &["push", "oci:layout:v1"],
        &["sign"],
        &["unpack", "oci:layout:v1", "unpacked"],
        &["validate", "--profile"],
        &["verify"],
    ];
    let row = |words: &[&str]| {
        let words = words.iter().copied().chain([odd.as_str()]).map(str::to_owned).collect();
        Row { words, medium: Medium::Text }
    };
    before.into_iter().map(row).collect()
}

/// Command lines that reach their command.
pub(crate) fn accepted() -> Vec<Row> {
    let (package, channel, odd, bundle) =
        (hostile("package"), hostile("stable"), odd(), hostile("name.v1.1.0"));
    let (package, channel, odd) = (package.as_str(), channel.as_str(), odd.as_str());
    let mut commands = Vec::new();
    let mut add = |words: &[&str], more: &[&str], medium| {
        let words = words.iter().chain(more).map(|word| (*word).to_owned()).collect();
        commands.push(Row { words, medium });
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
        for (catalog, profile) in [("old", "olmv1"), ("broken", "strict"), (".", "konflux"), ("old", "opm")] {
            add(&["validate", "--no-config", "--profile", profile, "--format", format, catalog], &[], medium);
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
        add(&["bundle", "ready", "--ocp", "4.20", "--output", format, "bundle2"], &[], medium);
        add(
            &["bundle", "preauth", "bundle2", "--rbac", "rbac.yaml", "--output", format, "--service-account"],
            &["a/b"],
            medium,
        );
        add(&["diff", "old", "new", "--format", format], &[], medium);
    }
    add(&["diff", "old", "new", "-v"], &[], Text);
    add(&["diff", "old", "new", "--format", "markdown"], &[], Markdown);
    add(&["diff", "old", "new", "--format", "sarif"], &[], Json);
    add(&["diff", "old", "new", "--package"], &[odd], Text);
    add(&["crd", "diff", "--format", "markdown", "old-crd.yaml", "new-crd.yaml"], &[], Markdown);
    add(&["bundle", "rbac", "bundle2", "--report"], &[], Text);
    add(&["bundle", "manifests", "--namespace", "x", "bundle2"], &[], Text);
    add(&["render", "broken"], &[], Json);
    add(&["render", "old"], &[], Json);
    add(&["query", ".name", "old"], &[], Json);
    add(&["query", "error(.name)", "old"], &[], Json);
    add(&["filter", "old", "--package", "plain"], &[], Json);
    add(&["filter", "old", "--package", "absent"], &[], Json);
    add(&["filter", "old", "-v", "--heads-only", "--package", "plain"], &[], Json);
    add(&["filter", "old", "-v", "--package", "plain", "--keep-path-from", "3.0.0"], &[], Json);
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
    add(&["unpack", "oci:layout:v1"], &[odd], Text);
    add(&["unpack"], &[&format!("oci:{odd}"), "unpacked"], Text);
    add(&["validate"], &["nowhere", odd, package], Text);
    add(&["build", "old", "--no-validate", "--to", "oci:layout:q.io/x/y:v1"], &[], Text);
    add(&["build", "old", "--to"], &[&format!("oci:{odd}:q.io/x/y:v1")], Text);
    add(&["push", "--tag", "127.0.0.1:1/x/y:v1"], &[&format!("oci:layout:{odd}")], Text);
    add(&["pull", "127.0.0.1:1/x/y:v1"], &[&format!("oci:{odd}:v1")], Text);
    add(&["pull", "127.0.0.1:1/x/y:v1", "oci:other:v1", "--authfile"], &[odd], Text);
    add(&["mirror", "old", "--target-catalog", "a/b:v1", "--dry-run", "--to-dir", "disk"], &[], Text);
    let to_disk =
        ["mirror", "images", "--target-catalog", "a/b:v1", "--dry-run", "--no-validate", "--to-dir", "disk"];
    add(&to_disk, &[], Text);
    add(&["mirror", "--to", "127.0.0.1:1/x", "--from-dir"], &[odd], Text);
    add(&["generate", "catalog", "configuration.yaml", "--image-map", "map.yaml", "--dockerfile"], &[], Text);
    add(&["generate", "--repository", "repository"], &[], Text);
    add(&["generate", "dockerfile"], &[odd], Text);
    add(&["init", "--description"], &[odd, package], Json);
    add(&["init"], &[package], Json);
    for (format, medium) in [("text", Text), ("json", Json), ("dot", Drawing), ("graph", Json)] {
        add(&["updates", "updates.json", "--output", format], &[], medium);
    }
    for (format, medium) in [("text", Text), ("json", Json)] {
        add(&["updates", "updates.json", "--from", "4.18.3", "--output", format], &[], medium);
        add(
            &["updates", "updates.json", "--from", "4.18.3", "--to", "4.18.8", "--output", format],
            &[],
            medium,
        );
    }
    add(&["updates", "updates.json", "--from"], &[odd], Text);
    add(&["updates"], &[odd], Text);
    add(&["merge-reports", "report.json"], &[], Json);
    add(&["merge-reports", "report.json", "unknown.json"], &[], Json);
    add(&["merge-reports", "map.yaml"], &[], Text);
    add(&["merge-reports", "report.json"], &[odd], Text);
    add(&["repository", "repository"], &[], Text);
    add(&["repository", "repository", "--output", "json"], &[], Json);
    add(&["repository"], &[odd], Text);
    add(&["doctor", "--offline"], &[odd], Text);
    add(&["sign", "127.0.0.1:1/x/y:v1", "--key"], &[odd], Text);
    add(&["verify", "127.0.0.1:1/x/y:v1", "--key"], &[odd], Text);
    add(&["serve", "broken", "--grpc", "127.0.0.1:0"], &[], Text);
    add(&["serve"], &[odd], Text);
    add(&["cluster", "run", "--scenario"], &[odd, "--", "true"], Text);
    add(&["cluster", "run", "--", "kubectl-that-is-not-there"], &[odd], Text);
    add(&["schema"], &[odd], Text);
    add(&["simulate", "scenario.yaml"], &[], Text);
    add(&["simulate", "scenario.yaml", "-v"], &[], Text);
    add(&["simulate", "scenario.yaml", "--output", "json"], &[], Json);
    add(&["simulate", "install", "bundle2"], &[], Text);
    add(&["simulate", "install", "bundle2", "--output", "json"], &[], Json);
    add(&["simulate", "install"], &[odd], Text);
    add(&["simulate", "upgrade", "old", "new"], &[], Text);
    add(&["simulate", "upgrade", "old", "new", "--output", "json"], &[], Json);
    add(&["simulate"], &[odd], Text);
    add(&["simulate", "upgrade"], &["old", "new", "--package", package], Text);
    add(&["simulate", "upgrade"], &["old", "new", "--package", odd], Text);
    commands
}

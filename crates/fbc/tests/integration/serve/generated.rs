//! A catalog of 300 packages, with what makes pages difficult.

use std::fmt::Write as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// How many packages there are.
pub(crate) const PACKAGES: usize = 300;

/// A name that is markup, drives terminals, and turns text around.
pub(crate) const HOSTILE: &str = "<img src=x onerror=\"document.title='owned'\">\u{1b}[31m\u{202e}'&amp;";

/// The number of the package with bundles and a channel of that name, of the one whose manifests are there, and of one that is deprecated.
pub(crate) const HOSTILE_PACKAGE: usize = 13;
pub(crate) const WHOLE_PACKAGE: usize = 7;
pub(crate) const DEPRECATED_PACKAGE: usize = 21;

/// The name of a package.
pub(crate) fn package(number: usize) -> String {
    format!("package-{number:03}")
}

/// The name of a bundle.
pub(crate) fn bundle(number: usize, minor: usize) -> String {
    let hostile = if number == HOSTILE_PACKAGE { HOSTILE } else { "" };
    format!("{}{hostile}.v1.{minor}.0", package(number))
}

/// The name of the channel besides `stable`.
fn fast(number: usize) -> &'static str {
    if number == HOSTILE_PACKAGE { HOSTILE } else { "fast" }
}

/// Writes the catalog to a file.
pub(crate) fn write(file: &Path) {
    let mut text = String::new();
    for number in 0..PACKAGES {
        for blob in blobs(number) {
            writeln!(text, "{blob}").unwrap();
        }
    }
    std::fs::write(file, text).unwrap();
}

fn blobs(number: usize) -> Vec<Value> {
    let name = package(number);
    let mut blob = json!({"schema": "olm.package", "name": name, "defaultChannel": "stable"});
    blob["description"] = json!(format!("# Package {number}\n\nServes <b>purpose</b> number {number}."));
    match number % 3 {
        0 => {
            let icon = format!(
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><script>alert(1)</script>\
                 <circle cx='4' cy='4' r='3' fill='hsl({} 60% 45%)'/></svg>",
                number * 7 % 360
            );
            blob["icon"] = json!({"base64data": STANDARD.encode(icon), "mediatype": "image/svg+xml"});
        }
        1 => {
            let page = "<html><script>document.title='owned'</script></html>";
            blob["icon"] = json!({"base64data": STANDARD.encode(page), "mediatype": "image/png"});
        }
        _ => {}
    }
    let mut blobs = vec![blob];
    let last = 3 + number % 5;
    let entry = |minor: usize| {
        let mut entry = json!({"name": bundle(number, minor)});
        if minor > 0 {
            entry["replaces"] = json!(bundle(number, minor - 1));
        }
        entry
    };
    let stable: Vec<Value> = (0..last).map(entry).collect();
    blobs.push(json!({"schema": "olm.channel", "package": name, "name": "stable", "entries": stable}));
    let last_entry = json!([{"name": bundle(number, last), "skipRange": format!(">=1.0.0 <1.{last}.0")}]);
    blobs
        .push(json!({"schema": "olm.channel", "package": name, "name": fast(number), "entries": last_entry}));
    blobs.extend((0..=last).map(|minor| bundle_blob(number, minor)));
    if number == DEPRECATED_PACKAGE || number == HOSTILE_PACKAGE {
        let entries = json!([
            {"reference": {"schema": "olm.package"}, "message": format!("Use another one, not {}.", bundle(number, 0))},
            {"reference": {"schema": "olm.channel", "name": fast(number)}, "message": "Too fast."},
            {"reference": {"schema": "olm.bundle", "name": bundle(number, 0)}, "message": "Too old."},
        ]);
        blobs.push(json!({"schema": "olm.deprecations", "package": name, "entries": entries}));
    }
    blobs
}

fn bundle_blob(number: usize, minor: usize) -> Value {
    let (package, name) = (package(number), bundle(number, minor));
    let kind = format!("Kind{number:03}");
    let mut properties = vec![
        json!({"type": "olm.package", "value": {"packageName": package, "version": format!("1.{minor}.0")}}),
        json!({"type": "olm.gvk", "value": {"group": "example.com", "kind": kind, "version": "v1"}}),
    ];
    if number % 10 == 4 {
        properties.push(json!({"type": "olm.maxOpenShiftVersion", "value": "4.18"}));
    }
    if number % 10 == 5 {
        let needed = json!({"packageName": "package-000", "versionRange": ">=1.0.0"});
        properties.push(json!({"type": "olm.package.required", "value": needed}));
    }
    let title = if number == HOSTILE_PACKAGE { HOSTILE.to_owned() } else { format!("Operator {number}") };
    let description =
        "## What it does\n\n[More](javascript:alert(1)) <script>document.title='owned'</script>";
    let spec = json!({
        "displayName": title,
        "description": description,
        "provider": {"name": "Example"},
        "keywords": ["generated", format!("word{number}")],
        "minKubeVersion": "1.29.0",
        "installModes": [{"type": "AllNamespaces", "supported": true}],
        "maintainers": [{"name": "Nobody", "email": "nobody@example.com"}],
        "links": [{"name": "Home", "url": "https://example.com/"}, {"name": "Bad", "url": "javascript:alert(1)"}],
    });
    if number == WHOLE_PACKAGE {
        let rule = json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list"]});
        let mut manifest = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
            "metadata": {"name": name}, "spec": spec});
        manifest["spec"]["install"] = json!({"strategy": "deployment", "spec": {"deployments": [],
            "clusterPermissions": [{"serviceAccountName": "keeper", "rules": [rule]}]}});
        let data = STANDARD.encode(manifest.to_string());
        properties.push(json!({"type": "olm.bundle.object", "value": {"data": data}}));
    } else {
        properties.push(json!({"type": "olm.csv.metadata", "value": spec}));
    }
    let image = format!("quay.io/example/bundle-{number}@sha256:{minor:064}");
    json!({"schema": "olm.bundle", "package": package, "name": name, "image": image, "properties": properties,
        "relatedImages": [{"name": "operator", "image": format!("quay.io/example/operator-{number}:v1.{minor}")}]})
}

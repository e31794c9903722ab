//! The preset of Renovate, whose patterns run here as Renovate runs them, on templates that there are.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::workspace::{are_installed, pipelines, testdata};

/// Reads a list of files and answers for each with what the preset captures in it, or nothing if it does not read it. Patterns of
/// files are minimatch's, of which the preset needs `*` and `**`.
const RENOVATE: &str = r#"
const { readFileSync } = require("node:fs");
const preset = JSON.parse(readFileSync(process.argv[1], "utf8"));
const files = JSON.parse(readFileSync(0, "utf8"));
const pattern = (text) => {
  const [, source, flags] = text.match(/^\/(.*)\/([a-z]*)$/s);
  return new RegExp(source, flags);
};
const glob = (text) => new RegExp("^" + text.split(/(\*\*\/|\*\*|\*)/).map((part) => ({
  "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*",
})[part] ?? part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join("") + "$", "i");
const answers = files.map(({ path, text }) => {
  const managers = preset.customManagers.filter((manager) =>
    manager.managerFilePatterns.some((one) => pattern(one).test(path)));
  if (managers.length === 0) return null;
  const captures = managers.flatMap((manager) => manager.matchStrings.flatMap((one) =>
    [...text.matchAll(new RegExp(one, "g"))].map((match) => ({ ...match.groups }))));
  const rules = preset.packageRules.filter((rule) => rule.matchFileNames.some((one) => glob(one).test(path)));
  return { captures, rules: rules.map((rule) => rule.matchUpdateTypes) };
});
console.log(JSON.stringify(answers));
"#;

/// What Renovate makes of files, each with its path in a repository.
fn captures(files: &[(&str, String)]) -> Vec<Value> {
    let files: Vec<Value> = files.iter().map(|(path, text)| json!({"path": path, "text": text})).collect();
    let mut node = Command::new("node")
        .args(["-e", RENOVATE, "--"])
        .arg(pipelines().join("renovate/templates.json"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    node.stdin.take().unwrap().write_all(Value::from(files).to_string().as_bytes()).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(path: &str) -> String {
    fs::read_to_string(testdata(path)).unwrap()
}

#[test]
fn digests_are_found_in_templates_and_nowhere_else() {
    if !are_installed(&["node"]) {
        return;
    }
    let tagged = |path: &str| text(path).replace("-bundle@", "-bundle:v1.0.0@");
    let in_directory = "operators/beacon-operator/catalog-templates/basic.yaml";
    let files = [
        (in_directory, tagged(&format!("repositories/operators/{in_directory}"))),
        ("catalog-template.yaml", tagged("repositories/split/catalog-template.yaml")),
        ("template.yml", tagged("repositories/matrix/template.yaml")),
        ("templates/lighthouse.yaml", text("templates/lighthouse.yaml")),
        (
            "templates/quoted.yaml",
            format!("- image: \"localhost:5000/a/b:1.0_x@sha256:{}\"\n", "0".repeat(64)),
        ),
        ("catalogs/v4.16/beacon-operator/catalog.yaml", tagged("repositories/split/catalog-template.yaml")),
    ];
    let answers = captures(&files);
    let capture = |name: &str, value: &str, digit: &str| json!({"depName": name, "currentValue": value, "currentDigest": format!("sha256:{}", digit.repeat(64))});
    let beacons = ["1", "2"].map(|digit| capture("quay.io/example/beacon-operator-bundle", "v1.0.0", digit));
    for ((path, _), answer) in files.iter().zip(&answers).take(3) {
        assert_eq!(answer["captures"], json!(beacons), "{path}");
    }
    assert_eq!(answers[3]["captures"], json!([]), "an image without a digest has none to update");
    assert_eq!(answers[4]["captures"], json!([capture("localhost:5000/a/b", "1.0_x", "0")]));
    assert_eq!(answers[5], Value::Null, "a catalog is no template");
    // In what it reads, the preset keeps released versions, and updates digests.
    for ((path, _), answer) in files.iter().zip(&answers).take(5) {
        assert_eq!(answer["rules"], json!([["major", "minor", "patch"], ["digest"]]), "{path}");
    }
}

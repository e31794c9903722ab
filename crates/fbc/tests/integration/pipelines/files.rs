//! The files themselves, judged by the programs of those who read them, as far as they are installed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::workspace::{are_installed, pipelines, shown};

fn check(command: &mut Command) {
    let (code, text) = shown(command.output().unwrap());
    assert_eq!(code, 0, "{command:?}: {text}");
}

#[test]
fn shell_scripts_pass_shellcheck() {
    if !are_installed(&["shellcheck"]) {
        return;
    }
    let mut scripts: Vec<PathBuf> = fs::read_dir(pipelines().join("github"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sh"))
        .collect();
    scripts.sort();
    assert!(scripts.len() >= 3);
    check(Command::new("shellcheck").args(scripts));
}

/// The schemas of schemastore.org, of which `check-jsonschema` brings a copy.
#[test]
fn yaml_and_json_fit_published_schemas() {
    if !are_installed(&["check-jsonschema"]) {
        return;
    }
    // The component has two documents, its inputs and the pipeline, and GitLab has one schema for both.
    let text = fs::read_to_string(pipelines().join("gitlab/fbc.yml")).unwrap();
    let (inputs, pipeline) = text.split_once("\n---\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let written = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let github = |name: &str| pipelines().join("../../.github").join(name);
    for (schema, path) in [
        ("github-actions", pipelines().join("github/action.yml")),
        ("github-workflows", pipelines().join("shards/github.yml")),
        ("github-workflows", github("workflows/ci.yml")),
        ("github-issue-forms", github("ISSUE_TEMPLATE/wrong-answer.yml")),
        ("github-issue-forms", github("ISSUE_TEMPLATE/missing-feature.yml")),
        ("github-issue-config", github("ISSUE_TEMPLATE/config.yml")),
        ("renovate", pipelines().join("renovate/templates.json")),
        ("gitlab-ci", written("inputs.yml", inputs)),
        ("gitlab-ci", written("pipeline.yml", pipeline)),
    ] {
        check(
            Command::new("check-jsonschema")
                .args(["--builtin-schema", &format!("vendor.{schema}")])
                .arg(path),
        );
    }
}

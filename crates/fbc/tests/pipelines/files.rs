//! The files themselves, judged by the programs of those who read them, as far as they are installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace::{are_installed, pipelines, shown};

fn check(command: &mut Command) {
    let (code, text) = shown(command.output().unwrap());
    assert_eq!(code, 0, "{command:?}: {text}");
}

#[test]
fn shell_scripts_pass_shellcheck() {
    if !are_installed(&["shellcheck"]) {
        return;
    }
    let mut scripts: Vec<PathBuf> = std::fs::read_dir(pipelines().join("github"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sh"))
        .collect();
    scripts.sort();
    assert!(scripts.len() >= 3);
    check(Command::new("shellcheck").args(scripts));
}

#[test]
fn yaml_and_json_fit_published_schemas() {
    if !are_installed(&["check-jsonschema"]) {
        return;
    }
    for (schema, file) in
        [("vendor.github-actions", "github/action.yml"), ("vendor.renovate", "renovate/templates.json")]
    {
        check(
            Command::new("check-jsonschema").args(["--builtin-schema", schema]).arg(pipelines().join(file)),
        );
    }
}

/// The second document is the pipeline; the first says its inputs, for which there is no schema.
#[test]
fn the_component_is_a_pipeline_of_gitlab() {
    if !are_installed(&["check-jsonschema"]) {
        return;
    }
    let text = std::fs::read_to_string(pipelines().join("gitlab/fbc.yml")).unwrap();
    let (_, pipeline) = text.split_once("\n---\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipeline.yml");
    std::fs::write(&path, pipeline).unwrap();
    check(Command::new("check-jsonschema").args(["--builtin-schema", "vendor.gitlab-ci"]).arg(path));
}

#[test]
fn hooks_are_a_manifest_of_pre_commit() {
    if !are_installed(&["pre-commit"]) {
        return;
    }
    let hooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.pre-commit-hooks.yaml");
    check(Command::new("pre-commit").arg("validate-manifest").arg(hooks));
}

/// Every line of a file of pipelines that calls fbc is one that fbc understands.
#[test]
fn hooks_call_commands_that_there_are() {
    let hooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.pre-commit-hooks.yaml");
    let text = std::fs::read_to_string(hooks).unwrap();
    let entries: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("entry: ")).collect();
    assert!(entries.len() >= 4);
    for entry in entries {
        let parsed = fbc::command_line().try_get_matches_from(entry.split(' '));
        assert!(parsed.is_ok(), "{entry}: {}", parsed.unwrap_err());
    }
}

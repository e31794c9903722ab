//! The hooks of pre-commit, which reads them from the root of a repository and runs their programs from PATH.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::workspace::{Workspace, are_installed, document, shown};

fn manifest() -> PathBuf {
    fbc_testing::repository(".pre-commit-hooks.yaml")
}

#[test]
fn hooks_are_a_manifest_of_pre_commit() {
    if !are_installed(&["pre-commit"]) {
        return;
    }
    let output = Command::new("pre-commit").arg("validate-manifest").arg(manifest()).output().unwrap();
    let (code, text) = shown(output);
    assert_eq!(code, 0, "{text}");
}

#[test]
fn hooks_call_commands_that_there_are() {
    let hooks = document(&manifest());
    let words = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let hooks = hooks.as_array().unwrap();
    assert!(hooks.len() >= 4);
    for hook in hooks {
        let entry = hook["entry"].as_str().unwrap();
        let line = entry.split(' ').map(str::to_owned).chain(words(&hook["args"]));
        let parsed = fbc::command_line().try_get_matches_from(line);
        assert!(parsed.is_ok(), "{entry}: {}", parsed.unwrap_err());
    }
}

/// Runs a hook in a repository as somebody tries it out. Nothing is installed for it, so that no network is asked.
fn run(workspace: &Workspace, repository: &str, hook: &str) -> (i32, String) {
    let hooks = workspace.path("hooks");
    if !hooks.exists() {
        fs::create_dir(&hooks).unwrap();
        fs::copy(manifest(), hooks.join(".pre-commit-hooks.yaml")).unwrap();
        workspace.commit("hooks");
    }
    // Of what is not in git, pre-commit knows nothing.
    workspace.commit(repository);
    let mut command = workspace.command("pre-commit");
    command.arg("try-repo").arg(hooks).args([hook, "--all-files", "--color", "never"]);
    command.current_dir(workspace.path(repository)).env("PRE_COMMIT_HOME", workspace.path("pre-commit"));
    shown(command.output())
}

fn assert_passes(workspace: &Workspace, repository: &str, hook: &str) {
    let (code, text) = run(workspace, repository, hook);
    assert!(code == 0 && text.contains("Passed"), "{hook}: {text}");
}

fn assert_fails(workspace: &Workspace, repository: &str, hook: &str, finding: &str) {
    let (code, text) = run(workspace, repository, hook);
    assert!(code == 1 && text.contains("Failed") && text.contains(finding), "{hook}: {text}");
}

#[test]
fn hooks_for_catalogs_and_bundles_find_what_is_wrong() {
    if !are_installed(&["git", "pre-commit"]) {
        return;
    }
    let workspace = Workspace::new();
    workspace.copy_sample("lighthouse-bundle", &workspace.path("repository/bundle"));
    for hook in ["fbc-validate", "fbc-fix", "fbc-bundle-validate"] {
        assert_passes(&workspace, "repository", hook);
    }
    fs::remove_file(workspace.path("repository/bundle/metadata/annotations.yaml")).unwrap();
    assert_fails(&workspace, "repository", "fbc-bundle-validate", "annotations.yaml");
    workspace.copy_sample("broken-catalog/graph", &workspace.path("repository/catalog/graph"));
    assert_fails(&workspace, "repository", "fbc-validate", "GRF001");
    assert_fails(&workspace, "repository", "fbc-fix", "files were modified by this hook");
    let fixed = workspace.text("repository/catalog/graph/catalog.yaml");
    assert!(fixed.contains("skipRange: '>=0.9.0 <0.9.4'"), "{fixed}");
}

#[test]
fn a_hook_holds_catalogs_against_their_templates() {
    if !are_installed(&["git", "pre-commit"]) {
        return;
    }
    let workspace = Workspace::new();
    workspace.copy_sample("repositories/directories", &workspace.path("templates"));
    assert_passes(&workspace, "templates", "fbc-generate");
    let template = workspace.path("templates/v4.16/catalog-template.yaml");
    let text = fs::read_to_string(&template).unwrap();
    fs::write(&template, text.replace("name: stable", "name: slow")).unwrap();
    assert_fails(
        &workspace,
        "templates",
        "fbc-generate",
        "v4.16/catalog/beacon-operator/catalog.yaml is stale",
    );
}

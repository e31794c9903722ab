//! The files themselves, judged by the programs of those who read them, as far as they are installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use fbc_yaml::stream;
use serde_json::Value;

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

/// The fields of a task and of a step (tektoncd/pipeline:pkg/apis/pipeline/v1). Tekton publishes no schema of them: its
/// definition takes everything, and a webhook refuses what is unknown or not declared.
const TASK: [&str; 9] = [
    "params",
    "displayName",
    "description",
    "steps",
    "volumes",
    "stepTemplate",
    "sidecars",
    "workspaces",
    "results",
];
const STEP: [&str; 10] = [
    "name",
    "image",
    "command",
    "args",
    "workingDir",
    "env",
    "envFrom",
    "computeResources",
    "volumeMounts",
    "script",
];

#[test]
fn tasks_have_known_fields_and_declare_what_they_use() {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(pipelines().join("tekton")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 2);
    for path in paths {
        let bytes = std::fs::read(&path).unwrap();
        let task = stream::read_one(&bytes).unwrap().root().to_json();
        assert_eq!((&task["apiVersion"], &task["kind"]), (&"tekton.dev/v1".into(), &"Task".into()));
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        for key in keys(&task["spec"]) {
            assert!(TASK.contains(&key.as_str()), "{}: {key}", path.display());
        }
        let names = |list: &str| -> Vec<String> {
            let all = task["spec"][list].as_array().into_iter().flatten();
            all.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
        };
        for param in task["spec"]["params"].as_array().unwrap() {
            let kind = param["type"].as_str().unwrap();
            let fits = param["default"].is_null() || (kind == "array") == param["default"].is_array();
            assert!(fits && ["string", "array"].contains(&kind), "{}: {param}", path.display());
        }
        for step in task["spec"]["steps"].as_array().unwrap() {
            for key in keys(step) {
                assert!(STEP.contains(&key.as_str()), "{}: {key}", path.display());
            }
            assert!(step["script"].as_str().unwrap().starts_with("#!/"), "{}", path.display());
            for used in step.to_string().split("$(").skip(1) {
                let used = used.split(')').next().unwrap();
                // What is no variable of Tekton is a command of the shell.
                let lists = ["params", "results", "workspaces"];
                if let Some((list, rest)) = used.split_once('.').filter(|(list, _)| lists.contains(list)) {
                    let name = rest.split(['.', '[']).next().unwrap();
                    assert!(names(list).iter().any(|known| known == name), "{}: $({used})", path.display());
                }
            }
        }
    }
}

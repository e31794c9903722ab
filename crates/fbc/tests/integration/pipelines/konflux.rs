//! The scripts in the tasks of Tekton and in the component of GitLab.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use fbc_yaml::stream;
use serde_json::{Value, json};

use super::workspace::{Workspace, are_installed, pipelines, shown};

/// The documents of a YAML file.
fn documents(path: &str) -> Vec<Value> {
    let bytes = fs::read(pipelines().join(path)).unwrap();
    let read = stream::read(&bytes, &|document| Ok::<_, String>(document.root().to_json()));
    read.into_iter()
        .map(|document| document.outcome.unwrap_or_else(|_| panic!("{path} is not YAML")))
        .collect()
}

/// Writes a script into the workspace and returns its path.
fn executable(workspace: &Workspace, text: &str) -> String {
    let path = workspace.path("runner/script");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// The first step of a task, run as Tekton does: with its environment and its arguments.
struct Step {
    script: String,
    task: Value,
}

impl Step {
    fn new(workspace: &Workspace, path: &str) -> Self {
        let task = documents(path).remove(0);
        let script = executable(workspace, task["spec"]["steps"][0]["script"].as_str().unwrap());
        Self { script, task }
    }

    /// Replaces what Tekton replaces. Parameters that are not given have their default, and must have one.
    fn replaced(&self, workspace: &Workspace, text: &str, params: &[(&str, &str)]) -> String {
        let mut text =
            text.replace("$(workspaces.source.path)", &workspace.path("repository").display().to_string());
        for result in self.task["spec"]["results"].as_array().into_iter().flatten() {
            let name = result["name"].as_str().unwrap();
            let path = workspace.path("runner").join(name).display().to_string();
            text = text.replace(&format!("$(results.{name}.path)"), &path);
        }
        for param in self.task["spec"]["params"].as_array().unwrap() {
            let name = param["name"].as_str().unwrap();
            let used = format!("$(params.{name})");
            if text.contains(&used) {
                let given = params.iter().find(|(given, _)| *given == name).map(|(_, value)| *value);
                let value = given.or_else(|| param["default"].as_str());
                text = text.replace(&used, value.unwrap_or_else(|| panic!("{name} is not given")));
            }
        }
        text
    }

    fn run(&self, workspace: &Workspace, params: &[(&str, &str)], arguments: &[&str]) -> (i32, String) {
        let step = &self.task["spec"]["steps"][0];
        let mut command = workspace.command(&self.script);
        for variable in step["env"].as_array().unwrap() {
            let value = self.replaced(workspace, variable["value"].as_str().unwrap(), params);
            command.env(variable["name"].as_str().unwrap(), value);
        }
        // A list takes the place of the word that names it.
        if step["args"] == json!(["$(params.ARGUMENTS[*])"]) {
            command.args(arguments);
        }
        command.env("SOURCE_DATE_EPOCH", "1700000000").env("FBC_OFFLINE", "0");
        shown(command.output())
    }
}

/// Runs the task `fbc-validate`, which always succeeds, and returns its result.
fn validated(workspace: &Workspace, params: &[(&str, &str)], arguments: &[&str]) -> Value {
    let step = Step::new(workspace, "tekton/fbc-validate.yaml");
    let (code, text) = step.run(workspace, params, arguments);
    assert_eq!(code, 0, "{text}");
    let output = workspace.path("runner/TEST_OUTPUT");
    let result: Value = serde_json::from_str(&fs::read_to_string(&output).unwrap()).unwrap();
    fs::remove_file(&output).unwrap();
    result
}

#[test]
fn the_task_writes_test_output() {
    if !are_installed(&["git"]) {
        return;
    }
    let workspace = Workspace::new();
    let params = [("CATALOG", "catalog"), ("PROFILE", "default")];
    let clean = validated(&workspace, &params, &[]);
    assert_eq!(clean["result"], "SUCCESS", "{clean}");
    assert_eq!((&clean["timestamp"], &clean["successes"]), (&"2023-11-14T22:13:20Z".into(), &1.into()));
    workspace.break_catalog();
    let broken = validated(&workspace, &params, &[]);
    assert_eq!((&broken["result"], &broken["namespace"]), (&"FAILURE".into(), &"default".into()), "{broken}");
    assert!(broken["failures"].as_u64().unwrap() > 0 && broken["note"].as_str().unwrap().contains("error"));
    let elsewhere = validated(&workspace, &params, &["--select", "GRF001"]);
    assert_eq!(elsewhere["result"], "SUCCESS", "the arguments do not arrive: {elsewhere}");
    let missing = validated(&workspace, &[("CATALOG", "missing")], &[]);
    assert_eq!(missing["result"], "ERROR", "{missing}");
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&missing), keys(&clean));
}

#[test]
fn the_task_pulls_the_image_that_it_validates() {
    if !are_installed(&["git", "docker-registry"]) {
        return;
    }
    let workspace = Workspace::new();
    let folder = tempfile::tempdir().unwrap();
    let registry = fbc_testing::registry::start(folder.path(), "http: {addr: HOST}\n");
    let image = format!("{}/me/catalog:v1", registry.host);
    let push = |tag: &str| {
        let mut build = workspace.command("fbc");
        build
            .args(["build", "catalog", "-t", tag, "--push", "--plain-http", "-q", "--no-validate"])
            .env("FBC_OFFLINE", "0");
        let output = build.output();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let digest = push(&image);
    let validate = |digest: &str| {
        let params = [("IMAGE_URL", image.as_str()), ("IMAGE_DIGEST", digest), ("PROFILE", "default")];
        validated(&workspace, &params, &["--plain-http"])
    };
    let clean = validate(&digest);
    assert_eq!((&clean["result"], &clean["successes"]), (&"SUCCESS".into(), &1.into()), "{clean}");
    let processed: Value = serde_json::from_str(&workspace.text("runner/IMAGES_PROCESSED")).unwrap();
    assert_eq!(processed, json!({"image": {"pullspec": image, "digests": [digest]}}));
    // The digest counts, whatever the tag says by then.
    workspace.break_catalog();
    let broken = push(&image);
    assert_ne!(broken, digest);
    assert_eq!(validate(&broken)["result"], "FAILURE");
    assert_eq!(validate(&digest)["result"], "SUCCESS");
    assert_eq!(validate(&format!("sha256:{}", "0".repeat(64)))["result"], "ERROR");
}

#[test]
fn the_diff_task_fails_on_what_it_is_told() {
    if !are_installed(&["git"]) {
        return;
    }
    let workspace = Workspace::new();
    let step = Step::new(&workspace, "tekton/fbc-diff.yaml");
    fs::remove_dir_all(workspace.path("repository/catalog/tide-operator")).unwrap();
    let params = [("OLD", "HEAD:catalog"), ("NEW", "catalog")];
    for (fail_on, expected) in [(&[][..], 1), (&[("FAIL_ON", "none")], 0)] {
        let (code, text) = step.run(&workspace, &[&params, fail_on].concat(), &[]);
        assert_eq!(code, expected, "{text}");
    }
}

#[test]
fn the_component_writes_its_reports() {
    if !are_installed(&["git"]) {
        return;
    }
    let workspace = Workspace::new();
    let job = &documents("gitlab/fbc.yml")[1]["fbc-validate"];
    let script =
        executable(&workspace, &format!("#!/bin/sh\nset -e\n{}", job["script"][0].as_str().unwrap()));
    let variables =
        [("FBC_CATALOGS", "catalog"), ("FBC_ARGUMENTS", ""), ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "HEAD")];
    let (code, text) = workspace.run(&script, &variables);
    assert_eq!(code, 0, "{text}");
    workspace.break_catalog();
    let (code, text) = workspace.run(&script, &variables);
    assert_eq!(code, 1, "{text}");
    for report in ["codequality", "junit"] {
        let file = job["artifacts"]["reports"][report].as_str().unwrap();
        assert!(workspace.text(&format!("repository/{file}")).contains("broken"), "{file}");
    }
}

//! The scripts in the tasks of Tekton and in the component of GitLab.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use fbc_yaml::stream;
use serde_json::Value;

use crate::workspace::{Workspace, are_installed, pipelines};

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

#[test]
fn the_task_writes_test_output() {
    if !are_installed(&["git"]) {
        return;
    }
    let workspace = Workspace::new();
    let task = &documents("tekton/fbc-validate.yaml")[0];
    let script = executable(&workspace, task["spec"]["steps"][0]["script"].as_str().unwrap());
    let output = workspace.path("runner/test-output").display().to_string();
    let processed = workspace.path("runner/images-processed").display().to_string();
    let run = |catalog: &str| {
        let (code, text) = workspace.run(
            &script,
            &[
                ("CATALOG", catalog),
                ("PROFILE", "default"),
                ("IMAGE_URL", "registry.invalid/catalog:v1"),
                ("IMAGE_DIGEST", "sha256:0000000000000000000000000000000000000000000000000000000000000000"),
                ("TEST_OUTPUT", &output),
                ("IMAGES_PROCESSED", &processed),
                ("SOURCE_DATE_EPOCH", "1700000000"),
            ],
        );
        assert_eq!(code, 0, "{text}");
        let result: Value = serde_json::from_str(&fs::read_to_string(&output).unwrap()).unwrap();
        fs::remove_file(&output).unwrap();
        result
    };
    let clean = run("catalog");
    assert_eq!(clean["result"], "SUCCESS", "{clean}");
    assert_eq!((&clean["timestamp"], &clean["successes"]), (&"2023-11-14T22:13:20Z".into(), &1.into()));
    workspace.break_catalog();
    let broken = run("catalog");
    assert_eq!((&broken["result"], &broken["namespace"]), (&"FAILURE".into(), &"default".into()), "{broken}");
    assert!(broken["failures"].as_u64().unwrap() > 0 && broken["note"].as_str().unwrap().contains("error"));
    let missing = run("");
    assert_eq!(missing["result"], "ERROR", "{missing}");
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&missing), keys(&clean));
    assert!(
        workspace.text("runner/images-processed").contains("\"pullspec\": \"registry.invalid/catalog:v1\"")
    );
}

#[test]
fn the_diff_task_fails_on_what_it_is_told() {
    if !are_installed(&["git"]) {
        return;
    }
    let workspace = Workspace::new();
    let task = &documents("tekton/fbc-diff.yaml")[0];
    let script = executable(&workspace, task["spec"]["steps"][0]["script"].as_str().unwrap());
    fs::remove_dir_all(workspace.path("repository/catalog/tide-operator")).unwrap();
    for (fail_on, expected) in [("breaking", 1), ("none", 0)] {
        let variables = [("OLD", "HEAD:catalog"), ("NEW", "catalog"), ("FAIL_ON", fail_on)];
        let (code, text) = workspace.run(&script, &variables);
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

//! Tasks of Tekton.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::workspace::{document, pipelines};

/// The fields of a task and of a step (tektoncd/pipeline:config/300-crds/300-task.yaml, half a megabyte that is published nowhere
/// by itself). A cluster drops others with a warning at best.
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

/// Checks that a task has known fields, and declares what its steps use.
pub(crate) fn assert_known_task(place: &str, spec: &Value) {
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for key in keys(spec) {
        assert!(TASK.contains(&key.as_str()), "{place}: {key}");
    }
    let names = |list: &str| -> Vec<String> {
        let all = spec[list].as_array().into_iter().flatten();
        all.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    for param in spec["params"].as_array().into_iter().flatten() {
        let kind = param["type"].as_str().unwrap_or("string");
        let fits = param["default"].is_null() || (kind == "array") == param["default"].is_array();
        assert!(fits && ["string", "array"].contains(&kind), "{place}: {param}");
    }
    for step in spec["steps"].as_array().unwrap() {
        for key in keys(step) {
            assert!(STEP.contains(&key.as_str()), "{place}: {key}");
        }
        for used in step.to_string().split("$(").skip(1) {
            let used = used.split(')').next().unwrap();
            // What is no variable of Tekton is a command of the shell.
            let lists = ["params", "results", "workspaces"];
            if let Some((list, rest)) = used.split_once('.').filter(|(list, _)| lists.contains(list)) {
                let name = rest.split(['.', '[']).next().unwrap();
                assert!(names(list).iter().any(|known| known == name), "{place}: $({used})");
            }
        }
    }
}

#[test]
fn tasks_have_known_fields_and_declare_what_they_use() {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(pipelines().join("tekton")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 2);
    for path in paths {
        let task = document(&path);
        assert_eq!((&task["apiVersion"], &task["kind"]), (&"tekton.dev/v1".into(), &"Task".into()));
        assert_known_task(&path.display().to_string(), &task["spec"]);
    }
}

//! The examples that do checks on several machines: run shard by shard, their merged report is that of one run.

use std::fs;

use serde_json::Value;

use super::tekton::assert_known_task;
use super::variables::variables;
use super::workspace::{Workspace, are_installed, document, pipelines, shown};

fn example(name: &str) -> Value {
    document(&pipelines().join("shards").join(name))
}

/// A repository with several catalogs, one of which has errors.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    for name in ["one", "two", "three"] {
        workspace.copy_sample("sample-catalog", &workspace.path("repository/catalogs").join(name));
    }
    workspace.copy_sample("two-findings", &workspace.path("repository/catalogs/two-findings"));
    fs::remove_dir_all(workspace.path("repository/catalog")).unwrap();
    workspace
}

/// Runs a script that ends at the first command that fails.
fn shell(workspace: &Workspace, script: &str, variables: &[(&str, &str)]) -> (i32, String) {
    let mut command = workspace.command("sh");
    shown(command.args(["-e", "-c", script]).envs(variables.iter().copied()).output())
}

fn succeeds(workspace: &Workspace, script: &str, variables: &[(&str, &str)]) {
    let (code, text) = shell(workspace, script, variables);
    assert_eq!(code, 0, "{script}: {text}");
}

/// Checks that a merged report is that of one run, which finds errors.
fn assert_is_whole(workspace: &Workspace, merged: &str, one_run: &str) {
    let (code, text) = shell(workspace, one_run, &[]);
    assert_eq!(code, 1, "{text}");
    let whole = workspace.text("runner/whole");
    assert!(!whole.is_empty());
    assert_eq!(workspace.text(merged), whole);
}

/// The commands of a job, but that which installs fbc.
fn commands(job: &Value) -> Vec<&str> {
    let steps = job["steps"].as_array().unwrap();
    let commands = steps.iter().filter_map(|step| step["run"].as_str());
    commands.filter(|command| !command.ends_with("/install.sh")).collect()
}

#[test]
fn jobs_of_github_make_one_report() {
    if !are_installed(&["git"]) {
        return;
    }
    let workspace = workspace();
    let workflow = example("github.yml");
    let install = fs::read_to_string(pipelines().join("github/install.sh")).unwrap();
    for name in workflow["env"].as_object().unwrap().keys() {
        assert!(variables(&install).contains(name), "the script reads no {name}");
    }
    let validate = &workflow["jobs"]["validate"];
    for shard in validate["strategy"]["matrix"]["shard"].as_array().unwrap() {
        for command in commands(validate) {
            succeeds(&workspace, &command.replace("${{ matrix.shard }}", &shard.to_string()), &[]);
        }
    }
    let [merge] = commands(&workflow["jobs"]["report"])[..] else { panic!("one command merges") };
    let (code, text) = shell(&workspace, merge, &[]);
    assert_eq!(code, 1, "the job fails as one run would: {text}");
    assert_is_whole(&workspace, "repository/validate.sarif", "fbc validate . -o sarif=../runner/whole");
}

#[test]
fn tasks_of_a_pipeline_make_one_report() {
    if !are_installed(&["git"]) {
        return;
    }
    let workspace = workspace();
    let pipeline = example("tekton.yaml");
    let [validate, report] = &pipeline["spec"]["tasks"].as_array().unwrap()[..] else { panic!("two tasks") };
    // tektoncd/pipeline:config/300-crds/300-pipeline.yaml
    const TASK: [&str; 5] = ["name", "matrix", "runAfter", "taskSpec", "workspaces"];
    for task in [validate, report] {
        for key in task.as_object().unwrap().keys() {
            assert!(TASK.contains(&key.as_str()), "{key}");
        }
        assert_known_task("tekton.yaml", &task["taskSpec"]);
        assert_eq!(task["workspaces"], pipeline["spec"]["workspaces"]);
    }
    assert_eq!(report["runAfter"][0], validate["name"]);
    let script = |task: &Value| task["taskSpec"]["steps"][0]["script"].as_str().unwrap().to_owned();
    let param = &validate["matrix"]["params"][0];
    assert_eq!(param["name"], validate["taskSpec"]["params"][0]["name"]);
    for shard in param["value"].as_array().unwrap() {
        succeeds(&workspace, &script(validate), &[("SHARD", shard.as_str().unwrap())]);
    }
    let (code, text) = shell(&workspace, &script(report), &[]);
    assert_eq!(code, 1, "the task fails as one run would: {text}");
    assert_is_whole(&workspace, "repository/junit.xml", "fbc validate catalogs/* -o junit=../runner/whole");
}

/// Paths of the Job, and of a test.
fn local(workspace: &Workspace, text: &str) -> String {
    let places =
        [("/old/configs", "repository/catalogs/one"), ("/new/configs", "changed"), ("/reports", "reports")];
    places.iter().fold(text.to_owned(), |text, (path, place)| {
        text.replace(path, &workspace.path(place).display().to_string())
    })
}

#[test]
fn pods_of_a_job_make_one_report() {
    if !are_installed(&["git", "jq"]) {
        return;
    }
    let workspace = workspace();
    fs::create_dir(workspace.path("reports")).unwrap();
    workspace.copy_sample("changed-catalog", &workspace.path("changed"));
    let job = example("job.yaml");
    let container = &job["spec"]["template"]["spec"]["containers"][0];
    let script = local(&workspace, container["args"][0].as_str().unwrap());
    for index in 0..job["spec"]["completions"].as_u64().unwrap() {
        succeeds(&workspace, &script, &[("JOB_COMPLETION_INDEX", &index.to_string())]);
    }
    // What the guide does then.
    let guide = fs::read_to_string(pipelines().join("../guides/shards.md")).unwrap();
    let (_, behind) = guide.split_once("```\nfbc merge-reports /reports/").unwrap();
    let (lines, _) = behind.split_once("\n```").unwrap();
    let (merge, stuck) = lines.split_once('\n').unwrap();
    let (code, text) =
        shell(&workspace, &local(&workspace, &format!("fbc merge-reports /reports/{merge}")), &[]);
    assert_eq!(code, 1, "{text}");
    let one_run = "fbc simulate upgrade /old/configs /new/configs -o json --output-file ../runner/whole";
    assert_is_whole(&workspace, "repository/upgrades.json", &local(&workspace, one_run));
    let (code, text) = shell(&workspace, stuck, &[]);
    assert!(code == 0 && text.starts_with("lighthouse-operator\t"), "{text}");
}

/// A cluster takes the manifest, strictly, and runs as many pods as there are shards.
#[test]
fn a_cluster_runs_the_job() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(pipelines().join("shards/job.yaml"), folder.path().join("job.yaml")).unwrap();
    let shards = example("job.yaml")["spec"]["completions"].as_u64().unwrap();
    let scenario = format!(
        "title: The Job\ncatalogs: []\nsteps:\n- apply: job.yaml\n  expect:\n  - object: Job/default/upgrades\n    \
         fields: {{.status.completedIndexes: 0-{}}}\n",
        shards - 1
    );
    fs::write(folder.path().join("scenario.yaml"), scenario).unwrap();
    let output = crate::fbc().args(["simulate", "scenario.yaml"]).current_dir(folder.path()).output();
    let (code, text) = shown(output);
    assert_eq!(code, 0, "{text}");
    // Each pod does the part that its index says, of as many parts as there are pods.
    let job = fs::read_to_string(pipelines().join("shards/job.yaml")).unwrap();
    assert!(job.contains(&format!("--shard $K/{shards} ")), "{job}");
}

//! The GitHub Action as a runner runs it: step by step, with the expressions of `action.yml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use super::comments::Comments;
use super::variables::{names_after, variables};
use super::workspace::{Workspace, are_installed, document, pipelines, shown};

/// The variables that the runner itself gives to a step.
const OF_THE_RUNNER: [&str; 8] = [
    "GITHUB_ACTION_PATH",
    "GITHUB_API_URL",
    "GITHUB_OUTPUT",
    "GITHUB_PATH",
    "GITHUB_REPOSITORY",
    "GITHUB_SERVER_URL",
    "GITHUB_STEP_SUMMARY",
    "RUNNER_TEMP",
];

fn action() -> Value {
    document(&pipelines().join("github/action.yml"))
}

fn steps(action: &Value) -> &Vec<Value> {
    action["runs"]["steps"].as_array().unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn fields(value: &Value) -> impl Iterator<Item = (String, String)> {
    value.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), text(value)))
}

/// The script that a step calls, or its own lines.
fn script(step: &Value) -> String {
    let run = text(&step["run"]);
    match run.strip_prefix("\"${GITHUB_ACTION_PATH}/").and_then(|call| call.strip_suffix('"')) {
        Some(name) => fs::read_to_string(pipelines().join("github").join(name)).unwrap(),
        None => run,
    }
}

#[test]
fn every_input_is_used_and_every_variable_is_set() {
    let action = action();
    let inputs: BTreeSet<String> = fields(&action["inputs"]).map(|(name, _)| name).collect();
    assert_eq!(names_after(&action["runs"].to_string(), "inputs."), inputs);
    let identified: BTreeMap<String, &Value> = steps(&action)
        .iter()
        .map(|step| (text(&step["id"]), step))
        .filter(|(id, _)| !id.is_empty())
        .collect();
    for id in names_after(&action.to_string(), "steps.") {
        let script = script(identified[&id]);
        for output in names_after(&action.to_string(), &format!("steps.{id}.outputs.")) {
            assert!(script.contains(&format!("echo \"{output}=")), "nothing writes {output}");
        }
    }
    for step in steps(&action).iter().filter(|step| step["run"].is_string()) {
        let mut read = variables(&script(step));
        read.retain(|name| !OF_THE_RUNNER.contains(&name.as_str()));
        let set: BTreeSet<String> = fields(&step["env"]).map(|(name, _)| name).collect();
        assert_eq!(read, set, "{}", step["name"]);
    }
}

/// A run of the action.
struct Run<'w> {
    workspace: &'w Workspace,
    /// The values of expressions.
    values: BTreeMap<String, String>,
    /// What actions of others get.
    used: Vec<BTreeMap<String, String>>,
}

impl Run<'_> {
    /// A text with its expressions replaced.
    fn evaluated(&self, text: &str) -> String {
        let mut parts = text.split("${{");
        let mut whole = parts.next().unwrap().to_owned();
        for part in parts {
            let (expression, rest) = part.split_once("}}").unwrap();
            whole += self.value(expression.trim());
            whole += rest;
        }
        whole
    }

    /// What is not known is empty, as GitHub has it.
    fn value(&self, expression: &str) -> &str {
        self.values.get(expression).map_or("", String::as_str)
    }

    /// Whether a condition holds: comparisons with texts, all of them.
    fn holds(&self, condition: &str) -> bool {
        condition.is_empty()
            || condition.split(" && ").all(|comparison| {
                let (left, right) = comparison.split_once(" == ").unwrap();
                self.value(left) == right.trim_matches('\'')
            })
    }

    /// Runs the steps until one fails, and returns its exit code and what all have printed.
    fn steps(&mut self, github: &[(&str, &str)]) -> (i32, String) {
        let mut printed = String::new();
        for step in steps(&action()) {
            if !self.holds(&text(&step["if"])) {
                continue;
            }
            if step["uses"].is_string() {
                self.used
                    .push(fields(&step["with"]).map(|(key, value)| (key, self.evaluated(&value))).collect());
                continue;
            }
            let output = self.workspace.path("runner/output");
            fs::write(&output, "").unwrap();
            let mut command = self.workspace.command(&text(&step["shell"]));
            command.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c"]).arg(text(&step["run"]));
            command.env("GITHUB_ACTION_PATH", pipelines().join("github")).envs(github.iter().copied());
            command.envs(fields(&step["env"]).map(|(name, value)| (name, self.evaluated(&value))));
            let (code, text_of_step) = shown(command.output());
            printed += &text_of_step;
            for line in fs::read_to_string(&output).unwrap().lines() {
                let (name, value) = line.split_once('=').unwrap();
                self.values.insert(format!("steps.{}.outputs.{name}", text(&step["id"])), value.to_owned());
            }
            if code != 0 {
                return (code, printed);
            }
        }
        (0, printed)
    }
}

/// Runs the action with inputs on a pull request.
fn run<'w>(workspace: &'w Workspace, comments: &Comments, with: &[(&str, &str)]) -> (Run<'w>, i32, String) {
    let event = [
        ("github.event_name", "pull_request"),
        ("github.event.pull_request.base.sha", "HEAD"),
        ("github.event.pull_request.number", "7"),
        ("github.token", "token"),
    ];
    let values = event.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut run = Run { workspace, values, used: Vec::new() };
    for (name, input) in action()["inputs"].as_object().unwrap() {
        let given = with.iter().find(|(given, _)| given == name).map(|(_, value)| (*value).to_owned());
        let value = given.unwrap_or_else(|| run.evaluated(&text(&input["default"])));
        run.values.insert(format!("inputs.{name}"), value);
    }
    let (code, printed) = run.steps(&[
        ("GITHUB_API_URL", &comments.address),
        ("GITHUB_REPOSITORY", "me/catalogs"),
        ("NO_PROXY", "127.0.0.1"),
    ]);
    (run, code, printed)
}

#[test]
fn the_steps_of_the_action_hand_on_what_they_find() {
    if !are_installed(&["bash", "git", "curl", "jq"]) {
        return;
    }
    let workspace = Workspace::new();
    let comments = Comments::serve(&[]);
    let with = [("version", ""), ("catalogs", "catalog")];
    let (clean, code, printed) = run(&workspace, &comments, &with);
    assert_eq!(code, 0, "{printed}");
    assert_eq!(clean.used.len(), 1, "findings are uploaded");
    assert_eq!(comments.bodies().len(), 0, "there is no change to speak of: {printed}");
    // The last step fails, after all reports are out.
    workspace.break_catalog();
    let (broken, code, printed) = run(&workspace, &comments, &with);
    assert!(code == 1 && printed.contains("::error file=catalog/broken/catalog.yaml"), "{printed}");
    let sarif = fs::read_to_string(&broken.used[0]["sarif_file"]).unwrap();
    assert!(sarif.contains("catalog/broken/catalog.yaml"), "{sarif}");
    assert_eq!(broken.value("steps.validate.outputs.exit-code"), "1");
    assert!(comments.bodies()[0].contains("`broken`"));
    // Each input reaches what it is for.
    let more = |input| run(&workspace, &comments, &[&with[..], &[input]].concat());
    let (_, code, printed) = more(("arguments", "--select GRF001"));
    assert_eq!(code, 0, "{printed}");
    assert_eq!(more(("sarif", "false")).0.used.len(), 0);
    let before = comments.bodies();
    fs::remove_dir_all(workspace.path("repository/catalog/broken")).unwrap();
    assert_eq!(more(("comment", "false")).0.used.len(), 1);
    assert_eq!(comments.bodies(), before);
    let (_, code, printed) = run(&workspace, &comments, &[("version", ""), ("base", "missing")]);
    assert!(code == 2 && printed.contains("missing"), "{printed}");
}

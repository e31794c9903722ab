//! `cargo xtask bundles`: installs every bundle of a directory on every simulated platform, and upgrades every package.
//!
//! `fbc simulate install` does the work; this task prints the table and holds what it says against what real clusters
//! do: whatever is not installed must be refused by OLM's rules, or need what the platform does not have.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use clap::Args;
use serde_json::Value;

use crate::error::{TaskError, TaskResult};
use crate::{process, workspace};

/// Where the bundles lie.
#[derive(Args)]
pub(crate) struct Options {
    /// The directory with the bundles: PACKAGE/VERSION [default: those beside the checkout]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The binary, instead of one built in the release profile
    #[arg(long, value_name = "PATH")]
    fbc: Option<PathBuf>,
    /// Only this platform, as it is [default: all, and one of them with add-ons as well]
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
}

/// Runs with their flags, besides all engines.
type Run<'r> = (&'r str, &'r [&'r str]);

/// The runs of all platforms.
const ALL_RUNS: [Run<'_>; 2] = [
    ("as they are", &["--target", "all"]),
    ("with add-ons", &["--target", "latest", "--with", "cert-manager,monitoring"]),
];

/// The columns, in order: what became of bundles.
const WORDS: [&str; 6] =
    ["installs", "refused by OLM", "lacks kinds", "refused by the API", "cannot run", "unsettled"];
/// What needs an explanation.
const UNEXPLAINED: [&str; 2] = ["refused by the API", "unsettled"];

/// What real clusters do not take either, for reasons that are not OLM's.
struct Explanation {
    /// The package; nothing where it holds for all.
    package: Option<&'static str>,
    /// What the message says, all of it.
    texts: &'static [&'static str],
    reason: &'static str,
}

impl Explanation {
    fn is_of(&self, package: &str, message: &str) -> bool {
        self.package.is_none_or(|explained| explained == package)
            && self.texts.iter().all(|text| message.contains(text))
    }
}

const EXPLAINED: [Explanation; 2] = [
    Explanation {
        package: Some("universal-crossplane"),
        texts: &["endless reconciliation", "ClusterRole crossplane"],
        reason: "its aggregated roles have `rules: []`, which OLM writes back each time the cluster fills them in",
    },
    Explanation {
        package: None,
        // Only of an object that exists.
        texts: &["spec.selector: Invalid value", "field is immutable"],
        reason: "an upgrade changes the selector of a Deployment, which every API server refuses",
    },
];

/// Counts by platform and verdict.
type Table = BTreeMap<String, BTreeMap<String, usize>>;

/// Prints the table, and what no rule explains. Unexplained refusals are findings: exit code 1.
pub(crate) fn run(options: &Options) -> TaskResult<ExitCode> {
    let root = workspace::root()?;
    let binary = match &options.fbc {
        Some(binary) => binary.clone(),
        None => process::release_binary(&root)?,
    };
    let data = match &options.data {
        Some(data) => data.clone(),
        None => workspace::conformance_folder(&root).join("bundles"),
    };
    let judged = judge(&binary, &data, options.target.as_deref())?;
    Ok(if judged.unexplained == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What became of the trials.
pub(crate) struct Judged {
    /// All of them.
    pub(crate) trials: u64,
    /// Those with a refusal that nothing explains.
    pub(crate) unexplained: u64,
}

/// Tries out the bundles of a directory on a platform, or on all.
pub(crate) fn judge(binary: &Path, data: &Path, target: Option<&str>) -> TaskResult<Judged> {
    let mut unexplained = Vec::new();
    let begin = Instant::now();
    let flags = target.map(|target| ["--target", target]);
    let runs: Vec<Run<'_>> = match &flags {
        Some(flags) => vec![("as they are", flags.as_slice())],
        None => ALL_RUNS.to_vec(),
    };
    let mut count = 0;
    for (title, flags) in runs {
        let trials = trials(binary, data, flags)?;
        print_table(title, &trials);
        count += trials.len();
        unexplained.extend(trials.iter().filter_map(unexplained_refusal));
    }
    let judged = Judged { trials: count as u64, unexplained: unexplained.len() as u64 };
    unexplained.sort();
    unexplained.dedup();
    for line in &unexplained {
        println!("{line}");
    }
    for Explanation { package, texts, reason } in &EXPLAINED {
        println!("not counted: {}, {:?}: {reason}", package.unwrap_or("all packages"), texts.join(" … "));
    }
    println!("{} refusals that nothing explains; {:.0} s", unexplained.len(), begin.elapsed().as_secs_f64());
    Ok(judged)
}

/// What `fbc simulate install` says of every bundle.
fn trials(binary: &Path, data: &Path, flags: &[&str]) -> TaskResult<Vec<Value>> {
    let mut command = Command::new(binary);
    command.args(["simulate", "install", "-o", "json", "--engine", "all"]).args(flags).arg(data);
    let output =
        command.output().map_err(|error| TaskError::new(format!("{}: {error}", binary.display())))?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(TaskError::new(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let answer: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| TaskError::new(error.to_string()))?;
    Ok(answer["trials"].as_array().cloned().unwrap_or_default())
}

fn print_table(title: &str, trials: &[Value]) {
    let text = |trial: &Value, field: &str| trial[field].as_str().unwrap_or_default().to_owned();
    let mut table = Table::new();
    for trial in trials {
        let what = if trial["from"].is_null() { "install" } else { "upgrade" };
        let row = format!("{} {} {what}", text(trial, "target"), text(trial, "engine"));
        *table.entry(row).or_default().entry(text(trial, "verdict")).or_default() += 1;
    }
    println!("{title:30}{}", WORDS.map(|word| format!("{word:>20}")).concat());
    for (row, counts) in &table {
        let count = |word| counts.get(word).copied().unwrap_or_default();
        println!("{row:30}{}", WORDS.map(|word| format!("{:>20}", count(word))).concat());
    }
}

/// A line about a refusal that neither OLM's rules nor the platform explain.
fn unexplained_refusal(trial: &Value) -> Option<String> {
    let text = |field: &str| trial[field].as_str().unwrap_or_default();
    let is_explained =
        EXPLAINED.iter().any(|explanation| explanation.is_of(text("package"), text("message")));
    if !UNEXPLAINED.contains(&text("verdict")) || is_explained {
        return None;
    }
    let message = text("message").lines().next().unwrap_or_default();
    let (package, version) = (text("package"), text("version"));
    Some(format!(
        "{package} {version} ({} {}): {}: {message}",
        text("target"),
        text("engine"),
        text("verdict")
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refusals_of_olm_are_explained_and_those_of_the_api_are_not() {
        let trial = |package: &str, verdict: &str| {
            json!({
                "target": "latest", "engine": "helm", "package": package, "version": "1.0.0", "verdict": verdict,
                "message": "no\nmore",
            })
        };
        assert_eq!(unexplained_refusal(&trial("ferry", "refused by OLM")), None);
        assert_eq!(
            unexplained_refusal(&trial("ferry", "refused by the API")).as_deref(),
            Some("ferry 1.0.0 (latest helm): refused by the API: no")
        );
        let saying = |package: &str, message: &str| {
            let mut trial = trial(package, "unsettled");
            trial["message"] = message.into();
            unexplained_refusal(&trial)
        };
        let fight = "endless reconciliation: controllers keep rewriting ClusterRole crossplane (503 times)";
        assert_eq!(saying("universal-crossplane", fight), None);
        assert!(saying("universal-crossplane", "no").is_some() && saying("ferry", fight).is_some());
        let selector = "Deployment.apps \"ferry\" is invalid: spec.selector: Invalid value: {}";
        assert_eq!(saying("ferry", &format!("{selector}: field is immutable")), None);
        assert!(saying("ferry", selector).is_some(), "a new object has no selector to keep");
    }
}

//! What each step of `cargo xtask test` runs.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::Command;

use fbc_testing::SKIPPED_TESTS;

use super::counts::{self, Counts};
use super::{Outcome, Step, clients};
use crate::error::{Context as _, TaskResult};
use crate::process::{self, Finished};
use crate::{bundles, documentation, generate, layering, workspace};

/// The conformance suites that `fbc` passes today; a suite is added here together with the command that it needs.
const CONFORMANCE_SUITES: [&str; 10] = [
    "validate",
    "render",
    "bundles",
    "templates",
    "ranges",
    "resolve",
    "manifests",
    "crd",
    "olmv1",
    "release",
];

/// The oldest major version of Node.js with which the extension is packed; its `package.json` says the same.
const OLDEST_NODE: u32 = 20;

/// Variables of whoever runs the tests that change what the tests of colors, caches and times see.
const NOT_FOR_TESTS: [&str; 5] =
    ["FORCE_COLOR", "CLICOLOR_FORCE", "FBC_OFFLINE", "FBC_CACHE_DIR", "SOURCE_DATE_EPOCH"];

/// Recorded answers that no rule gives, with the reason. They count as skipped when they differ.
const IRREPRODUCIBLE: [(&str, &str); 1] = [(
    "community-v4.20 mermaid-v0",
    "opm numbers links in the order in which its threads happen to load channels of equal name",
)];

/// Runs one step; an error means that it could not be run at all.
pub(super) fn run(step: Step, root: &Path) -> TaskResult<Outcome> {
    match step {
        Step::Rustfmt => {
            plain(cargo(root).args(["fmt", "--all", "--check"]))?;
            plain(cargo(root).args(["fmt", "--check", "--manifest-path", "fuzz/Cargo.toml"]))
        }
        Step::Clippy => {
            plain(cargo(root).args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
        }
        Step::Docs => {
            plain(cargo(root).env("RUSTDOCFLAGS", "-D warnings").args(["doc", "--workspace", "--no-deps"]))
        }
        Step::Gen => generated_documentation(root),
        Step::Book => documentation_checks(root),
        Step::Layering => layers(root),
        Step::Tests => tests(root),
        Step::Doctests => {
            let finished =
                process::run_and_keep(cargo(root).args(["test", "--workspace", "--doc", "--no-fail-fast"]))?;
            let counts = counts::of_cargo_test(&finished.text);
            Ok(counted(finished, counts))
        }
        Step::Fuzz => fuzz_targets(root),
        Step::Editors => editors(root),
        Step::Clients => clients::run(root),
        Step::Conformance => conformance(root),
        Step::Bundles => recorded_bundles(root),
        Step::Deny => deny(root),
    }
}

/// Cargo, with colors when this task prints to a terminal, although cargo itself prints into a pipe.
fn cargo(root: &Path) -> Command {
    let mut command = workspace::cargo(root);
    if io::stdout().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    command
}

fn outcome(finished: Finished, counts: Counts) -> Outcome {
    if finished.success { Outcome::Passed(counts) } else { Outcome::Failed(counts, finished.status) }
}

/// As [`outcome`], of a step that has tests: if none is counted, its summary was not understood.
fn counted(finished: Finished, counts: Counts) -> Outcome {
    match counts == Counts::default() && finished.success {
        true => Outcome::Failed(
            counts,
            "no test was counted; the summary of the tool is not understood".to_owned(),
        ),
        false => outcome(finished, counts),
    }
}

/// A command whose exit code is all that counts.
fn plain(command: &mut Command) -> TaskResult<Outcome> {
    process::run(command)?;
    Ok(Outcome::Passed(Counts::default()))
}

fn generated_documentation(root: &Path) -> TaskResult<Outcome> {
    let differences = generate::check(root)?;
    for difference in &differences {
        println!("{difference}");
    }
    Ok(if differences.is_empty() {
        Outcome::Passed(Counts::default())
    } else {
        Outcome::Failed(Counts::default(), "generated files differ; run: cargo xtask gen".to_owned())
    })
}

fn documentation_checks(root: &Path) -> TaskResult<Outcome> {
    let problems = documentation::check(root)?;
    problems.iter().for_each(|problem| println!("error: {problem}"));
    Ok(match problems.len() {
        0 => Outcome::Passed(Counts::default()),
        number => Outcome::Failed(Counts::default(), format!("{number} problems in the documentation")),
    })
}

fn layers(root: &Path) -> TaskResult<Outcome> {
    let report = layering::check(root)?;
    for warning in &report.warnings {
        println!("warning: {warning}");
    }
    for violation in &report.violations {
        println!("error: {violation}");
    }
    Ok(if report.violations.is_empty() {
        Outcome::Passed(Counts::default())
    } else {
        Outcome::Failed(Counts::default(), format!("{} violations of the layers", report.violations.len()))
    })
}

fn tests(root: &Path) -> TaskResult<Outcome> {
    let mut command = cargo(root);
    let skipped = tempfile::NamedTempFile::new().context(|| "making a temporary file".to_owned())?;
    command.env(SKIPPED_TESTS, skipped.path());
    for variable in NOT_FOR_TESTS {
        command.env_remove(variable);
    }
    if workspace::cargo_has(root, "nextest") {
        command.args(["nextest", "run", "--workspace", "--no-fail-fast", "--no-tests=pass"]);
        command.args(["--status-level=fail", "--final-status-level=fail", "--show-progress=none"]);
        let finished = process::run_and_keep(&mut command)?;
        let counts = counts::of_nextest(&finished.text);
        Ok(counted(finished, without_skipped(counts, skipped.path())?))
    } else {
        command.args(["test", "--workspace", "--lib", "--bins", "--tests", "--examples", "--no-fail-fast"]);
        let finished = process::run_and_keep(&mut command)?;
        let counts = counts::of_cargo_test(&finished.text);
        Ok(counted(finished, without_skipped(counts, skipped.path())?))
    }
}

/// The fuzz targets are a workspace of their own, which no other step compiles. Lints take no longer than that they compile. What they depend on is in the target directory of
/// this one already.
fn fuzz_targets(root: &Path) -> TaskResult<Outcome> {
    let mut command = cargo(root);
    command.args(["clippy", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    command.args(["--no-default-features", "--target-dir"]).arg(workspace::target_folder(root)?);
    plain(command.args(["--", "-D", "warnings"]))
}

/// Moves the tests that said that they were skipped from those that passed, and prints their reasons.
fn without_skipped(counts: Counts, file: &Path) -> TaskResult<Counts> {
    let text = fs::read_to_string(file).context(|| format!("reading {}", file.display()))?;
    for (reason, number) in counts::reasons(&text) {
        println!("skipped: {reason} ({number} tests)");
    }
    Ok(counts.with_skipped(&text))
}

/// Checks the extension as its authors do: with npm, and with packages from its registry where that can be reached.
fn editors(root: &Path) -> TaskResult<Outcome> {
    let skipped =
        |reason: &str| Ok(Outcome::Skipped(Counts { skipped: 1, ..Counts::default() }, reason.to_owned()));
    let npm = |arguments: &[&str]| {
        let mut command = Command::new("npm");
        command.current_dir(root.join("editors/vscode")).args(arguments);
        command
    };
    if let Some(reason) = lacks_node() {
        return skipped(&reason);
    }
    let installed = process::run_and_keep(&mut npm(&["ci", "--no-audit", "--no-fund"]))?;
    if !installed.success {
        return match lacks_network(&installed.text) {
            true => skipped("the registry of npm cannot be reached"),
            false => Ok(Outcome::Failed(Counts::default(), format!("npm ci: {}", installed.status))),
        };
    }
    let binary = process::development_binary(root)?;
    let finished = process::run_and_keep(npm(&["test"]).env("FBC", binary))?;
    let counts = counts::of_node(&finished.text);
    if !finished.success {
        return Ok(counted(finished, counts));
    }
    // What people install.
    let packed = process::run_and_keep(&mut npm(&["run", "package"]))?;
    Ok(counted(packed, counts))
}

/// What is missing of Node.js and npm.
pub(super) fn lacks_node() -> Option<String> {
    if Command::new("npm").arg("--version").output().is_err() {
        return Some("npm is not installed".to_owned());
    }
    let is_old = node_version().is_none_or(|version| version < OLDEST_NODE);
    is_old.then(|| format!("Node.js {OLDEST_NODE} or later is not installed"))
}

/// The major version of Node.js that is installed.
fn node_version() -> Option<u32> {
    let output = Command::new("node").arg("--version").output().ok()?;
    major_version(&String::from_utf8_lossy(&output.stdout))
}

/// The major version in what `node --version` prints, such as `v20.20.2`.
fn major_version(printed: &str) -> Option<u32> {
    printed.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Whether npm failed because its registry does not answer, by the codes that it prints.
pub(super) fn lacks_network(text: &str) -> bool {
    const CODES: [&str; 6] =
        ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH"];
    CODES.iter().any(|code| text.contains(&format!("code {code}")))
}

/// Compares the binary with the recorded answers; without the recorded data nothing is built.
///
/// The development profile takes two minutes here, and is compiled already; a release build alone takes three times that.
fn conformance(root: &Path) -> TaskResult<Outcome> {
    let runner = workspace::conformance_folder(root).join("run");
    if !runner.is_file() {
        let skipped = Counts { skipped: 1, ..Counts::default() };
        return Ok(Outcome::Skipped(skipped, "no recorded data beside the checkout".to_owned()));
    }
    let binary = process::development_binary(root)?;
    let mut command = Command::new("python3");
    command.current_dir(root).arg(&runner).arg("-v").arg("--fbc").arg(&binary).args(CONFORMANCE_SUITES);
    let finished = process::run_and_keep(&mut command)?;
    Ok(match counts::of_conformance(&finished.text) {
        Some(mut counts) => {
            for (case, reason) in IRREPRODUCIBLE {
                if !counts::case_failed(&finished.text, case) {
                    println!("warning: {case} agrees; remove it from the list of answers that no rule gives");
                } else if counts.failed > 0 {
                    counts.failed -= 1;
                    counts.skipped += 1;
                    println!("not counted: {case}: {reason}");
                }
            }
            match counts.failed {
                0 => Outcome::Passed(counts),
                failed => Outcome::Failed(counts, format!("{failed} recorded answers differ")),
            }
        }
        None => Outcome::Failed(
            Counts::default(),
            format!("the conformance runner gave no summary ({})", finished.status),
        ),
    })
}

/// The platform on which bundles are tried out: the newest, which has both engines. Running all platforms takes six times as
/// long and needs a release build.
const PLATFORM: &str = "ocp-5.0";

/// Holds what becomes of each recorded bundle against what a real cluster does.
fn recorded_bundles(root: &Path) -> TaskResult<Outcome> {
    let data = workspace::conformance_folder(root).join("bundles");
    if !data.is_dir() {
        let skipped = Counts { skipped: 1, ..Counts::default() };
        return Ok(Outcome::Skipped(skipped, "no recorded data beside the checkout".to_owned()));
    }
    let judged = bundles::judge(&process::development_binary(root)?, &data, Some(PLATFORM))?;
    let passed = judged.trials - judged.unexplained;
    let counts = Counts { passed, failed: judged.unexplained, ..Counts::default() };
    Ok(match (judged.trials, judged.unexplained) {
        (0, _) => Outcome::Failed(counts, "no bundle was tried out".to_owned()),
        (_, 0) => Outcome::Passed(counts),
        (_, unexplained) => Outcome::Failed(counts, format!("nothing explains {unexplained} refusals")),
    })
}

/// Advisories are left out: they need a database from a git repository, which not every machine can reach.
fn deny(root: &Path) -> TaskResult<Outcome> {
    if !workspace::cargo_has(root, "deny") {
        let skipped = Counts { skipped: 1, ..Counts::default() };
        return Ok(Outcome::Skipped(skipped, "cargo-deny is not installed".to_owned()));
    }
    let mut command = cargo(root);
    command.args(["deny", "--log-level", "warn", "check", "--hide-inclusion-graph"]);
    plain(command.args(["licenses", "bans", "sources"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(success: bool) -> Finished {
        Finished { success, status: String::new(), text: String::new() }
    }

    #[test]
    fn a_step_without_a_counted_test_fails() {
        assert!(matches!(counted(finished(true), Counts::default()), Outcome::Failed(..)));
        let one = Counts { skipped: 1, ..Counts::default() };
        assert!(matches!(counted(finished(true), one), Outcome::Passed(_)));
    }

    #[test]
    fn versions_of_node_are_read() {
        assert_eq!(major_version("v18.19.0\n"), Some(18));
        assert_eq!(major_version("v20.20.2\n"), Some(20));
        assert_eq!(major_version("command not found"), None);
    }

    #[test]
    fn only_a_missing_network_excuses_npm() {
        assert!(lacks_network("npm error code ENOTFOUND\nnpm error network"));
        assert!(!lacks_network("npm error code EUSAGE"));
    }
}

//! What each step of `cargo xtask test` runs.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::Command;

use fbc_testing::SKIPPED_TESTS;

use super::counts::{self, Counts};
use super::{Outcome, Step, clients, features, msrv, npm};
use crate::error::{Context as _, TaskResult};
use crate::process::{self, Finished};
use crate::{bundles, documentation, generate, layering, size, workspace};

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
        Step::Size => budgets(root),
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
        Step::Sigstore => sigstore(root),
        Step::Conformance => conformance(root),
        Step::Bundles => recorded_bundles(root),
        Step::Deny => deny(root),
        Step::Msrv => msrv::run(root),
        Step::Features => features::run(root),
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

fn budgets(root: &Path) -> TaskResult<Outcome> {
    let faults = size::passed_budgets(root)?;
    faults.iter().for_each(|fault| println!("error: {fault}"));
    Ok(match faults.len() {
        0 => Outcome::Passed(Counts::default()),
        number => {
            Outcome::Failed(Counts::default(), format!("{number} budgets are passed; see: cargo xtask size"))
        }
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

/// The fuzz targets are a workspace of their own, which no other step compiles. To lint them takes as long as to compile
/// them, and what they depend on is in the target directory of this one already.
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
    let directory = root.join("editors/vscode");
    if let Some(reason) = npm::cannot_install(&directory)? {
        return Ok(Outcome::skipped(reason));
    }
    let npm = |arguments: &[&str]| {
        let mut command = Command::new("npm");
        command.current_dir(&directory).args(arguments);
        command
    };
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

/// Fetches the packages of sigstore, and runs the test that needs them.
fn sigstore(root: &Path) -> TaskResult<Outcome> {
    if let Some(reason) = npm::cannot_install(&root.join("crates/fbc/tests/clients/sigstore"))? {
        return Ok(Outcome::skipped(reason));
    }
    let mut command = cargo(root);
    command.args(["test", "--workspace", "--test", "integration"]);
    command.arg("registry::attached::sigstore_verifies_our_bundles");
    let finished = process::run_and_keep(command.args(["--", "--exact"]))?;
    let counts = counts::of_cargo_test(&finished.text);
    Ok(counted(finished, counts))
}

/// Compares the binary with the recorded answers; without the recorded data nothing is built.
///
/// The development profile takes two minutes here, and is compiled already; a release build alone takes three times that.
fn conformance(root: &Path) -> TaskResult<Outcome> {
    let runner = workspace::conformance_folder(root).join("run");
    if !runner.is_file() {
        return Ok(Outcome::skipped("no recorded data beside the checkout"));
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
        return Ok(Outcome::skipped("no recorded data beside the checkout"));
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
        return Ok(Outcome::skipped("cargo-deny is not installed"));
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
}

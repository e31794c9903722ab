//! `cargo xtask test`: everything that continuous integration checks, in order, until the first failure.
//!
//! Each step is announced and timed; at the end, the seconds of all steps are listed. The last line that is printed has the form
//! `N passed, N failed, N skipped` and sums the tests of all steps that ran; `counts` reads them from the summaries of the tools.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use crate::error::TaskResult;
use crate::workspace;

mod clients;
mod counts;
mod features;
mod msrv;
mod npm;
mod steps;

use counts::Counts;

/// What to run.
#[derive(Args)]
pub(crate) struct Options {
    /// Leave a step out; can be repeated
    #[arg(long, value_name = "STEP")]
    skip: Vec<Step>,
    /// Run this step and no other; can be repeated
    #[arg(long, value_name = "STEP", conflicts_with = "skip")]
    only: Vec<Step>,
}

/// The steps, in the order in which they run: what is quick and what fails most often comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Formatting
    Rustfmt,
    /// Lints, warnings are errors
    Clippy,
    /// The documentation builds without warnings
    Docs,
    /// Generated documentation is up to date
    Gen,
    /// Links, pages and command lines of the documentation
    Book,
    /// Arrows between crates, and what library crates may not do
    Layering,
    /// Lines and crates stay within their budgets
    Size,
    /// All tests of the workspace but those in documentation
    Tests,
    /// Tests in documentation
    Doctests,
    /// The fuzz targets compile, without warnings
    Fuzz,
    /// The extension for Visual Studio Code: its types, and its tests with the language server
    Editors,
    /// Clients of simulated clusters that are compiled or fetched first
    Clients,
    /// Signatures in bundles, as the packages of sigstore verify them
    Sigstore,
    /// The recorded answers of the reference implementations
    Conformance,
    /// Recorded bundles, installed and upgraded in simulated clusters of one platform
    Bundles,
    /// Licenses, banned crates and sources of dependencies
    Deny,
    /// The oldest supported Rust compiles the workspace, where it is installed
    Msrv,
    /// The program compiles with each of its features alone, and with none
    Features,
}

impl Step {
    /// The name on the command line and in the output.
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// How a step ended.
#[derive(Debug)]
enum Outcome {
    /// It holds; the counts are of the tests that it ran.
    Passed(Counts),
    /// It does not hold, and why.
    Failed(Counts, String),
    /// There is nothing to run it with, and why; the counts say whether that skips tests.
    Skipped(Counts, String),
}

impl Outcome {
    /// There is nothing to run it with, which skips one test at least.
    fn skipped(reason: impl Into<String>) -> Self {
        Self::Skipped(Counts { skipped: 1, ..Counts::default() }, reason.into())
    }

    fn passed(passed: u64) -> Self {
        Self::Passed(Counts { passed, ..Counts::default() })
    }
}

/// Runs the task.
pub(crate) fn run(options: &Options) -> TaskResult<ExitCode> {
    let root = workspace::root()?;
    let steps = selected(&options.only, &options.skip);
    let (counts, times, failure) = run_steps(&steps, |step| steps::run(step, &root));
    print!("{}", time_table(&times));
    if let Some((step, reason)) = &failure {
        println!("\n{} failed: {reason}", step.name());
        println!("run this step alone: cargo xtask test --only {}", step.name());
    }
    println!("{counts}");
    Ok(if failure.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The steps that the options leave, in the order in which they run.
fn selected(only: &[Step], skip: &[Step]) -> Vec<Step> {
    let wanted = |step: &Step| (only.is_empty() || only.contains(step)) && !skip.contains(step);
    Step::value_variants().iter().copied().filter(wanted).collect()
}

/// What was run, and how long each took.
type Times = Vec<(Step, Duration)>;

/// Runs steps until one fails, and gives the sum of the tests, the times and the failure.
///
/// A step that fails without a failed test counts as one failure, so that the last line is never clean on a failure.
fn run_steps(
    steps: &[Step],
    mut run_step: impl FnMut(Step) -> TaskResult<Outcome>,
) -> (Counts, Times, Option<(Step, String)>) {
    let mut sum = Counts::default();
    let mut times = Times::new();
    for (index, &step) in steps.iter().enumerate() {
        println!("\n== {} of {}: {}", index + 1, steps.len(), step.name());
        let start = Instant::now();
        let outcome =
            run_step(step).unwrap_or_else(|error| Outcome::Failed(Counts::default(), error.to_string()));
        let elapsed = start.elapsed();
        times.push((step, elapsed));
        let duration = in_seconds(elapsed);
        match outcome {
            Outcome::Passed(counts) => {
                sum += counts;
                println!("-- {}: ok, {duration}", step.name());
            }
            Outcome::Skipped(counts, reason) => {
                sum += counts;
                println!("-- {}: skipped ({reason}), {duration}", step.name());
            }
            Outcome::Failed(mut counts, reason) => {
                counts.failed = counts.failed.max(1);
                sum += counts;
                println!("-- {}: FAILED, {duration}", step.name());
                return (sum, times, Some((step, reason)));
            }
        }
    }
    (sum, times, None)
}

/// The seconds of each step and of all, a line each.
fn time_table(times: &Times) -> String {
    let line = |name: &str, duration| format!("{name:<12}{:>12}\n", in_seconds(duration));
    let mut text: String = times.iter().map(|(step, duration)| line(&step.name(), *duration)).collect();
    text.insert_str(0, "\n== seconds of each step\n");
    text.push_str(&line("all", times.iter().map(|(_, duration)| *duration).sum()));
    text
}

fn in_seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::TaskError;

    #[test]
    fn options_choose_the_steps_and_keep_their_order() {
        assert_eq!(selected(&[], &[]), Step::value_variants());
        assert_eq!(selected(&[Step::Tests, Step::Rustfmt], &[]), [Step::Rustfmt, Step::Tests]);
        let without = selected(&[], &[Step::Docs]);
        assert_eq!(without.len(), Step::value_variants().len() - 1);
        assert!(!without.contains(&Step::Docs));
    }

    #[test]
    fn counts_of_all_steps_are_summed() {
        let (counts, times, failure) = run_steps(&[Step::Tests, Step::Doctests, Step::Conformance], |step| {
            Ok(match step {
                Step::Conformance => Outcome::skipped("no data"),
                _ => Outcome::passed(3),
            })
        });
        assert_eq!(counts.to_string(), "6 passed, 0 failed, 1 skipped");
        let timed: Vec<Step> = times.iter().map(|(step, _)| *step).collect();
        assert_eq!(timed, [Step::Tests, Step::Doctests, Step::Conformance]);
        assert!(failure.is_none());
    }

    #[test]
    fn the_seconds_of_each_step_are_listed_with_their_sum() {
        let times = vec![
            (Step::Rustfmt, Duration::from_millis(1_250)),
            (Step::Tests, Duration::from_millis(600_000)),
        ];
        let expected = "\n== seconds of each step\nrustfmt            1.2 s\ntests            600.0 s\nall              601.2 s\n";
        assert_eq!(time_table(&times), expected);
    }

    #[test]
    fn the_first_failure_stops_the_run_and_is_counted() {
        let mut seen = Vec::new();
        let (counts, times, failure) = run_steps(&[Step::Tests, Step::Clippy, Step::Deny], |step| {
            seen.push(step);
            Ok(match step {
                Step::Clippy => Outcome::Failed(Counts::default(), "a warning".to_owned()),
                _ => Outcome::passed(2),
            })
        });
        assert_eq!(seen, [Step::Tests, Step::Clippy]);
        assert_eq!(times.len(), 2);
        assert_eq!(counts.to_string(), "2 passed, 1 failed, 0 skipped");
        assert_eq!(failure.unwrap(), (Step::Clippy, "a warning".to_owned()));
    }

    #[test]
    fn a_step_that_cannot_run_is_a_failure() {
        let (counts, _, failure) = run_steps(&[Step::Deny], |_| Err(TaskError::new("no cargo")));
        assert_eq!(counts.failed, 1);
        assert_eq!(failure.unwrap().1, "no cargo");
    }

    #[test]
    fn failed_tests_are_not_counted_twice() {
        let (counts, ..) = run_steps(&[Step::Tests], |_| {
            Ok(Outcome::Failed(Counts { passed: 5, failed: 2, skipped: 0 }, "exit status: 100".to_owned()))
        });
        assert_eq!(counts.to_string(), "5 passed, 2 failed, 0 skipped");
    }
}

//! Development tasks of the workspace: `cargo xtask <task>`.
//!
//! This file only reads the command line; every task is a module of its own. Nothing here ships to users, and no
//! crate of the workspace may depend on it.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::TaskResult;

mod bench;
mod bundles;
mod dist;
mod documentation;
mod error;
mod fuzz;
mod generate;
mod layering;
mod opm;
mod process;
mod random;
mod recordings;
mod size;
mod statements;
mod test;
mod workspace;

/// The command line of `cargo xtask`.
#[derive(Parser)]
#[command(name = "cargo xtask", about = "Development tasks of the fbc workspace")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

/// One task.
#[derive(Subcommand)]
enum Task {
    /// Everything that continuous integration checks, in order, until the first failure
    Test(test::Options),
    /// Write the documentation that is generated from the code
    Gen(generate::Options),
    /// Check links, pages and command lines of the documentation; build the book
    Book(documentation::Options),
    /// Measure time and memory of fbc, beside opm when asked
    Bench(bench::Options),
    /// Compare fbc under the name opm with a real opm on mutated input
    Opm(opm::Options),
    /// Run the fuzz targets
    Fuzz(fuzz::Options),
    /// Which statements of documents tests and scenarios show, and which nothing shows
    Statements(statements::Options),
    /// Play the recorded cases of the real programs, and print what differs
    Recordings(recordings::Options),
    /// Print lines, public items and build time of each crate, crates of each build, and what has a budget
    Size(size::Options),
    /// Install every bundle of a directory on every simulated platform, and upgrade every package
    Bundles(bundles::Options),
    /// Build what a release consists of: archives, packages, checksums, bill of materials
    Dist(dist::Options),
    /// Run fbc itself; `gen` and `dist` call this in a process of its own
    #[command(hide = true)]
    Fbc {
        /// The arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Run a command and print its time and memory as JSON; `bench` calls this in a process of its own
    #[command(hide = true)]
    Measure {
        /// The program and its arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> TaskResult<ExitCode> {
    match task {
        Task::Test(options) => test::run(&options),
        Task::Gen(options) => generate::run(&options),
        Task::Book(options) => documentation::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Opm(options) => opm::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Statements(options) => statements::run(&options),
        Task::Recordings(options) => recordings::run(&options),
        Task::Size(options) => size::run(&options),
        Task::Bundles(options) => bundles::run(&options),
        Task::Dist(options) => dist::run(&options),
        Task::Fbc { arguments } => {
            Ok(fbc::run(std::iter::once(OsString::from("fbc")).chain(arguments).collect()))
        }
        Task::Measure { command } => bench::measure::run_hidden_task(&command),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}

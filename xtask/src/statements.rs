//! `cargo xtask statements`: which statements of documents are shown, by what, and with what result.
//!
//! Tests name statements in their names (`d_cat_6_and_8_…`) or in comments in front of them or within them (`// Shows
//! D-EXT-3`, `D-UPD-16 to D-UPD-20`); recorded sessions name them in their text; scenarios in `shows`. Scenarios are
//! played at once, so their result is `passed` or `failed`. Of tests and sessions the result is `tested`: they are
//! there, and `cargo xtask test` fails unless they pass.

mod collect;
mod list;
mod scenarios;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::error::{Context, TaskResult};
use crate::workspace;

/// Which lists to compare with.
#[derive(Args)]
pub(crate) struct Options {
    /// Lists of statements, as tables `| ID | section | statement | shown by |`; those that a scenario (sim), a test of
    /// the format (format) or a command (cmd) is to show, and nothing does, are listed, and the task fails
    #[arg(long, value_name = "FILE", num_args = 1..)]
    against: Vec<PathBuf>,
}

/// Something that shows a statement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Showing {
    /// The id of the statement.
    statement: String,
    /// What shows it: a file, and a name in it.
    by: String,
    /// `passed`, `failed` or `tested`.
    result: &'static str,
}

/// Runs the task.
pub(crate) fn run(options: &Options) -> TaskResult<ExitCode> {
    let root = workspace::root()?;
    let mut showings = collect::showings(&root)?;
    showings.extend(scenarios::showings(&root)?);
    showings.sort_by_key(|showing| (list::sort_key(&showing.statement), showing.by.clone()));
    showings.dedup();
    println!("| statement | shown by | result |\n|---|---|---|");
    for Showing { statement, by, result } in &showings {
        println!("| {statement} | {by} | {result} |");
    }
    let has_failed = showings.iter().any(|showing| showing.result == "failed");
    let mut rows = Vec::new();
    for path in &options.against {
        let text = std::fs::read_to_string(path).context(|| format!("reading {}", path.display()))?;
        rows.extend(list::rows(&text));
    }
    if rows.is_empty() {
        return Ok(if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS });
    }
    let missing = list::missing(&rows, &showings);
    println!("\n{}", list::summary(&rows, &missing));
    if !missing.is_empty() {
        println!("\n| not shown | kind | statement |\n|---|---|---|");
        for row in &missing {
            println!("| {} | {} | {} |", row.id, row.kind, row.statement);
        }
    }
    Ok(if has_failed || !missing.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

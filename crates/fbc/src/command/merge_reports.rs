//! `fbc merge-reports`: the reports of shards as the report of the whole.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_app::input;
use fbc_report::merge;

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::write_output;
use crate::settings::Settings;

/// Put the reports of shards together
///
/// What comes out is what the command would have written without --shard. Reports name their shard, so their order does
/// not matter, and a missing one is an error. Reports of separate runs stay in the order in which they are given.
/// Formats: SARIF, JUnit and JSON of `fbc validate` and `fbc bundle validate`; JSON of `fbc simulate`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 no errors in the reports, 1 errors or failed simulations, 2 could not run."
)]
pub(crate) struct Arguments {
    /// The reports, all in one format
    #[arg(value_name = "REPORT", required = true, value_hint = ValueHint::FilePath)]
    reports: Vec<PathBuf>,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    /// Exit with 1 if there are warnings, too
    #[arg(long)]
    deny_warnings: bool,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let texts =
        arguments.reports.iter().map(|path| read(path, settings)).collect::<Result<Vec<_>, Failure>>()?;
    let merged = merge::merge(texts).map_err(|error| {
        Failure::new(error.to_string())
            .help("give the reports of all shards of one run, each with the same `-o` format")
    })?;
    let has_findings = merged.has_errors || arguments.deny_warnings && merged.has_warnings;
    let code = if has_findings { FINDINGS } else { CLEAN };
    write_output(settings, arguments.output_file.as_deref(), |out| {
        Ok(out.write_all(merged.text.as_bytes())?)
    })?;
    Ok(code)
}

fn read(path: &Path, settings: &Settings) -> Result<(String, String), Failure> {
    Ok((path.display().to_string(), input::file::read_text(path, settings)?))
}

//! Findings as text for people, and which format is meant.

use std::io::{self, BufWriter, Write};

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use fbc_app::checked::CheckedCatalog;
use fbc_app::escape::Lines;

use crate::clock::Moment;
use crate::failure::Failure;

mod arguments;
mod concise;
mod full;
mod opm;

pub(crate) use arguments::ReportArguments;
pub(crate) use fbc_report::{Style, Summary};
use fbc_report::{github, gitlab, json, junit, konflux, markdown, sarif};

/// How findings are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// With the lines of the file, for people
    #[default]
    Full,
    /// One line each, for editors and grep
    Concise,
    /// One JSON document
    Json,
    /// One JSON object a line
    Jsonl,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Workflow commands of GitHub Actions
    Github,
    /// Code quality report of GitLab
    Gitlab,
    /// JUnit XML, for test reports
    Junit,
    /// A table for a comment on a pull request
    Markdown,
    /// The result of a test for Konflux: the content of `TEST_OUTPUT`
    Konflux,
    /// opm's own error and nothing else
    Opm,
}

impl Format {
    /// Whether fixes are part of it.
    pub(crate) fn shows_fixes(self) -> bool {
        matches!(self, Self::Json | Self::Jsonl | Self::Sarif | Self::Markdown)
    }
}

/// Writes the findings of all catalogs.
///
/// # Errors
/// Those of the output.
pub(crate) fn write(
    format: Format,
    catalogs: &[CheckedCatalog],
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Full => full::write(catalogs, style, &mut Lines::new(out, style.color)),
        Format::Concise => concise::write(catalogs, style, &mut Lines::new(out, style.color)),
        Format::Json => json::write_document(catalogs, style, out),
        Format::Jsonl => json::write_lines(catalogs, style, out),
        Format::Sarif => sarif::write(catalogs, style, out),
        Format::Github => github::write(catalogs, style, out),
        Format::Gitlab => gitlab::write(catalogs, style, out),
        Format::Junit => junit::write(catalogs, style, out),
        Format::Markdown => markdown::write(catalogs, style, out),
        Format::Konflux => konflux::write(catalogs, &Moment::of_environment().rfc3339(), out),
        Format::Opm => opm::write(catalogs, &mut Lines::new(out, false)),
    }
}

/// Tells errors on standard error, a line each.
pub(crate) fn report_on_stderr(catalogs: &[CheckedCatalog]) -> Result<(), Failure> {
    tell(catalogs, true)
}

/// Tells errors and warnings on standard error, a line each.
pub(crate) fn advise_on_stderr(catalogs: &[CheckedCatalog]) -> Result<(), Failure> {
    tell(catalogs, false)
}

fn tell(catalogs: &[CheckedCatalog], quiet: bool) -> Result<(), Failure> {
    let stderr = io::stderr();
    let color = AutoStream::choice(&stderr) != ColorChoice::Never;
    let style = Style { color, quiet, max_findings: Some(1_000), shard: None };
    let out = BufWriter::new(stderr.lock());
    Ok(write(Format::Concise, catalogs, style, &mut { out })?)
}

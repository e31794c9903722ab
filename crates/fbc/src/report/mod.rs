//! Findings as text: one view of a finding for all formats, and one file for each format.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use fbc_lint::finding::Target;
use fbc_lint::policy::set_aside::Cause;
use fbc_lint::{Located, RelatedPlace, Report, Rule, Severity, Span};
use fbc_source::CatalogSource;

use crate::clock::Moment;
use crate::escape::Lines;
use crate::failure::Failure;
use crate::shard::Shard;

mod arguments;
mod concise;
mod full;
mod github;
mod gitlab;
mod json;
mod junit;
mod konflux;
mod markdown;
pub(crate) mod merge;
mod opm;
mod sarif;
mod summary;

pub(crate) use arguments::ReportArguments;
pub(crate) use summary::Summary;

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

/// A catalog that has been validated.
pub(crate) struct CheckedCatalog {
    /// How it was named on the command line.
    pub(crate) reference: PathBuf,
    /// Where its files are.
    pub(crate) source: CatalogSource,
    /// What was found.
    pub(crate) report: Report,
    /// The number of files that were read.
    pub(crate) files: usize,
    /// The number of packages.
    pub(crate) packages: usize,
    /// The number of bundles.
    pub(crate) bundles: usize,
}

/// A finding as a reader sees it.
pub(crate) struct FindingView<'r> {
    /// The finding itself.
    pub(crate) located: &'r Located,
    /// The path from where the command runs; nothing where the catalog as a whole is meant.
    pub(crate) file: Option<String>,
    /// The catalog, as it was named.
    pub(crate) catalog: String,
    /// First line and column.
    pub(crate) start: Option<(usize, Option<usize>)>,
    /// Last line, and the column behind the last character.
    pub(crate) end: Option<(usize, usize)>,
    /// The place in the document as a JSON pointer.
    pub(crate) pointer: Option<&'r str>,
    /// The files of its fixes, as the paths from where the command runs.
    pub(crate) fix_files: BTreeMap<&'r Path, String>,
    /// The other places that it speaks of, with their paths from where the command runs.
    pub(crate) related: Vec<(String, &'r RelatedPlace)>,
}

impl CheckedCatalog {
    /// Whether nothing was read, and nothing is said of that.
    fn is_empty(&self) -> bool {
        let is_silent = self.report.findings.is_empty() && self.report.set_aside.is_empty();
        self.files == 0 && is_silent && self.source.is_catalog()
    }

    /// The findings in their order.
    pub(crate) fn findings(&self) -> impl Iterator<Item = FindingView<'_>> {
        self.report.findings.iter().map(|located| self.view(located))
    }

    /// The findings that do not count, in their order, and why.
    pub(crate) fn set_aside(&self) -> impl Iterator<Item = (FindingView<'_>, &Cause)> {
        self.report.set_aside.iter().map(|aside| (self.view(&aside.located), &aside.cause))
    }

    fn view<'r>(&'r self, located: &'r Located) -> FindingView<'r> {
        let place = located.finding.place.as_ref();
        let path = place.map_or(Path::new(""), |place| place.path.as_path());
        let file = place.map(|_| slashes(&self.source.shown(path)));
        let start = match (&located.span, place) {
            (Some(span), _) => Some((span.start.0, Some(span.start.1))),
            // A file as a whole is shown at its first line, so that every reader finds it.
            (None, Some(place)) if !self.source.is_folder(&place.path) => Some((1, None)),
            _ => None,
        };
        let fix_files = located.fixes.iter().flat_map(|fix| &fix.files);
        FindingView {
            fix_files: fix_files
                .map(|file| (file.path.as_path(), slashes(&self.source.shown(&file.path))))
                .collect(),
            related: located
                .related
                .iter()
                .map(|related| (slashes(&self.source.shown(&related.path)), related))
                .collect(),
            located,
            file,
            catalog: slashes(&self.source.shown(Path::new(""))),
            start,
            end: located.span.as_ref().map(|span| span.end),
            pointer: place.and_then(|place| match &place.target {
                Target::Value(pointer) | Target::Key(pointer) => Some(pointer.as_str()),
                Target::File | Target::Byte(_) | Target::Bytes(_) => None,
            }),
        }
    }
}

impl<'r> FindingView<'r> {
    /// The rule that is broken.
    pub(crate) fn rule(&self) -> &'static Rule {
        self.located.finding.rule
    }

    /// How bad it is.
    pub(crate) fn severity(&self) -> Severity {
        self.located.finding.severity
    }

    /// What is wrong.
    pub(crate) fn message(&self) -> &'r str {
        &self.located.finding.message
    }

    /// The notes, and the other places as notes.
    pub(crate) fn notes(&self) -> Vec<String> {
        let places = self.related.iter().map(|(file, related)| {
            let message = &related.message;
            match &related.span {
                Some(Span { start: (line, column), .. }) => format!("{message} at {file}:{line}:{column}"),
                None => format!("{message} in {file}"),
            }
        });
        self.located.finding.notes.iter().cloned().chain(places).collect()
    }

    /// A file of a fix, as readers see it.
    pub(crate) fn fix_file(&self, path: &Path) -> &str {
        self.fix_files.get(path).map_or("", String::as_str)
    }

    /// `path:line:column`, as far as known; the catalog where there is no file.
    pub(crate) fn position(&self) -> String {
        let file = self.file.as_deref().unwrap_or("(catalog)");
        match self.start {
            Some((line, Some(column))) => format!("{file}:{line}:{column}"),
            Some((line, None)) => format!("{file}:{line}"),
            None => file.to_owned(),
        }
    }
}

/// Other tools expect slashes on every system.
fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
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
        Format::Konflux => konflux::write(catalogs, &Moment::of_environment(), out),
        Format::Opm => opm::write(catalogs, &mut Lines::new(out, false)),
    }
}

/// How much is written, and how it looks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Style {
    /// With colours, in the formats for people.
    pub(crate) color: bool,
    /// Errors only.
    pub(crate) quiet: bool,
    /// No more findings than this.
    pub(crate) max_findings: Option<usize>,
    /// The part of a run that is written.
    pub(crate) shard: Option<Shard>,
}

impl Style {
    /// The findings that are shown.
    pub(crate) fn shown<'c>(self, catalogs: &'c [CheckedCatalog]) -> impl Iterator<Item = FindingView<'c>> {
        catalogs
            .iter()
            .flat_map(CheckedCatalog::findings)
            .filter(move |view| !self.quiet || view.severity() == Severity::Error)
            .take(self.max_findings.unwrap_or(usize::MAX))
    }
}

/// Why findings cannot be worked with that are counted only.
pub(crate) fn not_all_kept(reference: &str, consequence: &str) -> Failure {
    Failure::new(format!(
        "{reference} has more findings of a rule than are kept; {consequence} (limit findings)"
    ))
    .help("keep more with `--max-findings N`")
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

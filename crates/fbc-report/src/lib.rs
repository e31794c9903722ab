//! Findings as documents for other programs, one file for each format; and reports of several runs as one.

pub mod github;
pub mod gitlab;
pub mod json;
pub mod junit;
pub mod konflux;
pub mod markdown;
pub mod merge;
pub mod sarif;
mod summary;

pub use summary::Summary;

use fbc_app::checked::{CheckedCatalog, FindingView};
use fbc_app::shard::Shard;
use fbc_lint::Severity;

/// How much is written, and how it looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// With colours, in the formats for people.
    pub color: bool,
    /// Errors only.
    pub quiet: bool,
    /// No more findings than this.
    pub max_findings: Option<usize>,
    /// The part of a run that is written.
    pub shard: Option<Shard>,
}

impl Style {
    /// The findings that are shown.
    pub fn shown<'c>(self, catalogs: &'c [CheckedCatalog]) -> impl Iterator<Item = FindingView<'c>> {
        catalogs
            .iter()
            .flat_map(CheckedCatalog::findings)
            .filter(move |view| !self.quiet || view.severity() == Severity::Error)
            .take(self.max_findings.unwrap_or(usize::MAX))
    }
}

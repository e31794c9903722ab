//! How many findings in how many files.

use fbc_app::checked::CheckedCatalog;
use fbc_app::count::counted;
use fbc_lint::Severity;
use fbc_lint::policy::set_aside::Cause;
use serde::Serialize;

use crate::Style;

/// Counts over all catalogs of a run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Summary {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Catalogs that were validated.
    pub catalogs: usize,
    /// Files that were read.
    pub files: usize,
    /// Packages.
    pub packages: usize,
    /// Bundles.
    pub bundles: usize,
    /// Findings that are kept, not only counted.
    #[serde(skip)]
    kept: usize,
    /// Errors among those.
    #[serde(skip)]
    kept_errors: usize,
    /// Findings that waivers cover.
    #[serde(skip_serializing_if = "is_zero")]
    pub waived: usize,
    /// Findings that the baseline knows.
    #[serde(skip_serializing_if = "is_zero")]
    pub baselined: usize,
}

impl Summary {
    /// Counts.
    pub fn from_catalogs(catalogs: &[CheckedCatalog]) -> Self {
        let mut summary = Self::default();
        for catalog in catalogs {
            summary.catalogs += usize::from(catalog.source.is_catalog());
            for aside in &catalog.report.set_aside {
                match aside.cause {
                    Cause::Waived { .. } => summary.waived += 1,
                    Cause::Baselined => summary.baselined += 1,
                }
            }
            summary.errors += catalog.report.count(Severity::Error);
            summary.warnings += catalog.report.count(Severity::Warning);
            summary.kept += catalog.report.findings.len();
            let errors = catalog.findings().filter(|view| view.severity() == Severity::Error);
            summary.kept_errors += errors.count();
            summary.files += catalog.files;
            summary.packages += catalog.packages;
            summary.bundles += catalog.bundles;
        }
        summary
    }

    /// `2 errors, 1 warning in 12 files`
    pub fn line(&self) -> String {
        let counts = self.counts();
        match (self.waived, self.baselined) {
            (0, 0) => counts,
            (waived, 0) => format!("{counts} ({waived} waived)"),
            (0, baselined) => format!("{counts} ({baselined} in the baseline)"),
            (waived, baselined) => format!("{counts} ({waived} waived, {baselined} in the baseline)"),
        }
    }

    fn counts(&self) -> String {
        let files = counted(self.files, "file");
        match (self.errors, self.warnings) {
            // A comparison with a base can leave nothing to check, and so can a share of little work.
            (0, 0) if self.catalogs + self.files == 0 => "no problems: there is nothing to check".to_owned(),
            (0, 0) => {
                let (packages, bundles) =
                    (counted(self.packages, "package"), counted(self.bundles, "bundle"));
                match self.packages {
                    // Bundle directories are in no package yet.
                    0 if self.bundles > 0 => format!("no problems: {bundles} in {files}"),
                    _ => format!("no problems: {packages}, {bundles} in {files}"),
                }
            }
            (0, warnings) => format!("{} in {files}", counted(warnings, "warning")),
            (errors, 0) => format!("{} in {files}", counted(errors, "error")),
            (errors, warnings) => {
                format!("{}, {} in {files}", counted(errors, "error"), counted(warnings, "warning"))
            }
        }
    }

    /// What the style leaves out, in words; nothing if everything is shown.
    pub fn left_out(&self, style: Style) -> Option<String> {
        let (candidates, kept) = match style.quiet {
            true => (self.errors, self.kept_errors),
            false => (self.errors + self.warnings, self.kept),
        };
        let left = candidates.saturating_sub(kept.min(style.max_findings.unwrap_or(usize::MAX)));
        (left > 0).then(|| format!("{} more not shown (--max-findings)", counted(left, "finding")))
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

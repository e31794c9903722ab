//! The result of a test as Konflux passes it on between tasks: the content of `TEST_OUTPUT`, one line of JSON.
//!
//! Source: `konflux-ci/konflux-test:test/utils.sh` (`make_result_json`).

use std::io::{self, Write};

use fbc_app::checked::CheckedCatalog;
use fbc_lint::Severity;
use serde_json::json;

use crate::Summary;

/// Writes the result at a moment, as RFC 3339. Like the tasks of Konflux, a result without errors is a success or a warning.
///
/// # Errors
/// Those of the output.
pub fn write(catalogs: &[CheckedCatalog], moment: &str, out: &mut dyn Write) -> io::Result<()> {
    let summary = Summary::from_catalogs(catalogs);
    let (errors, warnings) = (summary.errors, summary.warnings);
    let successes = catalogs.iter().filter(|catalog| catalog.report.count(Severity::Error) == 0).count();
    let result = match (errors, warnings) {
        (0, 0) => "SUCCESS",
        (0, _) => "WARNING",
        _ => "FAILURE",
    };
    let output = json!({
        "result": result,
        "timestamp": moment,
        "note": summary.line(),
        "namespace": "default",
        "successes": successes,
        "failures": errors,
        "warnings": warnings,
    });
    writeln!(out, "{output}")
}

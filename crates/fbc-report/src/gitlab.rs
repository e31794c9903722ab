//! The code quality report of GitLab.
//!
//! Format: <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>

use std::collections::BTreeMap;
use std::io::{self, Write};

use fbc_app::checked::CheckedCatalog;
use fbc_lint::Severity;
use fbc_lint::fingerprint::fnv1a;
use serde_json::json;

use crate::Style;

/// Writes the document.
///
/// # Errors
/// Those of the output.
pub fn write(catalogs: &[CheckedCatalog], style: Style, out: &mut dyn Write) -> io::Result<()> {
    // Equal findings in one file get different fingerprints by counting them.
    let mut seen: BTreeMap<u64, u32> = BTreeMap::new();
    let issues: Vec<_> = style
        .shown(catalogs)
        .map(|view| {
            let path = view.file.clone().unwrap_or_else(|| ".".to_owned());
            let (line, column) = view.start.unwrap_or((1, None));
            // Without the line, so that an edit above does not make an old finding a new one.
            let hash = fnv1a([view.rule().code, &path, view.message()]);
            let number = seen.entry(hash).or_default();
            let fingerprint = format!("{hash:016x}{number:08x}");
            *number += 1;
            let (end_line, end_column) = view.end.unwrap_or((line, column.unwrap_or(1)));
            json!({
                "description": view.message(),
                "check_name": format!("{} {}", view.rule().code, view.rule().name),
                "fingerprint": fingerprint,
                "severity": if view.severity() == Severity::Error { "major" } else { "minor" },
                "location": {
                    "path": path,
                    "positions": {
                        "begin": { "line": line, "column": column.unwrap_or(1) },
                        "end": { "line": end_line, "column": end_column },
                    },
                },
            })
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &issues)?;
    writeln!(out)
}

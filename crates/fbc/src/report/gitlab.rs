//! The code quality report of GitLab.
//!
//! Format: <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>

use std::collections::BTreeMap;
use std::io::{self, Write};

use fbc_lint::Severity;
use serde_json::json;

use super::{CheckedCatalog, Style};

pub(super) fn write(catalogs: &[CheckedCatalog], style: Style, out: &mut dyn Write) -> io::Result<()> {
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

/// FNV-1a of 64 bits: small, and the same everywhere and always.
pub(super) fn fnv1a<'t>(parts: impl IntoIterator<Item = &'t str>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        // A byte that no text holds keeps the parts apart.
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::fnv1a;

    #[test]
    fn fingerprints_do_not_change() {
        assert_eq!(fnv1a([]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(
            fnv1a(["FBC012", "catalog.yaml", "message"]),
            fnv1a(["FBC012", "catalog.yaml", "message"])
        );
        assert_ne!(fnv1a(["ab", "c"]), fnv1a(["a", "bc"]));
    }
}

//! JUnit reports as [`crate::report`] writes them: an element a line, the suites two blanks deep.

use super::{Merged, Part};
use crate::report::junit;

/// What is between the first and the last line of a report.
pub(super) struct Suites {
    tests: usize,
    failures: usize,
    lines: String,
    has_warnings: bool,
}

/// Reads a report; the shard that it names.
pub(super) fn read(text: &str) -> Option<(Suites, Option<String>)> {
    let text = text.strip_prefix(junit::DECLARATION)?.trim_start();
    let (head, rest) = text.strip_prefix("<testsuites name=\"fbc validate\"")?.split_once(">\n")?;
    let inner = rest.trim_end().strip_suffix("</testsuites>")?;
    let (shard, lines) = match inner.strip_prefix(junit::SHARD) {
        Some(rest) => {
            let (shard, lines) = rest.split_once(" -->\n")?;
            (Some(shard.to_owned()), lines)
        }
        None => (None, inner),
    };
    let number = |name: &str| {
        let (_, value) = head.split_once(&format!(" {name}=\""))?;
        value.split_once('"')?.0.parse().ok()
    };
    let suites = Suites {
        tests: number("tests")?,
        failures: number("failures")?,
        lines: lines.to_owned(),
        has_warnings: lines.contains("\n      <system-out>warning: "),
    };
    Some((suites, shard))
}

pub(super) fn merge(parts: &[Part<Suites>]) -> Merged {
    let suites = || parts.iter().map(|part| &part.content);
    let failures = suites().map(|suites| suites.failures).sum();
    let mut text = junit::head(suites().map(|suites| suites.tests).sum(), failures);
    text.extend(suites().map(|suites| suites.lines.as_str()));
    text.push_str(junit::END);
    Merged { text, has_errors: failures > 0, has_warnings: suites().any(|suites| suites.has_warnings) }
}

//! JUnit reports as this crate writes them: an element a line, the suites two blanks deep.

use super::{Merged, Part};
use crate::junit;

/// What is between the first and the last line of a report.
pub(super) struct Suites {
    tests: usize,
    failures: usize,
    lines: String,
    has_errors: bool,
    has_warnings: bool,
}

/// Reads a report; the shard that it names.
pub(super) fn read(text: &str) -> Option<(Suites, Option<String>)> {
    let text = text.strip_prefix(junit::DECLARATION)?.trim_start();
    let (head, rest) = text.strip_prefix("<testsuites name=\"fbc validate\"")?.split_once(">\n")?;
    let inner = rest.trim_end().strip_suffix("</testsuites>")?;
    let (shard, counts, lines) = match inner.strip_prefix(junit::SHARD) {
        Some(rest) => {
            let (mark, lines) = rest.split_once(" -->\n")?;
            let (shard, counts) = mark.split_once(' ').unwrap_or((mark, ""));
            (Some(shard.to_owned()), counts, lines)
        }
        None => (None, "", inner),
    };
    // Shards count findings that they do not show.
    let counts = |name: &str| {
        let counted = counts.split(' ').find_map(|count| count.strip_prefix(name)?.strip_prefix('='));
        counted.and_then(|count| count.parse::<usize>().ok()).is_some_and(|count| count > 0)
    };
    let number = |name: &str| {
        let (_, value) = head.split_once(&format!(" {name}=\""))?;
        value.split_once('"')?.0.parse().ok()
    };
    let failures = number("failures")?;
    let suites = Suites {
        tests: number("tests")?,
        failures,
        lines: lines.to_owned(),
        has_errors: failures > 0 || counts("errors"),
        has_warnings: counts("warnings") || lines.contains("\n      <system-out>warning: "),
    };
    Some((suites, shard))
}

pub(super) fn merge(parts: &[Part<Suites>]) -> Merged {
    let suites = || parts.iter().map(|part| &part.content);
    let sum = |count: fn(&Suites) -> usize| suites().map(count).fold(0, usize::saturating_add);
    let mut text = junit::head(sum(|suites| suites.tests), sum(|suites| suites.failures));
    text.extend(suites().map(|suites| suites.lines.as_str()));
    text.push_str(junit::END);
    Merged {
        text,
        has_errors: suites().any(|suites| suites.has_errors),
        has_warnings: suites().any(|suites| suites.has_warnings),
    }
}

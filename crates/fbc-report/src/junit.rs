//! JUnit XML: a test suite for each catalog, a failed test case for each error. Warnings are test
//! cases that pass, with the warning as their output.

use std::io::{self, Write};

use fbc_app::checked::slashes;
use fbc_app::checked::{CheckedCatalog, FindingView};
use fbc_app::escape::is_hostile;
use fbc_lint::Severity;

use crate::{Style, Summary};

/// The first line.
pub(super) const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
/// What is in front of the number of a shard and its counts, below the head.
pub(super) const SHARD: &str = "  <!-- shard ";
/// The last line.
pub(super) const END: &str = "</testsuites>\n";

/// What comes before the suites.
pub(super) fn head(tests: usize, failures: usize) -> String {
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\"");
    format!("{DECLARATION}\n<testsuites name=\"fbc validate\" {counts}>\n")
}

/// Writes the document.
///
/// # Errors
/// Those of the output.
pub fn write(catalogs: &[CheckedCatalog], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let suites: Vec<(&CheckedCatalog, Vec<FindingView<'_>>)> = catalogs
        .iter()
        .map(|catalog| (catalog, style.shown(std::slice::from_ref(catalog)).collect()))
        .collect();
    let tests: usize = suites.iter().map(|(_, views)| views.len().max(1)).sum();
    let failures: usize = suites.iter().map(|(_, views)| errors(views)).sum();
    out.write_all(head(tests, failures).as_bytes())?;
    if let Some(shard) = style.shard {
        // The counts include findings that are not shown.
        let Summary { errors, warnings, .. } = Summary::from_catalogs(catalogs);
        writeln!(out, "{SHARD}{shard} errors={errors} warnings={warnings} -->")?;
    }
    for (catalog, views) in &suites {
        let name = escape(&slashes(&catalog.reference));
        writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">",
            views.len().max(1),
            errors(views)
        )?;
        if views.is_empty() {
            writeln!(out, "    <testcase name=\"no findings\" classname=\"{name}\"/>")?;
        }
        for view in views {
            write_case(view, &name, out)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    out.write_all(END.as_bytes())
}

fn errors(views: &[FindingView<'_>]) -> usize {
    views.iter().filter(|view| view.severity() == Severity::Error).count()
}

fn write_case(view: &FindingView<'_>, suite: &str, out: &mut dyn Write) -> io::Result<()> {
    let rule = view.rule();
    write!(
        out,
        "    <testcase name=\"{} {} {}\" classname=\"{suite}\"",
        rule.code,
        rule.name,
        escape(&view.position())
    )?;
    if let Some(file) = &view.file {
        write!(out, " file=\"{}\"", escape(file))?;
    }
    if let Some((line, _)) = view.start {
        write!(out, " line=\"{line}\"")?;
    }
    writeln!(out, ">")?;
    let mut text = format!("{}: {}", view.position(), view.message());
    for note in view.notes() {
        text.push_str(&format!("\nnote: {note}"));
    }
    if !view.located.finding.help.is_empty() {
        text.push_str(&format!("\nhelp: {}", view.located.finding.help));
    }
    let (message, text) = (escape(view.message()), escape(&text));
    match view.severity() {
        Severity::Error => {
            writeln!(out, "      <failure type=\"{}\" message=\"{message}\">{text}</failure>", rule.code)?;
        }
        Severity::Warning => writeln!(out, "      <system-out>warning: {text}</system-out>")?,
    }
    writeln!(out, "    </testcase>")
}

/// Escapes for text and attributes; what XML cannot hold at all becomes a replacement character.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            '\r' => escaped.push_str("&#13;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c if is_hostile(c) => escaped.push_str(&format!("&#{};", u32::from(c))),
            _ => escaped.push(c),
        }
    }
    escaped
}

//! Workflow commands of GitHub Actions: annotations on the lines of a pull request.
//!
//! Format: <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>

use std::io::{self, Write};

use fbc_app::checked::{CheckedCatalog, FindingView};
use fbc_app::escape::line;

use crate::Style;

/// Writes the document.
///
/// # Errors
/// Those of the output.
pub fn write(catalogs: &[CheckedCatalog], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for view in style.shown(catalogs) {
        let properties: Vec<String> =
            properties(&view).into_iter().map(|(key, value)| format!("{key}={}", property(&value))).collect();
        let mut message = view.message().to_owned();
        for note in view.notes() {
            message.push_str(&format!("\nnote: {note}"));
        }
        if !view.located.finding.help.is_empty() {
            message.push_str(&format!("\nhelp: {}", view.located.finding.help));
        }
        writeln!(out, "::{} {}::{}", view.severity().name(), properties.join(","), data(&message))?;
    }
    Ok(())
}

fn properties(view: &FindingView<'_>) -> Vec<(&'static str, String)> {
    let mut properties = Vec::new();
    if let Some(file) = &view.file {
        properties.push(("file", file.clone()));
    }
    if let Some((line, column)) = view.start {
        properties.push(("line", line.to_string()));
        if let Some((end_line, end_column)) = view.end {
            properties.push(("endLine", end_line.to_string()));
            // Columns are refused where an annotation covers several lines. Theirs include the last.
            if let (Some(column), true) = (column, end_line == line) {
                properties.push(("col", column.to_string()));
                properties.push(("endColumn", end_column.saturating_sub(1).max(column).to_string()));
            }
        }
    }
    properties.push(("title", format!("{} {}", view.rule().code, view.rule().name)));
    properties
}

/// Escapes a message: the lines of it are the runner's, whatever else drives a terminal becomes visible.
fn data(text: &str) -> String {
    text.split('\n').map(|part| line(part).replace('%', "%25")).collect::<Vec<_>>().join("%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    line(text).replace('%', "%25").replace(':', "%3A").replace(',', "%2C")
}

//! A table for a comment on a pull request.

use std::io::{self, Write};

use fbc_app::checked::{CheckedCatalog, FindingView};
use fbc_app::escape::{is_plain, markdown, markdown_code};
use fbc_lint::Severity;
use fbc_lint::fix::all::renames;

use crate::{Style, Summary};

/// Code hosts refuse long comments; GitHub's limit is 65,536 characters.
const MAX_BYTES: usize = 60_000;

/// Writes the document.
///
/// # Errors
/// Those of the output.
pub fn write(catalogs: &[CheckedCatalog], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let summary = Summary::from_catalogs(catalogs);
    writeln!(out, "### fbc validate: {}", summary.line())?;
    let mut rows = style.shown(catalogs).map(|view| row(&view)).peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "\n| | Rule | Place | Problem |\n|---|---|---|---|")?;
    let mut written = 0;
    while let Some(row) = rows.next_if(|row| written + row.len() <= MAX_BYTES) {
        writeln!(out, "{row}")?;
        written += row.len() + 1;
    }
    let left = rows.count();
    if left > 0 {
        writeln!(out, "\nAnd {left} more; run `fbc validate` to see them.")?;
    }
    if let Some(text) = summary.left_out(style) {
        writeln!(out, "\n{text}")?;
    }
    // What a misspelt key was to say may be all that other findings lack.
    let (renaming, others): (Vec<_>, Vec<_>) = style.shown(catalogs).partition(|view| renames(view.located));
    let mut taken = Vec::new();
    let views = renaming.iter().chain(&others).filter(|view| is_free(view, &mut taken));
    let mut suggestions = views.filter_map(suggestion).peekable();
    if suggestions.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "\n<details><summary>Suggested fixes</summary>")?;
    while let Some(text) = suggestions.next_if(|text| written + text.len() <= MAX_BYTES) {
        written += text.len();
        write!(out, "{text}")?;
    }
    writeln!(out, "\n</details>")
}

fn row(view: &FindingView<'_>) -> String {
    let sign = match view.severity() {
        Severity::Error => "🔴 error",
        Severity::Warning => "🟡 warning",
    };
    let mut problem = cell(view.message());
    if !view.located.finding.help.is_empty() {
        problem.push_str("<br>");
        problem.push_str(&cell(&view.located.finding.help));
    }
    format!("| {sign} | {} | {} | {problem} |", view.rule().code, markdown_code(&view.position()))
}

/// Whether the lines that the first fix of a finding changes are those of no other suggestion; they are taken then. Of two
/// suggestions for one line, only one can be applied.
fn is_free(view: &FindingView<'_>, taken: &mut Vec<(String, usize, usize)>) -> bool {
    let Some(fix) = view.located.fixes.first() else { return false };
    let lines: Vec<(String, usize, usize)> = fix
        .files
        .iter()
        .flat_map(|file| file.lines.iter().map(|lines| (view.fix_file(&file.path), lines.first, lines.last)))
        .map(|(file, first, last)| (file.to_owned(), first, last))
        .collect();
    let meets = |(file, first, last): &(String, usize, usize)| {
        taken.iter().any(|(other, from, to)| other == file && from <= last && first <= to)
    };
    let is_free = !lines.iter().any(meets);
    if is_free {
        taken.extend(lines);
    }
    is_free
}

/// The first fix of a finding as blocks that code hosts offer to apply where the comment is on those lines.
fn suggestion(view: &FindingView<'_>) -> Option<String> {
    let fix = view.located.fixes.first()?;
    let mut text = String::new();
    for file in &fix.files {
        for lines in &file.lines {
            let place = match lines.first == lines.last {
                true => format!("{}:{}", view.fix_file(&file.path), lines.first),
                false => format!("{}:{}-{}", view.fix_file(&file.path), lines.first, lines.last),
            };
            let (title, code) = (cell(&fix.title), view.rule().code);
            let safety = fix.safety.name();
            let place = markdown_code(&place);
            text.push_str(&format!("\n{place} {code}: {title} ({safety})\n\n"));
            if !is_plain(&lines.text) {
                // Escaped it would be another text, and as it is it could drive where the report is printed.
                text.push_str(
                    "The text holds what drives terminals or CI systems; `fbc validate --diff` shows it.\n",
                );
                continue;
            }
            let longest = lines.text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
            let fence = "`".repeat(longest.max(2) + 1);
            text.push_str(&format!("{fence}suggestion\n{}", lines.text));
            if !lines.text.is_empty() && !lines.text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&fence);
            text.push('\n');
        }
    }
    (!text.is_empty()).then_some(text)
}

/// Text in a cell. Backticks stay, because our texts put code between them: all else is escaped, inside of them and
/// outside.
fn cell(text: &str) -> String {
    markdown(text).replace("\\`", "`")
}

//! Findings with the lines that they are about, for people.
//!
//! Only a window of the file is handed to the renderer: files may be large, and a line may hold a
//! megabyte of base64.

use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use fbc_app::checked::{CheckedCatalog, FindingView};
use fbc_app::escape::line;
use fbc_lint::{Finding, Severity};

use super::{Style, Summary};
use crate::failure::{ERROR, STRONG, WARNING};

/// Lines shown before the one of the finding.
const LINES_BEFORE: usize = 2;
/// Lines longer than this are cut.
const LONG_LINE: usize = 240;
/// Bytes kept at each side of the place in a long line.
const MARGIN: usize = 60;
/// Characters of opm's text that are shown; it may quote a whole blob.
const MAX_OPM_TEXT: usize = 300;

pub(super) fn write(catalogs: &[CheckedCatalog], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    for view in style.shown(catalogs) {
        out.write_all(format!("{}\n\n", render(&renderer, &view)).as_bytes())?;
    }
    let summary = Summary::from_catalogs(catalogs);
    if style.quiet && summary.errors == 0 {
        return Ok(());
    }
    if let Some(text) = summary.left_out(style) {
        writeln!(out, "{text}")?;
    }
    let counts = summary.line();
    let color = if summary.errors > 0 {
        ERROR
    } else if summary.warnings > 0 {
        WARNING
    } else {
        STRONG
    };
    if style.color { writeln!(out, "{color}{counts}{color:#}") } else { writeln!(out, "{counts}") }
}

fn render(renderer: &Renderer, view: &FindingView<'_>) -> String {
    let finding = &view.located.finding;
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(line(&finding.message)).id(finding.rule.code));
    let mut wrong_position = None;
    let window = view
        .located
        .span
        .as_ref()
        .zip(view.located.excerpt.as_ref())
        .and_then(|(span, excerpt)| Some((Window::around(&excerpt.bytes, excerpt.place.clone())?, span)));
    let file = view.place().map(line);
    match (&window, &file) {
        (Some((window, span)), Some(file)) => {
            let annotation = AnnotationKind::Primary.span(window.place.clone());
            let label = Some(line(&finding.label)).filter(|label| !label.is_empty());
            let snippet = Snippet::source(window.text.as_str())
                .path(file.as_ref())
                .line_start(span.start.0 - window.lines_before)
                .fold(false)
                .annotation(annotation.label(label));
            group = group.element(snippet);
            wrong_position = Some(format!("{file}:{}:{}", span.start.0, window.column));
        }
        (None, Some(file)) => {
            let mut origin = Origin::path(file.as_ref());
            if let Some((line, column)) = view.start {
                origin = origin.line(line);
                origin = column.map_or(origin.clone(), |column| origin.char_column(column));
            }
            group = group.element(origin);
        }
        (_, None) => {}
    }
    let notes = view.notes();
    for note in &notes {
        group = group.element(Level::NOTE.message(printable(note)));
    }
    if let Some(text) = finding.opm.as_ref().map(|opm| opm.text()).filter(|text| *text != finding.message) {
        group = group.element(Level::NOTE.message(format!("opm says: {}", printable(&shortened(text)))));
    }
    let text = renderer.render(&[group.element(Level::HELP.message(help(finding)))]);
    match wrong_position {
        // In a line that was cut, the renderer counts columns from the cut.
        Some(wrong) if wrong != line(&view.position()) => {
            right_position(&text, &wrong, &line(&view.position()))
        }
        _ => text,
    }
}

/// What to do, and where to read more.
fn help(finding: &Finding) -> String {
    let explain = format!("`fbc explain {}`", finding.rule.code);
    match finding.help.as_str() {
        "" => explain,
        help if help.ends_with(['.', '?', '!']) => format!("{} {explain}", printable(help)),
        help => format!("{}; {explain}", printable(help)),
    }
}

fn right_position(text: &str, wrong: &str, right: &str) -> String {
    match text.split_once("-->") {
        Some((before, after)) => format!("{before}-->{}", after.replacen(wrong, right, 1)),
        None => text.to_owned(),
    }
}

/// Some lines of a file, cut to a bearable length.
struct Window {
    text: String,
    /// The place of the finding in the text.
    place: Range<usize>,
    /// The lines in the text before the one of the finding.
    lines_before: usize,
    /// The column of the place in the text, from 1.
    column: usize,
}

impl Window {
    fn around(source: &[u8], place: Range<usize>) -> Option<Self> {
        let start_of_line =
            source.get(..place.start)?.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let rest = source.get(place.start..)?;
        let end_of_line = place.start + rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let place = place.start..place.end.clamp(place.start, end_of_line);
        let mut text = String::new();
        let lines_before = push_lines_before(&mut text, source.get(..start_of_line)?);
        let line_start = text.len();
        let is_long = end_of_line - start_of_line > LONG_LINE;
        push_tail(
            &mut text,
            source.get(start_of_line..place.start)?,
            if is_long { MARGIN } else { LONG_LINE },
        );
        let column = text.get(line_start..)?.chars().count() + 1;
        let start = text.len();
        push_head(&mut text, source.get(place.clone())?, if is_long { 2 * MARGIN } else { LONG_LINE });
        let end = text.len();
        let after = source.get(place.end..end_of_line)?;
        push_head(
            &mut text,
            after.strip_suffix(b"\r").unwrap_or(after),
            if is_long { MARGIN } else { LONG_LINE },
        );
        Some(Self { text, place: start..end, lines_before, column })
    }
}

/// Appends the last lines of the text in front of the line of the finding.
fn push_lines_before(text: &mut String, before: &[u8]) -> usize {
    let Some(before) = before.strip_suffix(b"\n") else { return 0 };
    let mut lines: Vec<&[u8]> = before.rsplit(|&byte| byte == b'\n').take(LINES_BEFORE).collect();
    lines.reverse();
    for line in &lines {
        push_head(text, line.strip_suffix(b"\r").unwrap_or(line), LONG_LINE);
        text.push('\n');
    }
    lines.len()
}

/// Appends the beginning of some bytes of a line.
fn push_head(text: &mut String, bytes: &[u8], limit: usize) {
    if bytes.len() <= limit {
        text.push_str(&String::from_utf8_lossy(bytes));
        return;
    }
    let end = (0..=limit).rev().find(|&at| is_boundary(bytes, at)).unwrap_or(limit);
    text.push_str(&String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()));
    text.push_str("...");
}

/// Appends the end of some bytes of a line.
fn push_tail(text: &mut String, bytes: &[u8], limit: usize) {
    if bytes.len() <= limit {
        text.push_str(&String::from_utf8_lossy(bytes));
        return;
    }
    let least = bytes.len() - limit;
    let start = (least..bytes.len()).find(|&at| is_boundary(bytes, at)).unwrap_or(least);
    text.push_str("...");
    text.push_str(&String::from_utf8_lossy(bytes.get(start..).unwrap_or_default()));
}

/// Whether a character begins there, as far as the bytes are UTF-8.
fn is_boundary(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|byte| byte & 0xc0 != 0x80)
}

/// Text of several lines. The writer sees to the beginnings of lines.
fn printable(text: &str) -> String {
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_OPM_TEXT) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::Window;

    #[test]
    fn short_lines_stay_whole() {
        let window = Window::around(b"a: 1\r\nb: 2\r\nc: 3\r\nd: 4\r\n", 21..22).unwrap();
        assert_eq!(window.text, "b: 2\nc: 3\nd: 4");
        assert_eq!((&window.text[window.place], window.lines_before, window.column), ("4", 2, 4));
    }

    #[test]
    fn long_lines_are_cut_on_both_sides_of_the_place() {
        let line = format!("{}é{}", "x".repeat(1000), "y".repeat(1_000_000));
        let window = Window::around(line.as_bytes(), 1000..1002).unwrap();
        assert_eq!(window.text, format!("...{}é{}...", "x".repeat(60), "y".repeat(60)));
        assert_eq!((&window.text[window.place], window.lines_before, window.column), ("é", 0, 64));
    }

    #[test]
    fn places_at_the_end_and_broken_text() {
        let window = Window::around(b"a\n", 2..2).unwrap();
        assert_eq!((window.text.as_str(), window.place), ("a\n", 2..2));
        let window = Window::around(b"\xff\xfe: x", 4..5).unwrap();
        assert_eq!(&window.text[window.place], "x");
        assert!(Window::around(b"", 7..9).is_none());
    }
}

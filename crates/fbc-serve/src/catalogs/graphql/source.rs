//! The text of a query: lines, columns, and the place of an error in words.
//!
//! Source: `graphql-go/graphql:language/location/location.go`, `gqlerrors/syntax.go`.

use std::fmt::Write as _;

use serde::Serialize;

/// A place in a query, from 1. Columns count bytes, as in graphql-go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Location {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// A query, and where its lines are.
#[derive(Debug)]
pub(super) struct Source<'q> {
    text: &'q str,
    /// Where each line begins, and where it ends.
    lines: Vec<(usize, usize)>,
}

impl<'q> Source<'q> {
    pub(super) fn new(text: &'q str) -> Self {
        let mut lines = Vec::new();
        let mut begin = 0;
        let mut bytes = text.bytes().enumerate().peekable();
        while let Some((at, byte)) = bytes.next() {
            if !matches!(byte, b'\n' | b'\r') {
                continue;
            }
            let pair = byte == b'\r' && bytes.next_if(|(_, next)| *next == b'\n').is_some();
            lines.push((begin, at));
            begin = at + 1 + usize::from(pair);
        }
        lines.push((begin, text.len()));
        Self { text, lines }
    }

    pub(super) fn location(&self, at: usize) -> Location {
        let line = self.lines.partition_point(|(begin, _)| *begin <= at).max(1);
        let begin = self.lines.get(line - 1).map_or(0, |(begin, _)| *begin);
        Location { line, column: at + 1 - begin }
    }

    /// The text of an error in the syntax, with the line that it is in and its neighbours.
    pub(super) fn syntax_error(&self, at: usize, words: &str) -> String {
        let Location { line, column } = self.location(at);
        let width = (line + 1).to_string().len();
        let mut text = format!("Syntax Error GraphQL ({line}:{column}) {words}\n\n");
        for number in line.saturating_sub(1).max(1)..=line + 1 {
            let Some((begin, end)) = self.lines.get(number - 1) else { break };
            let shown = visible(self.text.get(*begin..*end).unwrap_or_default());
            // Writing into a text cannot fail.
            let number_text = number.to_string();
            let indentation = " ".repeat(width.saturating_sub(number_text.len()));
            let _ = writeln!(text, "{indentation}{number_text}: {shown}");
            if number == line {
                let _ = writeln!(text, "{}^", " ".repeat(1 + width + column));
            }
        }
        text
    }
}

/// A line with its control characters as escapes.
fn visible(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for letter in line.chars() {
        match letter {
            '\0'..='\u{1f}' => {
                let _ = write!(shown, "\\u{:04X}", u32::from(letter));
            }
            _ => shown.push(letter),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_lines_and_columns() {
        let source = Source::new("a\nbc\r\n\rd");
        for (at, line, column) in
            [(0, 1, 1), (1, 1, 2), (2, 2, 1), (3, 2, 2), (6, 3, 1), (7, 4, 1), (8, 4, 2)]
        {
            assert_eq!(source.location(at), Location { line, column }, "{at}");
        }
    }

    #[test]
    fn errors_show_their_line_and_its_neighbours() {
        let source = Source::new("{\n a\tb\n}");
        let expected = "Syntax Error GraphQL (2:4) Unexpected it\n\n1: {\n2:  a\\u0009b\n      ^\n3: }\n";
        assert_eq!(source.syntax_error(5, "Unexpected it"), expected);
        let expected = "Syntax Error GraphQL (1:1) Unexpected EOF\n\n1: \n   ^\n";
        assert_eq!(Source::new("").syntax_error(0, "Unexpected EOF"), expected);
    }
}

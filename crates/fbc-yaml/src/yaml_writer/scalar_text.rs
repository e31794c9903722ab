//! Texts in their styles, folded where go-yaml folds them.
//!
//! Source of the behaviour: `go-yaml/yaml:emitterc.go` (branch v2), the functions that write plain,
//! single-quoted, double-quoted and literal scalars. A line is folded at a space once it holds more
//! than 80 characters, so lines of any length come from texts without spaces there.

use memchr::memchr;

use super::output::Output;
use super::scalar_style::{Style, Survey};

/// Columns after which the next space folds the line (`best_width`, 80 unless it is set).
const WIDTH: usize = 80;

/// Characters that break a line for go-yaml and may stand raw in a scalar.
const BREAKS: [char; 3] = ['\n', '\u{2028}', '\u{2029}'];

impl Output<'_, '_> {
    /// Writes a text in the style of its survey. With `fold`, lines after the first are indented by
    /// so many columns; without, as for keys, the text must be of one line and is never folded.
    pub(super) fn write_text(&mut self, text: &str, survey: Survey, fold: Option<usize>) {
        // In a line that ends within the width no space lies behind it.
        let fold_at = fold.filter(|_| survey.has_spaces && self.line_length() + text.len() > WIDTH);
        match (survey.style, fold_at) {
            (Style::Plain, None) => self.push(text),
            (Style::Plain, Some(indent)) => self.push_folded(text, indent, survey.is_ascii, false),
            (Style::SingleQuoted, _) if survey.has_separators => {
                self.push_single_quoted_lines(text, fold.unwrap_or_default());
            }
            (Style::SingleQuoted, _) => {
                self.push("'");
                let has_quotes = memchr(b'\'', text.as_bytes()).is_some();
                // Doubled quotes may take the text past the width.
                match fold_at.or(fold.filter(|_| survey.has_spaces && has_quotes)) {
                    Some(indent) => self.push_folded(text, indent, survey.is_ascii, has_quotes),
                    None if has_quotes => self.push_with_doubled_quotes(text),
                    None => self.push(text),
                }
                self.push("'");
            }
            (Style::DoubleQuoted, _) => self.push_double_quoted(text, fold),
            (Style::Literal, _) => {
                self.push_literal(text, fold.unwrap_or_default(), survey.has_separators);
            }
        }
    }

    /// Writes the text of a plain or single-quoted scalar without line breaks. It is folded at
    /// spaces that have no space next to them and are neither its first nor its last character.
    fn push_folded(&mut self, text: &str, indent: usize, is_ascii: bool, has_quotes: bool) {
        let bytes = text.as_bytes();
        let width_of = |part: &str| {
            let characters = if is_ascii { part.len() } else { part.chars().count() };
            characters + if has_quotes { part.matches('\'').count() } else { 0 }
        };
        let mut column = self.column();
        let (mut written, mut searched) = (0, 0);
        loop {
            // Spaces are looked for only where the line may be full: a byte is one column at most,
            // or two if quotes are doubled.
            let missing = (WIDTH + 1).saturating_sub(column);
            let least = written + if has_quotes { missing / 2 } else { missing };
            let from = searched.max(least);
            let Some(offset) = bytes.get(from..).and_then(|rest| memchr(b' ', rest)) else {
                break;
            };
            let space = from + offset;
            searched = space + 1;
            let is_lone = space > 0
                && bytes.get(space - 1) != Some(&b' ')
                && bytes.get(space + 1).is_some_and(|&next| next != b' ');
            let part = text.get(written..space).unwrap_or_default();
            if is_lone && column + width_of(part) > WIDTH {
                self.push_part(part, has_quotes);
                self.begin_line(indent);
                column = indent;
                written = searched;
            }
        }
        self.push_part(text.get(written..).unwrap_or_default(), has_quotes);
    }

    fn push_part(&mut self, part: &str, has_quotes: bool) {
        if has_quotes {
            self.push_with_doubled_quotes(part);
        } else {
            self.push(part);
        }
    }

    fn push_with_doubled_quotes(&mut self, text: &str) {
        for (index, part) in text.split('\'').enumerate() {
            if index > 0 {
                self.push("''");
            }
            self.push(part);
        }
    }

    /// Writes a single-quoted scalar with U+2028 or U+2029: the characters stay as they are, and
    /// what follows them is indented as if on a new line.
    fn push_single_quoted_lines(&mut self, text: &str, indent: usize) {
        self.push("'");
        let mut column = self.column();
        let mut is_line_start = false;
        let mut previous = ' ';
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            if BREAKS.contains(&c) {
                self.push_break(c);
                column = 0;
                is_line_start = true;
            } else if c == ' '
                && previous != ' '
                && column > WIDTH
                && !rest.as_str().is_empty()
                && !rest.as_str().starts_with(' ')
            {
                self.begin_line(indent);
                column = indent;
            } else {
                if is_line_start {
                    self.pad(indent);
                    column = indent;
                    is_line_start = false;
                }
                if c == '\'' {
                    self.push("'");
                    column += 1;
                }
                self.push_char(c);
                column += 1;
            }
            previous = c;
        }
        self.push("'");
    }

    /// Writes a double-quoted scalar. It is folded at the first of several spaces; a backslash then
    /// keeps the others from being read as indentation.
    fn push_double_quoted(&mut self, text: &str, fold: Option<usize>) {
        // go-yaml looks for a byte order mark at the start of the text wherever it stands in it
        // (`yamlprivateh.go`, `is_bom`), so that such a text is escaped as a whole.
        let escapes_all = text.starts_with('\u{feff}');
        self.push("\"");
        let mut column = self.column();
        let mut written = 0;
        let mut after_space = false;
        for (at, c) in text.char_indices() {
            let next = at + c.len_utf8();
            if escapes_all || must_escape(c) {
                self.push(text.get(written..at).unwrap_or_default());
                column += push_escape(self.text_mut(), c);
                written = next;
                after_space = false;
            } else if c == ' ' {
                let is_inside = at > 0 && next < text.len();
                match fold.filter(|_| is_inside && !after_space && column > WIDTH) {
                    Some(indent) => {
                        self.push(text.get(written..at).unwrap_or_default());
                        self.begin_line(indent);
                        column = indent;
                        if text.get(next..).is_some_and(|rest| rest.starts_with(' ')) {
                            self.push("\\");
                            column += 1;
                        }
                        written = next;
                    }
                    None => column += 1,
                }
                after_space = true;
            } else {
                column += 1;
                after_space = false;
            }
        }
        self.push(text.get(written..).unwrap_or_default());
        self.push("\"");
    }

    /// Writes a literal block, whose lines are never folded.
    fn push_literal(&mut self, text: &str, indent: usize, has_separators: bool) {
        self.push("|");
        if text.starts_with(' ') || text.starts_with(BREAKS) {
            // Without the number, leading blanks would be read as indentation.
            self.push("2");
        }
        let mut from_the_end = text.chars().rev();
        if !from_the_end.next().is_some_and(|c| BREAKS.contains(&c)) {
            self.push("-");
        } else if from_the_end.next().is_none_or(|c| BREAKS.contains(&c)) {
            self.push("+");
        }
        self.push_break('\n');
        if has_separators {
            self.push_literal_lines(text, indent);
            return;
        }
        let mut rest = text;
        while let Some(end) = memchr(b'\n', rest.as_bytes()) {
            // A newline is one byte: both parts begin and end with characters.
            let (line, tail) = rest.split_at(end + 1);
            if end > 0 {
                self.pad(indent);
            }
            self.push(line);
            rest = tail;
        }
        self.mark_line_start();
        if !rest.is_empty() {
            self.pad(indent);
            self.push(rest);
        }
    }

    /// As above for text with U+2028 or U+2029, which go-yaml indents after like newlines.
    fn push_literal_lines(&mut self, text: &str, indent: usize) {
        let mut is_line_start = true;
        for c in text.chars() {
            if BREAKS.contains(&c) {
                self.push_break(c);
                is_line_start = true;
                continue;
            }
            if is_line_start {
                self.pad(indent);
                is_line_start = false;
            }
            self.push_char(c);
        }
    }
}

/// Whether a character of a double-quoted scalar is escaped: quotes, backslashes, line breaks and
/// what go-yaml does not count as printable, among it everything above U+FFFF.
fn must_escape(c: char) -> bool {
    match c {
        '"' | '\\' | '\u{2028}' | '\u{2029}' | '\u{feff}' => true,
        ' '..='~' | '\u{a0}'..='\u{fffd}' => false,
        _ => true,
    }
}

/// Appends an escape and gives its length.
fn push_escape(out: &mut String, c: char) -> usize {
    let letter = match c {
        '\0' => '0',
        '\x07' => 'a',
        '\x08' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\x0b' => 'v',
        '\x0c' => 'f',
        '\r' => 'r',
        '\x1b' => 'e',
        '"' | '\\' => c,
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            let code = c as u32;
            let (kind, digits) = match code {
                0..=0xFF => ('x', 2),
                0x100..=0xFFFF => ('u', 4),
                _ => ('U', 8),
            };
            out.push('\\');
            out.push(kind);
            for digit in (0..digits).rev() {
                let digit = char::from_digit(code >> (4 * digit) & 0xF, 16).unwrap_or('0');
                out.push(digit.to_ascii_uppercase());
            }
            return 2 + digits;
        }
    };
    out.push('\\');
    out.push(letter);
    2
}

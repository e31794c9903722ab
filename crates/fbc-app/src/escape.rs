//! Escaping where text leaves the program, one function for each medium: names in catalogs and of files are
//! written by others, and may hold what drives a terminal, a CI system or the page of a pull request.
//!
//! Data formats (JSON, YAML, SARIF, XML) have their own escapes, in their writers.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Text for one line of a terminal or log: whatever drives a terminal, breaks the line or reorders it becomes
/// visible, and nothing in it is a command of a CI system.
pub fn line(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| c == '\n' || is_hostile(c)) || text.contains("##") {
        let mut lines = Lines::new(Vec::new(), false);
        lines.push(text, true);
        return Cow::Owned(lines.escaped);
    }
    match text.trim_start().starts_with("::") {
        true => Cow::Owned(text.replacen(':', COLON, 1)),
        false => Cow::Borrowed(text),
    }
}

/// Whether lines of a source may be shown as they are: nothing in them would have to be escaped.
pub fn is_plain(source: &str) -> bool {
    let mut lines = Lines::new(Vec::new(), false);
    lines.push(source, false);
    lines.escaped == source
}

/// Text in Markdown: nothing in it is markup, a link, an image or a mention.
pub fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let is_www = || {
            let start = text.get(..at).unwrap_or_default();
            start.get(start.len().saturating_sub(3)..).is_some_and(|end| end.eq_ignore_ascii_case("www"))
        };
        match c {
            '\n' => escaped.push_str("<br>"),
            '\r' => {}
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // A mention would call people.
            '@' => escaped.push_str("&#64;"),
            // Addresses become links by themselves.
            ':' if text.get(at..).is_some_and(|rest| rest.starts_with("://")) => escaped.push_str("&#58;"),
            '.' if is_www() => escaped.push_str("&#46;"),
            '|' | '*' | '_' | '[' | ']' | '\\' | '~' | '#' | '`' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ if is_hostile(c) => push_visible(&mut escaped, c),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// A name as code in Markdown, also in the cell of a table. Backticks cannot be escaped inside.
pub fn markdown_code(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 2);
    escaped.push('`');
    for c in text.chars() {
        match c {
            '`' => escaped.push('\''),
            '|' => escaped.push_str("\\|"),
            '\n' => escaped.push_str("\\n"),
            _ if is_hostile(c) => push_visible(&mut escaped, c),
            _ => escaped.push(c),
        }
    }
    escaped.push('`');
    escaped
}

/// A colon that begins no workflow command of GitHub.
const COLON: &str = "\\u{3a}";

/// Control characters but line feeds, and those that change the direction of text or break lines.
pub fn is_hostile(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}' | '\u{feff}')
        || c.is_control() && c != '\n'
}

fn push_visible(text: &mut String, c: char) {
    text.extend(c.escape_default());
}

/// A writer of text for people. One `writeln!` is one line, whatever the names in it hold; text that is written
/// otherwise keeps its line breaks.
pub struct Lines<W: Write> {
    out: W,
    /// Whether sequences for colours are let through.
    has_color: bool,
    /// Whether nothing but blanks has been written of the line.
    is_at_start: bool,
    /// The text that is being written.
    escaped: String,
}

impl<W: Write> Lines<W> {
    /// Text to a writer.
    pub fn new(out: W, has_color: bool) -> Self {
        Self { out, has_color, is_at_start: true, escaped: String::new() }
    }

    fn push(&mut self, text: &str, is_one_line: bool) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let after = rest.get(c.len_utf8()..).unwrap_or_default();
            if c == '\u{1b}' && self.has_color {
                let length = color_length(rest);
                if length > 0 {
                    self.escaped.push_str(rest.get(..length).unwrap_or_default());
                    rest = rest.get(length..).unwrap_or_default();
                    continue;
                }
            }
            match c {
                '\n' if is_one_line => self.escaped.push_str("\\n"),
                '\n' => self.escaped.push('\n'),
                ':' if self.is_at_start && after.starts_with(':') => self.escaped.push_str(COLON),
                '#' if is_logging_command(rest) => self.escaped.push_str("\\u{23}"),
                // Tabs and the line ends of Windows stand for themselves in source text.
                '\t' => self.escaped.push('\t'),
                '\r' if after.starts_with('\n') && !is_one_line => self.escaped.push('\r'),
                _ if is_hostile(c) => push_visible(&mut self.escaped, c),
                _ => self.escaped.push(c),
            }
            self.is_at_start = match c {
                '\n' => !is_one_line || self.is_at_start,
                _ => self.is_at_start && c.is_whitespace(),
            };
            rest = after;
        }
    }

    fn write_escaped(&mut self) -> io::Result<()> {
        let written = self.out.write_all(self.escaped.as_bytes());
        self.escaped.clear();
        written
    }
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (text, length) = match std::str::from_utf8(bytes) {
            Ok(text) => (text, bytes.len()),
            Err(error) if error.valid_up_to() == 0 => ("\u{fffd}", error.error_len().unwrap_or(bytes.len())),
            Err(error) => {
                let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
                (std::str::from_utf8(valid).unwrap_or_default(), valid.len())
            }
        };
        self.push(text, false);
        self.write_escaped()?;
        Ok(length)
    }

    fn write_fmt(&mut self, arguments: std::fmt::Arguments<'_>) -> io::Result<()> {
        if let Some(text) = arguments.as_str() {
            self.push(text, false);
            return self.write_escaped();
        }
        let mut text = String::new();
        text.write_fmt(arguments).map_err(io::Error::other)?;
        // An empty line in front is the writer's, or does no harm.
        let (before, line) = text.split_at(usize::from(text.starts_with('\n')));
        let (line, after) = line.split_at(line.strip_suffix('\n').map_or(line.len(), str::len));
        self.push(before, false);
        self.push(line, true);
        self.push(after, false);
        self.write_escaped()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The length of a sequence that sets colour or weight, at the beginning of the text; 0 if there is none. What
/// hides text is none.
fn color_length(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\u{1b}[") else { return 0 };
    let Some(end) = parameters.find(|c: char| !c.is_ascii_digit() && c != ';') else { return 0 };
    let (numbers, rest) = parameters.split_at(end);
    let is_plain = |number: &str| {
        matches!(number.parse(), Ok(0..=4_u8 | 22..=24 | 30..=37 | 39 | 90..=97)) || number.is_empty()
    };
    if rest.starts_with('m') && numbers.split(';').all(is_plain) { "\u{1b}[".len() + end + 1 } else { 0 }
}

/// Whether a logging command of Azure Pipelines, TeamCity or older runners of GitHub begins the text: `##vso[`.
fn is_logging_command(text: &str) -> bool {
    text.strip_prefix("##").is_some_and(|rest| {
        rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-').starts_with('[')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(has_color: bool, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
        let mut bytes = Vec::new();
        write(&mut Lines::new(&mut bytes, has_color)).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn one_line_stays_one_line() {
        for (text, expected) in [
            ("plain: ü 日本", "plain: ü 日本"),
            ("a\n::error::x\n.yaml", "a\\n::error::x\\n.yaml"),
            ("::error::x", "\\u{3a}:error::x"),
            ("  ::error::x", "  \\u{3a}:error::x"),
            ("a::b", "a::b"),
            ("##[error]x", "\\u{23}#[error]x"),
            ("a ##vso[task.setvariable]x", "a \\u{23}#vso[task.setvariable]x"),
            ("## heading", "## heading"),
            ("\u{1b}]0;x\u{7}\u{9b}31m\r", "\\u{1b}]0;x\\u{7}\\u{9b}31m\\r"),
            ("a\u{202e}b\u{2028}", "a\\u{202e}b\\u{2028}"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
        ] {
            assert_eq!(line(text), expected, "{text:?}");
            assert_eq!(written(false, |out| writeln!(out, "{text}")), format!("{expected}\n"), "{text:?}");
        }
    }

    #[test]
    fn styles_pass_and_nothing_else_does() {
        let name = "\u{1b}[8mhidden\u{1b}[2J";
        let text = written(true, |out| writeln!(out, "\u{1b}[1m\u{1b}[91merror\u{1b}[0m {name}"));
        assert_eq!(text, "\u{1b}[1m\u{1b}[91merror\u{1b}[0m \\u{1b}[8mhidden\\u{1b}[2J\n");
    }

    #[test]
    fn commands_are_found_at_the_start_of_every_line() {
        let text = written(false, |out| {
            out.write_all(b"a\n  ::error::x\n")?;
            write!(out, "::")?;
            let name = "stop";
            writeln!(out, "{name}")?;
            out.write_all(b"\xff::\xe2\x82\xac\n")
        });
        assert_eq!(text, "a\n  \\u{3a}:error::x\n\\u{3a}:stop\n\u{fffd}::€\n");
    }

    #[test]
    fn sources_are_plain_that_drive_nothing() {
        for plain in ["a: b\r\n\tc: d\n", "a ::error::x", "# comment\n", ""] {
            assert!(is_plain(plain), "{plain:?}");
        }
        for hostile in ["a: |\n  ::error::x\n", "a: \u{9b}", "a: \u{202e}b", "- ##vso[x]", "a\rb"] {
            assert!(!is_plain(hostile), "{hostile:?}");
        }
    }

    #[test]
    fn markdown_is_text() {
        assert_eq!(
            markdown("[a](http://x.y) ![i](z) <b> @team **x** `c`\nwww.a.b v1.2"),
            "\\[a\\](http&#58;//x.y) !\\[i\\](z) &lt;b&gt; &#64;team \\*\\*x\\*\\* \\`c\\`<br>www&#46;a.b v1.2"
        );
        assert_eq!(markdown_code("a`b|c\n\u{1b}"), "`a'b\\|c\\n\\u{1b}`");
    }
}

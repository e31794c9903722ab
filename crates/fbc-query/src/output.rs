//! Values as text, laid out as jq lays them out.

use anstyle::{AnsiColor, Color, Style};
use jaq_json::Val;

use super::number;

/// How values are written.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// What a level is indented by; everything on one line if there is nothing.
    pub indent: Option<String>,
    /// Text as it is, without quotes.
    pub is_raw: bool,
    /// Keys in their order.
    pub sorts_keys: bool,
    /// Nothing but ASCII, all else escaped.
    pub is_ascii: bool,
    /// With colours.
    pub has_color: bool,
    /// What comes behind a value.
    pub end: &'static str,
}

const NULL: Style = AnsiColor::BrightBlack.on_default();
const TEXT: Style = AnsiColor::Green.on_default();
const KEY: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Blue))).bold();
const PLAIN: Style = Style::new();

/// Appends a value and what comes behind it.
pub(crate) fn append(out: &mut Vec<u8>, value: &Val, layout: &Layout) {
    match value {
        Val::TStr(text) | Val::BStr(text) if layout.is_raw => {
            if layout.is_ascii {
                append_text(out, text, layout);
            } else {
                out.extend_from_slice(text);
            }
        }
        _ => Writer { out, layout }.value(value, 0),
    }
    out.extend_from_slice(layout.end.as_bytes());
}

struct Writer<'w> {
    out: &'w mut Vec<u8>,
    layout: &'w Layout,
}

impl Writer<'_> {
    fn value(&mut self, value: &Val, level: usize) {
        match value {
            Val::Null => self.styled(NULL, |out, _| out.extend_from_slice(b"null")),
            Val::Bool(value) => {
                self.styled(PLAIN, |out, _| out.extend_from_slice(if *value { b"true" } else { b"false" }));
            }
            Val::Num(number) => self.styled(PLAIN, |out, _| number::append(out, number)),
            Val::TStr(text) | Val::BStr(text) => {
                self.styled(TEXT, |out, layout| append_text(out, text, layout));
            }
            Val::Arr(items) => {
                self.parts(b"[]", items.len(), level, items.iter(), |writer, item| {
                    writer.value(item, level + 1);
                });
            }
            Val::Obj(members) if self.layout.sorts_keys => {
                let mut sorted: Vec<(&Val, &Val)> = members.iter().collect();
                sorted.sort_by(|a, b| a.0.cmp(b.0));
                self.parts(b"{}", sorted.len(), level, sorted.into_iter(), |writer, member| {
                    writer.member(member, level + 1);
                });
            }
            Val::Obj(members) => {
                self.parts(b"{}", members.len(), level, members.iter(), |writer, member| {
                    writer.member(member, level + 1);
                });
            }
        }
    }

    fn member(&mut self, (key, value): (&Val, &Val), level: usize) {
        match key {
            Val::TStr(text) | Val::BStr(text) => {
                self.styled(KEY, |out, layout| append_text(out, text, layout));
            }
            // jq has no such keys, JSON neither.
            other => self.styled(KEY, |out, layout| append_text(out, other.to_string().as_bytes(), layout)),
        }
        self.out.push(b':');
        if self.layout.indent.is_some() {
            self.out.push(b' ');
        }
        self.value(value, level);
    }

    fn parts<T>(
        &mut self,
        brackets: &[u8; 2],
        count: usize,
        level: usize,
        parts: impl Iterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.out.push(brackets[0]);
        for (number, part) in parts.enumerate() {
            if number > 0 {
                self.out.push(b',');
            }
            self.break_line(level + 1);
            write(self, part);
        }
        if count > 0 {
            self.break_line(level);
        }
        self.out.push(brackets[1]);
    }

    fn break_line(&mut self, level: usize) {
        if let Some(indent) = &self.layout.indent {
            self.out.push(b'\n');
            for _ in 0..level {
                self.out.extend_from_slice(indent.as_bytes());
            }
        }
    }

    fn styled(&mut self, style: Style, write: impl FnOnce(&mut Vec<u8>, &Layout)) {
        if self.layout.has_color && style != PLAIN {
            self.out.extend_from_slice(style.render().to_string().as_bytes());
            write(self.out, self.layout);
            self.out.extend_from_slice(style.render_reset().to_string().as_bytes());
        } else {
            write(self.out, self.layout);
        }
    }
}

/// Appends a text in quotes. What is not UTF-8 is replaced.
fn append_text(out: &mut Vec<u8>, text: &[u8], layout: &Layout) {
    out.push(b'"');
    let text = String::from_utf8_lossy(text);
    let is_special =
        |c: char| c < ' ' || matches!(c, '"' | '\\' | '\u{7f}') || layout.is_ascii && !c.is_ascii();
    let mut rest: &str = &text;
    while let Some(at) = rest.find(is_special) {
        let (plain, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.extend_from_slice(plain.as_bytes());
        let mut characters = tail.chars();
        if let Some(character) = characters.next() {
            append_escape(out, character);
        }
        rest = characters.as_str();
    }
    out.extend_from_slice(rest.as_bytes());
    out.push(b'"');
}

fn append_escape(out: &mut Vec<u8>, character: char) {
    let short: Option<&[u8]> = match character {
        '"' => Some(b"\\\""),
        '\\' => Some(b"\\\\"),
        '\n' => Some(b"\\n"),
        '\t' => Some(b"\\t"),
        '\r' => Some(b"\\r"),
        '\u{8}' => Some(b"\\b"),
        '\u{c}' => Some(b"\\f"),
        _ => None,
    };
    match short {
        Some(escape) => out.extend_from_slice(escape),
        None => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
            }
        }
    }
}

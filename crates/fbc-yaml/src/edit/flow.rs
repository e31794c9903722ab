//! Lists in brackets and objects in braces, in YAML and in JSON.

use std::ops::Range;

use crate::document::{Kind, Node};
use crate::json_writer;
use crate::spans::{Form, Spanned};
use crate::yaml_writer;

use super::block::ordered_members;
use super::lines::{Splice, indentation, line_end, line_indentation};

/// How a document lays flow collections out.
#[derive(Debug)]
pub(super) struct FlowStyle<'t> {
    bytes: &'t [u8],
    /// Everything is JSON: keys and texts are quoted, keys keep the order of Go's types.
    is_json: bool,
    /// There are spaces behind `,` and `:`.
    is_spaced: bool,
    /// One level of indentation; nothing where the document is one line.
    unit: Option<&'t str>,
}

/// How a new entry is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// In one line.
    Inline,
    /// Containers over several lines, the entry itself at this indentation.
    Lines(String),
}

impl<'t> FlowStyle<'t> {
    pub(super) fn of(bytes: &'t [u8], root: &Spanned) -> Self {
        let is_json = root.form == Form::Object { is_flow: true };
        let first = root.members.first().filter(|_| is_json);
        let is_spaced = first.is_none_or(|member| {
            let between = bytes.get(member.span.end..member.value.value.start).unwrap_or_default();
            between.iter().any(u8::is_ascii_whitespace)
        });
        let unit = first.and_then(|member| {
            let inner = indentation(bytes, member.span.start)?;
            let unit = inner.strip_prefix(line_indentation(bytes, root.value.start)).unwrap_or(inner);
            (member.span.start > root.value.start + 1
                && has_break(bytes, root.value.start..member.span.start))
            .then_some(unit)
        });
        Self { bytes, is_json, is_spaced, unit }
    }

    /// A value in one line.
    pub(super) fn inline(&self, node: Node<'_>, like: Option<&Spanned>) -> String {
        let mut out = String::new();
        self.push_inline(&mut out, node, like);
        out
    }

    fn push_inline(&self, out: &mut String, node: Node<'_>, like: Option<&Spanned>) {
        let comma = if self.is_spaced { ", " } else { "," };
        match node.kind() {
            Kind::Object => {
                out.push('{');
                let members =
                    if self.is_json { node.members().collect() } else { ordered_members(node, like) };
                for (number, (key, value)) in members.into_iter().enumerate() {
                    out.push_str(if number > 0 { comma } else { "" });
                    self.push_text(out, key);
                    out.push_str(self.colon());
                    self.push_inline(out, value, None);
                }
                out.push('}');
            }
            Kind::Array => {
                out.push('[');
                for (number, item) in node.items().enumerate() {
                    out.push_str(if number > 0 { comma } else { "" });
                    self.push_inline(out, item, None);
                }
                out.push(']');
            }
            Kind::String => self.push_text(out, node.as_str().unwrap_or_default()),
            _ => json_writer::write_compact(out, node),
        }
    }

    fn colon(&self) -> &'static str {
        if self.is_spaced || !self.is_json { ": " } else { ":" }
    }

    /// Plain where any reader takes it for text, else in double quotes.
    fn push_text(&self, out: &mut String, text: &str) {
        let is_bare =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/' | b'+');
        if !self.is_json && text.bytes().all(is_bare) {
            let value = super::document(|builder| builder.string(text));
            let mut written = String::new();
            if yaml_writer::write(&mut written, value.root()).is_ok() && written.trim_end() == text {
                out.push_str(text);
                return;
            }
        }
        json_writer::write_string(out, text);
    }

    /// A value in a shape.
    pub(super) fn write(&self, node: Node<'_>, shape: &Shape, like: Option<&Spanned>) -> String {
        let Shape::Lines(indent) = shape else { return self.inline(node, like) };
        let mut text = String::new();
        json_writer::write_indented(&mut text, node, 1, 0);
        let unit = self.unit.unwrap_or("  ");
        let mut lines = text.split('\n');
        let mut out = lines.next().unwrap_or_default().to_owned();
        for line in lines {
            let inner = line.trim_start_matches(' ');
            out.push('\n');
            out.push_str(indent);
            out.push_str(&unit.repeat(line.len() - inner.len()));
            out.push_str(inner);
        }
        out
    }

    /// A member of an object in a shape.
    pub(super) fn member(&self, key: &str, value: Node<'_>, shape: &Shape) -> String {
        let mut text = String::new();
        self.push_text(&mut text, key);
        text.push_str(self.colon());
        text.push_str(&self.write(value, shape, None));
        text
    }

    /// What stands in the brackets of a list of one item that begins at that byte.
    pub(super) fn only_item(&self, at: usize, item: Node<'_>) -> String {
        let Some(unit) = self.unit else { return self.inline(item, None) };
        let outer = line_indentation(self.bytes, at);
        let inner = format!("{outer}{unit}");
        format!("\n{inner}{}\n{outer}", self.write(item, &Shape::Lines(inner.clone()), None))
    }
}

fn has_break(bytes: &[u8], range: Range<usize>) -> bool {
    bytes.get(range).is_some_and(|text| text.contains(&b'\n'))
}

/// The entries of a list or object that has some.
pub(super) struct Entries<'e> {
    pub(super) style: &'e FlowStyle<'e>,
    /// Where the collection begins, with its anchor or tag.
    pub(super) open: usize,
    pub(super) entries: &'e [Range<usize>],
}

impl Entries<'_> {
    fn bytes(&self) -> &[u8] {
        self.style.bytes
    }

    /// The white space before an entry that follows another.
    fn gap(&self) -> String {
        let Some(last) = self.entries.last() else { return String::new() };
        if let Some(indent) = indentation(self.bytes(), last.start)
            && has_break(self.bytes(), self.open..last.start)
        {
            return format!("\n{indent}");
        }
        let before = self.bytes().get(..last.start).unwrap_or_default();
        match self.entries {
            [_] => (if self.style.is_spaced { " " } else { "" }).to_owned(),
            _ => " ".repeat(before.iter().rev().take_while(|&&byte| byte == b' ').count()),
        }
    }

    /// The shape of a new entry, as a similar one has it.
    pub(super) fn shape(&self, like: Option<&Spanned>) -> Shape {
        let is_line = |like: &Spanned| !has_break(self.bytes(), like.value.clone());
        let is_container = |like: &&Spanned| !like.items.is_empty() || !like.members.is_empty();
        match self.gap().strip_prefix('\n') {
            Some(indent) if !like.filter(is_container).is_some_and(is_line) => {
                Shape::Lines(indent.to_owned())
            }
            _ => Shape::Inline,
        }
    }

    /// Puts an entry, given by its text, before the one of that number, or behind the last.
    pub(super) fn insert(&self, index: usize, text: &str) -> Vec<Splice> {
        let gap = self.gap();
        if let Some(next) = self.entries.get(index) {
            return vec![Splice::insert(next.start, format!("{text},{gap}"))];
        }
        let end = self.entries.last().map_or(self.open, |last| last.end);
        // A list whose last item has a comma keeps that custom.
        let (at, comma, last_comma) = match self.comma_behind(end) {
            Some(comma) => (comma + 1, "", ","),
            None => (end, ",", ""),
        };
        let rest = self.bytes().get(at..line_end(self.bytes(), at)).unwrap_or_default();
        if gap.starts_with('\n') && rest.trim_ascii().starts_with(b"#") {
            // The comment belongs to the entry before.
            let behind_comment = Splice::insert(at + rest.len(), format!("{gap}{text}{last_comma}"));
            return vec![Splice::insert(at, comma), behind_comment];
        }
        vec![Splice::insert(at, format!("{comma}{gap}{text}{last_comma}"))]
    }

    /// A comma behind the last entry, which YAML allows.
    fn comma_behind(&self, end: usize) -> Option<usize> {
        let mut at = end;
        loop {
            match self.bytes().get(at)? {
                b',' => return Some(at),
                b'#' => at = line_end(self.bytes(), at),
                byte if byte.is_ascii_whitespace() => at += 1,
                _ => return None,
            }
        }
    }

    /// Takes an entry out; `end` is the end of the collection. Comments between entries are left alone:
    /// nobody knows to which they belong.
    pub(super) fn remove(&self, index: usize, end: usize) -> Option<Vec<Splice>> {
        let entry = self.entries.get(index)?;
        let before = index.checked_sub(1).and_then(|before| self.entries.get(before));
        let range = match (before, self.entries.get(index + 1)) {
            (Some(before), _) => before.end..entry.end,
            (None, Some(next)) => entry.start..next.start,
            (None, None) => {
                let blank = self.bytes().get(self.open..entry.start)?;
                let blank = blank.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
                entry.start - blank..end - 1
            }
        };
        let outside = [range.start..entry.start.max(range.start), entry.end.min(range.end)..range.end];
        let has_comment =
            outside.into_iter().any(|part| self.bytes().get(part).is_none_or(|text| text.contains(&b'#')));
        (!has_comment).then(|| vec![Splice::new(range, "")])
    }
}

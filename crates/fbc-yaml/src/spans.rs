//! The stretches of text that the values of a document take, and how they are written.

use std::ops::Range;

use crate::events::{EventKind, Style};
use crate::general::{Events, key_text};
use crate::json_reader::skip_space;
use crate::scalar::{Scalar, resolve_plain, resolve_tagged};
use crate::stream::{CarriageReturns, Syntax, normalised};

/// So many values of a document have places; those behind them have the place of what they lie in. The largest blobs of
/// real catalogs have some ten thousand values.
pub const MOST_VALUES: usize = 500_000;

/// A value with the places of everything in it.
#[derive(Debug, Default)]
pub(crate) struct Spanned {
    /// The bytes of the value, with its anchor and tag. Block collections end with their last part,
    /// block scalars with their last character that is no white space.
    pub(crate) value: Range<usize>,
    /// How it is written.
    pub(crate) form: Form,
    /// The name of its anchor.
    pub(crate) anchor: Option<Box<str>>,
    /// The members of an object, in the order of the text.
    pub(crate) members: Vec<Member>,
    /// The items of a list.
    pub(crate) items: Vec<Spanned>,
}

/// How a value is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// Plain or quoted.
    #[default]
    Scalar,
    /// A scalar behind `|` or `>`.
    BlockScalar,
    /// An alias of the anchor of that name.
    Alias(Box<str>),
    /// A list in brackets, or one of `-` lines.
    List { is_flow: bool },
    /// An object in braces, or one of `key:` lines.
    Object { is_flow: bool },
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Member {
    /// The key as the loader reads it; empty where it is not a string.
    pub(crate) key: String,
    /// The bytes of the key.
    pub(crate) span: Range<usize>,
    /// The value.
    pub(crate) value: Spanned,
}

/// Reads the places of the document that lies in that range of the file, as far as it can be read.
pub(crate) fn read(file: &[u8], range: Range<usize>, syntax: Syntax) -> Spanned {
    match syntax {
        Syntax::Json => json_spans(file, range),
        Syntax::Yaml => yaml_spans(file, range),
    }
}

/// An open container.
struct Open {
    spanned: Spanned,
    is_object: bool,
    /// The key that waits for its value.
    key: Option<(String, Range<usize>)>,
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Spanned,
    /// How many values there are.
    count: usize,
}

impl Builder {
    fn open(&mut self, start: usize, is_object: bool, anchor: Option<&str>) {
        let form = if is_object { Form::Object { is_flow: false } } else { Form::List { is_flow: false } };
        let anchor = anchor.map(Box::from);
        self.open.push(Open {
            spanned: Spanned { value: start..start, form, anchor, ..Spanned::default() },
            is_object,
            key: None,
        });
    }

    /// Ends the innermost container: its value ends with its last part, or where brackets close it.
    fn close(&mut self, end: Option<usize>) {
        if let Some(mut open) = self.open.pop() {
            if let Some(end) = end {
                open.spanned.value.end = end;
                open.spanned.form = match open.is_object {
                    true => Form::Object { is_flow: true },
                    false => Form::List { is_flow: true },
                };
            }
            self.store(open.spanned);
        }
    }

    /// Whether there are as many values as may have places.
    fn is_full(&self) -> bool {
        self.count >= MOST_VALUES
    }

    fn store(&mut self, spanned: Spanned) {
        self.count += 1;
        let Some(open) = self.open.last_mut() else {
            self.root = spanned;
            return;
        };
        open.spanned.value.end = open.spanned.value.end.max(spanned.value.end);
        match (open.is_object, open.key.take()) {
            (true, Some((key, span))) => open.spanned.members.push(Member { key, span, value: spanned }),
            // A key that is not a string cannot be pointed at.
            (true, None) => open.key = Some((String::new(), spanned.value)),
            (false, _) => open.spanned.items.push(spanned),
        }
    }

    /// A scalar: a key where one is due, else a value.
    fn scalar(&mut self, scalar: Spanned, key: impl FnOnce() -> String) {
        match self.open.last_mut() {
            Some(open) if open.is_object && open.key.is_none() => open.key = Some((key(), scalar.value)),
            _ => self.store(scalar),
        }
    }

    fn finish(mut self) -> Spanned {
        while !self.open.is_empty() {
            self.close(None);
        }
        self.root
    }
}

fn yaml_spans(file: &[u8], range: Range<usize>) -> Spanned {
    let chunk = file.get(range.clone()).unwrap_or_default();
    let text = normalised(chunk);
    let carriage_returns = CarriageReturns::new(chunk);
    let byte = |byte: usize| range.start + carriage_returns.original(byte);
    let mut events = Events::new(&text);
    let mut builder = Builder::default();
    while let (false, Ok(event)) = (builder.is_full(), events.next()) {
        let start = byte(event.start.byte);
        match event.kind {
            EventKind::DocumentEnd | EventKind::StreamEnd => break,
            EventKind::Scalar { anchor, tag, value, plain_implicit, style } => {
                let form = match style {
                    Style::Literal | Style::Folded => Form::BlockScalar,
                    _ => Form::Scalar,
                };
                let scalar = Spanned {
                    value: start..trimmed_end(file, start, byte(event.end.byte)),
                    form,
                    anchor: anchor.map(Box::from),
                    ..Spanned::default()
                };
                builder.scalar(scalar, || {
                    let scalar = match tag {
                        None if plain_implicit => resolve_plain(&value),
                        None => Scalar::Text,
                        Some(tag) => resolve_tagged(&tag, &value).unwrap_or(Scalar::Text),
                    };
                    key_text(scalar, &value).unwrap_or_default()
                });
            }
            EventKind::Alias { anchor } => {
                let value = start..byte(event.end.byte);
                let alias = Spanned { value, form: Form::Alias(anchor.into()), ..Spanned::default() };
                builder.scalar(alias, String::new);
            }
            EventKind::SequenceStart { anchor, .. } => builder.open(start, false, anchor),
            EventKind::MappingStart { anchor, .. } => builder.open(start, true, anchor),
            EventKind::SequenceEnd | EventKind::MappingEnd => {
                // Block collections end where the next token begins; flow ones at their bracket.
                let end = byte(event.end.byte);
                let closes = end.checked_sub(1).and_then(|last| file.get(last));
                let is_flow = event.start != event.end && matches!(closes, Some(b']' | b'}'));
                builder.close(is_flow.then_some(end));
            }
            _ => {}
        }
    }
    let mut root = builder.finish();
    if root.value.is_empty() {
        root.value = range;
    }
    root
}

/// Block scalars end at the start of the next line; the break is not part of what people see.
fn trimmed_end(file: &[u8], start: usize, end: usize) -> usize {
    let text = file.get(start..end).unwrap_or_default();
    start + text.trim_ascii_end().len()
}

/// The spans of a JSON value; stops where the text is not JSON.
fn json_spans(file: &[u8], range: Range<usize>) -> Spanned {
    let mut builder = Builder::default();
    let mut at = range.start;
    let scalar = |value| Spanned { value, ..Spanned::default() };
    while at < range.end && !builder.is_full() {
        at = skip_space(file, at);
        match file.get(at) {
            Some(open @ (b'{' | b'[')) => {
                builder.open(at, *open == b'{', None);
                at += 1;
            }
            Some(b'}' | b']') => {
                at += 1;
                builder.close(Some(at));
            }
            Some(b',' | b':') => at += 1,
            Some(b'"') => {
                let end = string_end(file, at);
                builder.scalar(scalar(at..end), || {
                    let text = crate::json_reader::read_value(file, at).ok();
                    text.and_then(|(document, _)| document.root().as_str().map(str::to_owned))
                        .unwrap_or_default()
                });
                at = end;
            }
            Some(_) => {
                let rest = file.get(at..range.end).unwrap_or_default();
                let length = rest
                    .iter()
                    .position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'))
                    .unwrap_or(rest.len())
                    .max(1);
                builder.scalar(scalar(at..at + length), String::new);
                at += length;
            }
            None => break,
        }
    }
    builder.finish()
}

fn string_end(file: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        let rest = file.get(at..).unwrap_or_default();
        match memchr::memchr2(b'"', b'\\', rest) {
            Some(found) if rest.get(found) == Some(&b'"') => return at + found + 1,
            Some(found) => at += found + 2,
            None => return file.len(),
        }
    }
}

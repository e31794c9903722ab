//! YAML as opm writes it: the value's JSON text read as YAML and marshalled by go-yaml v2.
//!
//! Sources of the behaviour: `kubernetes-sigs/yaml:yaml.go` (`JSONToYAML`) and, in branch v2 of
//! `go-yaml/yaml`, `encode.go` (styles), `emitterc.go` (layout), `sorter.go` (order of keys),
//! `resolve.go` (what must be quoted), `readerc.go` and `scannerc.go` (what cannot be read back).
//!
//! Text goes straight from the document to the output: no events, and no allocation but for
//! mappings whose keys are not yet in go-yaml's order. Layout in short: two spaces a level, lists at
//! the column of their key, folding at the first lone space behind column 80.

mod key_order;
mod output;
mod read_back;
mod scalar_style;
mod scalar_text;

use std::fmt::Write as _;

use fbc_go::text;

use crate::document::{Kind, Node};
use crate::layout::{LayoutExceeded, LayoutRoom};
use output::Output;
use scalar_style::survey;

pub use key_order::key_order;
pub(crate) use key_order::sorted_members;

/// The deepest nesting that go-yaml reads (`go-yaml/yaml:scannerc.go`, `max_flow_level`).
const MAX_DEPTH: usize = 10_000;

/// The longest key, in bytes, that is written without the `?` indicator (`emitterc.go`,
/// `yaml_emitter_check_simple_key`).
const LONGEST_SIMPLE_KEY: usize = 128;

/// Columns that one level is indented by.
const INDENT: usize = 2;

/// Why a value has no YAML form: go-yaml cannot read its JSON text. The texts are go-yaml's; where
/// a raw U+0085, which YAML counts as a line break, leads to the fault, go-yaml also names a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// A text or key holds U+007F, a control of U+0080 to U+009F other than U+0085, U+FFFE or U+FFFF.
    #[error("yaml: control characters are not allowed")]
    ControlCharacter,
    /// A key holds U+0085, or its JSON text is longer than 1024 characters.
    #[error("yaml: did not find expected ',' or '}}'")]
    UnreadableKey,
    /// A text holds U+0085 followed by `---` or `...` and a blank.
    #[error("yaml: found unexpected document indicator")]
    DocumentIndicator,
    /// More than 10,000 containers are nested in each other.
    #[error("yaml: exceeded max depth of 10000")]
    TooDeep,
    /// Its indentation is out of proportion. go-yaml writes on.
    #[error(transparent)]
    Layout(#[from] LayoutExceeded),
}

/// Appends the value, ending in a newline and without a `---` line before it. The output must be
/// empty or end in a newline.
///
/// Containers are written by recursion, to a depth of at most 10,000: such a value needs 16 MiB of
/// stack. Members of an object come in [`key_order`] whatever their order in the document; of equal
/// keys the last one counts.
///
/// # Errors
/// [`WriteError`] for the first text that go-yaml could not have read, or for indentation that is out of proportion; the
/// output then holds a part of the value.
pub fn write(out: &mut String, node: Node<'_>) -> Result<(), WriteError> {
    write_within(out, node, &mut LayoutRoom::default())
}

/// As [`write()`], for one of several values that share the room for their indentation.
///
/// # Errors
/// As [`write()`].
pub fn write_within(out: &mut String, node: Node<'_>, room: &mut LayoutRoom) -> Result<(), WriteError> {
    let mut writer = Writer { out: Output::new(out, room) };
    writer.write_value(node, 0, Place::Root, 0)?;
    writer.out.finish_line();
    Ok(writer.out.check_layout()?)
}

/// Where a value stands; decides where a container in this place begins and how far it is indented.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The whole document.
    Root,
    /// Behind `key:`. Containers begin on the next line, lists at the column of the key.
    AfterKey,
    /// Behind `-`, or behind the `:` of an explicit key. Containers begin on the same line.
    AfterIndicator,
}

struct Writer<'o, 'r> {
    out: Output<'o, 'r>,
}

impl Writer<'_, '_> {
    /// Writes a value into a container that is indented by `indent` and nested `depth` deep.
    fn write_value(
        &mut self,
        node: Node<'_>,
        indent: usize,
        place: Place,
        depth: usize,
    ) -> Result<(), WriteError> {
        self.out.check_layout()?;
        let kind = node.kind();
        let is_container = matches!(kind, Kind::Array | Kind::Object);
        if is_container && depth == MAX_DEPTH {
            return Err(WriteError::TooDeep);
        }
        if !is_container || node.is_empty() {
            if place != Place::Root {
                self.out.push(" ");
            }
            return self.write_leaf(node, indent + INDENT);
        }
        let inner = match (place, kind) {
            (Place::Root, _) => 0,
            (Place::AfterKey, Kind::Array) => indent,
            _ => indent + INDENT,
        };
        match place {
            Place::Root => {}
            Place::AfterKey => self.out.begin_line(inner),
            Place::AfterIndicator => self.out.push(" "),
        }
        if kind == Kind::Array {
            self.write_items(node, inner, depth + 1)
        } else if key_order::is_in_order(node) {
            self.write_members(node.members(), inner, depth + 1)
        } else {
            self.write_members(key_order::sorted_members(node).into_iter(), inner, depth + 1)
        }
    }

    fn write_items(&mut self, node: Node<'_>, indent: usize, depth: usize) -> Result<(), WriteError> {
        for (index, item) in node.items().enumerate() {
            if index > 0 {
                self.out.begin_line(indent);
            }
            self.out.push("-");
            self.write_value(item, indent, Place::AfterIndicator, depth)?;
        }
        Ok(())
    }

    fn write_members<'d>(
        &mut self,
        members: impl Iterator<Item = (&'d str, Node<'d>)>,
        indent: usize,
        depth: usize,
    ) -> Result<(), WriteError> {
        for (index, (key, value)) in members.enumerate() {
            if index > 0 {
                self.out.begin_line(indent);
            }
            let place = self.write_key(key, indent)?;
            self.write_value(value, indent, place, depth)?;
        }
        Ok(())
    }

    /// Writes a key with its `:` and tells in what place that puts the value.
    fn write_key(&mut self, key: &str, indent: usize) -> Result<Place, WriteError> {
        let survey = survey(key)?;
        if survey.has_next_line || !read_back::is_readable_key(key) {
            return Err(WriteError::UnreadableKey);
        }
        if survey.is_one_line && key.len() <= LONGEST_SIMPLE_KEY {
            self.out.write_text(key, survey, None);
            self.out.push(":");
            return Ok(Place::AfterKey);
        }
        self.out.push("? ");
        self.out.write_text(key, survey, Some(indent + INDENT));
        self.out.begin_line(indent);
        self.out.push(":");
        Ok(Place::AfterIndicator)
    }

    /// Writes a scalar, or an empty container; lines after the first are indented by `indent`.
    fn write_leaf(&mut self, node: Node<'_>, indent: usize) -> Result<(), WriteError> {
        if let Some(text) = node.as_str() {
            let found = survey(text)?;
            if found.has_next_line {
                let read = read_back::fold_next_lines(text)?;
                let found = survey(&read)?;
                self.out.write_text(&read, found, Some(indent));
            } else {
                self.out.write_text(text, found, Some(indent));
            }
            return Ok(());
        }
        match node.kind() {
            Kind::Array => self.out.push("[]"),
            Kind::Object => self.out.push("{}"),
            Kind::Number => self.write_number(node.as_f64().unwrap_or_default()),
            _ => self.out.push(match node.as_bool() {
                Some(true) => "true",
                Some(false) => "false",
                None => "null",
            }),
        }
        Ok(())
    }

    /// Writes a number as go-yaml does after reading its JSON text: an integer if that text is one
    /// and fits 64 bits (`-0` is the integer 0), else Go's `%g`.
    fn write_number(&mut self, number: f64) {
        /// Integers below this have all their digits in a double, and in its JSON text.
        const EXACT: f64 = 1e15;
        let out = self.out.text_mut();
        if number.fract() == 0.0 && number.abs() < EXACT {
            // Writing to a String cannot fail.
            let _ = write!(out, "{}", number as i64);
            return;
        }
        let start = out.len();
        text::push_json_number(out, number);
        let json = out.get(start..).unwrap_or_default();
        if json.parse::<i64>().is_err() && json.parse::<u64>().is_err() {
            out.truncate(start);
            text::push_general_number(out, number);
        }
    }
}

#[cfg(test)]
mod tests;

//! Nodes as Go's `%#v` shows them: in errors that name a value. Only for those is the text read once more.
//!
//! Source: `golang/go:src/fmt/print.go` (`printValue`) and `src/internal/fmtsort/sort.go`. Keys of different types stand in
//! the order that their types have in opm.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::rc::Rc;

use fbc_go::{base64, text};

use super::Events;
use crate::events::EventKind;
use crate::scalar::{Scalar, resolve_plain, resolve_tagged};

/// Aliases make values large that are small to write; what is longer is cut.
const MOST_BYTES: usize = 64 << 10;

/// The node with that number among the nodes of a document, those of aliases included, as Go shows it.
pub(super) fn of_node(bytes: &[u8], number: usize) -> String {
    let mut shown = String::new();
    if let Some(value) = value_of(bytes, number) {
        match value.as_ref() {
            Value::Scalar(Scalar::Null, _) => shown.push_str("<nil>"),
            value => show(value, &mut shown),
        }
    }
    let cut = shown.char_indices().map(|(at, _)| at).find(|at| *at >= MOST_BYTES);
    match cut {
        Some(end) => format!("{}...", shown.get(..end).unwrap_or_default()),
        None => shown,
    }
}

/// A value as go-yaml decodes it into an `interface{}`.
enum Value {
    /// A scalar, with its text if it is one.
    Scalar(Scalar, String),
    List(Vec<Rc<Value>>),
    /// Once it is closed, in the order of its keys, each once.
    Map(Members),
}

type Members = Vec<(Rc<Value>, Rc<Value>)>;

/// An open list or mapping: its number, its anchor, what is in it, and the key that waits for its value.
struct Frame<'t> {
    number: usize,
    anchor: Option<&'t str>,
    value: Value,
    key: Option<Rc<Value>>,
}

fn value_of(bytes: &[u8], number: usize) -> Option<Rc<Value>> {
    let mut events = Events::new(bytes);
    let mut anchors: HashMap<&str, Rc<Value>> = HashMap::new();
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let mut nodes = 0;
    loop {
        let event = events.next().ok()?;
        let current = nodes;
        nodes += usize::from(event.kind.begins_node());
        let open = |anchor, value| Frame { number: current, anchor, value, key: None };
        let (found, value) = match event.kind {
            EventKind::Scalar { anchor, tag, value, plain_implicit, .. } => {
                let value = Rc::new(scalar(tag.as_deref(), &value, plain_implicit));
                anchor.map(|anchor| anchors.insert(anchor, Rc::clone(&value)));
                (current, value)
            }
            EventKind::Alias { anchor } => (current, Rc::clone(anchors.get(anchor)?)),
            EventKind::SequenceStart { anchor, .. } => {
                frames.push(open(anchor, Value::List(Vec::new())));
                continue;
            }
            EventKind::MappingStart { anchor, .. } => {
                frames.push(open(anchor, Value::Map(Vec::new())));
                continue;
            }
            EventKind::SequenceEnd | EventKind::MappingEnd => {
                let Frame { number, anchor, value, .. } = frames.pop()?;
                let value = Rc::new(value.closed());
                anchor.map(|anchor| anchors.insert(anchor, Rc::clone(&value)));
                (number, value)
            }
            EventKind::StreamEnd => return None,
            _ => continue,
        };
        if found == number {
            return Some(value);
        }
        if let Some(frame) = frames.last_mut() {
            frame.store(value);
        }
    }
}

impl Frame<'_> {
    fn store(&mut self, value: Rc<Value>) {
        match (&mut self.value, self.key.take()) {
            (Value::List(items), _) => items.push(value),
            (Value::Map(_), None) => self.key = Some(value),
            (Value::Map(members), Some(key)) => match (key.as_ref(), value.as_ref()) {
                (Value::Scalar(Scalar::Merge, _), Value::List(items)) => {
                    // The first one counts most, and what is set later wins.
                    items.iter().rev().for_each(|item| merge(members, item));
                }
                (Value::Scalar(Scalar::Merge, _), merged) => merge(members, merged),
                _ => members.push((key, value)),
            },
            (Value::Scalar(..), _) => {}
        }
    }
}

impl Value {
    /// Of several values of a key, a map keeps the last.
    fn closed(self) -> Self {
        match self {
            Self::Map(mut members) => {
                members.reverse();
                members.sort_by(|(one, _), (other, _)| compare(one, other));
                members.dedup_by(|(one, _), (other, _)| compare(one, other) == Ordering::Equal);
                Self::Map(members)
            }
            other => other,
        }
    }
}

fn merge(members: &mut Members, merged: &Value) {
    if let Value::Map(more) = merged {
        members.extend(more.iter().map(|(key, value)| (Rc::clone(key), Rc::clone(value))));
    }
}

fn scalar(tag: Option<&str>, value: &str, is_plain: bool) -> Value {
    let text = |text: String| Value::Scalar(Scalar::Text, text);
    let scalar = match tag {
        None if is_plain => resolve_plain(value),
        None => Scalar::Text,
        Some("tag:yaml.org,2002:binary") => {
            let bytes = base64::decode(value).unwrap_or_default();
            return text(String::from_utf8_lossy(&bytes).into_owned());
        }
        Some("tag:yaml.org,2002:merge") => super::merge_or_text(value),
        Some(tag) => resolve_tagged(tag, value).unwrap_or(Scalar::Text),
    };
    Value::Scalar(scalar, value.to_owned())
}

/// The order of keys: by type, then by value.
fn compare(one: &Value, other: &Value) -> Ordering {
    let (Value::Scalar(one, text), Value::Scalar(other, other_text)) = (one, other) else {
        return Ordering::Equal;
    };
    let rank = |scalar: &Scalar| match scalar {
        Scalar::Null => 0,
        Scalar::Text | Scalar::Merge => 1,
        Scalar::Uint(_) => 2,
        Scalar::Int(_) => 3,
        Scalar::Float(_) => 4,
        Scalar::Bool(_) => 5,
    };
    rank(one).cmp(&rank(other)).then_with(|| match (one, other) {
        (Scalar::Uint(one), Scalar::Uint(other)) => one.cmp(other),
        (Scalar::Int(one), Scalar::Int(other)) => one.cmp(other),
        (Scalar::Float(one), Scalar::Float(other)) => one.total_cmp(other),
        (Scalar::Bool(one), Scalar::Bool(other)) => one.cmp(other),
        _ => text.cmp(other_text),
    })
}

fn show(value: &Value, out: &mut String) {
    if out.len() > MOST_BYTES {
        return;
    }
    match value {
        Value::Scalar(scalar, written) => show_scalar(*scalar, written, out),
        Value::List(items) => {
            out.push_str("[]interface {}{");
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                show(item, out);
            }
            out.push('}');
        }
        Value::Map(members) => {
            out.push_str("map[interface {}]interface {}{");
            for (index, (key, member)) in members.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                show(key, out);
                out.push(':');
                show(member, out);
            }
            out.push('}');
        }
    }
}

fn show_scalar(scalar: Scalar, written: &str, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = match scalar {
        Scalar::Null => write!(out, "interface {{}}(nil)"),
        Scalar::Bool(value) => write!(out, "{value}"),
        Scalar::Int(number) => write!(out, "{number}"),
        Scalar::Uint(number) => write!(out, "{number:#x}"),
        Scalar::Float(number) => {
            text::push_general_number(out, number);
            Ok(())
        }
        Scalar::Text | Scalar::Merge => write!(out, "{}", text::quote(written)),
    };
}

#[cfg(test)]
mod tests {
    use super::of_node;

    #[test]
    fn values_as_go_shows_them() {
        for (text, number, expected) in [
            ("~", 0, "<nil>"),
            ("{? [a, ~] : {}}", 1, r#"[]interface {}{"a", interface {}(nil)}"#),
            (
                "{true: d, 1.5: e, 1: a, b: c, 18446744073709551615: f, B: [1e6, 1000000, .inf, -.nan, !!binary aGk=], ~: g}",
                0,
                "map[interface {}]interface {}{interface {}(nil):\"g\", \"B\":[]interface {}{1e+06, 1000000, +Inf, \
                 \"-.nan\", \"hi\"}, \"b\":\"c\", 0xffffffffffffffff:\"f\", 1:\"a\", 1.5:\"e\", true:\"d\"}",
            ),
            (
                "- &a {c: 1, d: 2}\n- {<<: *a, c: 3, e: *a}\n",
                6,
                "map[interface {}]interface {}{\"c\":3, \"d\":2, \"e\":map[interface {}]interface {}{\"c\":1, \"d\":2}}",
            ),
            (
                "- &a {c: 1}\n- {c: 3, <<: [*a, {c: 4, d: 5}]}\n",
                4,
                r#"map[interface {}]interface {}{"c":1, "d":5}"#,
            ),
        ] {
            assert_eq!(of_node(text.as_bytes(), number), expected, "{text}");
        }
    }

    #[test]
    fn what_aliases_make_large_is_cut() {
        let mut text = "- &a0 [x]\n".to_owned();
        for level in 1..20 {
            text.push_str(&format!("- &a{level} [*a{0}, *a{0}, *a{0}]\n", level - 1));
        }
        let number = 3 + 4 * 18;
        let shown = of_node(text.as_bytes(), number);
        assert!(shown.ends_with("...") && shown.len() < (65 << 10), "{}", shown.len());
    }
}

//! Objects seen through their shape: what merges how, which fields an object sets, and whether it fits.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

use super::field_set::{FieldSet, add_place};
use super::path_element::{Step, item_step};
use super::shape::{ListKind, Node, NodeId, Scalar, Shape};

/// How a value at a place merges.
#[derive(Clone, Copy)]
pub(super) enum Form<'s> {
    /// It is replaced.
    Leaf,
    /// Member by member.
    Members,
    /// Item by item.
    Items(NodeId, &'s ListKind),
}

/// How a value at a place merges. The value counts only where the shape leaves open what stands there.
pub(super) fn form<'s>(shape: &'s Shape, node: NodeId, value: &Value) -> Form<'s> {
    match shape.node(node) {
        Node::Map { atomic: false, .. } => Form::Members,
        Node::Untyped if value.is_object() => Form::Members,
        Node::List { kind: ListKind::Atomic, .. } => Form::Leaf,
        Node::List { items, kind } => Form::Items(*items, kind),
        _ => Form::Leaf,
    }
}

/// The members of an object; none of anything else.
pub(super) fn members(value: Option<&Value>) -> Option<&Map<String, Value>> {
    value.and_then(Value::as_object)
}

/// The items of a list; none of anything else.
pub(super) fn items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// True for what is absent, null or empty: an object or a list that says nothing of what it holds.
pub(super) fn says_nothing(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::Object(members)) => members.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        Some(_) => false,
    }
}

/// The fields that an object sets.
///
/// Source: `kubernetes-sigs/structured-merge-diff:typed/tofieldset.go`.
pub fn field_set(object: &Value, shape: &Shape) -> FieldSet {
    let mut fields = FieldSet::default();
    collect(object, shape, shape.root(), fields.members_mut());
    fields
}

/// Adds the places below a value to those below its own; true if its own place belongs to the set as such.
fn collect(value: &Value, shape: &Shape, node: NodeId, below: &mut Map<String, Value>) -> bool {
    match form(shape, node, value) {
        Form::Leaf => return true,
        Form::Members => {
            for (name, value) in members(Some(value)).into_iter().flatten() {
                let Some(of_member) = shape.member(node, name) else { continue };
                let mut places = Map::new();
                let is_leaf = collect(value, shape, of_member, &mut places);
                let is_named = is_named_field(shape, node, name);
                let says_only_itself = value.is_null() || value.as_object().is_some_and(Map::is_empty);
                if is_leaf || says_only_itself || !is_named || !places.is_empty() {
                    let is_member = is_leaf || says_only_itself || !is_named;
                    add_place(below, Step::Field(name).text(), places, is_member);
                }
            }
        }
        Form::Items(item, kind) => {
            for value in items(Some(value)) {
                let Ok(step) = item_step(value, kind) else { continue };
                let mut places = Map::new();
                collect(value, shape, item, &mut places);
                add_place(below, step, places, true);
            }
        }
    }
    false
}

/// Whether a member has a type of its own.
pub(super) fn is_named_field(shape: &Shape, node: NodeId, name: &str) -> bool {
    matches!(shape.node(node), Node::Map { fields, .. } if fields.contains_key(name))
}

/// Whether an object fits its shape.
///
/// Source: `kubernetes-sigs/structured-merge-diff:typed/validate.go`.
///
/// # Errors
/// [`Misfits`]
pub(super) fn validate(object: &Value, shape: &Shape) -> Result<(), Misfits> {
    let mut errors = Vec::new();
    check(object, shape, shape.root(), String::new(), &mut errors);
    if errors.is_empty() { Ok(()) } else { Err(Misfits(errors)) }
}

/// What does not fit, each with its place: `.data.x: expected string, got &value.valueUnstructured{Value:1}`.
#[derive(Debug)]
pub(super) struct Misfits(Vec<String>);

impl fmt::Display for Misfits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [only] => out.write_str(only),
            several => {
                out.write_str("errors:")?;
                several.iter().try_for_each(|error| write!(out, "\n  {error}"))
            }
        }
    }
}

fn check(value: &Value, shape: &Shape, node: NodeId, path: String, errors: &mut Vec<String>) {
    let misfit = match (shape.node(node), value) {
        (Node::Untyped | Node::Opaque, _) | (_, Value::Null) => None,
        (Node::Scalar(scalar), value) => misfit(*scalar, value),
        (Node::Map { .. }, Value::Object(members)) => {
            for (name, value) in members {
                let place = format!("{path}.{name}");
                match shape.member(node, name) {
                    Some(below) => check(value, shape, below, place, errors),
                    None => errors.push(format!("{place}: field not declared in schema")),
                }
            }
            None
        }
        (Node::List { items, kind }, Value::Array(values)) => {
            check_items(values, shape, (*items, kind), &path, errors)
        }
        (Node::Map { .. }, other) => Some(format!("expected map, got &{{{}}}", go_value(other))),
        (Node::List { .. }, other) => Some(format!("expected list, got &{{{}}}", go_value(other))),
    };
    errors.extend(misfit.map(|text| located(&path, &text)));
}

/// A text with the place it is about, if that is not the whole object.
fn located(path: &str, text: &str) -> String {
    if path.is_empty() { text.to_owned() } else { format!("{path}: {text}") }
}

/// Checks the items of a list; why one of them has no place in it, if so.
fn check_items(
    values: &[Value],
    shape: &Shape,
    (items, kind): (NodeId, &ListKind),
    path: &str,
    errors: &mut Vec<String>,
) -> Option<String> {
    let mut seen = BTreeSet::new();
    for (index, value) in values.iter().enumerate() {
        let step = match kind {
            ListKind::Atomic => format!("i:{index}"),
            kind => match item_step(value, kind) {
                Ok(step) => step,
                Err(fault) => return Some(format!("element {index}: {fault}")),
            },
        };
        let place = super::path_element::display(&step);
        if !seen.insert(step) {
            errors.push(located(path, &format!("duplicate entries for key {place}")));
        }
        check(value, shape, items, format!("{path}{place}"), errors);
    }
    None
}

/// Why a value is not such a scalar.
fn misfit(scalar: Scalar, value: &Value) -> Option<String> {
    let is_scalar = !value.is_object() && !value.is_array();
    match scalar {
        Scalar::Text if value.is_string() => None,
        Scalar::Text => {
            Some(format!("expected string, got &value.valueUnstructured{{Value:{}}}", go_syntax(value)))
        }
        Scalar::Number if value.is_number() => None,
        Scalar::Number => Some(format!("expected numeric (int or float), got {}", go_type(value))),
        Scalar::Flag if value.is_boolean() => None,
        Scalar::Flag => Some(format!("expected boolean, got &{{{}}}", go_value(value))),
        Scalar::Any if is_scalar => None,
        Scalar::Any => Some(format!("expected any scalar, got &{{{}}}", go_value(value))),
    }
}

/// A value as Go prints it with `%v`.
fn go_value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(go_value).collect::<Vec<_>>().join(" "))
        }
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name}:{}", go_value(value))).collect();
            format!("map[{}]", members.join(" "))
        }
        scalar => scalar.to_string(),
    }
}

/// A value as Go prints it with `%#v`.
fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Array(items) => {
            format!("[]interface {{}}{{{}}}", items.iter().map(go_syntax).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name:?}:{}", go_syntax(value))).collect();
            format!("map[string]interface {{}}{{{}}}", members.join(", "))
        }
        scalar => scalar.to_string(),
    }
}

/// The Go type of a decoded value.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

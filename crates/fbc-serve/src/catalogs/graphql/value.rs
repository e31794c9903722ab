//! Values of a catalog as GraphQL has them.
//!
//! Source: `graphql-go/graphql:scalars.go`, which turns one type into another where it can.

use fbc_go::{json, text};
use fbc_yaml::{Kind, Node, json_writer};
use serde_json::Value;

use super::discovery::Scalar;

/// The value of a leaf: what its type cannot say is null.
pub(super) fn of(node: Node<'_>, scalar: Scalar, is_list: bool) -> Value {
    match (is_list, node.kind()) {
        (false, _) => single(node, scalar),
        (true, Kind::Array) => Value::Array(node.items().map(|item| single(item, scalar)).collect()),
        (true, _) => Value::Null,
    }
}

fn single(node: Node<'_>, scalar: Scalar) -> Value {
    if node.is_null() {
        return Value::Null;
    }
    let text = match node.kind() {
        // As Go's encoder writes them.
        Kind::Object | Kind::Array => Some(json::escape_html(&json_writer::compact(node))),
        _ => node.as_str().map(str::to_owned),
    };
    match scalar {
        Scalar::String => Value::String(text.unwrap_or_else(|| shown(node))),
        Scalar::Boolean => Value::Bool(match (node.as_bool(), node.as_f64(), text) {
            (Some(value), _, _) => value,
            (_, Some(number), _) => number != 0.0,
            (_, _, text) => text.is_some_and(|text| !text.is_empty() && text != "false"),
        }),
        Scalar::Int => number(node, text).and_then(integer).map_or(Value::Null, Value::from),
        Scalar::Float => number(node, text).map_or(Value::Null, |number| match integer(number) {
            Some(integer) if f64::from(integer) == number => Value::from(integer),
            _ => Value::from(number),
        }),
    }
}

/// A number or a truth value as text.
fn shown(node: Node<'_>) -> String {
    let mut shown = String::new();
    match (node.as_bool(), node.as_f64()) {
        (Some(value), _) => shown.push_str(if value { "true" } else { "false" }),
        (_, Some(number)) => text::push_general_number(&mut shown, number),
        _ => {}
    }
    shown
}

fn number(node: Node<'_>, text: Option<String>) -> Option<f64> {
    let truth = node.as_bool().map(|value| f64::from(u8::from(value)));
    node.as_f64().or(truth).or_else(|| text?.parse().ok().filter(|number: &f64| number.is_finite()))
}

/// A number without its fraction, if 32 bits hold it.
fn integer(number: f64) -> Option<i32> {
    (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number).then_some(number as i32)
}

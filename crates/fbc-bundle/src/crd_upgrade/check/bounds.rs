//! `minimum`, `maximum`, and those of items, lengths and properties.

use super::{AttributeChange, Turn, change};
use crate::crd_upgrade::go_diff::number_text;
use crate::crd_upgrade::value::Value;

/// A bound from above.
pub(super) fn upper(attribute: &'static str, old: &Value, new: &Value) -> Option<AttributeChange> {
    bound(attribute, old, new, |old, new| new < old)
}

/// A bound from below.
pub(super) fn lower(attribute: &'static str, old: &Value, new: &Value) -> Option<AttributeChange> {
    bound(attribute, old, new, |old, new| new > old)
}

fn bound(
    attribute: &'static str,
    old: &Value,
    new: &Value,
    is_tighter: fn(f64, f64) -> bool,
) -> Option<AttributeChange> {
    // Only `minimum` and `maximum` are floating point; the others are written as integers.
    let text = |number: f64| {
        if matches!(attribute, "minimum" | "maximum") { number_text(number) } else { format!("{number:.0}") }
    };
    match (number(old), number(new)) {
        (None, None) => None,
        (None, Some(new)) => change(attribute, Turn::Added, "", &text(new)),
        (Some(old), None) => change(attribute, Turn::Removed, &text(old), ""),
        (Some(old), Some(new)) if old == new => None,
        (Some(old), Some(new)) => {
            let turn = if is_tighter(old, new) { Turn::Tightened } else { Turn::Loosened };
            change(attribute, turn, &text(old), &text(new))
        }
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Pointer(Some(number)) => match **number {
            Value::Number(number) => Some(number),
            _ => None,
        },
        _ => None,
    }
}

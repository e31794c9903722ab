//! `nullable`: refused in both directions, for readers and for writers.

use super::{AttributeChange, Turn, change};
use crate::crd_upgrade::value::Value;

pub(super) fn compare(attribute: &'static str, old: &Value, new: &Value) -> Option<AttributeChange> {
    match (old, new) {
        (Value::Bool(false), Value::Bool(true)) => change(attribute, Turn::Added, "false", "true"),
        (Value::Bool(true), Value::Bool(false)) => change(attribute, Turn::Removed, "true", "false"),
        _ => None,
    }
}

//! `default`: any change is one that clients notice.

use super::{AttributeChange, Turn, change};
use crate::crd_upgrade::value::Value;

pub(super) fn compare(attribute: &'static str, old: &Value, new: &Value) -> Option<AttributeChange> {
    match (raw(old), raw(new)) {
        (None, None) => None,
        (None, Some(new)) => change(attribute, Turn::Added, "", new),
        (Some(old), None) => change(attribute, Turn::Removed, old, ""),
        (Some(old), Some(new)) if old == new => None,
        (Some(old), Some(new)) => change(attribute, Turn::Changed, old, new),
    }
}

fn raw(value: &Value) -> Option<&str> {
    match value {
        Value::Pointer(Some(json)) => match &**json {
            Value::Json(raw) => Some(raw),
            _ => None,
        },
        _ => None,
    }
}

//! `type`

use super::{AttributeChange, Turn, change};
use crate::crd_upgrade::value::Value;

pub(super) fn compare(attribute: &'static str, old: &Value, new: &Value) -> Option<AttributeChange> {
    let (Value::Text(old), Value::Text(new)) = (old, new) else { return None };
    if old == new { None } else { change(attribute, Turn::Changed, old, new) }
}

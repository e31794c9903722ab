//! `pattern`: two patterns cannot be compared, so a change counts like a new one.

use super::{AttributeChange, Turn, change};
use crate::crd_upgrade::value::Value;

pub(super) fn compare(attribute: &'static str, old: &Value, new: &Value) -> Option<AttributeChange> {
    let (Value::Text(old), Value::Text(new)) = (old, new) else { return None };
    let turn = match (old.is_empty(), new.is_empty()) {
        _ if old == new => return None,
        (true, _) => Turn::Added,
        (_, true) => Turn::Removed,
        _ => Turn::Changed,
    };
    change(attribute, turn, old, new)
}

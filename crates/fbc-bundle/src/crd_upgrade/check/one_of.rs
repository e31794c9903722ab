//! `oneOf`: alternatives that come or go. Their descriptions and the like do not count.
//!
//! Source: `kubernetes-sigs/crdify:pkg/validations/property/oneof.go`, which tells alternatives apart by the text
//! that the generated Go types give of themselves.

use super::{AttributeChange, Attributes, Turn, listed, missing};
use crate::crd_upgrade::go_diff::gogo;
use crate::crd_upgrade::schema_type::{SCHEMA, Type};
use crate::crd_upgrade::value::Value;

/// What says nothing about validity.
const REMARKS: [&str; 4] = ["description", "title", "example", "externalDocs"];

pub(super) fn compare(attribute: &'static str, old: &Value, new: &Value) -> Option<AttributeChange> {
    let (old, new) = (alternatives(old), alternatives(new));
    let (removed, added) = (missing(&old, &new), missing(&new, &old));
    let (turn, values) = if old.is_empty() && !new.is_empty() {
        (Turn::Added, added)
    } else if !removed.is_empty() {
        (Turn::Tightened, removed)
    } else if !added.is_empty() {
        (Turn::Loosened, added)
    } else {
        return None;
    };
    Some(AttributeChange { attribute, turn, old: listed(&old), new: listed(&new), values })
}

fn alternatives(value: &Value) -> Vec<String> {
    let Value::List(Some(items)) = value else { return Vec::new() };
    let text = |item: &Value| {
        let mut item = Attributes(item.clone());
        for remark in REMARKS {
            item.take(remark);
        }
        gogo::pointer(Type::Struct(&SCHEMA), &item.0)
    };
    items.iter().filter_map(text).collect()
}

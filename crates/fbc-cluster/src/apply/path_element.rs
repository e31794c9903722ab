//! Steps into an object, as sets of fields write them and as refusals print them.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::shape::{ListKind, MapKey};

/// A step; made into text only where a set needs it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Step<'v> {
    /// A member of an object.
    Field(&'v str),
    /// An item of a list, as [`item_step`] writes it.
    Item(String),
}

impl Step<'_> {
    /// Writes the step as the name of a member of `fieldsV1`.
    pub(super) fn write_key(&self, out: &mut String) {
        match self {
            Self::Field(name) => {
                out.push_str("\"f:");
                // The name in its quotes without the first of them.
                let start = out.len();
                push_quoted(out, name);
                out.remove(start);
            }
            Self::Item(text) => push_quoted(out, text),
        }
    }

    /// The step as sets of fields write it.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Item(text) => text.clone(),
        }
    }
}

/// Why an item has no place in a list that is a set or has keys, in the words of the reference.
#[derive(Debug, thiserror::Error)]
pub(super) enum ItemFault {
    #[error("associative list without keys has an element that's a map type")]
    MapInSet,
    #[error("not supported: associative list with lists as elements")]
    ListInSet,
    #[error("associative list without keys has an element that's an explicit null")]
    NullInSet,
    #[error("associative list with keys may not have a null element")]
    NullWithoutKeys,
    #[error("associative list with keys may not have non-map elements")]
    NoMap,
    #[error(
        "associative list with keys has an element that omits all key fields [{0}] (and doesn't have default values for \
         any key fields)"
    )]
    NoKeys(String),
}

/// The step to an item of a list that is a set or has keys.
///
/// # Errors
/// [`ItemFault`]: the item has no place in such a list.
pub(super) fn item_step(item: &Value, kind: &ListKind) -> Result<String, ItemFault> {
    match kind {
        ListKind::Keyed(keys) => keyed_step(item, keys),
        _ => match item {
            Value::Object(_) => Err(ItemFault::MapInSet),
            Value::Array(_) => Err(ItemFault::ListInSet),
            Value::Null => Err(ItemFault::NullInSet),
            scalar => Ok(format!("v:{scalar}")),
        },
    }
}

/// Adds a text as JSON. Nearly all need no escapes.
pub(super) fn push_quoted(out: &mut String, text: &str) {
    if text.bytes().all(|byte| byte >= b' ' && !matches!(byte, b'"' | b'\\')) {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        // Writing a text as JSON cannot fail.
        out.push_str(&serde_json::to_string(text).unwrap_or_default());
    }
}

fn keyed_step(item: &Value, keys: &[MapKey]) -> Result<String, ItemFault> {
    let members = match item {
        Value::Object(members) => members,
        Value::Null => return Err(ItemFault::NullWithoutKeys),
        _ => return Err(ItemFault::NoMap),
    };
    let mut found: Vec<(&MapKey, &Value)> =
        keys.iter().filter_map(|key| Some((key, members.get(&key.name).or(key.default.as_ref())?))).collect();
    if found.is_empty() && !keys.is_empty() {
        let names: Vec<String> = keys.iter().map(|key| format!("{:?}", key.name)).collect();
        return Err(ItemFault::NoKeys(names.join(" ")));
    }
    found.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
    let mut step = String::from("k:{");
    for (index, (key, value)) in found.into_iter().enumerate() {
        if index > 0 {
            step.push(',');
        }
        push_quoted(&mut step, &key.name);
        step.push(':');
        match value {
            Value::String(text) => push_quoted(&mut step, text),
            other => {
                // Writing a value into a text cannot fail.
                let _ = write!(step, "{other}");
            }
        }
    }
    step.push('}');
    Ok(step)
}

/// A step as refusals print it: `.spec`, `[name="c"]`, `[="v"]`, `[0]`.
pub(super) fn display(step: &str) -> String {
    let (kind, text) = step.split_once(':').unwrap_or(("f", step));
    match kind {
        "k" => match serde_json::from_str::<Map<String, Value>>(text) {
            Ok(keys) => {
                let keys: Vec<String> = keys.iter().map(|(name, value)| format!("{name}={value}")).collect();
                format!("[{}]", keys.join(","))
            }
            Err(_) => format!("[{text}]"),
        },
        "v" => format!("[={text}]"),
        "i" => format!("[{text}]"),
        _ => format!(".{text}"),
    }
}

/// A path as refusals print it: `.spec.containers[name="c"].image`.
pub fn display_path(path: &[&str]) -> String {
    path.iter().map(|step| display(step)).collect()
}

//! Steps into an object, as sets of fields write them and as refusals print them.

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
        let is_plain = |text: &str| text.bytes().all(|byte| byte >= b' ' && !matches!(byte, b'"' | b'\\'));
        match self {
            Self::Field(name) if is_plain(name) => {
                out.push_str("\"f:");
                out.push_str(name);
                out.push('"');
            }
            // Writing a text as JSON cannot fail.
            step => out.push_str(&serde_json::to_string(&step.text()).unwrap_or_default()),
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

/// The whole path as sets of fields write it.
pub(super) fn texts(path: &[Step<'_>]) -> Vec<String> {
    path.iter().map(Step::text).collect()
}

/// The step to an item of a list that is a set or has keys.
///
/// # Errors
/// Why the item has no place in such a list.
pub(super) fn item_step(item: &Value, kind: &ListKind) -> Result<String, String> {
    match kind {
        ListKind::Keyed(keys) => keyed_step(item, keys),
        _ => match item {
            Value::Object(_) => {
                Err("associative list without keys has an element that's a map type".to_owned())
            }
            Value::Array(_) => Err("not supported: associative list with lists as elements".to_owned()),
            Value::Null => {
                Err("associative list without keys has an element that's an explicit null".to_owned())
            }
            scalar => Ok(format!("v:{scalar}")),
        },
    }
}

fn keyed_step(item: &Value, keys: &[MapKey]) -> Result<String, String> {
    let members = match item {
        Value::Object(members) => members,
        Value::Null => return Err("associative list with keys may not have a null element".to_owned()),
        _ => return Err("associative list with keys may not have non-map elements".to_owned()),
    };
    let key = |key: &MapKey| {
        let value = members.get(&key.name).or(key.default.as_ref())?;
        Some((key.name.clone(), value.clone()))
    };
    let found: Map<String, Value> = keys.iter().filter_map(key).collect();
    if found.is_empty() && !keys.is_empty() {
        let names: Vec<String> = keys.iter().map(|key| format!("{:?}", key.name)).collect();
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{}] (and doesn't have default \
             values for any key fields)",
            names.join(" ")
        ));
    }
    Ok(format!("k:{}", Value::Object(found)))
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

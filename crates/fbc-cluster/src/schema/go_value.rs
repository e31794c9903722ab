//! Values as the API server prints them in errors (`field.Error.ErrorBody`).

use fbc_go::{json, text};
use serde_json::{Number, Value};

/// Text quoted, numbers and booleans plain, lists and objects as JSON.
pub(crate) fn go_value(value: &Value) -> String {
    match value {
        Value::String(text) => text::quote(text),
        Value::Number(number) => go_number(number),
        other => json::encode(other),
    }
}

/// A number as `%v` prints it.
pub(crate) fn go_number(number: &Number) -> String {
    if number.is_f64() { go_float(number.as_f64().unwrap_or_default()) } else { number.to_string() }
}

/// A float as `%v` prints it.
pub(crate) fn go_float(number: f64) -> String {
    let mut text = String::new();
    text::push_general_number(&mut text, number);
    text
}

/// A value of JSON as `%+v` prints it: `map[spec:map[replicas:3]]`.
pub(crate) fn go_map(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(" ");
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(is_true) => is_true.to_string(),
        Value::Number(number) => go_number(number),
        Value::Array(items) => format!("[{}]", joined(items.iter().map(go_map).collect())),
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let members = members.into_iter().map(|(name, value)| format!("{name}:{}", go_map(value)));
            format!("map[{}]", joined(members.collect()))
        }
    }
}

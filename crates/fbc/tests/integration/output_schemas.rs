//! The schemas of outputs.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Keys in the older spelling; readers rely on them.
const PUBLISHED: [&str; 2] = ["at_ms", "end_ms"];

fn keys(value: &Value, found: &mut Vec<String>) {
    if let Some(properties) = value.get("properties").and_then(Value::as_object) {
        found.extend(properties.keys().cloned());
    }
    match value {
        Value::Object(fields) => fields.values().for_each(|value| keys(value, found)),
        Value::Array(items) => items.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[test]
fn keys_are_spelt_in_one_way() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/output");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read(entry.unwrap().path()).unwrap();
        keys(&serde_json::from_slice(&text).unwrap(), &mut found);
    }
    assert!(found.len() > 50, "{found:?}");
    found.retain(|key| !PUBLISHED.contains(&key.as_str()));
    let is_camel_case = |key: &String| {
        key.starts_with(|one: char| one.is_ascii_lowercase())
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let other: Vec<&String> = found.iter().filter(|key| !is_camel_case(key)).collect();
    assert!(other.is_empty(), "{other:?}");
}

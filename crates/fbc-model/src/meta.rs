//! What every blob must be: an object whose `schema`, `package` and `name` are text.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/declcfg/declcfg.go`
//! (`Meta.UnmarshalJSON`).

use std::collections::BTreeMap;

use fbc_go::text;
use fbc_yaml::{Kind, Node, json_writer};

use crate::marked_json::marked;

/// The fields that every blob may have; empty where absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// The type of the blob, such as `olm.bundle`.
    pub schema: String,
    /// The package that the blob belongs to.
    pub package: String,
    /// The name of the blob.
    pub name: String,
}

/// Which rule a blob breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetaRule {
    /// The document is not an object.
    Object,
    /// Two keys differ in upper and lower case only.
    UniqueKeys,
    /// `schema`, `package` or `name` is not a string.
    TextKeys,
}

/// A document that is not a blob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaError {
    /// The rule.
    pub rule: MetaRule,
    /// The reference's text.
    pub message: String,
    /// The value to blame, as a JSON pointer.
    pub pointer: String,
}

/// Reads the fields that every blob has. Null (a document without content) gives empty fields, as
/// in the reference.
///
/// # Errors
/// [`MetaError`] in the order of the reference: kind of the document, keys, types.
pub fn read(root: Node<'_>) -> Result<Meta, MetaError> {
    if root.is_null() {
        return Ok(Meta::default());
    }
    if root.kind() != Kind::Object {
        return Err(not_an_object(root));
    }
    unique_keys(root)?;
    let mut meta = Meta::default();
    for (key, value) in root.members() {
        let target = match fold(key).as_str() {
            "schema" => &mut meta.schema,
            "package" => &mut meta.package,
            "name" => &mut meta.name,
            _ => continue,
        };
        let Some(text) = value.as_str() else {
            let mut pointer = String::new();
            crate::go_type::push_key(&mut pointer, key);
            return Err(MetaError {
                rule: MetaRule::TextKeys,
                message: format!(
                    "expected value for key {} to be a string, got {}: {}",
                    text::quote(key),
                    with_verb_t(value),
                    with_verb_v(value)
                ),
                pointer,
            });
        };
        text.clone_into(target);
    }
    Ok(meta)
}

/// Unicode case folding, as far as it can bring two keys together.
fn fold(key: &str) -> String {
    if key.is_ascii() {
        return key.to_ascii_lowercase();
    }
    key.chars()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .map(|c| match c {
            '\u{17f}' => 's',
            '\u{212a}' => 'k',
            '\u{df}' => 's',
            c => c,
        })
        .collect()
}

fn unique_keys(root: Node<'_>) -> Result<(), MetaError> {
    let is_plain = |key: &str| key.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if root.members().all(|(key, _)| is_plain(key)) {
        return Ok(());
    }
    let mut spellings: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (key, _) in root.members() {
        spellings.entry(fold(key)).or_default().push(key);
    }
    let mut messages: Vec<String> = Vec::new();
    let mut pointer = String::new();
    for (folded, keys) in spellings.iter().filter(|(_, keys)| keys.len() > 1) {
        messages.push(format!("duplicate keys for key {}: [{}]", text::quote(folded), keys.join(" ")));
        if let (true, Some(key)) = (pointer.is_empty(), keys.last()) {
            crate::go_type::push_key(&mut pointer, key);
        }
    }
    let message = match messages.as_slice() {
        [] => return Ok(()),
        [message] => message.clone(),
        several => format!("[{}]", several.join(", ")),
    };
    Err(MetaError { rule: MetaRule::UniqueKeys, message, pointer })
}

fn not_an_object(root: Node<'_>) -> MetaError {
    let kind = root.kind().go_name();
    let message = format!("json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}");
    MetaError { rule: MetaRule::Object, message: marked(root, &message, ""), pointer: String::new() }
}

/// Go's `%v` of a decoded value.
fn with_verb_v(value: Node<'_>) -> String {
    match value.kind() {
        Kind::Null => "<nil>".to_owned(),
        Kind::String => value.as_str().unwrap_or_default().to_owned(),
        Kind::Array => {
            let items: Vec<_> = value.items().map(with_verb_v).collect();
            format!("[{}]", items.join(" "))
        }
        Kind::Object => {
            let members: Vec<_> =
                value.members().map(|(key, value)| format!("{key}:{}", with_verb_v(value))).collect();
            format!("map[{}]", members.join(" "))
        }
        Kind::Bool => json_writer::compact(value),
        Kind::Number => {
            let mut text = String::new();
            text::push_general_number(&mut text, value.as_f64().unwrap_or_default());
            text
        }
    }
}

/// Go's `%t` of a value that is not a boolean: the complaint that fmt prints.
fn with_verb_t(value: Node<'_>) -> String {
    if value.is_null() { "%!t(<nil>)".to_owned() } else { nested_with_verb_t(value) }
}

/// As [`with_verb_t`], within a list or map, where fmt has nothing against nil.
fn nested_with_verb_t(value: Node<'_>) -> String {
    match value.kind() {
        Kind::Null => "<nil>".to_owned(),
        Kind::Bool => json_writer::compact(value),
        Kind::Number => format!("%!t(float64={})", with_verb_v(value)),
        Kind::String => format!("%!t(string={})", with_verb_v(value)),
        Kind::Array => {
            let items: Vec<_> = value.items().map(nested_with_verb_t).collect();
            format!("[{}]", items.join(" "))
        }
        Kind::Object => {
            let members: Vec<_> = value
                .members()
                .map(|(key, value)| format!("%!t(string={key}):{}", nested_with_verb_t(value)))
                .collect();
            format!("map[{}]", members.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_reference() {
        for (json, expected) in [
            (r#"{"schema":"a","Package":"b","NAME":"c"}"#, "a b c"),
            ("null", "  "),
            (r#"{"Schema":"a","schema":"b"}"#, r#"duplicate keys for key "schema": [Schema schema]"#),
            (
                r#"{"B":1,"a":1,"A":1,"b":1}"#,
                r#"[duplicate keys for key "a": [A a], duplicate keys for key "b": [B b]]"#,
            ),
            (r#"{"package":5}"#, r#"expected value for key "package" to be a string, got %!t(float64=5): 5"#),
            (
                r#"{"schema":null}"#,
                r#"expected value for key "schema" to be a string, got %!t(<nil>): <nil>"#,
            ),
            (r#"{"name":true}"#, r#"expected value for key "name" to be a string, got true: true"#),
            (
                r#"{"Name":{"a":1}}"#,
                r#"expected value for key "Name" to be a string, got map[%!t(string=a):%!t(float64=1)]: map[a:1]"#,
            ),
            (
                r#"{"name":1e21}"#,
                r#"expected value for key "name" to be a string, got %!t(float64=1e+21): 1e+21"#,
            ),
            (
                r#"[{"schema":"foo"}]"#,
                "json: cannot unmarshal array into Go value of type map[string]interface {} at offset 1 (indicated by <==)\n[ <== \n    {\n        \"schema\": \"foo\"\n    }\n]",
            ),
            (
                r#""hello""#,
                "json: cannot unmarshal string into Go value of type map[string]interface {} at offset 7 (indicated by <==)\n\"hello\" <==",
            ),
        ] {
            let (document, _) = fbc_yaml::json_reader::read_value(json.as_bytes(), 0).unwrap();
            let shown = match read(document.root()) {
                Ok(meta) => format!("{} {} {}", meta.schema, meta.package, meta.name),
                Err(error) => error.message,
            };
            assert_eq!(shown, expected, "{json}");
        }
    }
}

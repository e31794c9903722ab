//! What Go finds in the fields of a value that it decoded, without the struct.

use fbc_go::base64;
use fbc_go::text::push_general_number_32;
use fbc_yaml::Node;

use super::equal_fold;

/// The value that Go finds in a field: of several spellings of the key the last that is not null.
#[must_use]
pub fn field<'d>(node: Node<'d>, name: &str) -> Option<Node<'d>> {
    // A spelling in lower case comes after those in upper case; no field begins in upper case.
    let exact = node.get(name).filter(|value| !value.is_null());
    exact.or_else(|| member(node, name).map(|(_, value)| value))
}

/// As [`field`], with the key as it is written.
#[must_use]
pub fn member<'d>(node: Node<'d>, name: &str) -> Option<(&'d str, Node<'d>)> {
    let spellings = || node.members().filter(|(key, value)| !value.is_null() && equal_fold(name, key));
    spellings().find(|(key, _)| *key == name).or_else(|| spellings().last())
}

/// A number where a type has text, as YAML gives it (`kubernetes-sigs/yaml:yaml.go`, `convertToJSONableObject`):
/// integers keep their digits, floats become the shortest text of a float32.
#[must_use]
pub fn number_as_text(number: Node<'_>) -> String {
    if let Some(integer) = number.as_large_integer() {
        return integer.to_string();
    }
    let mut text = String::new();
    push_general_number_32(&mut text, number.as_f64().unwrap_or_default());
    text
}

/// The text that Go finds in a field; empty where there is none.
#[must_use]
pub fn text(node: Node<'_>, name: &str) -> String {
    field(node, name).and_then(Node::as_str).unwrap_or_default().to_owned()
}

/// The texts that Go finds in a list.
#[must_use]
pub fn texts(node: Node<'_>, name: &str) -> Vec<String> {
    let list = field(node, name);
    list.into_iter()
        .flat_map(|list| list.items())
        .map(|item| item.as_str().unwrap_or_default().to_owned())
        .collect()
}

/// The bytes that Go finds in a field of type `[]byte`; nothing where it stays nil.
#[must_use]
pub fn bytes(node: Node<'_>, name: &str) -> Option<Vec<u8>> {
    let value = field(node, name)?;
    match value.as_str() {
        Some(text) => base64::decode(text).ok(),
        None => Some(value.items().map(|item| item.as_f64().unwrap_or_default() as u8).collect()),
    }
}

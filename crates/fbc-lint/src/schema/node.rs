//! Documents as `jsonschema` sees them: its traits over [`fbc_yaml::Node`], so that nothing is
//! converted before it is checked.

use std::borrow::Cow;

use fbc_yaml::{Document, DocumentBuilder, Kind, Node};
use jsonschema::JsonType;
use jsonschema::json::{self, Array, Json, JsonNumber, NodeIdentity, Object, cmp};
use serde_json::{Map, Number, Value};

/// Values of [`fbc_yaml`] documents.
pub(super) struct ArenaJson;

impl Json for ArenaJson {
    type Node<'a> = Node<'a>;
    type PreparedKey = Box<str>;
    type StringBuffer = Option<Document>;

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    /// A document of one text: a node cannot live without one. Only `propertyNames` asks for it.
    fn with_string_node<T>(
        buffer: &mut Option<Document>,
        string: &str,
        visit: impl FnOnce(Node<'_>) -> T,
    ) -> T {
        let mut builder = DocumentBuilder::new();
        let root = builder.string(string);
        visit(buffer.insert(builder.finish(root)).root())
    }
}

impl<'a> json::Node<'a, ArenaJson> for Node<'a> {
    type Object = Self;
    type Array = Self;
    type Number = ArenaNumber;

    fn as_object(&self) -> Option<Self> {
        (self.kind() == Kind::Object).then_some(*self)
    }

    fn as_array(&self) -> Option<Self> {
        (self.kind() == Kind::Array).then_some(*self)
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        self.as_str().map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<ArenaNumber> {
        self.as_f64().map(ArenaNumber)
    }

    fn as_boolean(&self) -> Option<bool> {
        self.as_bool()
    }

    fn is_null(&self) -> bool {
        Node::is_null(*self)
    }

    fn is_string(&self) -> bool {
        self.kind() == Kind::String
    }

    fn json_type(&self) -> JsonType {
        match self.kind() {
            Kind::Null => JsonType::Null,
            Kind::Bool => JsonType::Boolean,
            Kind::Number => JsonType::Number,
            Kind::String => JsonType::String,
            Kind::Array => JsonType::Array,
            Kind::Object => JsonType::Object,
        }
    }

    fn string_length(&self) -> Option<u64> {
        let text = self.as_str()?;
        Some(if text.is_ascii() { text.len() } else { text.chars().count() } as u64)
    }

    /// Without this, every `const` and `enum` would convert the value.
    fn equals_value(&self, expected: &Value) -> bool {
        match expected {
            Value::Null => Node::is_null(*self),
            Value::Bool(expected) => self.as_bool() == Some(*expected),
            Value::Number(expected) => {
                json::Node::as_number(self).is_some_and(|number| cmp::equal_numbers(&number, expected))
            }
            Value::String(expected) => self.as_str() == Some(expected),
            Value::Array(expected) => {
                self.kind() == Kind::Array
                    && Node::len(*self) == expected.len()
                    && self.items().zip(expected).all(|(item, expected)| item.equals_value(expected))
            }
            Value::Object(expected) => {
                self.kind() == Kind::Object
                    && Node::len(*self) == expected.len()
                    && Node::members(*self).all(|(key, member)| {
                        expected.get(key).is_some_and(|expected| member.equals_value(expected))
                    })
            }
        }
    }

    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(value_of(*self))
    }

    /// Containers that hold something lie at a place of their own. All others opt out: empty ones
    /// share a place with what follows them, and neither they nor scalars can be recursed into.
    fn identity(&self) -> Option<NodeIdentity> {
        let address = std::ptr::from_ref(self.document()).addr();
        (!Node::is_empty(*self)).then(|| NodeIdentity::tagged(address, Node::identity(*self)))
    }
}

impl<'a> Object<'a, ArenaJson> for Node<'a> {
    type Node = Self;
    type MemberName = &'a str;
    // The iterator of a node's members has no name that could stand here.
    type MembersIter = Box<dyn Iterator<Item = (&'a str, Self)> + 'a>;

    fn len(&self) -> usize {
        Node::len(*self)
    }

    fn get(&self, key: &Box<str>) -> Option<Self> {
        Node::get(*self, key)
    }

    fn members(&self) -> Self::MembersIter {
        Box::new(Node::members(*self))
    }
}

impl<'a> Array<'a, ArenaJson> for Node<'a> {
    type Node = Self;
    type ElementsIter = Elements<'a>;

    fn len(&self) -> usize {
        Node::len(*self)
    }

    fn elements(&self) -> Elements<'a> {
        Elements { array: *self, next: 0 }
    }
}

/// The items of a list, in order.
pub(super) struct Elements<'a> {
    array: Node<'a>,
    next: usize,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        let item = self.array.item(self.next)?;
        self.next += 1;
        Some(item)
    }
}

/// A number of a document.
pub(super) struct ArenaNumber(f64);

/// 2^63 and 2^64: the first whole numbers that `i64` and `u64` do not hold.
const I64_END: f64 = 9_223_372_036_854_775_808.0;
const U64_END: f64 = 18_446_744_073_709_551_616.0;

impl JsonNumber for ArenaNumber {
    fn as_u64(&self) -> Option<u64> {
        (self.is_integer() && (0.0..U64_END).contains(&self.0)).then_some(self.0 as u64)
    }

    fn as_i64(&self) -> Option<i64> {
        (self.is_integer() && (-I64_END..I64_END).contains(&self.0)).then_some(self.0 as i64)
    }

    fn as_f64(&self) -> Option<f64> {
        Some(self.0)
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_number().to_string())
    }

    fn to_number(&self) -> Cow<'_, Number> {
        let whole = self.as_u64().map(Number::from).or_else(|| self.as_i64().map(Number::from));
        // Documents hold finite numbers only.
        let number = whole.or_else(|| Number::from_f64(self.0)).unwrap_or_else(|| Number::from(0));
        Cow::Owned(number)
    }

    fn is_integer(&self) -> bool {
        self.0.fract() == 0.0
    }
}

/// The value as `serde_json` holds it, for what `jsonschema` reports with an error.
fn value_of(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => Value::Bool(node.as_bool().unwrap_or_default()),
        Kind::Number => {
            Value::Number(ArenaNumber(node.as_f64().unwrap_or_default()).to_number().into_owned())
        }
        Kind::String => Value::String(node.as_str().unwrap_or_default().to_owned()),
        Kind::Array => Value::Array(node.items().map(value_of).collect()),
        Kind::Object => {
            let members = Node::members(node);
            Value::Object(
                members.map(|(key, member)| (key.to_owned(), value_of(member))).collect::<Map<_, _>>(),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use fbc_yaml::json_reader;
    use jsonschema::json::conformance;

    use super::*;

    #[test]
    fn nodes_keep_the_contract_of_jsonschema() {
        let text = conformance::document().to_string();
        let (document, _) = json_reader::read_value(text.as_bytes(), 0).unwrap();
        conformance::assert_conformance::<ArenaJson>(&document.root());
    }

    #[test]
    fn values_are_equal_to_what_they_are_converted_to() {
        let text =
            r#"{"a": [1, -2.5, 1e300, true, null, "text", {}, []], "b": {"c": {"d": 18446744073709551615}}}"#;
        let (document, _) = json_reader::read_value(text.as_bytes(), 0).unwrap();
        let root = document.root();
        assert!(json::Node::equals_value(&root, &value_of(root)));
        let other = serde_json::json!({"a": [1], "b": {}});
        assert!(!json::Node::equals_value(&root, &other));
    }

    #[test]
    fn empty_containers_have_no_identity() {
        let (document, _) = json_reader::read_value(br#"{"a": {"b": [], "c": {"d": 1}}}"#, 0).unwrap();
        let root = document.root();
        let a = Node::get(root, "a").unwrap();
        let (b, c) = (Node::get(a, "b").unwrap(), Node::get(a, "c").unwrap());
        assert_eq!(json::Node::identity(&b), None);
        assert_ne!(json::Node::identity(&root), json::Node::identity(&a));
        assert_ne!(json::Node::identity(&a), json::Node::identity(&c));
    }
}

//! Between documents and JSON trees that can be edited.

use fbc_yaml::{Built, Document, DocumentBuilder, Kind, Node};
use serde_json::{Map, Number, Value};

/// The value as a tree.
pub(crate) fn tree(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => Value::Bool(node.as_bool().unwrap_or_default()),
        Kind::Number => number(node.as_f64().unwrap_or_default()),
        Kind::String => Value::String(node.as_str().unwrap_or_default().to_owned()),
        Kind::Array => node.items().map(tree).collect(),
        Kind::Object => node.members().map(|(key, value)| (key.to_owned(), tree(value))).collect(),
    }
}

/// The value as a tree, null where there is none.
pub(super) fn tree_of(node: Option<Node<'_>>) -> Value {
    node.map_or(Value::Null, tree)
}

fn number(number: f64) -> Value {
    // Every whole number of a document that is this small is exact.
    if number.fract() == 0.0 && number.abs() < 9e15 {
        return Value::Number(Number::from(number as i64));
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// The tree as a document, members sorted by key.
pub(crate) fn document(value: &Value) -> Document {
    let mut builder = DocumentBuilder::new();
    let root = build(&mut builder, value);
    builder.finish(root)
}

fn build(builder: &mut DocumentBuilder, value: &Value) -> Built {
    match value {
        Value::Null => builder.null(),
        Value::Bool(value) => builder.boolean(*value),
        Value::Number(number) => builder.number(number.as_f64().unwrap_or_default()),
        Value::String(text) => builder.string(text),
        Value::Array(items) => {
            let mark = builder.open();
            for item in items {
                let item = build(builder, item);
                builder.push_item(item);
            }
            builder.close_array(mark)
        }
        Value::Object(members) => {
            let mark = builder.open();
            for (key, value) in members {
                let value = build(builder, value);
                builder.push_member(key, value);
            }
            builder.close_object(mark)
        }
    }
}

/// A copy of an object with a value put at a path, through objects that are made where they are missing.
pub(super) fn with(object: Node<'_>, path: &[&str], value: &Value) -> Document {
    let mut builder = DocumentBuilder::new();
    let root = copy_with(&mut builder, Some(object), path, value);
    builder.finish(root)
}

fn copy_with(builder: &mut DocumentBuilder, node: Option<Node<'_>>, path: &[&str], value: &Value) -> Built {
    let Some((key, rest)) = path.split_first() else { return build(builder, value) };
    let mark = builder.open();
    for (name, member) in node.into_iter().flat_map(Node::members).filter(|(name, _)| name != key) {
        let member = builder.copy(member);
        builder.push_member(name, member);
    }
    let member = copy_with(builder, node.and_then(|node| node.get(key)), rest, value);
    builder.push_member(key, member);
    builder.close_object(mark)
}

/// The member of an object in a tree, made where it is missing; what is not an object is replaced.
pub(super) fn member<'v>(value: &'v mut Value, key: &str) -> &'v mut Value {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    // Objects take any key.
    &mut value[key]
}

/// The items of a list in a tree, to be changed; none where there is no list.
pub(super) fn each<'v>(value: &'v mut Value, key: &str) -> impl Iterator<Item = &'v mut Value> {
    value.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Puts a changed list in the place of a list.
pub(super) fn change_list(value: &mut Value, key: &str, change: impl FnOnce(&mut Vec<Value>)) {
    let member = member(value, key);
    let mut items = match member.take() {
        Value::Array(items) => items,
        _ => Vec::new(),
    };
    change(&mut items);
    *member = Value::Array(items);
}

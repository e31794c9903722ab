//! Between documents and JSON trees that can be edited.

use fbc_yaml::{Built, Document, DocumentBuilder, Node};
use serde_json::{Map, Value};

/// The value as a tree, null where there is none.
pub(super) fn tree_of(node: Option<Node<'_>>) -> Value {
    node.map_or(Value::Null, Node::to_json)
}

/// A copy of an object with a value put at a path, through objects that are made where they are missing.
pub(super) fn with(object: Node<'_>, path: &[&str], value: &Value) -> Document {
    let mut builder = DocumentBuilder::new();
    let root = copy_with(&mut builder, Some(object), path, value);
    builder.finish(root)
}

fn copy_with(builder: &mut DocumentBuilder, node: Option<Node<'_>>, path: &[&str], value: &Value) -> Built {
    let Some((key, rest)) = path.split_first() else { return builder.json(value) };
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

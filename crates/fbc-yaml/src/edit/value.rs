//! What a change means for the value of a document.

use crate::document::{Built, Document, DocumentBuilder, Kind, Node};

use super::{Action, Change, steps};

/// The document after the change; nothing where the change does not apply to it.
pub(super) fn changed(document: &Document, change: &Change) -> Option<Document> {
    let mut builder = DocumentBuilder::new();
    let steps: Vec<String> = steps(&change.pointer).collect();
    let root = copy(&mut builder, document.root(), &steps, &change.action)?;
    Some(builder.finish(root))
}

fn copy(builder: &mut DocumentBuilder, node: Node<'_>, steps: &[String], action: &Action) -> Option<Built> {
    let Some((step, rest)) = steps.split_first() else { return act(builder, node, action) };
    let mark = builder.open();
    match node.kind() {
        Kind::Array => {
            let target: usize = step.parse().ok()?;
            node.item(target)?;
            for (index, item) in node.items().enumerate() {
                let item =
                    if index == target { copy(builder, item, rest, action)? } else { builder.copy(item) };
                builder.push_item(item);
            }
            Some(builder.close_array(mark))
        }
        Kind::Object => {
            let target = member_key(node, step)?;
            for (key, value) in node.members() {
                let value =
                    if key == target { copy(builder, value, rest, action)? } else { builder.copy(value) };
                builder.push_member(key, value);
            }
            Some(builder.close_object(mark))
        }
        _ => None,
    }
}

/// The key of an object that a step of a pointer means.
fn member_key<'d>(node: Node<'d>, step: &str) -> Option<&'d str> {
    let keys = || node.members().map(|(key, _)| key);
    let folded = step.to_lowercase();
    keys().find(|key| *key == step).or_else(|| keys().filter(|key| key.to_lowercase() == folded).last())
}

fn act(builder: &mut DocumentBuilder, node: Node<'_>, action: &Action) -> Option<Built> {
    let mark = builder.open();
    match (action, node.kind()) {
        (Action::Insert { index, item: new }, Kind::Array | Kind::Null) if *index <= node.len() => {
            let items: Vec<Node<'_>> = node.items().collect();
            let (before, after) = items.split_at_checked(*index)?;
            for item in before.iter().copied().chain([new.root()]).chain(after.iter().copied()) {
                let item = builder.copy(item);
                builder.push_item(item);
            }
            Some(builder.close_array(mark))
        }
        (Action::Remove { index }, Kind::Array) if *index < node.len() => {
            for (_, item) in node.items().enumerate().filter(|(number, _)| number != index) {
                let item = builder.copy(item);
                builder.push_item(item);
            }
            Some(builder.close_array(mark))
        }
        (Action::Replace { index, item: new }, Kind::Array) if *index < node.len() => {
            for (number, item) in node.items().enumerate() {
                let item = builder.copy(if number == *index { new.root() } else { item });
                builder.push_item(item);
            }
            Some(builder.close_array(mark))
        }
        (Action::Unset { key }, Kind::Object) if node.get(key).is_some() => {
            for (key, value) in node.members().filter(|(other, _)| other != key) {
                let value = builder.copy(value);
                builder.push_member(key, value);
            }
            Some(builder.close_object(mark))
        }
        (Action::Rename { key, to }, Kind::Object) if node.get(key).is_some() && node.get(to).is_none() => {
            for (old, value) in node.members() {
                let value = builder.copy(value);
                builder.push_member(if old == key { to } else { old }, value);
            }
            Some(builder.close_object(mark))
        }
        (Action::Set { key, value }, Kind::Object) => {
            let target = member_key(node, key).unwrap_or(key);
            for (key, old) in node.members().filter(|(key, _)| *key != target) {
                let old = builder.copy(old);
                builder.push_member(key, old);
            }
            let value = builder.copy(value.root());
            builder.push_member(target, value);
            Some(builder.close_object(mark))
        }
        _ => None,
    }
}

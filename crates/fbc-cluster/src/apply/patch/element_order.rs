//! The order of lists that strategic merge patches make.
//!
//! Source: `kubernetes/apimachinery:pkg/util/strategicpatch/patch.go` (`normalizeElementOrder`).

use serde_json::Value;

/// Whether two items are the same one: by the merge key, or by value for scalars.
pub(super) fn same_item(one: &Value, other: &Value, key: Option<&str>) -> bool {
    match key {
        Some(key) => match (one.get(key), other.get(key)) {
            (Some(one), Some(other)) => go_text(one) == go_text(other),
            _ => false,
        },
        None => one == other,
    }
}

/// A value of a merge key as Go's `%v` prints it: a number and its text are the same.
pub(super) fn go_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub(super) fn place(list: &[Value], item: &Value, key: Option<&str>) -> Option<usize> {
    list.iter().position(|other| same_item(other, item, key))
}

/// Whether an item is an order to delete one.
pub(super) fn is_deletion(item: &Value) -> bool {
    item.get("$patch").and_then(Value::as_str) == Some("delete")
}

/// Sorts items as another list has them; orders to delete come last, and unknown items first.
pub(super) fn sort_as(items: Vec<Value>, order: &[Value], key: Option<&str>) -> Vec<Value> {
    let (deletions, mut items): (Vec<Value>, Vec<Value>) = items.into_iter().partition(is_deletion);
    items.sort_by_key(|item| place(order, item, key));
    items.extend(deletions);
    items
}

/// Puts a merged list into order: the items of the patch as the patch has them, all others where the server had them.
pub(super) fn arrange(
    merged: Vec<Value>,
    patch_order: &[Value],
    server_order: &[Value],
    key: Option<&str>,
) -> Vec<Value> {
    let (of_patch, of_server): (Vec<Value>, Vec<Value>) =
        merged.into_iter().partition(|item| place(patch_order, item, key).is_some());
    let of_patch = sort_as(of_patch, patch_order, key);
    let of_server = sort_as(of_server, server_order, key);
    let mut arranged = Vec::with_capacity(of_patch.len() + of_server.len());
    let (mut left, mut right) = (of_server.into_iter().peekable(), of_patch.into_iter().peekable());
    while let (Some(server), Some(patch)) = (left.peek(), right.peek()) {
        let places = place(server_order, server, key).zip(place(server_order, patch, key));
        let next =
            if places.is_some_and(|(server, patch)| server < patch) { left.next() } else { right.next() };
        arranged.extend(next);
    }
    arranged.extend(left);
    arranged.extend(right);
    arranged
}

//! The order of lists that strategic merge patches make.
//!
//! Source: `kubernetes/apimachinery:pkg/util/strategicpatch/patch.go` (`normalizeElementOrder`).

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

/// What tells an item of a list from others. Lists of requests are long, so that items are looked up and not compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Identity<'v> {
    /// The value of the merge key.
    Key(Cow<'v, str>),
    /// The whole item.
    Whole(&'v Value),
}

/// What tells an item from others: its merge key, or its value for scalars. None for an item without the key.
pub(super) fn identity<'v>(item: &'v Value, key: Option<&str>) -> Option<Identity<'v>> {
    #[cfg(test)]
    tests::IDENTITIES.with(|count| count.set(count.get() + 1));
    match key {
        Some(key) => item.get(key).map(|value| Identity::Key(go_text(value))),
        None => Some(Identity::Whole(item)),
    }
}

/// Whether two items are the same one.
pub(super) fn same_item(one: &Value, other: &Value, key: Option<&str>) -> bool {
    identity(one, key).is_some_and(|one| identity(other, key) == Some(one))
}

/// A value of a merge key as Go's `%v` prints it: a number and its text are the same.
pub(super) fn go_text(value: &Value) -> Cow<'_, str> {
    value.as_str().map_or_else(|| Cow::Owned(value.to_string()), Cow::Borrowed)
}

/// Where the items of a list are, the first of each.
pub(super) struct Places<'l> {
    key: Option<&'l str>,
    first: HashMap<Identity<'l>, usize>,
}

impl<'l> Places<'l> {
    pub(super) fn of(list: &'l [Value], key: Option<&'l str>) -> Self {
        let mut first = HashMap::with_capacity(list.len());
        for (at, item) in list.iter().enumerate() {
            if let Some(identity) = identity(item, key) {
                first.entry(identity).or_insert(at);
            }
        }
        Self { key, first }
    }

    pub(super) fn place(&self, item: &Value) -> Option<usize> {
        self.first.get(&identity(item, self.key)?).copied()
    }
}

/// Whether an item is an order to delete one.
pub(super) fn is_deletion(item: &Value) -> bool {
    item.get("$patch").and_then(Value::as_str) == Some("delete")
}

/// Sorts items as another list has them; orders to delete come last, and unknown items first.
pub(super) fn sort_as(items: Vec<Value>, order: &Places<'_>) -> Vec<Value> {
    let (deletions, mut items): (Vec<Value>, Vec<Value>) = items.into_iter().partition(is_deletion);
    items.sort_by_cached_key(|item| order.place(item));
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
    let (patch_order, server_order) = (Places::of(patch_order, key), Places::of(server_order, key));
    let (of_patch, of_server): (Vec<Value>, Vec<Value>) =
        merged.into_iter().partition(|item| patch_order.place(item).is_some());
    let with_places = |items: Vec<Value>| -> Vec<(Option<usize>, Value)> {
        items.into_iter().map(|item| (server_order.place(&item), item)).collect()
    };
    let of_patch = with_places(sort_as(of_patch, &patch_order));
    let of_server = with_places(sort_as(of_server, &server_order));
    let mut arranged = Vec::with_capacity(of_patch.len() + of_server.len());
    let (mut left, mut right) = (of_server.into_iter().peekable(), of_patch.into_iter().peekable());
    while let (Some((server, _)), Some((patch, _))) = (left.peek(), right.peek()) {
        let is_before = server.zip(*patch).is_some_and(|(server, patch)| server < patch);
        let next = if is_before { left.next() } else { right.next() };
        arranged.extend(next.map(|(_, item)| item));
    }
    arranged.extend(left.chain(right).map(|(_, item)| item));
    arranged
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde_json::json;

    use super::super::{strategic_merge_patch, three_way_strategic_patch};
    use crate::apply::Shape;

    thread_local! {
        /// How many items were looked at for what tells them from others.
        pub(super) static IDENTITIES: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn items_of_long_lists_are_looked_at_a_few_times() {
        let shape = Shape::built_in("apps", "v1", "Deployment").unwrap();
        let half = 1_000;
        let object = |numbers: std::ops::Range<usize>| {
            let items: Vec<_> = numbers.clone().map(|number| json!({"name": format!("V{number}")})).collect();
            let finalizers: Vec<_> = numbers.map(|number| format!("f{number}")).collect();
            json!({
                "metadata": {"finalizers": finalizers},
                "spec": {"template": {"spec": {"containers": [{"name": "c", "env": items}]}}},
            })
        };
        let (one, other) = (object(0..half), object(half / 2..2 * half));
        IDENTITIES.with(|count| count.set(0));
        let patched = strategic_merge_patch(&one, &other, &shape).unwrap();
        let env = &patched["spec"]["template"]["spec"]["containers"][0]["env"];
        assert_eq!(env.as_array().map(Vec::len), Some(2 * half));
        let patch = three_way_strategic_patch(&one, &other, &one, &shape).unwrap();
        let patched = strategic_merge_patch(&one, &patch, &shape).unwrap();
        assert_eq!(
            patched["spec"]["template"]["spec"]["containers"],
            other["spec"]["template"]["spec"]["containers"]
        );
        let looks = IDENTITIES.with(Cell::get);
        assert!(looks < 100 * half, "{looks}");
    }
}

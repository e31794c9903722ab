//! What stood in a list before, found by the keys of its elements and not by looking at all of them.

use std::collections::HashMap;

use serde_json::Value;

use super::structural::{ListType, Schema};

/// The elements of an old list by their keys; only lists with keys have such.
pub(crate) struct EarlierItems<'o> {
    keys: &'o [String],
    items: HashMap<Vec<Option<&'o Value>>, &'o Value>,
}

impl<'o> EarlierItems<'o> {
    pub(crate) fn of(list: &'o Schema, old: Option<&'o Value>) -> Self {
        let mut earlier = Self { keys: &list.list_map_keys, items: HashMap::new() };
        let old = old.filter(|_| list.list_type == Some(ListType::Map)).and_then(Value::as_array);
        for item in old.into_iter().flatten() {
            earlier.items.entry(key_of(item, earlier.keys)).or_insert(item);
        }
        earlier
    }

    /// The first element that is the same as a new one.
    pub(crate) fn same_as(&self, item: &Value) -> Option<&'o Value> {
        if self.items.is_empty() { None } else { self.items.get(&key_of(item, self.keys)).copied() }
    }
}

fn key_of<'v>(item: &'v Value, keys: &[String]) -> Vec<Option<&'v Value>> {
    keys.iter().map(|key| item.get(key)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn elements_are_found_by_their_keys() {
        let schema = Schema::of_part(&json!({
            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"],
        }));
        let old = json!([{"a": 1, "v": 1}, {"a": 1, "v": 2}, {"a": 1, "b": 1, "v": 3}]);
        let earlier = EarlierItems::of(&schema, Some(&old));
        let found = |item: Value| earlier.same_as(&item).map(|item| item["v"].clone());
        assert_eq!(found(json!({"a": 1})), Some(json!(1)));
        assert_eq!(found(json!({"a": 1, "b": 1})), Some(json!(3)));
        assert_eq!(found(json!({"a": 2})), None);
        let atomic = Schema::of_part(&json!({"type": "array"}));
        assert!(EarlierItems::of(&atomic, Some(&old)).same_as(&old[0]).is_none());
    }
}

//! The strategic merge patch that `kubectl apply` makes of what it applied last, a manifest and the object.
//!
//! Source: `kubernetes/apimachinery:pkg/util/strategicpatch/patch.go` (`CreateThreeWayMergePatch`).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::PatchError;
use super::element_order::{Places, go_text, same_item, sort_as};
use super::strategic::{DELETE_SCALARS, ELEMENT_ORDER, Merging, RETAIN_KEYS, items_of, member};
use crate::apply::shape::{NodeId, Patching, Shape};

/// The patch that brings `current` to `wanted`, and takes away what only `last` wanted.
///
/// # Errors
/// An item lacks the key that tells items apart.
pub fn three_way_strategic_patch(
    last: &Value,
    wanted: &Value,
    current: &Value,
    shape: &Shape,
) -> Result<Value, PatchError> {
    let empty = Map::new();
    let members = |value: &Value| value.as_object().unwrap_or(&empty).clone();
    let node = Some(shape.root());
    let changes = Diff { shape, finds: Finds::Changes };
    let changes = changes.objects(&members(current), &members(wanted), node, false)?;
    let deletions = Diff { shape, finds: Finds::Deletions };
    let deletions = deletions.objects(&members(last), &members(wanted), node, false)?;
    let merging = Merging { shape, directives_apply: false };
    Ok(Value::Object(merging.objects(deletions, changes, node)?))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Finds {
    /// What is new or changed.
    Changes,
    /// What is gone.
    Deletions,
}

struct Diff<'s> {
    shape: &'s Shape,
    finds: Finds,
}

type Members = Map<String, Value>;

fn key_text<'v>(item: &'v Value, key: &str) -> Cow<'v, str> {
    item.get(key).map(go_text).unwrap_or_default()
}

/// The items in the order of their keys. Equal keys come as Go leaves them, whose comparison takes each of two equal ones
/// for the smaller.
fn sorted_by_key<'v>(items: &'v [Value], key: &str) -> Vec<&'v Value> {
    let mut sorted: Vec<(Cow<'_, str>, &Value)> =
        items.iter().map(|item| (key_text(item, key), item)).collect();
    fbc_go::sort::sort(&mut sorted, |one, other| one.0 <= other.0);
    sorted.into_iter().map(|(_, item)| item).collect()
}

impl Diff<'_> {
    fn finds_changes(&self) -> bool {
        self.finds == Finds::Changes
    }

    fn objects(
        &self,
        old: &Members,
        new: &Members,
        node: Option<NodeId>,
        retains_keys: bool,
    ) -> Result<Members, PatchError> {
        let mut patch = Map::new();
        for (name, wanted) in new {
            let (below, patching) = member(self.shape, node, name);
            match (old.get(name), wanted) {
                (Some(Value::Object(before)), Value::Object(after)) if !patching.replaces => {
                    let changes = self.objects(before, after, below, patching.retains_keys)?;
                    if !changes.is_empty() {
                        patch.insert(name.clone(), Value::Object(changes));
                    }
                }
                (Some(Value::Array(before)), Value::Array(after)) if patching.merges => {
                    self.lists(name, before, after, (below, patching), &mut patch)?;
                }
                (Some(before), after) if before == after => {}
                (_, after) if self.finds_changes() => {
                    patch.insert(name.clone(), after.clone());
                }
                _ => {}
            }
        }
        if !self.finds_changes() {
            let gone = old.keys().filter(|name| !new.contains_key(*name));
            patch.extend(gone.map(|name| (name.clone(), Value::Null)));
        }
        let drops_some = || old.iter().any(|(name, value)| !value.is_null() && !new.contains_key(name));
        if retains_keys && !new.is_empty() && (!patch.is_empty() || drops_some()) {
            let kept: Vec<&String> =
                new.iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name).collect();
            patch.insert(RETAIN_KEYS.to_owned(), json!(kept));
        }
        Ok(patch)
    }

    fn lists(
        &self,
        name: &str,
        old: &[Value],
        new: &[Value],
        (node, patching): (Option<NodeId>, Patching),
        patch: &mut Members,
    ) -> Result<(), PatchError> {
        if old.is_empty() {
            if !new.is_empty() && self.finds_changes() {
                patch.insert(name.to_owned(), json!(new));
            }
            return Ok(());
        }
        let of_objects = old.first().is_some_and(Value::is_object);
        let order = match patching.merge_key.filter(|_| of_objects) {
            Some(key) => {
                let items = self.items(old, new, key, node, patching.retains_keys)?;
                let is_same_order = old.len() == new.len()
                    && old.iter().zip(new).all(|(one, other)| same_item(one, other, Some(key)));
                let needs_order = !items.is_empty() || (self.finds_changes() && !is_same_order);
                if !items.is_empty() {
                    patch.insert(name.to_owned(), Value::Array(items));
                }
                let key_of = |item: &Value| json!({key: item.get(key)});
                needs_order.then(|| new.iter().map(key_of).collect::<Vec<_>>())
            }
            None => {
                let (of_old, of_new): (HashSet<_>, HashSet<_>) = (old.iter().collect(), new.iter().collect());
                let added: Vec<Value> = new.iter().filter(|item| !of_old.contains(item)).cloned().collect();
                let gone: Vec<Value> = old.iter().filter(|item| !of_new.contains(item)).cloned().collect();
                let needs_order = if self.finds_changes() { old != new } else { !gone.is_empty() };
                if self.finds_changes() && !added.is_empty() {
                    patch.insert(name.to_owned(), Value::Array(added));
                }
                if !self.finds_changes() && !gone.is_empty() {
                    patch.insert(format!("{DELETE_SCALARS}{name}"), Value::Array(gone));
                }
                needs_order.then(|| new.to_vec())
            }
        };
        if let Some(order) = order.filter(|order| !order.is_empty()) {
            patch.insert(format!("{ELEMENT_ORDER}{name}"), Value::Array(order));
        }
        Ok(())
    }

    fn items(
        &self,
        old: &[Value],
        new: &[Value],
        key: &str,
        node: Option<NodeId>,
        retains_keys: bool,
    ) -> Result<Vec<Value>, PatchError> {
        if let Some(item) = old.iter().chain(new).find(|item| item.get(key).is_none()) {
            let text = format!("map: {item} does not contain declared merge key: {key}");
            return Err(PatchError::Malformed(text));
        }
        // Items are paired in the order of their keys, so that several with one key meet one another.
        let (old, sorted_new) = (sorted_by_key(old, key), sorted_by_key(new, key));
        let (mut old, mut sorted_new) = (old.into_iter().peekable(), sorted_new.into_iter().peekable());
        let (mut changed, mut gone) = (Vec::new(), Vec::new());
        loop {
            let order = match (old.peek(), sorted_new.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(before), Some(after)) => key_text(before, key).cmp(&key_text(after, key)),
            };
            let before = if order.is_le() { old.next() } else { None };
            let after = if order.is_ge() { sorted_new.next() } else { None };
            match (before, after) {
                (Some(Value::Object(before)), Some(Value::Object(after))) => {
                    let mut changes =
                        self.objects(before, after, items_of(self.shape, node), retains_keys)?;
                    if !changes.is_empty() {
                        changes.insert(key.to_owned(), after.get(key).cloned().unwrap_or_default());
                        changed.push(Value::Object(changes));
                    }
                }
                (None, Some(item)) if self.finds_changes() => changed.push(item.clone()),
                (Some(item), None) if !self.finds_changes() => {
                    gone.push(json!({key: item.get(key), "$patch": "delete"}));
                }
                _ => {}
            }
        }
        let mut items = sort_as(changed, &Places::of(new, Some(key)));
        items.extend(gone);
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_one_key_meet_one_another() {
        let shape = Shape::built_in("", "v1", "Service").unwrap();
        let service = |ports: Value| json!({"spec": {"ports": ports}});
        let dns = json!([{"port": 53, "protocol": "UDP", "name": "u"}, {"port": 53, "protocol": "TCP", "name": "t"}]);
        let patch = |last: Value, wanted: Value, live: Value| {
            three_way_strategic_patch(&service(last), &service(wanted), &service(live), &shape).unwrap()
        };
        assert_eq!(patch(dns.clone(), dns.clone(), dns.clone()), json!({}));
        let mut changed = dns.clone();
        changed[1]["targetPort"] = json!(5353);
        assert_eq!(
            patch(dns.clone(), changed, dns.clone())["spec"]["ports"],
            json!([{"port": 53, "targetPort": 5353}])
        );
        let fewer = json!([{"port": 80, "protocol": "TCP"}]);
        assert_eq!(
            patch(dns.clone(), fewer, dns)["spec"]["ports"],
            json!([{"port": 80, "protocol": "TCP"}, {"port": 53, "$patch": "delete"}, {"port": 53, "$patch": "delete"}])
        );
    }
}

//! Strategic merge patches: what lists of built-in kinds merge by, and the directives `$patch`, `$retainKeys`,
//! `$setElementOrder` and `$deleteFromPrimitiveList`.
//!
//! Source: `kubernetes/apimachinery:pkg/util/strategicpatch/patch.go`.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value};

use super::PatchError;
use super::element_order::{Identity, Places, arrange, identity};
use crate::apply::shape::{Node, NodeId, Patching, Shape};
use crate::distinct::distinct;

pub(super) const DIRECTIVE: &str = "$patch";
pub(super) const RETAIN_KEYS: &str = "$retainKeys";
pub(super) const ELEMENT_ORDER: &str = "$setElementOrder/";
pub(super) const DELETE_SCALARS: &str = "$deleteFromPrimitiveList/";

/// Applies a strategic merge patch.
///
/// # Errors
/// A directive is malformed, or an item lacks the key that tells items apart.
pub fn strategic_merge_patch(object: &Value, patch: &Value, shape: &Shape) -> Result<Value, PatchError> {
    let (Value::Object(object), Value::Object(patch)) = (object, patch) else {
        return Err(PatchError::Malformed("invalid JSON document".to_owned()));
    };
    let merging = Merging { shape, directives_apply: true };
    let node = Some(shape.root());
    Ok(Value::Object(merging.objects(object.clone(), patch.clone(), node)?))
}

/// How patches are merged: into an object, or into another patch.
pub(super) struct Merging<'s> {
    pub(super) shape: &'s Shape,
    /// True if the directives are followed, and nulls only take away.
    pub(super) directives_apply: bool,
}

/// Where in the shape a member is, and how it is patched.
pub(super) fn member(shape: &Shape, node: Option<NodeId>, name: &str) -> (Option<NodeId>, Patching) {
    let Some(node) = node else { return (None, Patching::default()) };
    (shape.member(node, name), shape.patching(node, name))
}

/// Where in the shape the items of a list are.
pub(super) fn items_of(shape: &Shape, node: Option<NodeId>) -> Option<NodeId> {
    match shape.node(node?) {
        Node::List { items, .. } => Some(*items),
        _ => None,
    }
}

fn malformed<T>(text: impl Into<String>) -> Result<T, PatchError> {
    Err(PatchError::Malformed(text.into()))
}

type Members = Map<String, Value>;

impl Merging<'_> {
    pub(super) fn objects(
        &self,
        mut object: Members,
        mut patch: Members,
        node: Option<NodeId>,
    ) -> Result<Members, PatchError> {
        if let Some(directive) = patch.remove(DIRECTIVE) {
            return match directive.as_str() {
                Some("replace") => Ok(patch),
                Some("delete") => Ok(Map::new()),
                _ => malformed(format!("unknown patch type: {directive}")),
            };
        }
        self.retain_keys(&mut object, &mut patch)?;
        self.ordered_lists(&mut object, &mut patch, node)?;
        for (name, change) in patch {
            self.member(&mut object, name, change, node)?;
        }
        Ok(object)
    }

    fn retain_keys(&self, object: &mut Members, patch: &mut Members) -> Result<(), PatchError> {
        let Some(retained) = patch.remove(RETAIN_KEYS) else { return Ok(()) };
        if !self.directives_apply {
            object.insert(RETAIN_KEYS.to_owned(), retained);
            return Ok(());
        }
        let Some(retained) = retained.as_array() else {
            return malformed("invalid patch format of retainKeys");
        };
        let retained: HashSet<&str> = retained.iter().filter_map(Value::as_str).collect();
        let is_retained = |name: &String| retained.contains(name.as_str());
        let is_directive = |name: &str| name.starts_with(DELETE_SCALARS) || name.starts_with(ELEMENT_ORDER);
        if patch.iter().any(|(name, value)| !value.is_null() && !is_directive(name) && !is_retained(name)) {
            return malformed("invalid patch format of retainKeys");
        }
        object.retain(|name, _| is_retained(name));
        Ok(())
    }

    /// Lists for which the patch gives the order of all items.
    fn ordered_lists(
        &self,
        object: &mut Members,
        patch: &mut Members,
        node: Option<NodeId>,
    ) -> Result<(), PatchError> {
        let orders: Vec<String> =
            patch.keys().filter(|name| name.starts_with(ELEMENT_ORDER)).cloned().collect();
        for directive in orders {
            let Some(order) = patch.remove(&directive) else { continue };
            let name = directive.strip_prefix(ELEMENT_ORDER).unwrap_or(&directive);
            if !self.directives_apply {
                object.insert(directive.clone(), order.clone());
            }
            let Value::Array(order) = order else {
                return malformed("invalid patch format of setElementOrder list");
            };
            let (below, patching) = member(self.shape, node, name);
            let change = match patch.remove(name) {
                Some(Value::Array(change)) => Some(change),
                None => None,
                Some(_) => return malformed("invalid patch format of setElementOrder list"),
            };
            if !change.as_ref().is_none_or(|change| follows(change, &order, patching.merge_key)) {
                return malformed("invalid patch format of setElementOrder list");
            }
            let before = match object.remove(name) {
                Some(Value::Array(before)) => Some(before),
                None => None,
                Some(other) => {
                    object.insert(name.to_owned(), other);
                    return malformed("invalid patch format of setElementOrder list");
                }
            };
            let merged = match (&before, change) {
                (None, None) => continue,
                (Some(before), None) => before.clone(),
                (None, Some(change)) if self.directives_apply => without_directives_in(change),
                (None, Some(change)) => change,
                (Some(before), Some(change)) => self.lists(before.clone(), change, below, patching, false)?,
            };
            let merged = arrange(merged, &order, &before.unwrap_or_default(), patching.merge_key);
            object.insert(name.to_owned(), Value::Array(merged));
        }
        Ok(())
    }

    fn member(
        &self,
        object: &mut Members,
        name: String,
        change: Value,
        node: Option<NodeId>,
    ) -> Result<(), PatchError> {
        let (name, deletes) = match name.strip_prefix(DELETE_SCALARS) {
            Some(_) if !self.directives_apply => {
                object.insert(name, change);
                return Ok(());
            }
            Some(list) => (list.to_owned(), true),
            None => (name, false),
        };
        if change.is_null() {
            object.remove(&name);
            if self.directives_apply {
                return Ok(());
            }
        }
        let (below, patching) = member(self.shape, node, &name);
        let merged = match (object.remove(&name), change) {
            (Some(Value::Object(before)), Value::Object(change)) => {
                let merged = if patching.replaces { change } else { self.objects(before, change, below)? };
                Some(Value::Object(merged))
            }
            (Some(Value::Array(before)), Value::Array(change)) => {
                Some(Value::Array(self.lists(before, change, below, patching, deletes)?))
            }
            (before, _) if deletes => before,
            (_, change) if self.directives_apply => without_directives(without_nulls(change)),
            (_, change) => Some(change),
        };
        object.extend(merged.map(|merged| (name, merged)));
        Ok(())
    }

    fn lists(
        &self,
        before: Vec<Value>,
        change: Vec<Value>,
        node: Option<NodeId>,
        patching: Patching,
        deletes: bool,
    ) -> Result<Vec<Value>, PatchError> {
        if !patching.merges && !deletes {
            return Ok(change);
        }
        let first = before.first().or(change.first());
        if !first.is_some_and(Value::is_object) {
            if deletes && self.directives_apply {
                let gone: HashSet<&Value> = change.iter().collect();
                return Ok(before.into_iter().filter(|item| !gone.contains(item)).collect());
            }
            let merged = distinct(before.iter().chain(&change)).into_iter().cloned().collect();
            return Ok(arrange(merged, &change, &before, None));
        }
        let Some(key) = patching.merge_key else { return malformed("cannot merge lists without merge key") };
        let server = before.clone();
        let (kept, change) = special_items(before, change, key)?;
        let mut places: HashMap<Identity<'_>, VecDeque<usize>> = HashMap::new();
        for (at, item) in kept.iter().enumerate() {
            if let Some(identity) = identity(item, Some(key)) {
                places.entry(identity).or_default().push_back(at);
            }
        }
        let mut merged = kept.clone();
        for item in &change {
            let Some(identity) = identity(item, Some(key)) else {
                return malformed(format!("map: {item} does not contain declared merge key: {key}"));
            };
            let places = places.entry(identity).or_default();
            match (places.front(), item) {
                (Some(&at), Value::Object(change)) => {
                    let Value::Object(before) = merged[at].take() else { continue };
                    let below = items_of(self.shape, node);
                    let item = self.objects(before, change.clone(), below)?;
                    // A null takes the key away.
                    if !item.contains_key(key) {
                        places.pop_front();
                    }
                    merged[at] = Value::Object(item);
                }
                _ => {
                    places.push_back(merged.len());
                    merged.push(item.clone());
                }
            }
        }
        Ok(arrange(merged, &change, &server, Some(key)))
    }
}

/// Whether the items of a patch come in the order that it gives itself.
fn follows(change: &[Value], order: &[Value], key: Option<&str>) -> bool {
    let order = Places::of(order, key);
    let mut last = None;
    change.iter().filter(|item| item.get(DIRECTIVE).is_none()).all(|item| {
        let at = order.place(item);
        let fits = at.is_some() && at >= last;
        last = at;
        fits
    })
}

/// Follows items that are directives: the items that stay, and those that are left to merge.
fn special_items(
    before: Vec<Value>,
    change: Vec<Value>,
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>), PatchError> {
    let (mut ordinary, mut deletions) = (Vec::new(), Vec::new());
    let mut replaces = false;
    for item in change {
        match item.get(DIRECTIVE).and_then(Value::as_str) {
            None => ordinary.push(item),
            Some("delete") if item.get(key).is_some() => deletions.push(item),
            Some("delete") => {
                return malformed(format!("map: {item} does not contain declared merge key: {key}"));
            }
            Some("replace") => replaces = true,
            Some("merge") => return malformed("merging lists cannot yet be specified in the patch"),
            Some(other) => return malformed(format!("unknown patch type: {other} in map: {item}")),
        }
    }
    if replaces {
        return Ok((ordinary, Vec::new()));
    }
    let gone = Places::of(&deletions, Some(key));
    let kept = before.into_iter().filter(|item| gone.place(item).is_none()).collect();
    Ok((kept, ordinary))
}

/// A value that is new to the object, without directives; `None` if it is one itself.
fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(members) => {
            if members.contains_key(DIRECTIVE) {
                return None;
            }
            let clean = members
                .into_iter()
                .filter(|(name, _)| !name.starts_with('$'))
                .filter_map(|(name, value)| Some((name, without_directives(value)?)));
            Some(Value::Object(clean.collect()))
        }
        Value::Array(items) => Some(Value::Array(without_directives_in(items))),
        scalar => Some(scalar),
    }
}

fn without_directives_in(items: Vec<Value>) -> Vec<Value> {
    items.into_iter().filter_map(without_directives).collect()
}

/// A value that is new to the object, without the nulls that have nothing to take away.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name, without_nulls(value)))
                .collect(),
        ),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn deployment(containers: Value) -> Value {
        json!({"spec": {"template": {"spec": {"containers": containers}}}})
    }

    #[test]
    fn lists_merge_by_their_keys() {
        let shape = Shape::built_in("apps", "v1", "Deployment").unwrap();
        let object = deployment(json!([{"name": "a", "image": "i"}, {"name": "b", "image": "i"}]));
        for (patch, expected) in [
            (
                json!([{"name": "b", "image": "j"}]),
                json!([{"name": "a", "image": "i"}, {"name": "b", "image": "j"}]),
            ),
            (
                json!([{"name": "c"}]),
                json!([{"name": "c"}, {"name": "a", "image": "i"}, {"name": "b", "image": "i"}]),
            ),
            (json!([{"name": "a", "$patch": "delete"}]), json!([{"name": "b", "image": "i"}])),
            (json!([{"name": "c"}, {"$patch": "replace"}]), json!([{"name": "c"}])),
            (json!([{"name": "a", "image": null}]), json!([{"name": "a"}, {"name": "b", "image": "i"}])),
        ] {
            let patched = strategic_merge_patch(&object, &deployment(patch), &shape).unwrap();
            let mut found = patched["spec"]["template"]["spec"]["containers"].clone();
            let mut expected = expected;
            let name = |item: &Value| item["name"].to_string();
            found.as_array_mut().unwrap().sort_by_key(name);
            expected.as_array_mut().unwrap().sort_by_key(name);
            assert_eq!(found, expected);
        }
        let patch = deployment(json!([{"image": "j"}]));
        assert!(strategic_merge_patch(&object, &patch, &shape).is_err());
    }

    #[test]
    fn directives_are_followed() {
        let shape = Shape::built_in("apps", "v1", "Deployment").unwrap();
        let object = json!({
            "metadata": {"finalizers": ["a", "b", "c"], "labels": {"x": "1", "y": "2"}},
            "spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}},
        });
        for (patch, expected) in [
            (
                json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["b"]}}),
                json!({"metadata": {"finalizers": ["a", "c"]}}),
            ),
            (
                json!({"metadata": {"$setElementOrder/finalizers": ["c", "d", "a"], "finalizers": ["d"]}}),
                json!({"metadata": {"finalizers": ["b", "c", "d", "a"]}}),
            ),
            (
                json!({"metadata": {"labels": {"$patch": "replace", "z": "3"}}}),
                json!({"metadata": {"labels": {"z": "3"}}}),
            ),
            (
                json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}),
                json!({"spec": {"strategy": {"type": "Recreate"}}}),
            ),
        ] {
            let patched = strategic_merge_patch(&object, &patch, &shape).unwrap();
            for (group, members) in expected.as_object().unwrap() {
                for (name, value) in members.as_object().unwrap() {
                    assert_eq!(&patched[group][name], value, "{patch}");
                }
            }
        }
        let patch = json!({"spec": {"strategy": {"$retainKeys": ["type"], "rollingUpdate": {}}}});
        assert_eq!(
            strategic_merge_patch(&object, &patch, &shape).map_err(|error| error.to_string()),
            Err("invalid patch format of retainKeys".to_owned())
        );
    }
}

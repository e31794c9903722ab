//! Which fields two states of an object differ in.
//!
//! Source: `kubernetes-sigs/structured-merge-diff:typed/compare.go`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::field_set::FieldSet;
use super::path_element::{Step, item_step};
use super::shape::{ListKind, NodeId, Shape};
use super::typed::{Form, form, items, members, says_nothing};

/// The fields in which one object differs from another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Fields that are only in the new one.
    pub added: FieldSet,
    /// Fields that are in both, with another value.
    pub modified: FieldSet,
    /// Fields that are only in the old one.
    pub removed: FieldSet,
}

impl Comparison {
    /// True if nothing differs that has a place: the order of items with keys, for instance, has none.
    pub fn is_same(&self) -> bool {
        self.added.is_empty() && self.modified.is_empty() && self.removed.is_empty()
    }
}

/// Compares two states of an object; no old one means that everything was added.
pub fn compare(old: Option<&Value>, new: Option<&Value>, shape: &Shape) -> Comparison {
    let mut walk = Walk { shape, path: Vec::new(), texts: Vec::new(), found: Comparison::default() };
    walk.compare(shape.root(), old, new);
    walk.found
}

/// Down to which depth parts of objects are compared as a whole first.
const DEPTH_OF_PARTS: usize = 2;

struct Walk<'s, 'v> {
    shape: &'s Shape,
    path: Vec<Step<'v>>,
    /// The beginning of the path as sets of fields write it, as far as it was needed.
    texts: Vec<String>,
    found: Comparison,
}

impl<'v> Walk<'_, 'v> {
    fn compare(&mut self, node: NodeId, old: Option<&'v Value>, new: Option<&'v Value>) {
        let Some(either) = new.or(old) else { return };
        let of_new = form(self.shape, node, either);
        let of_old = form(self.shape, node, old.or(new).unwrap_or(either));
        match (of_old, of_new) {
            (Form::Leaf, Form::Leaf) => self.leaf(old, new),
            (Form::Members, Form::Members) | (Form::Items(..), Form::Items(..))
                if says_nothing(old) && says_nothing(new) =>
            {
                self.leaf(old, new);
            }
            (Form::Members, Form::Members) => {
                self.members(node, old, new);
                self.whole(old, new);
            }
            (Form::Items(item, kind), Form::Items(..)) => {
                self.items(item, kind, old, new);
                self.whole(old, new);
            }
            // Only where the shape leaves open what stands there.
            (of_old, of_new) => {
                if matches!(of_old, Form::Members) {
                    self.members(node, old, None);
                }
                if matches!(of_new, Form::Members) {
                    self.members(node, None, new);
                }
                self.leaf(old, new);
            }
        }
    }

    /// A place that is replaced.
    fn leaf(&mut self, old: Option<&Value>, new: Option<&Value>) {
        match (old, new) {
            (Some(old), Some(new)) if old == new => {}
            (Some(_), Some(_)) => {
                self.write_path();
                self.found.modified.insert(&self.texts);
            }
            _ => self.whole(old, new),
        }
    }

    /// A place that comes or goes as such.
    fn whole(&mut self, old: Option<&Value>, new: Option<&Value>) {
        match (old, new) {
            (None, Some(_)) => {
                self.write_path();
                self.found.added.insert(&self.texts);
            }
            (Some(_), None) => {
                self.write_path();
                self.found.removed.insert(&self.texts);
            }
            _ => {}
        }
    }

    fn write_path(&mut self) {
        self.texts.extend(self.path.iter().skip(self.texts.len()).map(Step::text));
    }

    fn leave(&mut self) {
        self.path.pop();
        self.texts.truncate(self.path.len());
    }

    fn members(&mut self, node: NodeId, old: Option<&'v Value>, new: Option<&'v Value>) {
        let (old, new) = (members(old), members(new));
        for (name, before) in old.into_iter().flatten() {
            self.member(node, name, Some(before), new.and_then(|new| new.get(name)));
        }
        for (name, after) in new.into_iter().flatten() {
            if old.is_none_or(|old| !old.contains_key(name)) {
                self.member(node, name, None, Some(after));
            }
        }
    }

    fn member(&mut self, node: NodeId, name: &'v str, old: Option<&'v Value>, new: Option<&'v Value>) {
        // Nobody owns the list of owners.
        if name == "managedFields" && matches!(self.path.as_slice(), [Step::Field("metadata")]) {
            return;
        }
        // Most writes leave most of an object alone: whole parts of it are passed over, but not part by part of these.
        if self.path.len() < DEPTH_OF_PARTS && old == new {
            return;
        }
        let Some(below) = self.shape.member(node, name) else { return };
        self.path.push(Step::Field(name));
        self.compare(below, old, new);
        self.leave();
    }

    fn items(&mut self, item: NodeId, kind: &ListKind, old: Option<&'v Value>, new: Option<&'v Value>) {
        if old == new {
            return;
        }
        let mut pairs: BTreeMap<String, (Vec<&'v Value>, Vec<&'v Value>)> = BTreeMap::new();
        for value in items(old) {
            if let Ok(step) = item_step(value, kind) {
                pairs.entry(step).or_default().0.push(value);
            }
        }
        for value in items(new) {
            if let Ok(step) = item_step(value, kind) {
                pairs.entry(step).or_default().1.push(value);
            }
        }
        for (step, (before, after)) in pairs {
            self.path.push(Step::Item(step));
            match (before.as_slice(), after.as_slice()) {
                (before @ ([] | [_]), after @ ([] | [_])) => {
                    self.compare(item, before.first().copied(), after.first().copied());
                }
                // Items that a list should not have twice are one place as long as they stay so.
                (before, after) if before == after => {}
                (before, after) => self.leaf(before.first().copied(), after.first().copied()),
            }
            self.leave();
        }
    }
}

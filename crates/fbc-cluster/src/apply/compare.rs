//! Which fields two states of an object differ in.
//!
//! Source: `kubernetes-sigs/structured-merge-diff:typed/compare.go`.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

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

/// How a field differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Difference {
    Added,
    Modified,
    Removed,
}

/// Compares two states of an object; no old one means that everything was added.
pub fn compare(old: Option<&Value>, new: Option<&Value>, shape: &Shape) -> Comparison {
    let mut found = Comparison::default();
    let mut texts: Vec<String> = Vec::new();
    let tell = |difference, path: &[Step<'_>], same: usize| {
        texts.truncate(same);
        texts.extend(path.iter().skip(same).map(Step::text));
        match difference {
            Difference::Added => found.added.insert(&texts),
            Difference::Modified => found.modified.insert(&texts),
            Difference::Removed => found.removed.insert(&texts),
        }
    };
    Walk { shape, path: Vec::new(), same: 0, tell }.compare(shape.root(), old, new);
    found
}

/// A number for the differences between two states of an object: the same fields in the same way, the same number.
/// Most writes change what others changed before them.
pub(super) fn fingerprint(old: Option<&Value>, new: Option<&Value>, shape: &Shape) -> [u64; 2] {
    let mut hashers = [DefaultHasher::new(), DefaultHasher::new()];
    // The second one is another function, so that the numbers are 128 bits long.
    hashers[1].write_u8(1);
    let tell = |difference: Difference, path: &[Step<'_>], same: usize| {
        for hasher in &mut hashers {
            (difference, same).hash(hasher);
            path.get(same..).hash(hasher);
        }
    };
    Walk { shape, path: Vec::new(), same: 0, tell }.compare(shape.root(), old, new);
    hashers.map(|hasher| hasher.finish())
}

/// Down to which depth parts of objects are compared as a whole first.
const DEPTH_OF_PARTS: usize = 2;

struct Walk<'s, 'v, F> {
    shape: &'s Shape,
    path: Vec<Step<'v>>,
    /// So many steps are those of the difference before.
    same: usize,
    /// Is called with each difference.
    tell: F,
}

impl<'v, F: FnMut(Difference, &[Step<'v>], usize)> Walk<'_, 'v, F> {
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
            (Some(_), Some(_)) => self.tell(Difference::Modified),
            _ => self.whole(old, new),
        }
    }

    /// A place that comes or goes as such.
    fn whole(&mut self, old: Option<&Value>, new: Option<&Value>) {
        match (old, new) {
            (None, Some(_)) => self.tell(Difference::Added),
            (Some(_), None) => self.tell(Difference::Removed),
            _ => {}
        }
    }

    fn tell(&mut self, difference: Difference) {
        (self.tell)(difference, &self.path, self.same);
        self.same = self.path.len();
    }

    fn leave(&mut self) {
        self.path.pop();
        self.same = self.same.min(self.path.len());
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

//! Which fields two states of an object differ in.
//!
//! Source: `kubernetes-sigs/structured-merge-diff:typed/compare.go`.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::Value;

use super::field_set::FieldSet;
use super::fields::Fields;
use super::fields_writer::FieldsWriter;
use super::managed::WITHOUT_OWNER;
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
    let mut walk = Walk::new(shape, &[], |difference| difference as usize);
    walk.compare(shape.root(), old, new);
    let [added, modified, removed] = walk.found.map(|set| set.finish().set());
    Comparison { added, modified, removed }
}

/// The fields in which two states of an object differ, as far as somebody can own them.
#[derive(Debug)]
pub(super) struct Differences {
    /// Those that the new state has, and others have not or otherwise.
    pub(super) changed: Fields,
    /// Those that the new state does not have.
    pub(super) removed: Fields,
}

/// Compares two states of an object but for the fields whose owner is of no interest, and those of some paths.
pub(super) fn differences(
    old: Option<&Value>,
    new: &Value,
    ignored: &[&[&str]],
    shape: &Shape,
) -> Differences {
    let mut walk = Walk::new(shape, ignored, |difference| match difference {
        Difference::Added | Difference::Modified => 0,
        Difference::Removed => 1,
    });
    walk.is_about_owners = true;
    walk.compare(shape.root(), old, Some(new));
    let [changed, removed] = walk.found.map(FieldsWriter::finish);
    Differences { changed, removed }
}

/// How a field differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Difference {
    Added,
    Modified,
    Removed,
}

/// Down to which depth parts of objects are compared as a whole first.
const DEPTH_OF_PARTS: usize = 2;

/// A way through two states, place by place in the order in which sets of fields write them.
struct Walk<'s, 'v, const SETS: usize> {
    shape: &'s Shape,
    path: Vec<Step<'v>>,
    /// Paths that are left out.
    ignored: &'s [&'s [&'s str]],
    /// Fields whose owner is of no interest are left out, too.
    is_about_owners: bool,
    found: [FieldsWriter; SETS],
    /// Which of the sets a difference goes to.
    set_of: fn(Difference) -> usize,
}

impl<'s, 'v, const SETS: usize> Walk<'s, 'v, SETS> {
    fn new(shape: &'s Shape, ignored: &'s [&'s [&'s str]], set_of: fn(Difference) -> usize) -> Self {
        let found = std::array::from_fn(|_| FieldsWriter::default());
        Self { shape, path: Vec::new(), ignored, is_about_owners: false, found, set_of }
    }

    fn compare(&mut self, node: NodeId, old: Option<&'v Value>, new: Option<&'v Value>) {
        let Some(either) = new.or(old) else { return };
        let of_new = form(self.shape, node, either);
        let of_old = old.map_or(of_new, |old| form(self.shape, node, old));
        match (of_old, of_new) {
            (Form::Leaf, Form::Leaf) => self.leaf(old, new),
            (Form::Members, Form::Members) | (Form::Items(..), Form::Items(..))
                if says_nothing(old) && says_nothing(new) =>
            {
                self.leaf(old, new);
            }
            (Form::Members, Form::Members) => {
                self.whole(old, new);
                self.members(node, old, new);
            }
            (Form::Items(item, kind), Form::Items(..)) => {
                self.whole(old, new);
                self.items(item, kind, old, new);
            }
            // Only where the shape leaves open what stands there.
            (of_old, of_new) => {
                self.leaf(old, new);
                if matches!(of_old, Form::Members) {
                    self.members(node, old, None);
                }
                if matches!(of_new, Form::Members) {
                    self.members(node, None, new);
                }
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
        // `metadata` itself is always there.
        if self.is_about_owners && matches!(self.path.as_slice(), [Step::Field("metadata")]) {
            return;
        }
        let set = (self.set_of)(difference);
        if let Some(set) = self.found.get_mut(set) {
            set.add(&self.path);
        }
    }

    fn leave(&mut self) {
        self.path.pop();
        for set in &mut self.found {
            set.leave(self.path.len());
        }
    }

    fn members(&mut self, node: NodeId, old: Option<&'v Value>, new: Option<&'v Value>) {
        let members = |value| members(value).into_iter().flatten().peekable();
        let (mut old, mut new) = (members(old), members(new));
        loop {
            let side = match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((before, _)), Some((after, _))) => before.cmp(after),
            };
            let before = if side.is_le() { old.next() } else { None };
            let after = if side.is_ge() { new.next() } else { None };
            if let Some((name, _)) = before.or(after) {
                self.member(node, name, before.map(|(_, value)| value), after.map(|(_, value)| value));
            }
        }
    }

    /// Whether a member of the present place is left out.
    fn is_left_out(&self, name: &str) -> bool {
        let is_ignored = |path: &&[&str]| match (self.path.as_slice(), path) {
            ([], [only]) => only.strip_prefix("f:") == Some(name),
            ([Step::Field(parent)], [first, last]) => {
                first.strip_prefix("f:") == Some(parent) && last.strip_prefix("f:") == Some(name)
            }
            _ => false,
        };
        self.path.len() < 2
            && (self.ignored.iter().any(&is_ignored)
                || self.is_about_owners && WITHOUT_OWNER.iter().any(is_ignored))
    }

    fn member(&mut self, node: NodeId, name: &'v str, old: Option<&'v Value>, new: Option<&'v Value>) {
        // Nobody owns the list of owners.
        if name == "managedFields" && matches!(self.path.as_slice(), [Step::Field("metadata")]) {
            return;
        }
        if self.is_left_out(name) {
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

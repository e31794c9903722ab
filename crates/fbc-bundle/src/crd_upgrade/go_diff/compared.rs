//! Two values side by side, with the counts on which go-cmp's layout depends.
//!
//! Source: `google/go-cmp:cmp/compare.go`, `cmp/report_value.go`.

use std::cell::Cell;

use super::edit_script::{Edit, Likeness, edit_script};
use crate::crd_upgrade::schema_type::Type;
use crate::crd_upgrade::value::Value;

/// How many pairs of values are compared before the rest counts as different. Lists in lists are compared again and
/// again, which takes the reference exponential time; real schemas stay far below.
const MOST_COMPARISONS: usize = 200_000;

/// An old and a new value of one type; one of them may be missing.
#[derive(Debug)]
pub(super) struct Compared<'v> {
    pub(super) kind: Type,
    pub(super) old: Option<&'v Value>,
    pub(super) new: Option<&'v Value>,
    /// Leaves that are equal, and that differ.
    pub(super) likeness: Likeness,
    /// All nodes below.
    pub(super) children: usize,
    /// Levels below.
    pub(super) depth: usize,
    /// What is below, with the names that a report puts in front.
    pub(super) records: Vec<(String, Compared<'v>)>,
}

impl<'v> Compared<'v> {
    /// Compares two values.
    pub(super) fn new(kind: Type, old: &'v Value, new: &'v Value) -> Self {
        Self::within(kind, Some(old), Some(new), &Cell::new(MOST_COMPARISONS))
    }

    fn within(kind: Type, old: Option<&'v Value>, new: Option<&'v Value>, comparisons: &Cell<usize>) -> Self {
        let mut compared = Self {
            kind,
            old,
            new,
            likeness: Likeness::default(),
            children: 0,
            depth: 0,
            records: Vec::new(),
        };
        let left = comparisons.get();
        comparisons.set(left.saturating_sub(1));
        let (Some(old), Some(new), 1..) = (old, new, left) else {
            compared.likeness.different = 1;
            return compared;
        };
        match (kind, old, new) {
            (Type::Struct(of), Value::Struct(old), Value::Struct(new)) => {
                for (field, (old, new)) in of.fields.iter().zip(old.iter().zip(new)) {
                    compared.push(
                        field.name.to_owned(),
                        Self::within(field.kind, Some(old), Some(new), comparisons),
                    );
                }
            }
            (Type::List(list), Value::List(Some(old)), Value::List(Some(new))) => {
                for (old, new) in aligned(list.element, old, new, comparisons) {
                    compared.push(String::new(), Self::within(list.element, old, new, comparisons));
                }
            }
            (Type::Map(map), Value::Map(Some(old)), Value::Map(Some(new))) => {
                let mut keys: Vec<&String> = old.keys().chain(new.keys()).collect();
                keys.sort();
                keys.dedup();
                for key in keys {
                    let name = super::format::quoted(key);
                    compared.push(name, Self::within(map.value, old.get(key), new.get(key), comparisons));
                }
            }
            (Type::Pointer(to), Value::Pointer(Some(old)), Value::Pointer(Some(new))) => {
                compared.push(String::new(), Self::within(*to, Some(old), Some(new), comparisons));
            }
            (Type::Json, Value::Json(_), Value::Json(_)) => {
                compared.push("Raw".to_owned(), Self::within(Type::Bytes, Some(old), Some(new), comparisons));
            }
            (Type::Bytes, Value::Json(old), Value::Json(new)) if !old.is_empty() && !new.is_empty() => {
                comparisons.set(left.saturating_sub(old.len().max(new.len())));
                for element in bytes(old.as_bytes(), new.as_bytes()) {
                    compared.push(String::new(), element);
                }
            }
            _ if old == new => compared.likeness.same = 1,
            _ => compared.likeness.different = 1,
        }
        compared
    }

    fn push(&mut self, name: String, child: Self) {
        self.likeness.same += child.likeness.same;
        self.likeness.different += child.likeness.different;
        self.children += child.children + 1;
        self.depth = self.depth.max(child.depth + 1);
        self.records.push((name, child));
    }
}

/// The bytes of two texts beside each other. Nobody reads how they are printed, so they have no values.
fn bytes<'v>(old: &[u8], new: &[u8]) -> impl Iterator<Item = Compared<'v>> {
    let element = |likeness: Likeness| Compared {
        kind: Type::Number,
        old: None,
        new: None,
        likeness,
        children: 0,
        depth: 0,
        records: Vec::new(),
    };
    byte_script(old, new).into_iter().map(move |edit| {
        let is_same = edit == Edit::Same;
        element(Likeness { same: usize::from(is_same), different: usize::from(!is_same) })
    })
}

/// The edits that make one text of another, byte by byte.
fn byte_script(old: &[u8], new: &[u8]) -> Vec<Edit> {
    edit_script(old.len(), new.len(), &|x, y| {
        let is_same = old.get(x) == new.get(y);
        Likeness { same: usize::from(is_same), different: usize::from(!is_same) }
    })
}

/// Elements of two lists beside each other, as the edit script pairs them.
fn aligned<'v>(
    element: Type,
    old: &'v [Value],
    new: &'v [Value],
    comparisons: &Cell<usize>,
) -> Vec<(Option<&'v Value>, Option<&'v Value>)> {
    let compare =
        |x: usize, y: usize| Compared::within(element, old.get(x), new.get(y), comparisons).likeness;
    let (mut x, mut y) = (old.iter(), new.iter());
    edit_script(old.len(), new.len(), &compare)
        .into_iter()
        .map(|edit| match edit {
            Edit::Removed => (x.next(), None),
            Edit::Inserted => (None, y.next()),
            Edit::Same | Edit::Modified => (x.next(), y.next()),
        })
        .collect()
}

//! How large values may be, as schemas and expressions say.
//!
//! Source: `google/cel-go:checker/cost.go`, `kubernetes/apiserver:pkg/cel/common/schemas.go`, `…/pkg/cel/types.go`.

use std::cell::RefCell;
use std::collections::HashMap;

use super::shape::{Scalar, Shape};

/// The least and the greatest size of a value: characters, bytes or elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) least: u64,
    pub(super) most: u64,
}

impl Size {
    pub(super) const UNKNOWN: Self = Self { least: 0, most: u64::MAX };

    pub(super) const fn exact(size: u64) -> Self {
        Self { least: size, most: size }
    }

    pub(super) const fn up_to(most: u64) -> Self {
        Self { least: 0, most }
    }

    /// The sizes of both.
    pub(super) fn or(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { least: self.least.saturating_add(other.least), most: self.most.saturating_add(other.most) }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self { least: self.least.saturating_mul(other.least), most: self.most.saturating_mul(other.most) }
    }
}

/// What a list or map that an expression makes holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Elements {
    pub(super) is_list: bool,
    pub(super) key: Size,
    pub(super) value: Size,
}

impl Elements {
    pub(super) fn or(self, other: Self) -> Self {
        Self { is_list: self.is_list, key: self.key.or(other.key), value: self.value.or(other.value) }
    }
}

/// Where the value of an expression lies in an object, as far as schemas tell.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place<'s> {
    /// It is made by the expression.
    None,
    /// Somewhere that no schema describes.
    Lost,
    At(&'s dyn Shape),
    /// A key of a map.
    Key,
}

/// A step from a value to one within it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'n> {
    Field(&'n str),
    /// An element of a list, or a value of a map.
    Element,
    Key,
    Index,
}

impl<'s> Place<'s> {
    /// The reference takes what an expression made for the value that the rule is about, once something is selected of it.
    pub(super) fn step(self, step: Step<'_>, root: &'s dyn Shape) -> Self {
        let shape = match self {
            Self::None => return Self::At(root),
            Self::At(shape) if shape.scalar() != Scalar::Either => shape,
            _ => return Self::Lost,
        };
        let part = match (step, shape.map_value()) {
            (Step::Field(name), None) => shape.field(name),
            (Step::Element, Some(value)) => Some(value),
            (Step::Element, None) => shape.element(),
            (Step::Key, Some(_)) => return Self::Key,
            _ => None,
        };
        part.map_or(Self::Lost, Self::At)
    }
}

/// The sizes that schemas tell, each worked out once.
#[derive(Debug, Default)]
pub(super) struct Sizes(RefCell<HashMap<*const (), u64>>);

impl Sizes {
    /// How large the value at a place may be, if that is known.
    pub(super) fn of(&self, place: Place<'_>) -> Option<Size> {
        match place {
            Place::None | Place::Lost => None,
            Place::Key => Some(Size::exact(0)),
            Place::At(shape) => {
                let mut known = self.0.borrow_mut();
                let most = known
                    .entry(std::ptr::from_ref(shape).cast::<()>())
                    .or_insert_with(|| shape.most_elements());
                Some(Size::up_to(*most))
            }
        }
    }
}

/// The size of a text in which parts are replaced.
pub(super) fn replaced(of: Size, from: Size, to: Size) -> Size {
    // The shortest parts become the longest texts, as often as possible; an empty part stands around every character.
    let most = match (from.least, to.most) {
        (0, to) => of.most.saturating_add(1).saturating_mul(to).saturating_add(of.most),
        (from, to) if to <= from => of.most,
        (from, to) => of.most.div_ceil(from).saturating_mul(to),
    };
    let least = match (from.most, to.least) {
        (0, to) => of.least.saturating_add(1).saturating_mul(to).saturating_add(of.least),
        (from, to) if from <= to => of.least,
        (from, to) => of.least.div_ceil(from).saturating_mul(to),
    };
    Size { least, most }
}

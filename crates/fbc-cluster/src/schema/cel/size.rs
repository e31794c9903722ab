//! How large values may be, as schemas and expressions say.
//!
//! Source: `google/cel-go:checker/cost.go`, `kubernetes/apiserver:pkg/cel/common/schemas.go`, `…/pkg/cel/types.go`.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::Value;

use super::super::structural::{Schema, ValueType};

/// The largest request that an API server takes, in bytes.
///
/// Source: `kubernetes/apiserver:pkg/apis/cel/config.go` (`MaxRequestSizeBytes`).
pub(crate) const LARGEST_REQUEST: u64 = 3 << 20;

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
    At(&'s Schema),
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
    pub(super) fn step(self, step: Step<'_>, root: &'s Schema) -> Self {
        let schema = match self {
            Self::None => return Self::At(root),
            Self::At(schema) if !schema.int_or_string => schema,
            _ => return Self::Lost,
        };
        let is_map = schema.value_type == Some(ValueType::Object) && schema.additional.is_some();
        let part = match step {
            Step::Field(name) if !is_map => schema.visible(name),
            Step::Element if is_map => schema.additional.as_deref(),
            Step::Element => schema.items.as_deref(),
            Step::Key if is_map => return Self::Key,
            _ => None,
        };
        part.map_or(Self::Lost, Self::At)
    }
}

/// The sizes that schemas tell, each worked out once.
#[derive(Debug, Default)]
pub(super) struct Sizes(RefCell<HashMap<*const Schema, u64>>);

impl Sizes {
    /// How large the value at a place may be, if that is known.
    pub(super) fn of(&self, place: Place<'_>) -> Option<Size> {
        match place {
            Place::None | Place::Lost => None,
            Place::Key => Some(Size::exact(0)),
            Place::At(schema) => {
                let mut known = self.0.borrow_mut();
                let most = known.entry(std::ptr::from_ref(schema)).or_insert_with(|| most_elements(schema));
                Some(Size::up_to(*most))
            }
        }
    }
}

fn given(limit: Option<i64>) -> Option<u64> {
    limit.map(|limit| u64::try_from(limit).unwrap_or(0))
}

/// The most elements, characters or bytes of a value; scalars and objects have none.
fn most_elements(schema: &Schema) -> u64 {
    let checks = &schema.checks;
    let of_text = || given(checks.max_length).map(|most| most.saturating_mul(4));
    if schema.int_or_string {
        return of_text().unwrap_or(LARGEST_REQUEST - 2);
    }
    let format = checks.format.map(|format| format.name);
    match schema.value_type {
        Some(ValueType::Array) => given(checks.max_items)
            .unwrap_or_else(|| (LARGEST_REQUEST - 2) / (schema.items.as_deref().map_or(0, least_bytes) + 1)),
        Some(ValueType::Object) => schema.additional.as_deref().map_or(0, |part| {
            given(checks.max_properties).unwrap_or_else(|| (LARGEST_REQUEST - 2) / (least_bytes(part) + 6))
        }),
        Some(ValueType::String) => match format {
            Some("byte") => given(checks.max_length).unwrap_or(LARGEST_REQUEST - 2),
            Some("duration" | "date-time") => 32,
            Some("date") => 12,
            _ if checks.max_length.is_some() || checks.values.is_empty() => {
                of_text().unwrap_or(LARGEST_REQUEST - 2)
            }
            _ => checks
                .values
                .iter()
                .filter_map(Value::as_str)
                .map(|text| text.len() as u64)
                .max()
                .unwrap_or(0),
        },
        _ => 0,
    }
}

/// The fewest bytes of a value in JSON.
pub(crate) fn least_bytes(schema: &Schema) -> u64 {
    if schema.int_or_string {
        return 1;
    }
    match schema.value_type {
        Some(ValueType::Object) if schema.additional.is_none() => {
            let required = schema.checks.required.iter().filter_map(|name| {
                let property = schema.visible(name).filter(|property| property.default.is_none())?;
                Some(name.len() as u64 + least_bytes(property) + 4)
            });
            required.fold(2, u64::saturating_add)
        }
        Some(ValueType::String) => match schema.checks.format.map(|format| format.name) {
            Some("duration") => 3,
            Some("date") => 12,
            Some("date-time") => 21,
            _ => 2,
        },
        Some(ValueType::Boolean) => 4,
        Some(ValueType::Number | ValueType::Integer) => 1,
        _ => 2,
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

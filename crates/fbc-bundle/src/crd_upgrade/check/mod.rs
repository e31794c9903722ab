//! The checks of single attributes: what became of each, as data. Which of it is refused, and in what words,
//! differs between the generations: [`super::wording`].

mod bounds;
mod default_value;
mod enum_values;
mod nullable;
mod one_of;
mod pattern;
mod required;
mod value_type;

#[cfg(test)]
mod tests;

use super::schema_type::SCHEMA;
use super::value::Value;

/// What became of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// There was none.
    Added,
    /// There is none any more.
    Removed,
    /// It is another one, neither wider nor narrower.
    Changed,
    /// Less is allowed than before.
    Tightened,
    /// More is allowed than before.
    Loosened,
}

/// A change of one attribute of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AttributeChange {
    /// The attribute, which is also the name of crdify's check.
    pub(super) attribute: &'static str,
    /// What became of it.
    pub(super) turn: Turn,
    /// The old value as text.
    pub(super) old: String,
    /// The new value as text.
    pub(super) new: String,
    /// For lists: what was added or taken away, sorted.
    pub(super) values: Vec<String>,
}

/// A check of one attribute.
#[derive(Debug)]
pub(super) struct Check {
    /// The attribute.
    pub(super) attribute: &'static str,
    /// Compares two values of it.
    pub(super) compare: fn(&'static str, &Value, &Value) -> Option<AttributeChange>,
}

const fn check(
    attribute: &'static str,
    compare: fn(&'static str, &Value, &Value) -> Option<AttributeChange>,
) -> Check {
    Check { attribute, compare }
}

/// The checks of kapp's generation, in their order.
pub(super) const FIRST: &[Check] = &[
    check("enum", enum_values::compare),
    check("required", required::compare),
    check("maximum", bounds::upper),
    check("maxItems", bounds::upper),
    check("maxLength", bounds::upper),
    check("maxProperties", bounds::upper),
    check("minimum", bounds::lower),
    check("minItems", bounds::lower),
    check("minLength", bounds::lower),
    check("minProperties", bounds::lower),
    check("default", default_value::compare),
    check("type", value_type::compare),
];

/// The checks that crdify has besides.
pub(super) const LATER: &[Check] = &[
    check("pattern", pattern::compare),
    check("nullable", nullable::compare),
    check("oneOf", one_of::compare),
];

/// The attributes of one schema, without its properties and items.
#[derive(Clone, Debug)]
pub(super) struct Attributes(pub(super) Value);

impl Attributes {
    /// Compares one attribute with that of another schema, and empties it in both.
    pub(super) fn apply(&mut self, other: &mut Self, check: &Check) -> Option<AttributeChange> {
        let (old, new) = (self.take(check.attribute)?, other.take(check.attribute)?);
        (check.compare)(check.attribute, &old, &new)
    }

    /// Empties an attribute.
    pub(super) fn take(&mut self, attribute: &str) -> Option<Value> {
        let index = SCHEMA.fields.iter().position(|field| field.key == attribute)?;
        let Value::Struct(fields) = &mut self.0 else { return None };
        let zero = Value::zero(SCHEMA.fields.get(index)?.kind);
        Some(std::mem::replace(fields.get_mut(index)?, zero))
    }
}

fn change(attribute: &'static str, turn: Turn, old: &str, new: &str) -> Option<AttributeChange> {
    let (old, new) = (old.to_owned(), new.to_owned());
    Some(AttributeChange { attribute, turn, old, new, values: Vec::new() })
}

/// Texts of one list that another lacks, sorted.
fn missing(of: &[String], other: &[String]) -> Vec<String> {
    let other: std::collections::BTreeSet<&String> = other.iter().collect();
    let missing: std::collections::BTreeSet<&String> =
        of.iter().filter(|text| !other.contains(text)).collect();
    missing.into_iter().cloned().collect()
}

/// A list as Go's `%v` writes it.
pub(super) fn listed(values: &[String]) -> String {
    format!("[{}]", values.join(" "))
}

//! Definitions of kinds: schemas that prune, default and validate objects, rules in the Common Expression Language,
//! and what the API server makes of definitions themselves.
//!
//! | what | where |
//! |---|---|
//! | reading a definition | [`Definition::read`] |
//! | its kind for the registry | [`Definition::to_kind`] |
//! | a request's object: unknown fields | [`Version::unknown_fields`], [`strict::refusal`] |
//! | pruning, nulls, defaults | [`Version::admit`] |
//! | validation | [`Version::validate`] |
//! | shapes for server-side apply | [`Version::schema`] |
//! | writes of definitions | [`check::prepare_for_create`], [`check::prepare_for_update`], [`check::validate`] |
//! | conditions of definitions | [`conditions`] |
//!
//! A write goes: `unknown_fields` (if the client asked for strict validation), `admit`, then validation of the metadata
//! (elsewhere), then `validate` of the version of the request.

pub(crate) mod cel;
pub mod check;
mod combinators;
pub mod conditions;
mod dates;
mod defaults;
mod definition;
mod earlier;
mod embedded;
mod format;
mod go_value;
mod lists;
mod path;
mod prune;
mod rules;
mod specification;
pub mod strict;
mod structural;
mod validate;
mod work;

#[cfg(test)]
mod tests;

pub use cel::budget::{CALL_COST, CALL_WORK, REQUEST_COST};
pub use cel::properties::{PropertyExpression, compile as compile_property_expression};
pub use definition::{Definition, PrinterColumn, Scale, Version, compare_versions};
pub use prune::UNKNOWN_FIELD_BYTES;
pub(crate) use specification::Specification;
pub use specification::Specifications;
pub use structural::{ListType, MapType, Schema, ValueType};
pub use work::VALIDATION_WORK;

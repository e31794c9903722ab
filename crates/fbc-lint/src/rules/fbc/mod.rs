//! Format and schema: loading, blobs, and what opm's conversion asks of them.

use crate::rule::Rule;

mod go_words;
mod load_fault;
mod opm;
pub(crate) mod suggest;

pub mod ambiguous_keys;
pub mod bundle_object;
pub mod field_type;
pub mod index_ignore_file;
pub mod malformed;
pub mod meta_not_text;
pub mod missing_schema;
pub mod not_an_object;
pub mod package_name;
pub mod separator_line;
pub mod unreadable_file;

/// The rules of this family.
pub static RULES: &[&Rule] = &[
    &unreadable_file::RULE,
    &index_ignore_file::RULE,
    &malformed::RULE,
    &separator_line::RULE,
    &not_an_object::RULE,
    &ambiguous_keys::RULE,
    &meta_not_text::RULE,
    &missing_schema::RULE,
    &field_type::RULE,
    &bundle_object::RULE,
    &package_name::RULE,
];

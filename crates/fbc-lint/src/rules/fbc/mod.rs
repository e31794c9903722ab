//! Format and schema: loading, blobs, and what opm's conversion asks of them.

use crate::rule::Rule;

pub mod package_name;

/// The rules of this family.
pub static RULES: &[&Rule] = &[&package_name::RULE];

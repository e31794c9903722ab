//! Deprecations.

use crate::rule::Rule;

/// The rules of this family.
pub static RULES: &[&Rule] = &[];

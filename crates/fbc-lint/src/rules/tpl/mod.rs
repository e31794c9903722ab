//! Templates: what in an expansion its author may not have meant. [`crate::template`] finds it.

use crate::rule::Rule;

pub mod chance_default;
pub mod dropped_edge;
pub mod same_version;

/// The rules of this family.
pub static RULES: &[&Rule] = &[&dropped_edge::RULE, &chance_default::RULE, &same_version::RULE];

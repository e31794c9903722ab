//! Templates: what in an expansion its author may not have meant. [`lint_template`] finds it.

use fbc_lint::rule::Rule;

mod expansion;

pub mod chance_default;
pub mod dropped_edge;
pub mod same_version;

pub use expansion::lint_template;

/// The rules of this family.
pub static RULES: &[&Rule] = &[&dropped_edge::RULE, &chance_default::RULE, &same_version::RULE];

//! Safety of upgrades: whether the definitions of a new bundle break what runs.

use fbc_lint::rule::Rule;

pub mod unsafe_upgrade;

/// The rules of this family.
pub static RULES: &[&Rule] = &[&unsafe_upgrade::RULE];

//! The released index: what users have now and must not lose.

use fbc_lint::rule::Rule;

mod shared;

pub mod released_channel;
pub mod released_entry;

/// The rules of this family.
pub static RULES: &[&Rule] = &[&released_channel::RULE, &released_entry::RULE];

//! The upgrade graph of a channel and of a package.

use crate::rule::Rule;

/// The rules of this family.
pub static RULES: &[&Rule] = &[];

//! The upgrade graph of a channel and of a package.

use fbc_lint::rule::Rule;

pub(crate) mod opm;

pub mod cycle;
pub mod duplicate_version;
pub mod edge_to_newer;
pub mod empty_channel;
pub mod empty_skip;
pub mod invalid_skip_range;
pub mod misspelt_edge;
pub mod no_channels;
pub mod no_default_channel;
pub mod no_head;
pub mod old_head;
pub mod repeated_skip;
pub mod several_heads;
pub mod skipped_without_update;
mod spelling;
pub mod stranded;
pub mod unknown_default_channel;
pub mod vain_skip_range;
pub mod wide_skip_range;

/// The rules of this family.
pub static RULES: &[&Rule] = &[
    &no_head::RULE,
    &several_heads::RULE,
    &stranded::RULE,
    &cycle::RULE,
    &empty_channel::RULE,
    &no_channels::RULE,
    &no_default_channel::RULE,
    &unknown_default_channel::RULE,
    &empty_skip::RULE,
    &invalid_skip_range::RULE,
    &duplicate_version::RULE,
    &edge_to_newer::RULE,
    &wide_skip_range::RULE,
    &vain_skip_range::RULE,
    &repeated_skip::RULE,
    &old_head::RULE,
    &skipped_without_update::RULE,
    &misspelt_edge::RULE,
];

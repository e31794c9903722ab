//! The upgrade graph of a channel and of a package.

use crate::rule::Rule;

pub(crate) mod opm;

pub mod cycle;
pub mod duplicate_version;
pub mod empty_channel;
pub mod empty_skip;
pub mod invalid_skip_range;
pub mod no_channels;
pub mod no_default_channel;
pub mod no_head;
pub mod several_heads;
pub mod stranded;
pub mod unknown_default_channel;

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
];

//! Deprecations.

use fbc_lint::rule::Rule;

mod references;

pub mod channel_head;
pub mod default_channel;
pub mod empty_message;
pub mod package_with_name;
pub mod repeated_blob;
pub mod repeated_reference;
pub mod terse_message;
pub mod unknown_bundle;
pub mod unknown_channel;
pub mod unknown_package;
pub mod unknown_schema;
pub mod without_package;
pub mod without_schema;

/// The rules of this family.
pub static RULES: &[&Rule] = &[
    &without_package::RULE,
    &unknown_package::RULE,
    &repeated_blob::RULE,
    &without_schema::RULE,
    &repeated_reference::RULE,
    &unknown_bundle::RULE,
    &unknown_channel::RULE,
    &package_with_name::RULE,
    &unknown_schema::RULE,
    &empty_message::RULE,
    &default_channel::RULE,
    &channel_head::RULE,
    &terse_message::RULE,
];

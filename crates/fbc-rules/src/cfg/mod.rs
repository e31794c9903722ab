//! The configuration itself: waivers, baselines, and names of rules. These findings are made where the
//! configuration is read and used; a look at a catalog never finds them.

use fbc_lint::rule::Rule;

pub mod expired_waiver;
pub mod missing_parameter;
pub mod stale_baseline;
pub mod unknown_code;
pub mod unused_waiver;
pub mod waiver_without_expiry;
pub mod waiver_without_reason;
pub mod waivers;

/// The rules of this family.
pub static RULES: &[&Rule] = &[
    &unused_waiver::RULE,
    &expired_waiver::RULE,
    &waiver_without_reason::RULE,
    &unknown_code::RULE,
    &stale_baseline::RULE,
    &waiver_without_expiry::RULE,
    &missing_parameter::RULE,
];

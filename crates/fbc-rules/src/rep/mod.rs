//! Repository and pull request: what a change does, seen from what was there before it.
//!
//! A single catalog cannot break these rules; they are found in its comparison with an older one
//! ([`fbc_lint::comparison`]), so their cases have two catalogs each.

use fbc_lint::comparison::ChangeKind;
use fbc_lint::rule::Rule;

mod changes;

pub mod api_removed;
pub mod breakage_unknown;
pub mod bundle_content_changed;
pub mod bundle_image_changed;
pub mod bundle_removed;
pub mod bundle_version_changed;
pub mod bundles_and_catalogs_together;
pub mod channel_removed;
pub mod default_channel_changed;
pub mod dependency_added;
pub mod deprecation_added;
pub mod entry_removed;
pub mod head_moved_back;
pub mod install_mode_removed;
pub mod package_removed;
pub mod platform_limit_lowered;
pub mod published_bundle_edited;
pub mod repository;
pub mod several_operators;
pub mod updates_lowered;
pub mod used_bundle_deleted;
pub mod users_stranded;

pub use breakage_unknown::unknown_breakage;
pub use changes::{broken, report};

/// The rules of this family.
pub static RULES: &[&Rule] = &[
    &package_removed::RULE,
    &channel_removed::RULE,
    &users_stranded::RULE,
    &head_moved_back::RULE,
    &bundle_removed::RULE,
    &bundle_image_changed::RULE,
    &bundle_version_changed::RULE,
    &bundle_content_changed::RULE,
    &entry_removed::RULE,
    &default_channel_changed::RULE,
    &updates_lowered::RULE,
    &api_removed::RULE,
    &dependency_added::RULE,
    &platform_limit_lowered::RULE,
    &install_mode_removed::RULE,
    &deprecation_added::RULE,
    &published_bundle_edited::RULE,
    &used_bundle_deleted::RULE,
    &bundles_and_catalogs_together::RULE,
    &several_operators::RULE,
    &breakage_unknown::RULE,
];

/// The rule that a kind of change breaks; nothing for kinds that never hurt.
#[must_use]
pub fn of_change(kind: ChangeKind) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.name == kind.code())
}

#[cfg(test)]
mod tests {
    use fbc_lint::comparison::{ChangeKind, Class};

    #[test]
    fn what_may_hurt_has_a_rule_and_what_never_does_has_none() {
        for kind in ChangeKind::ALL {
            let is_ruled = super::of_change(*kind).is_some();
            assert_eq!(is_ruled, kind.class() != Class::Harmless, "{}", kind.code());
        }
    }
}

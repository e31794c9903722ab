//! Repository and pull request: what a change does, seen from what was there before it.
//!
//! A single catalog cannot break these rules; they are found by [`crate::comparison`], which compares it
//! with an older one, so their cases have two catalogs each.

use crate::comparison::ChangeKind;
use crate::rule::{Check, Rule, files};

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
pub mod several_operators;
pub mod updates_lowered;
pub mod used_bundle_deleted;
pub mod users_stranded;

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

/// A small change of a catalog, and what the rule finds in it. Cases are tests, and examples in the
/// documentation of the rule.
#[derive(Debug)]
pub struct ChangeCase {
    /// What is special about it.
    pub title: &'static str,
    /// The text of the files before the change, as in a [`Case`](crate::rule::Case): of `catalog.yaml`, then
    /// of others.
    pub old: &'static str,
    /// The text of the files after the change.
    pub new: &'static str,
    /// The messages of the findings of this rule; none if the change is fine.
    pub findings: &'static [&'static str],
}

impl ChangeCase {
    /// The files with their texts, before and after the change.
    #[must_use]
    pub fn files(&self) -> [Vec<(&'static str, &'static str)>; 2] {
        [self.old, self.new].map(|text| files(Check::Elsewhere.first_file(), text))
    }
}

/// The cases of a rule; none for rules of other families.
#[must_use]
pub fn cases(rule: &Rule) -> &'static [ChangeCase] {
    static CASES: &[(&Rule, &[ChangeCase])] = &[
        (&package_removed::RULE, package_removed::CASES),
        (&channel_removed::RULE, channel_removed::CASES),
        (&users_stranded::RULE, users_stranded::CASES),
        (&head_moved_back::RULE, head_moved_back::CASES),
        (&bundle_removed::RULE, bundle_removed::CASES),
        (&bundle_image_changed::RULE, bundle_image_changed::CASES),
        (&bundle_version_changed::RULE, bundle_version_changed::CASES),
        (&bundle_content_changed::RULE, bundle_content_changed::CASES),
        (&entry_removed::RULE, entry_removed::CASES),
        (&default_channel_changed::RULE, default_channel_changed::CASES),
        (&updates_lowered::RULE, updates_lowered::CASES),
        (&api_removed::RULE, api_removed::CASES),
        (&dependency_added::RULE, dependency_added::CASES),
        (&platform_limit_lowered::RULE, platform_limit_lowered::CASES),
        (&install_mode_removed::RULE, install_mode_removed::CASES),
        (&deprecation_added::RULE, deprecation_added::CASES),
        (&published_bundle_edited::RULE, published_bundle_edited::CASES),
        (&used_bundle_deleted::RULE, used_bundle_deleted::CASES),
        (&bundles_and_catalogs_together::RULE, bundles_and_catalogs_together::CASES),
        (&several_operators::RULE, several_operators::CASES),
        (&breakage_unknown::RULE, breakage_unknown::CASES),
    ];
    CASES.iter().find(|(known, _)| *known == rule).map_or(&[], |(_, cases)| cases)
}

/// The rule that a kind of change breaks; nothing for kinds that never hurt.
#[must_use]
pub fn of_change(kind: ChangeKind) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.name == kind.code())
}

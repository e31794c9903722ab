//! Which rules a word of the configuration means: a code, a name, or a family of codes.

use crate::names;
use crate::registry::Registry;
use crate::rule::Rule;

/// How exactly a word names rules. The more exact word wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// All rules of a family, such as `GRF`.
    Family,
    /// One rule, by code or name.
    Rule,
}

/// The rules that a word means.
///
/// # Errors
/// What may have been meant instead, if anything comes close.
pub fn select(
    registry: &Registry,
    word: &str,
) -> Result<(Precision, Vec<&'static Rule>), Option<&'static str>> {
    if let Some(rule) = registry.find(word) {
        return Ok((Precision::Rule, vec![rule]));
    }
    let of_family: Vec<&'static Rule> =
        registry.iter().copied().filter(|rule| family(rule).eq_ignore_ascii_case(word)).collect();
    match of_family.as_slice() {
        [] => Err(names::meant(word, registry.iter().flat_map(|rule| [rule.code, rule.name, family(rule)]))),
        _ => Ok((Precision::Family, of_family)),
    }
}

/// The letters of a rule's code.
#[must_use]
pub fn family(rule: &Rule) -> &'static str {
    rule.code.trim_end_matches(|c: char| c.is_ascii_digit())
}

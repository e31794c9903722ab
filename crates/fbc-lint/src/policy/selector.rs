//! Which rules a word of the configuration means: a code, a name, or a family of codes.

use crate::rule::Rule;
use crate::rules::RULES;
use crate::rules::fbc::suggest;

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
pub fn select(word: &str) -> Result<(Precision, Vec<&'static Rule>), Option<&'static str>> {
    if let Some(rule) = crate::rules::find(word) {
        return Ok((Precision::Rule, vec![rule]));
    }
    let of_family: Vec<&'static Rule> =
        RULES.iter().copied().filter(|rule| family(rule).eq_ignore_ascii_case(word)).collect();
    match of_family.as_slice() {
        [] => Err(suggest::meant(word, RULES.iter().flat_map(|rule| [rule.code, rule.name, family(rule)]))),
        _ => Ok((Precision::Family, of_family)),
    }
}

/// The letters of a rule's code.
#[must_use]
pub fn family(rule: &Rule) -> &'static str {
    rule.code.trim_end_matches(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{Precision, select};

    #[test]
    fn codes_names_and_families() {
        let codes = |word: &str| {
            select(word).map(|(precision, rules)| {
                (precision, rules.into_iter().map(|rule| rule.code).collect::<Vec<_>>())
            })
        };
        assert_eq!(codes("grf003"), Ok((Precision::Rule, vec!["GRF003"])));
        assert_eq!(codes("package-name"), Ok((Precision::Rule, vec!["FBC012"])));
        let (precision, of_family) = codes("dep").unwrap();
        assert_eq!(precision, Precision::Family);
        assert!(of_family.len() > 10 && of_family.iter().all(|code| code.starts_with("DEP")));
        assert_eq!(codes("pakage-name"), Err(Some("package-name")));
        assert_eq!(codes(""), Err(None));
    }
}

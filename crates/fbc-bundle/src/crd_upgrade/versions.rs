//! The order of API versions.
//!
//! Source: `kubernetes/apimachinery:pkg/version/helpers.go`.

use std::cmp::Ordering;

use super::definition::{Definition, Version};

/// How stable a version is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stability {
    Alpha,
    Beta,
    Stable,
}

/// Orders versions, the least wanted first: names that are none of Kubernetes (in reverse order of the alphabet),
/// then alpha, beta and stable versions by their numbers.
pub(super) fn compare(left: &str, right: &str) -> Ordering {
    match (parse(left), parse(right)) {
        (None, None) => right.cmp(left),
        (left, right) => left.cmp(&right),
    }
}

/// The served versions of a definition, in that order.
pub(super) fn served<'d>(definition: &Definition<'d>) -> Vec<Version<'d>> {
    let mut served: Vec<Version<'d>> =
        definition.versions.iter().filter(|version| version.is_served).copied().collect();
    served.sort_by(|left, right| compare(left.name, right.name));
    served
}

fn parse(name: &str) -> Option<(Stability, i64, i64)> {
    let name = name.strip_prefix('v')?;
    let (major, rest) = number(name)?;
    if rest.is_empty() {
        return Some((Stability::Stable, major, 0));
    }
    let (stability, rest) = match rest.strip_prefix("alpha") {
        Some(rest) => (Stability::Alpha, rest),
        None => (Stability::Beta, rest.strip_prefix("beta")?),
    };
    let (minor, rest) = number(rest)?;
    rest.is_empty().then_some((stability, major, minor))
}

fn number(text: &str) -> Option<(i64, &str)> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    #[test]
    fn order() {
        let mut names =
            vec!["v1", "foo", "v2", "v1beta2", "v11alpha2", "v10", "v1alpha1", "bar", "v1beta1", "v1rc1"];
        names.sort_by(|left, right| super::compare(left, right));
        assert_eq!(
            names,
            ["v1rc1", "foo", "bar", "v1alpha1", "v11alpha2", "v1beta1", "v1beta2", "v1", "v2", "v10"]
        );
    }
}

//! Texts in `skipRange` that are not ranges.

use std::ops::Bound;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::Version;
use fbc_version::blang::{Range, RangeError};
use fbc_version::masterminds::{Constraint, MastermindsVersion};

use super::opm::{entry_leaf, leaf_order};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF010",
    name: "invalid-skip-range",
    since: "0.1.0",
    summary: "A `skipRange` cannot be read",
    explanation: "\
`skipRange` has the grammar of the Go library blang/semver: comparisons with whole versions, separated by
single spaces, all of which must hold; `||` between alternatives. Operators are `<`, `<=`, `>`, `>=`, `=`
and `!=`; `1.2.x` and `1.x` are allowed. There is no `^`, no `~`, no comma, no `v` before a version, and
three numbers must be given.

This is another grammar than that of `version` in a ClusterExtension, and another than npm's.

Write for instance `>=1.0.0 <1.4.2`.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Bundle.Validate"),
        Source::Code("blang/semver:v4/range.go", "ParseRange"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("invalid_skip_range.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        for channel in &view.channels {
            for (number, entry) in channel.entries().iter().enumerate() {
                let Some(Err(error)) = view.graph().skip_range(entry) else { continue };
                // opm takes it when it validates: GRF014.
                if *error == RangeError::EmptyAlternative {
                    continue;
                }
                let range = quote(&entry.skip_range);
                let message = format!(
                    "`skipRange` of {} in channel {} is not a range: {range}",
                    quote(&entry.name),
                    quote(&channel.name)
                );
                let text = format!("invalid skipRange {range}: {error}");
                findings.push(
                    Finding::new(&RULE, message)
                        .at(context.value(channel.origin, format!("/entries/{number}/skipRange")))
                        .about(Subject::entry(package, &channel.name, &entry.name))
                        .label(label(error))
                        .help(help(&entry.skip_range))
                        .fix_if(meant(&entry.skip_range).map(|meant| {
                            let pointer = format!("/entries/{number}/skipRange");
                            Fix::safe(format!("write {}", quote(&meant))).set(channel.origin, pointer, &meant)
                        }))
                        .opm(entry_leaf(package, &channel.name, &entry.name, leaf_order::SKIP_RANGE, text)),
                );
            }
        }
    }
}

fn label(error: &RangeError) -> String {
    match error {
        RangeError::LeadingOr => "begins with `||`".to_owned(),
        RangeError::TrailingOr => "ends with `||`, or holds nothing that counts".to_owned(),
        RangeError::EmptyAlternative => "nothing between two `||`".to_owned(),
        RangeError::NoVersion(token) => format!("no version in `{token}`"),
        RangeError::Operator { operator, .. } => format!("`{operator}` is not an operator here"),
        RangeError::Version { version, .. } => format!("`{version}` is not a version of three numbers"),
    }
}

/// The same range in the grammar of `skipRange`, if the text is of the grammar that ClusterExtensions have.
pub(crate) fn meant(text: &str) -> Option<String> {
    as_comparisons(&Constraint::parse(MastermindsVersion::V3_5_0, text).ok()?)
}

/// What the author may have meant: the text may be of the grammar that ClusterExtensions have.
pub(crate) fn help(text: &str) -> String {
    match meant(text) {
        Some(comparisons) => format!("in the grammar of `skipRange` that is `{comparisons}`"),
        None => "write comparisons with whole versions, such as `>=1.0.0 <1.4.2`".to_owned(),
    }
}

/// The releases that a constraint matches, as comparisons.
fn as_comparisons(constraint: &Constraint) -> Option<String> {
    let matched = constraint.intervals().releases;
    let alternatives: Vec<String> = matched
        .intervals()
        .iter()
        .map(|interval| {
            let bound = |bound: &Bound<Version>, included: &str, excluded: &str| match bound {
                Bound::Included(version) => Some(format!("{included}{version}")),
                Bound::Excluded(version) => Some(format!("{excluded}{version}")),
                Bound::Unbounded => None,
            };
            if let Some(version) = interval.single() {
                return version.to_string();
            }
            let bounds = [bound(&interval.lower, ">=", ">"), bound(&interval.upper, "<=", "<")];
            bounds.into_iter().flatten().collect::<Vec<_>>().join(" ")
        })
        .collect();
    let text = alternatives.join(" || ");
    Range::parse(&text).is_ok().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::help;

    #[test]
    fn ranges_of_other_grammars_are_translated() {
        for (text, meant) in [
            ("^1.2.3", ">=1.2.3 <2.0.0"),
            ("~1.2.0", ">=1.2.0 <1.3.0"),
            (">=1.0.0, <1.2.0", ">=1.0.0 <1.2.0"),
            (">=v1.0.0 <v1.2.0", ">=1.0.0 <1.2.0"),
            (">=1.0 <1.2", ">=1.0.0 <1.2.0"),
        ] {
            assert_eq!(help(text), format!("in the grammar of `skipRange` that is `{meant}`"), "{text}");
        }
        assert!(help("zz").starts_with("write comparisons"));
    }
}

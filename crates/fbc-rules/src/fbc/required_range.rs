//! Version ranges of required packages.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::go_type;
use fbc_version::blang::Range;
use fbc_yaml::Node;

use super::opm;
use crate::grf::invalid_skip_range;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC210",
    name: "required-range",
    since: "0.1.0",
    summary: "The version range of a required package cannot be read",
    explanation: "\
`versionRange` of the property `olm.package.required` says which versions of another package a bundle
needs. opm does not read it, so a mistake in it shows only when a cluster tries to use the bundle.

The grammar: `>=1.2.0 <2.0.0`, alternatives with `||`, `1.2.x`. There is no `^`, no `~`, no comma.",
    sources: &[
        Source::Code("blang/semver:v4/range.go", "ParseRange"),
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go",
            "newPackageRequiredPredicate",
        ),
        Source::Statement("D-FBC-35", "4.1.4.3"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("required_range.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        for (index, value) in opm::values(item.bundle, "olm.package.required") {
            let text = |name| go_type::field(value, name).and_then(Node::as_str);
            // Another type than text is refused by opm.
            if go_type::field(value, "versionRange").is_some_and(|range| range.as_str().is_none()) {
                continue;
            }
            let range = text("versionRange").unwrap_or_default();
            let Err(error) = Range::parse(range) else { continue };
            let package = quote(text("packageName").unwrap_or_default());
            let message = if range.is_empty() {
                format!("the requirement of package {package} has no version range")
            } else {
                format!("version range {} for package {package} cannot be read: {error}", quote(range))
            };
            let pointer = format!("/properties/{index}/value/versionRange");
            let meant = invalid_skip_range::meant(range).filter(|_| !range.is_empty());
            let fix = meant.map(|meant| {
                Fix::safe(format!("write {}", quote(&meant))).set(item.bundle.origin, pointer.clone(), &meant)
            });
            findings.push(
                Finding::new(&RULE, message)
                    .at(context.value(item.bundle.origin, pointer))
                    .about(item.subject())
                    .label("no range")
                    .help("write comparisons with spaces between, such as `>=1.2.0 <2.0.0`")
                    .fix_if(fix),
            );
        }
    }
}

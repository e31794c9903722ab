//! Updates that a bundle cannot offer.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::bundle::pointer;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::bundle_name;
use fbc_version::blang::Range;
use fbc_yaml::Node;

use crate::grf::invalid_skip_range;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND212",
    name: "update-edge",
    since: "0.1.0",
    summary: "`replaces`, `skips` or `olm.skipRange` of a bundle cannot work",
    explanation: "\
`spec.replaces` and `spec.skips` name other versions of the operator; `olm.skipRange` is a range of versions in
the grammar of GRF010. A bundle that replaces itself, or a newer version, or has a range that cannot be read,
offers nobody the update that its author meant. Catalogs made by hand or from templates have edges of their own;
those of the bundle count where a catalog is built from bundles.",
    sources: &[
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/cache/predicates.go",
            "ReplacesPredicate",
        ),
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/source_registry.go",
            "newOperatorFromBundle",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("update_edge.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let name = csv.object.name;
    let own = csv.version_release();
    let replaces =
        csv.spec("replaces").and_then(Node::as_str).map(|to| ("replaces", "/spec/replaces".to_owned(), to));
    let skips = csv
        .list("skips")
        .filter_map(|(number, skip)| Some(("skips", format!("/spec/skips/{number}"), skip.as_str()?)));
    for (verb, pointer, other) in replaces.into_iter().chain(skips) {
        let is_newer = own
            .as_ref()
            .zip(bundle_name::version_in(other).as_ref())
            .is_some_and(|(own, other)| own.compare_precedence(other).is_lt());
        let (message, help) = if other == name && !name.is_empty() {
            (
                format!("{} {verb} itself", quote(name)),
                format!("name another version, or remove it from `{verb}`"),
            )
        } else if is_newer {
            (
                format!("{} {verb} the newer {}", quote(name), quote(other)),
                "name a version that is older than this one".to_owned(),
            )
        } else {
            continue;
        };
        findings.push(context.finding(&RULE, csv.origin(), pointer, message).help(help));
    }
    if let Some(range) = csv.annotation("olm.skipRange").filter(|range| !range.is_empty())
        && let Err(error) = Range::parse(range)
    {
        let pointer = pointer("/metadata/annotations", "olm.skipRange");
        findings.push(
            context
                .finding(
                    &RULE,
                    csv.origin(),
                    pointer,
                    format!("`olm.skipRange` {} is not a range", quote(range)),
                )
                .note(error.to_string())
                .help(invalid_skip_range::help(range)),
        );
    }
}

//! Deprecations of bundles that do not exist.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::blob::schema;

use super::references::references;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "DEP006",
    name: "deprecation-of-unknown-bundle",
    since: "0.1.0",
    summary: "A deprecation names a bundle that the package does not have",
    explanation: "\
A deprecation of a bundle names an `olm.bundle` blob of the same package.

Correct the name. If the bundle was removed from the catalog, remove its deprecation too.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "ConvertToModel",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("unknown_bundle.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut suggestions = 0..names::MAX_SUGGESTIONS;
    for reference in references(context) {
        let name = reference.entry.name.as_str();
        let bundles = &reference.view.bundle_by_name;
        if reference.is_repeated
            || reference.entry.schema != schema::BUNDLE
            || bundles.contains_key(name)
            || (!name.is_empty() && context.lost.may_hold(schema::BUNDLE, name))
        {
            continue;
        }
        let (package, quoted) = (quote(&reference.blob.package), quote(name));
        let message = if name.is_empty() {
            format!("a deprecation of a bundle of package {package} names no bundle")
        } else {
            format!("the deprecated bundle {quoted} is not in package {package}")
        };
        let text = format!("cannot deprecate bundle {quoted} for package {package}: bundle not found");
        let meant = suggestions.next().and_then(|_| names::meant(name, bundles.keys().copied()));
        let question = meant.map(|meant| format!("did you mean {}? ", quote(meant)));
        let (origin, number) = (reference.blob.origin, reference.number);
        let rename = meant.map(|meant| {
            let pointer = format!("/entries/{number}/reference/name");
            Fix::risky(format!("write {}", quote(meant))).set(origin, pointer, meant)
        });
        let remove = Fix::risky("remove the deprecation").remove(origin, format!("/entries/{number}"));
        findings.push(
            reference
                .refused(context, &RULE, 6, message, text)
                .label("no such bundle")
                .fix_if(rename)
                .fix(remove)
                .help(format!("{}correct the name, or remove the entry", question.unwrap_or_default())),
        );
    }
}

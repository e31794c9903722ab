//! Kinds of manifests that a bundle may not hold.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC238",
    name: "manifest-kind",
    since: "0.1.0",
    summary: "A bundle holds a manifest of a kind that is not allowed",
    explanation:
        "\
OLM installs only some kinds of manifests, and release policies allow those that it has always installed. The
rule sees bundles whose manifests are in the catalog. `allowed-kinds` in the configuration sets another list.",
    sources: &[Source::Code("conforma/policy:policy/release/olm/olm.rego", "allowed_resource_kinds")],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("manifest_kind.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let allowed = &context.parameters.allowed_kinds;
    if allowed.is_empty() {
        return;
    }
    for item in opm::bundles(context) {
        let facts = context.manifests(item.number);
        for (index, kind) in facts.into_iter().flat_map(|facts| &facts.kinds) {
            if allowed.contains(kind) {
                continue;
            }
            let bundle = quote(&item.bundle.name);
            let (message, help) = match kind.is_empty() {
                true => (
                    format!("bundle {bundle} holds a manifest without a kind"),
                    "write `kind` into the manifest, or leave it out of the bundle",
                ),
                false => (
                    format!("bundle {bundle} holds a manifest of kind {}, which is not allowed", quote(kind)),
                    "leave the manifest out of the bundle; let the operator create the object",
                ),
            };
            findings.push(
                Finding::new(&RULE, message)
                    .at(context.value(item.bundle.origin, format!("/properties/{index}/value/data")))
                    .about(item.subject())
                    .label("not allowed")
                    .help(help),
            );
        }
    }
}

//! Bundles that a package has twice.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Phase, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Bundle;

use super::opm::conversion;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC022",
    name: "duplicate-bundle",
    since: "0.1.0",
    summary: "A package has two bundles of one name",
    explanation: "\
A bundle has one `olm.bundle` blob, however many channels list it. The usual reason for a second one is
that a bundle was rendered and appended twice.

Remove one of the blobs. Its other contents are not checked.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
        Source::Statement("D-FBC-8", "4.1.1"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("duplicate_bundle.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (number, bundle) in context.catalog.bundles.iter().enumerate() {
        let Some(view) = context.packages.get(bundle.package.as_str()) else { continue };
        let first = view.bundle_by_name.get(bundle.name.as_str());
        let Some(first) = first.filter(|first| !std::ptr::eq(**first, bundle)) else { continue };
        if bundle.name.is_empty() {
            continue;
        }
        let (package, name) = (quote(&bundle.package), quote(&bundle.name));
        let text = format!("package {package} has duplicate bundle {name}");
        let is_equal = *bundle == Bundle { origin: bundle.origin, ..(*first).clone() };
        let fix = (first.image == bundle.image)
            .then(|| Fix::safe_if(is_equal, "remove the second blob").remove_document(bundle.origin));
        let help = if first.image == bundle.image {
            "remove one of the blobs; they have the same image"
        } else {
            "the blobs have different images: keep the right one, or rename one"
        };
        findings.push(
            Finding::new(&RULE, format!("package {package} has a second bundle {name}"))
                .at(context.value(bundle.origin, "/name"))
                .about(Subject::bundle(&bundle.package, &bundle.name))
                .label("used before")
                .fix_if(fix)
                .related(context.value(first.origin, "/name"), "used first")
                .help(help)
                .opm(conversion(Phase::Bundles, number, 3, 0, text)),
        );
    }
}

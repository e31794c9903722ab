//! Bundles of which a console can show nothing.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::bundle_object;
use fbc_model::render::CSV_METADATA;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC206",
    name: "metadata-missing",
    since: "0.1.0",
    summary: "Bundles have nothing that a console could show",
    explanation: "\
Consoles show the display name, description, provider and links of a bundle from its property
`olm.csv.metadata`, or, with older clusters, from the ClusterServiceVersion in `olm.bundle.object`. A
bundle with neither can be installed, but has no entry that people could read.

Render the bundle image with a current opm or with `fbc render`. A package is reported once.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:pkg/api/model_to_api.go",
        "ConvertModelBundleToAPIBundle",
    )],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("metadata_missing.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        let is_shown = |kind: &str| kind == CSV_METADATA || kind == bundle_object::PROPERTY_TYPE;
        let mut bare = view.bundles.iter().filter(|bundle| {
            !bundle.image.is_empty() && !bundle.properties.iter().any(|property| is_shown(&property.kind))
        });
        let Some(first) = bare.next() else { continue };
        let more = bare.count();
        let mut finding = Finding::new(
            &RULE,
            format!(
                "bundle {} has neither \"olm.csv.metadata\" nor \"olm.bundle.object\"",
                quote(&first.name)
            ),
        )
        .at(context.value(first.origin, "/properties"))
        .about(Subject::bundle(package, &first.name))
        .label("nothing that a console could show")
        .help("render its image again");
        if more > 0 {
            finding = finding.note(format!("so it is with {more} more bundles of the package"));
        }
        findings.push(finding);
    }
}

//! Package names that catalogs refuse.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::bundle::pointer;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::annotation_keys::PACKAGE;
use super::names;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND205",
    name: "package-annotation",
    since: "0.1.0",
    summary: "The package name of a bundle is not an RFC 1123 label",
    explanation: "\
The bundle renders, but opm refuses the catalog that it becomes part of: the name of a package must be an RFC
1123 label of at most 63 lower-case letters, digits and `-`, beginning and ending with a letter or digit (see
FBC012). OLM v1 refuses a bundle without a package name.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/rukpak/render/registryv1/validators/validator.go",
            "CheckPackageNameNotEmpty",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("package_annotation.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(annotations) = context.annotations else { return };
    let Some(name) = annotations.node.get_str(PACKAGE) else { return };
    let message = if name.is_empty() {
        "the package name is empty".to_owned()
    } else if !names::is_dns_label(name) {
        format!("the package name {} is not an RFC 1123 label", quote(name))
    } else {
        return;
    };
    findings.push(
        context
            .finding(&RULE, annotations.origin, pointer("/annotations", PACKAGE), message)
            .help("use at most 63 lower-case letters, digits and `-`, with a letter or digit at both ends"),
    );
}

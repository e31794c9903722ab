//! Manifests in bundles that cannot be read.

use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::load::{FaultPlace, LoadFaultKind};

use super::{go_words, load_fault};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC010",
    name: "bundle-object",
    since: "0.1.0",
    summary: "A manifest in a bundle cannot be read",
    explanation: "\
A property `olm.bundle.object` holds a manifest of the bundle: `value.data` is its JSON or YAML in
base64. This one is not base64, or what it holds is not YAML.

Render the bundle image again rather than fixing the data by hand.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/load.go",
        "readBundleObjects",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("bundle_object.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for fault in load_fault::of_kind(context, LoadFaultKind::BundleObject) {
        let field = match &fault.place {
            FaultPlace::Pointer(pointer) => go_words::path(pointer),
            _ => String::new(),
        };
        let explanation = match fault.message.split_once(" to JSON: ") {
            Some((_, reason)) => format!("holds no manifest: {reason}"),
            None => go_words::explain(&fault.message),
        };
        findings.push(
            load_fault::finding(&RULE, fault, format!("`{field}` {explanation}"))
                .label("no manifest")
                .help("render the bundle image again"),
        );
    }
}

//! Bundles that opm cannot render.

use fbc_lint::bundle::BundleContext;
use fbc_lint::bundle::rendering_error;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND026",
    name: "unrenderable",
    since: "0.1.0",
    summary: "opm cannot render the bundle",
    explanation: "\
`opm render` refuses the bundle, for a reason that no other rule reports with its place. The message is opm's. No
catalog can be made from the bundle until it is fixed.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/action/render.go",
        "renderBundleDirectory",
    )],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("unrenderable.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let Some(error) = rendering_error(context.tree) else { return };
    findings.push(
        context
            .finding(&RULE, csv.origin(), "", format!("opm cannot render the bundle: {error}"))
            .help("fix what the message names"),
    );
}

//! Bundles with dependencies.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "OLM001",
    name: "dependencies",
    since: "0.1.0",
    summary: "A bundle has a dependency, which OLM v1 refuses",
    explanation: "\
OLM v1 does not resolve dependencies. It picks the best bundle without a look at them, and then refuses to
install it: `bundle \"foo.v1\" has a dependency declared via property \"olm.package.required\" which is currently
not supported`. It does not fall back to another bundle.

Remove the dependency, and say in the documentation what has to be installed first.",
    sources: &[
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/resolve/validation.go",
            "NoDependencyValidation",
        ),
        Source::Statement("D-EXT-3", "5.1.1"),
    ],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("dependencies.cases"),
};

const DEPENDENCIES: [&str; 3] = ["olm.package.required", "olm.gvk.required", "olm.constraint"];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        for (index, property) in item.bundle.properties.iter().enumerate() {
            if !DEPENDENCIES.contains(&property.kind.as_str()) {
                continue;
            }
            let (name, kind) = (quote(&item.bundle.name), quote(&property.kind));
            findings.push(
                Finding::new(
                    &RULE,
                    format!("bundle {name} depends on something by {kind}, which OLM v1 refuses"),
                )
                .at(context.value(item.bundle.origin, format!("/properties/{index}")))
                .about(item.subject())
                .label("a dependency")
                .help("remove the dependency, and tell users what to install first"),
            );
        }
    }
}

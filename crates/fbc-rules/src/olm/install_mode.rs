//! Bundles that cannot watch all namespaces.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "OLM002",
    name: "all-namespaces",
    since: "0.1.0",
    summary: "A bundle does not support the install mode AllNamespaces, which OLM v1 needs",
    explanation: "\
OLM v1 installs an operator once for the cluster, and so refuses a bundle whose install modes do not include
`AllNamespaces`: `unsupported bundle: bundle does not support AllNamespaces install mode`. With the technology
preview of own and single namespaces, clusters take `OwnNamespace` and `SingleNamespace` too; nothing takes
`MultiNamespace` alone.",
    sources: &[
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/applier/provider.go",
            "",
        ),
        Source::Statement("D-EXT-2", "5.1.1"),
    ],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("install_mode.cases"),
};

/// Modes that a technology preview takes.
const PREVIEWED: [&str; 2] = ["OwnNamespace", "SingleNamespace"];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let Some(description) = context.manifests(item.number).and_then(|facts| facts.description.as_ref())
        else {
            continue;
        };
        let modes = description.install_modes.as_deref().unwrap_or_default();
        if modes.iter().any(|mode| mode == "AllNamespaces") {
            continue;
        }
        let name = quote(&item.bundle.name);
        let supported = match modes {
            [] => "no install mode at all".to_owned(),
            modes => format!("the install mode {}, not AllNamespaces", modes.join(", ")),
        };
        let mut finding = Finding::new(&RULE, format!("bundle {name} supports {supported}"))
            .at(context.value(item.bundle.origin, description.install_modes_place()))
            .about(item.subject())
            .label("AllNamespaces is asked for")
            .help("support AllNamespaces in a new version of the operator");
        if modes.iter().any(|mode| PREVIEWED.contains(&mode.as_str())) {
            finding =
                finding.note("clusters with the technology preview of own and single namespaces take it");
        }
        findings.push(finding);
    }
}

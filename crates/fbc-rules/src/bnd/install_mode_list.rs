//! Lists of install modes with slips.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND209",
    name: "install-mode-list",
    since: "0.1.0",
    summary: "The list of install modes has an unknown, repeated or missing one",
    explanation: "\
`spec.installModes` should list `OwnNamespace`, `SingleNamespace`, `MultiNamespace` and `AllNamespaces` once each.
What is not listed counts as not supported; OLM v0 refuses a list that has one twice; an unknown type means nothing.",
    sources: &[Source::Code(
        "operator-framework/api:pkg/operators/v1alpha1/clusterserviceversion.go",
        "NewInstallModeSet",
    )],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("install_mode_list.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let mut declared = BTreeSet::new();
    for (number, mode) in csv.list("installModes") {
        let name = mode.get_str("type").unwrap_or_default();
        let (message, help) = if !INSTALL_MODES.contains(&name) {
            let question = names::did_you_mean(name, INSTALL_MODES);
            (
                format!("{} is not an install mode", quote(name)),
                format!("{question}known are {}", INSTALL_MODES.join(", ")),
            )
        } else if !declared.insert(name) {
            (format!("install mode {} is declared twice", quote(name)), "remove one of the two".to_owned())
        } else {
            continue;
        };
        let pointer = format!("/spec/installModes/{number}/type");
        findings.push(context.finding(&RULE, csv.origin(), pointer, message).help(help));
    }
    let missing: Vec<String> =
        INSTALL_MODES.iter().filter(|name| !declared.contains(*name)).map(|name| quote(name)).collect();
    // A list that is not there at all is an error of its own.
    if !missing.is_empty() && csv.list("installModes").next().is_some() {
        let (noun, verb) = if missing.len() == 1 { ("install mode", "is") } else { ("install modes", "are") };
        let message = format!("{noun} {} {verb} not declared", missing.join(", "));
        findings.push(
            Finding::new(&RULE, message)
                .at(context.key(csv.origin(), "/spec/installModes"))
                .about(context.subject())
                .help("declare all four, with `supported: false` where the operator does not support one"),
        );
    }
}

const INSTALL_MODES: [&str; 4] = ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"];

//! Heads of channels that say that they do not work where the catalog is for.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::OpenShiftRelease;
use fbc_version::openshift_release::in_words;

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC240",
    name: "max-openshift-version-of-target",
    since: "0.1.0",
    summary: "The head of a channel does not claim to work on a version that the catalog is for",
    explanation: "\
`olm.maxOpenShiftVersion` names the last OpenShift release that an operator works on. The head of a channel
is what clusters install and upgrade to. If the catalog is for a later version, the operator runs where it says
that it cannot, and the cluster refuses every further minor upgrade. The rule looks once for each target.

Raise the value, or leave the channel out of catalogs for that version.",
    sources: &[
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/operators/openshift/helpers.go",
            "maxOpenShiftVersion",
        ),
        Source::Statement("D-UPD-18", "5.3.5"),
    ],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("max_openshift_version_of_target.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    if context.parameters.targets.is_empty() {
        return;
    }
    for (package, view) in &context.packages {
        for graph in view.channel_graphs() {
            for head in graph.analysis.heads.iter().copied() {
                let Some(bundle) = view.bundle_by_name.get(graph.name(head)) else { continue };
                let Some((index, highest)) = highest_version(bundle) else { continue };
                let beyond: Vec<OpenShiftRelease> =
                    context.parameters.targets.iter().copied().filter(|target| *target > highest).collect();
                if beyond.is_empty() {
                    continue;
                }
                let channel = graph.channel.name.as_str();
                let message = format!(
                    "bundle {}, the head of channel {}, works up to OpenShift {highest}; the catalog is for {}",
                    quote(&bundle.name),
                    quote(channel),
                    in_words(&beyond)
                );
                findings.push(
                    Finding::new(&RULE, message)
                        .at(context.value(bundle.origin, format!("/properties/{index}/value")))
                        .about(Subject::entry(package, channel, &bundle.name))
                        .label("holds cluster upgrades back")
                        .help("raise the value, or leave the channel out of the catalog for that version"),
                );
            }
        }
    }
}

/// The value of the property, and its number; nothing where it cannot be read, which has a finding of its own.
fn highest_version(bundle: &fbc_model::Bundle) -> Option<(usize, OpenShiftRelease)> {
    let (index, value) = opm::values(bundle, "olm.maxOpenShiftVersion").next()?;
    Some((index, OpenShiftRelease::parse(value.as_str()?)?))
}

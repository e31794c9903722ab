//! Heads of channels that say that they do not work where the catalog is for.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings, Subject};
use crate::policy::{OcpVersion, in_words};
use crate::rule::{Basis, Case, Check, Rule, Source};

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
    cases: &[
        Case {
            title: "a head that works there",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
name: stable
package: foo
entries:
- name: foo.v1
---
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.maxOpenShiftVersion, value: \"4.17\"}
",
            findings: &[],
        },
        Case {
            title: "a head that does not",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
name: stable
package: foo
entries:
- name: foo.v1
---
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.maxOpenShiftVersion, value: \"4.16\"}
",
            findings: &["15:42 bundle \"foo.v1\", the head of channel \"stable\", works up to OpenShift 4.16; the catalog is for OpenShift 4.17"],
        },
    ],
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
                let beyond: Vec<OcpVersion> =
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
fn highest_version(bundle: &fbc_model::Bundle) -> Option<(usize, OcpVersion)> {
    let (index, value) = opm::values(bundle, "olm.maxOpenShiftVersion").next()?;
    Some((index, OcpVersion::parse(value.as_str()?)?))
}

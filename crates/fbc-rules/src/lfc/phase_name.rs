//! Phases of lifecycles that nobody knows.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::blobs;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "LFC004",
    name: "unknown-phase",
    since: "0.1.0",
    summary: "A phase of a lifecycle has a name that no phase of the life cycle policy has",
    explanation: "\
The console shows the name of the phase that today is in. Known are `Full support`, `Maintenance support`, `Extended update
support` with its terms, and `Extended life cycle support` with its add-ons.",
    sources: &[Source::Code(
        "release-engineering/fbc-update-planner:pkg/plcc/validation.go",
        "PhaseFullSupport",
    )],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("phase_name.cases"),
};

/// How names of phases begin.
const PHASES: [&str; 4] =
    ["Full support", "Maintenance support", "Extended update support", "Extended life cycle support"];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for lifecycle in blobs::all(context) {
        for (version, at) in blobs::items(lifecycle.value.node(), "", "versions") {
            for (phase, at) in blobs::items(version, &at, "phases") {
                let name = phase.get_str("name").unwrap_or_default();
                if PHASES.iter().any(|known| name.starts_with(known)) {
                    continue;
                }
                findings.push(
                    Finding::new(&RULE, format!("phase {} is not one of the life cycle policy", quote(name)))
                        .at(context.value(lifecycle.origin, format!("{at}/name")))
                        .about(Subject::package(&lifecycle.meta.package))
                        .help(format!("write {}", PHASES.map(|known| format!("`{known}`")).join(", "))),
                );
            }
        }
    }
}

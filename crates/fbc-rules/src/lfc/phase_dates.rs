//! Days of phases that are none, or the wrong way round.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::policy::Date;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::blobs;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "LFC005",
    name: "phase-dates",
    since: "0.1.0",
    summary: "A phase of a lifecycle begins or ends on no day, or ends before it begins",
    explanation: "\
The first and the last day of a phase are written as `2026-03-31`, and the last comes after the first. The console cannot
say which phase today is in otherwise.",
    sources: &[
        Source::Code(
            "release-engineering/fbc-update-planner:pkg/plcc/validation.go",
            "ValidatePhaseEndAfterStart",
        ),
        Source::Code(
            "openshift/console:frontend/packages/operator-lifecycle-manager/src/components/operator-lifecycle-status.tsx",
            "getSupportPhase",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("phase_dates.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for lifecycle in blobs::all(context) {
        let mut add = |message: String, pointer: String| {
            findings.push(
                Finding::new(&RULE, message)
                    .at(context.value(lifecycle.origin, pointer))
                    .about(Subject::package(&lifecycle.meta.package))
                    .help("write the first and the last day of the phase, such as \"2026-03-31\""),
            );
        };
        for (version, at) in blobs::items(lifecycle.value.node(), "", "versions") {
            for (phase, at) in blobs::items(version, &at, "phases") {
                for key in ["startDate", "endDate"] {
                    match phase.get_str(key) {
                        Some(text) if Date::parse(text).is_none() => {
                            add(
                                format!("{} is not a day such as 2026-03-31", quote(text)),
                                format!("{at}/{key}"),
                            );
                        }
                        _ => {}
                    }
                }
                if let [Some(start), Some(end)] = blobs::days(phase)
                    && end <= start
                {
                    let name = quote(phase.get_str("name").unwrap_or_default());
                    add(
                        format!("phase {name} ends on {end}, and begins on {start}"),
                        format!("{at}/endDate"),
                    );
                }
            }
        }
    }
}

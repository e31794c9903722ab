//! Phases of a version that overlap, or leave days out.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::policy::Date;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::blobs;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "LFC006",
    name: "phase-order",
    since: "0.1.0",
    summary: "A phase of a lifecycle does not begin on the day after the one before it",
    explanation: "\
The phases of a version follow each other: each begins on the day after the last day of the one before. Where two overlap
the console shows one of them; on a day that is in none it shows the version as not supported.",
    sources: &[
        Source::Code(
            "release-engineering/fbc-update-planner:pkg/plcc/validation.go",
            "ValidateDatesContiguity",
        ),
        Source::Code(
            "openshift/console:frontend/packages/operator-lifecycle-manager/src/components/operator-lifecycle-status.tsx",
            "getSupportPhase",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("phase_order.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for lifecycle in blobs::all(context) {
        for (version, at) in blobs::items(lifecycle.value.node(), "", "versions") {
            let mut before: Option<Date> = None;
            for (phase, at) in blobs::items(version, &at, "phases") {
                let [start, end] = blobs::days(phase);
                if let (Some(start), Some(last)) = (start, before)
                    && day_after(last) != Some(start)
                {
                    let name = quote(phase.get_str("name").unwrap_or_default());
                    let message =
                        format!("phase {name} begins on {start}, and the one before it ends on {last}");
                    findings.push(
                        Finding::new(&RULE, message)
                            .at(context.value(lifecycle.origin, format!("{at}/startDate")))
                            .about(Subject::package(&lifecycle.meta.package))
                            .help("let each phase begin on the day after the last day of the one before"),
                    );
                }
                before = end;
            }
        }
    }
}

fn day_after(day: Date) -> Option<Date> {
    Date::new(day.year, day.month, day.day + 1)
        .or_else(|| Date::new(day.year, day.month + 1, 1))
        .or_else(|| Date::new(day.year + 1, 1, 1))
}

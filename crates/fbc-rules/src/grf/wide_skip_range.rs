//! Ranges that reach the version of their entry, or beyond it.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF013",
    name: "skip-range-too-wide",
    since: "0.1.0",
    summary: "A `skipRange` covers the version of its own entry or a newer one",
    explanation: "\
Whoever is on a version in the `skipRange` of an entry is offered the entry as an update. A range that
covers the entry itself offers users what they have; one that covers newer versions offers a downgrade.

End the range below the version of the entry: `>=1.0.0 <1.4.2` for 1.4.2.",
    sources: &[
        Source::Advice("who is on a version in the range is offered the entry, also where it is not newer"),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/catalogmetadata/filter/successors.go",
            "legacySuccessor",
        ),
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/cache/predicates.go",
            "SkipRangeIncludesPredicate",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("wide_skip_range.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        let graph = view.graph();
        for channel in &view.channels {
            if channel.entries().iter().all(|entry| entry.skip_range.is_empty()) {
                continue;
            }
            let names = channel.entries().iter().map(|entry| entry.name.as_str());
            // Where a range covers anything newer, it nearly always covers the newest.
            let newest = names.max_by(|a, b| graph.order(a, b)).unwrap_or_default();
            for (number, entry) in channel.entries().iter().enumerate() {
                let Some(range) = graph.readable_skip_range(entry) else { continue };
                let Some(own) = graph.version(&entry.name) else { continue };
                let covered = match graph.version(newest) {
                    _ if range.matches(own) => format!("{own}, its own version"),
                    Some(newest_version)
                        if newest_version.compare_precedence(own).is_gt()
                            && range.matches(newest_version) =>
                    {
                        format!("{newest_version}, the newer version of {}", quote(newest))
                    }
                    _ => continue,
                };
                findings.push(
                    Finding::new(
                        &RULE,
                        format!(
                            "`skipRange` {} of {} in channel {} covers {covered}",
                            quote(&entry.skip_range),
                            quote(&entry.name),
                            quote(&channel.name)
                        ),
                    )
                    .at(context.value(channel.origin, format!("/entries/{number}/skipRange")))
                    .about(Subject::entry(package, &channel.name, &entry.name))
                    .label("reaches too far")
                    .help(format!("end the range with `<{own}`")),
                );
            }
        }
    }
}

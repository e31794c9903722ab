//! Entries that users have and the catalog takes away.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::shared;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IDX002",
    name: "released-entry-missing",
    since: "0.1.0",
    summary: "An entry of a channel of the released index is missing",
    explanation: "\
Who installed a version that is no longer in the channel may find no way on, and nobody can install it again. Name the
index by `--index`. Channels whose names have `dev-preview`, `pre-ga` or `candidate` in them are left alone, as in Konflux's
fbc-target-index-pruning-check. That one takes `foo.v1.1.0-1` for `foo.v1.1.0`; here names must be equal. In the examples
the directory `index` is the released index.",
    sources: &[Source::Code(
        "konflux-ci/konflux-operator-tasks:task/fbc-target-index-pruning-check/0.1/fbc-target-index-pruning-check.yaml",
        "run-pruning-check",
    )],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("released_entry.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for released in shared::channels(context) {
        let Some(first) = released.kept.first() else { continue };
        let kept: BTreeSet<&str> = released
            .kept
            .iter()
            .flat_map(|channel| channel.entries())
            .map(|entry| entry.name.as_str())
            .collect();
        let (channel, package) = (&released.channel.name, &released.package.package.name);
        for entry in released.channel.entries().iter().filter(|entry| !kept.contains(entry.name.as_str())) {
            let message = format!(
                "{} is in channel {} of the released index and missing here",
                quote(&entry.name),
                quote(channel)
            );
            findings.push(
                Finding::new(&RULE, message)
                    .at(context.key(first.origin, "/entries"))
                    .about(Subject::entry(package, channel, &entry.name))
                    .help("keep the entry and its bundle"),
            );
        }
    }
}

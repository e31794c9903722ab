//! Channels that users have and the catalog takes away.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::shared;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IDX001",
    name: "released-channel-missing",
    since: "0.1.0",
    summary: "A channel of the released index is missing",
    explanation: "\
When the catalog is published, its packages take the place of those in the index. Who installed from a channel that is
gone gets no more updates. Name the index by `--index`. Channels whose names have `dev-preview`, `pre-ga` or `candidate` in
them promise nothing and are left alone, as in Konflux's fbc-target-index-pruning-check. That one takes `stable-v1` for
`stable`; here names must be equal. In the examples the directory `index` is the released index.",
    sources: &[Source::Code(
        "konflux-ci/konflux-operator-tasks:task/fbc-target-index-pruning-check/0.1/fbc-target-index-pruning-check.yaml",
        "run-pruning-check",
    )],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("released_channel.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for released in shared::channels(context).iter().filter(|released| released.kept.is_empty()) {
        let (channel, package) = (&released.channel.name, &released.package.package.name);
        let message = format!(
            "channel {} of package {} is in the released index and missing here",
            quote(channel),
            quote(package)
        );
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(released.package.package.origin, "/name"))
                .about(Subject::channel(package, channel))
                .help("keep the channel, and deprecate it if nobody should use it any more"),
        );
    }
}

//! Edges of an expansion that OLM v0 does not follow.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "TPL001",
    name: "dropped-edge",
    since: "0.1.0",
    summary: "A channel of the expansion has edges that OLM v0 does not follow",
    explanation: "\
OLM v0 walks down from the head of a channel over `replaces`. What another entry skips is left out of that
walk, and with it the edges to and from it; OLM v1 follows all of them. Semver templates make such edges as
soon as a channel of a major version has two minor versions: the highest patch of each replaces that of the
minor version before, and the newest skips all the others.

Users of the skipped versions still update, to the head in one step. If the steps in between matter, write
the channel by hand, or use one channel for each minor version.

The rule looks at what `fbc template render` makes; the place is in the template. In the examples `bundles.yaml` holds
what the images do.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/template/semver/semver.go", "linkChannels"),
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go",
            "sortChannel",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("dropped_edge.cases"),
};

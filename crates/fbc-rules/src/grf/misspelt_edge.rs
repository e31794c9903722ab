//! Edges to names that are spelt a little otherwise than an entry.

use std::collections::HashSet;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::names::MAX_SUGGESTIONS;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::spelling::{Spellings, names};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF018",
    name: "misspelt-edge",
    since: "0.1.0",
    summary: "`replaces` or `skips` names an entry in another spelling",
    explanation: "\
`replaces` and `skips` may name bundles that are not in the catalog, so opm accepts any text there. This
name is not a bundle of the package, but it differs from one only in capitals, punctuation, a missing `v` or a few letters, or is
the version of one without its name. Then the edge that was meant does not exist.

Spell the name as the entry does.",
    sources: &[
        Source::Advice("names under `replaces` and `skips` need no bundle, so that opm accepts any"),
        Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Channel.Head"),
        Source::Statement("D-FBC-21", "4.1.3.2"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("misspelt_edge.cases"),
};

/// Comparing names takes long, and what names so much that is not there is no spelling mistake.
const MAX_LOOKED_UP: usize = 50 * MAX_SUGGESTIONS;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        let names: HashSet<&str> = names(view).collect();
        // Most packages name nothing that is not there, and need no other spellings.
        let mut spellings: Option<Spellings<'_>> = None;
        let mut looked_up = 0;
        for channel in &view.channels {
            for (number, entry) in channel.entries().iter().enumerate() {
                let replaces = (&entry.replaces, "replaces", None);
                let skips = entry.skips.iter().enumerate().map(|(index, skip)| (skip, "skips", Some(index)));
                for (target, verb, index) in std::iter::once(replaces).chain(skips) {
                    if target.is_empty() || names.contains(target.as_str()) {
                        continue;
                    }
                    looked_up += 1;
                    if looked_up > MAX_LOOKED_UP {
                        continue;
                    }
                    let spellings = spellings.get_or_insert_with(|| Spellings::new(view));
                    let Some(meant) = spellings.meant(target) else { continue };
                    let item = index.map(|index| format!("/{index}")).unwrap_or_default();
                    findings.push(
                        Finding::new(
                            &RULE,
                            format!(
                                "{} {verb} {} in channel {}: there is no such bundle, but there is {}",
                                quote(&entry.name),
                                quote(target),
                                quote(&channel.name),
                                quote(meant)
                            ),
                        )
                        .at(context.value(channel.origin, format!("/entries/{number}/{verb}{item}")))
                        .about(Subject::entry(package, &channel.name, &entry.name))
                        .label("no such bundle")
                        .fix(Fix::risky(format!("write {}", quote(meant))).set(
                            channel.origin,
                            format!("/entries/{number}/{verb}{item}"),
                            meant,
                        ))
                        .help(format!("write {}", quote(meant))),
                    );
                }
            }
        }
    }
}

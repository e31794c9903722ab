//! Edges to names that are spelt a little otherwise than an entry.

use std::collections::{HashMap, HashSet};

use fbc_go::text::quote;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF018",
    name: "misspelt-edge",
    since: "0.1.0",
    summary: "`replaces` or `skips` names an entry in another spelling",
    explanation: "\
`replaces` and `skips` may name bundles that are not in the catalog, so opm accepts any text there. This
name is not a bundle of the package, but it differs from one only in capitals, punctuation or a missing `v`.
Then the edge that was meant does not exist.

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

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        let names: HashSet<&str> = names(view).collect();
        // Most packages name nothing that is not there, and need no other spellings.
        let mut spellings: Option<HashMap<String, &str>> = None;
        for channel in &view.channels {
            for (number, entry) in channel.entries().iter().enumerate() {
                let replaces = (&entry.replaces, "replaces", None);
                let skips = entry.skips.iter().enumerate().map(|(index, skip)| (skip, "skips", Some(index)));
                for (target, verb, index) in std::iter::once(replaces).chain(skips) {
                    if target.is_empty() || names.contains(target.as_str()) {
                        continue;
                    }
                    let spellings = spellings.get_or_insert_with(|| {
                        names.iter().map(|name| (without_spelling(name), *name)).collect()
                    });
                    let Some(meant) = spellings.get(&without_spelling(target)) else { continue };
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

/// The names of all entries and bundles.
fn names<'c>(view: &PackageView<'c>) -> impl Iterator<Item = &'c str> {
    let entries = view.channels.iter().flat_map(|channel| channel.entries());
    entries.map(|entry| entry.name.as_str()).chain(view.bundle_by_name.keys().copied())
}

/// A name without what people spell in different ways: capitals, punctuation, and a `v` before digits.
fn without_spelling(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            'v' | 'V' if characters.peek().is_some_and(char::is_ascii_digit) => {}
            // Digits must stay apart: 1.10 is not 11.0.
            '.' | '-' | '_' | '+' => out.push('.'),
            _ => out.extend(character.to_lowercase()),
        }
    }
    out
}

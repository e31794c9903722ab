//! Schemas that look like one of OLM's.

use std::collections::BTreeMap;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Other;
use fbc_model::blob::schema;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC202",
    name: "unknown-schema",
    since: "0.1.0",
    summary: "The schema of a blob looks like one of OLM's, but is not",
    explanation: "\
opm keeps blobs of schemas that it does not know as they are and looks no further at them. A bundle with
the schema `olm.bundel` is therefore not a bundle, and nothing says so.

All schemas that begin with `olm.` are reserved for OLM. For blobs of your own, use a schema that begins
with a domain of yours.

A template (`olm.semver`, `olm.template.basic`) is not part of a catalog: render it, and keep the template
outside of the directory of the catalog or name it in `.indexignore`.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/declcfg/load.go", "addMeta"),
        Source::Statement("D-FBC-17", "4.1.3"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("unknown_schema.cases"),
};

const KNOWN: [&str; 4] = [schema::PACKAGE, schema::CHANNEL, schema::BUNDLE, schema::DEPRECATIONS];
const TEMPLATES: [&str; 4] =
    ["olm.semver", "olm.template.basic", "olm.template.substitutes", "olm.composite"];

/// The schema that is meant: one that is spelt nearly so, or that of deprecations, which people call in many ways.
fn meant(name: &str) -> Option<&'static str> {
    let of_deprecations = || name.to_ascii_lowercase().contains("deprecat").then_some(schema::DEPRECATIONS);
    names::meant(name, KNOWN).or_else(of_deprecations)
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    // Each schema once: the first blob of it, and how many there are.
    let mut suspects: BTreeMap<&str, (&Other, usize)> = BTreeMap::new();
    for other in &context.catalog.others {
        let name = other.meta.schema.as_str();
        if let Some((_, count)) = suspects.get_mut(name) {
            *count += 1;
        } else if name.to_ascii_lowercase().starts_with("olm.") || names::meant(name, KNOWN).is_some() {
            suspects.insert(name, (other, 1));
        }
    }
    for (name, (other, count)) in suspects {
        let quoted = quote(name);
        let (message, help) = if TEMPLATES.contains(&name) {
            (
                format!("this is a template ({quoted}), not a part of a catalog"),
                "render it into the catalog, and keep it elsewhere or name it in `.indexignore`".to_owned(),
            )
        } else {
            (
                format!("{quoted} is not a schema of OLM, so opm does not look at this blob"),
                format!(
                    "{}for blobs of your own, use a schema that begins with a domain of yours",
                    meant(name).map(|meant| format!("did you mean {}? ", quote(meant))).unwrap_or_default()
                ),
            )
        };
        let meant = meant(name).filter(|_| !TEMPLATES.contains(&name));
        let fix = meant.map(|meant| {
            let of_schema = context.catalog.others.iter().filter(|blob| blob.meta.schema == name);
            let fix = Fix::risky(format!("write `schema: {meant}`"));
            of_schema.fold(fix, |fix, blob| fix.set(blob.origin, "/schema", meant))
        });
        let mut finding = Finding::new(&RULE, message)
            .at(context.value(other.origin, "/schema"))
            .about(Subject::package(&other.meta.package))
            .label("no schema of OLM")
            .help(help)
            .fix_if(fix);
        if count > 1 {
            finding = finding.note(format!("{count} blobs have this schema"));
        }
        findings.push(finding);
    }
}

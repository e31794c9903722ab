//! The same thing deprecated twice.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::references::references;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "DEP005",
    name: "repeated-deprecation",
    since: "0.1.0",
    summary: "The same thing is deprecated twice",
    explanation: "\
A package, channel or bundle may have one deprecation, with one message. opm refuses a second one for the
same reference.

Join the two messages in one entry.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "ConvertToModel",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("repeated_reference.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for reference in references(context).filter(|reference| reference.is_repeated) {
        let package = quote(&reference.blob.package);
        let (schema, name) = (&reference.entry.schema, quote(&reference.entry.name));
        let same = |entry: &&fbc_model::DeprecationEntry| {
            (&entry.schema, &entry.name, &entry.message)
                == (&reference.entry.schema, &reference.entry.name, &reference.entry.message)
        };
        let before = || reference.blob.entries().iter().take(reference.number);
        let is_equal = before().any(|entry| same(&entry));
        let same_reference = |entry: &fbc_model::DeprecationEntry| {
            (&entry.schema, &entry.name) == (&reference.entry.schema, &reference.entry.name)
        };
        let first = before().position(same_reference).unwrap_or_default();
        let fix = Fix::safe_if(is_equal, "remove the second deprecation")
            .remove(reference.blob.origin, format!("/entries/{}", reference.number));
        let message = if reference.entry.name.is_empty() {
            format!("{schema} of package {package} is deprecated already")
        } else {
            format!("{schema} {name} of package {package} is deprecated already")
        };
        let text = format!("duplicate deprecation entry {} for package {package}", reference.go_text());
        findings.push(
            reference
                .refused(context, &RULE, 5, message, text)
                .label("a second deprecation")
                .related(
                    context.value(reference.blob.origin, format!("/entries/{first}/reference")),
                    "deprecated first",
                )
                .fix(fix)
                .help("join the two messages in one entry"),
        );
    }
}

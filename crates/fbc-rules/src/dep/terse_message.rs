//! Messages of deprecations that say nothing.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::references::references;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "DEP014",
    name: "terse-deprecation-message",
    since: "0.1.0",
    summary: "The message of a deprecation says too little",
    explanation: "\
Users see that something is deprecated; what they need from the message is what that means for them, and
what to do: the package, channel or version to go to, or the end of support.

Write a sentence or two, such as \"channel `alpha` is no longer supported. Please switch to `stable`\".",
    sources: &[
        Source::Advice("the message is all that users learn of a deprecation"),
        Source::Statement("D-FBC-25", "4.1.3.4"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("terse_message.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for reference in references(context) {
        let message = reference.entry.message.as_str();
        // An empty message has a finding of its own. Shorter than this nothing useful can be said.
        if message.is_empty() || message.split_whitespace().nth(1).is_some() {
            continue;
        }
        findings.push(
            Finding::new(
                &RULE,
                format!(
                    "the message {} of a deprecation of package {} does not say what to do",
                    quote(message),
                    quote(&reference.blob.package)
                ),
            )
            .at(reference.place(context, "/message"))
            .about(Subject::package(&reference.blob.package))
            .help("say what is no longer supported, and what to use instead"),
        );
    }
}

//! Codes that no rule has.

use fbc_go::text::quote;
use fbc_lint::finding::{Finding, Severity};
use fbc_lint::policy::selector;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use crate::RULES;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG004",
    name: "unknown-code",
    since: "0.1.0",
    summary: "The configuration names a rule that does not exist",
    explanation: "\
Under `[rules]` and in waivers, a rule is named by its code (`GRF003`), its name (`stranded-bundle`) or the
letters of its family (`GRF`). `fbc explain` lists all of them. What names no rule has no effect.",
    sources: &[Source::Advice("what names no rule has no effect, and nothing else would say so")],
    basis: Basis::Configuration(Severity::Error),
    check: Check::Elsewhere,
    cases: include_str!("unknown_code.cases"),
};

/// A finding about a word that names no rule.
#[must_use]
pub fn finding(word: &str) -> Finding {
    let help = match selector::select(&RULES, word) {
        Err(Some(known)) => format!("did you mean {known}?"),
        _ => "`fbc explain` lists all rules".to_owned(),
    };
    Finding::new(&RULE, format!("there is no rule {}", quote(word))).label("unknown").help(help)
}

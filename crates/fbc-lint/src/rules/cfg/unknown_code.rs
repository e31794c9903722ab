//! Codes that no rule has.

use fbc_go::text::quote;

use crate::finding::{Finding, Severity};
use crate::policy::selector;
use crate::rule::{Basis, Check, Rule};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG004",
    name: "unknown-code",
    since: "0.1.0",
    summary: "The configuration names a rule that does not exist",
    explanation: "\
Under `[rules]` and in waivers, a rule is named by its code (`GRF003`), its name (`stranded-bundle`) or the
letters of its family (`GRF`). `fbc explain` lists all of them. What names no rule has no effect.",
    basis: Basis::Configuration(Severity::Error),
    check: Check::Elsewhere,
    cases: &[],
};

/// A finding about a word that names no rule.
#[must_use]
pub fn finding(word: &str) -> Finding {
    let help = match selector::select(word) {
        Err(Some(known)) => format!("did you mean {known}?"),
        _ => "`fbc explain` lists all rules".to_owned(),
    };
    Finding::new(&RULE, format!("there is no rule {}", quote(word))).label("unknown").help(help)
}

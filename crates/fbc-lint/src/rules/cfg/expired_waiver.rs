//! Waivers whose time is over.

use crate::finding::Severity;
use crate::rule::{Basis, Case, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG002",
    name: "expired-waiver",
    since: "0.1.0",
    summary: "A waiver has expired",
    explanation: "\
The last day on which the waiver holds, `expires`, is over. What it covered is reported again.

The day is the one of the clock in UTC; `--today` or the environment variable `SOURCE_DATE_EPOCH` sets
another. In the examples today is 2026-06-30.",
    sources: &[Source::Advice("a waiver holds until the day that it names itself")],
    basis: Basis::Configuration(Severity::Error),
    check: Check::Elsewhere,
    cases: &[
        Case {
            title: "until the end of the year",
            files: "\
-- fbc.toml --
[[waivers]]
code = \"FBC203\"
reason = \"a tool of ours reads it\"
expires = \"2026-12-31\"
-- catalog/foo/catalog.yaml --
schema: olm.package
name: foo
defaultChannel: stable
color: red
",
            findings: &[],
        },
        Case {
            title: "until the end of March",
            files: "\
-- fbc.toml --
[[waivers]]
code = \"FBC203\"
reason = \"a tool of ours reads it\"
expires = \"2026-03-31\"
-- catalog/foo/catalog.yaml --
schema: olm.package
name: foo
defaultChannel: stable
color: red
",
            findings: &["fbc.toml:2:8 the waiver of \"FBC203\" expired on 2026-03-31"],
        },
    ],
};

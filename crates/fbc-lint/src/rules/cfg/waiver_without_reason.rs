//! Waivers that say not why.

use crate::finding::Severity;
use crate::rule::{Basis, Case, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG003",
    name: "waiver-without-reason",
    since: "0.1.0",
    summary: "A waiver gives no reason",
    explanation: "\
A waiver is a decision. Whoever reads it next year needs to know who took it and why: write it down as
`reason`. A waiver without one does not count.",
    sources: &[Source::Advice("who reads a waiver later must know who decided it, and why")],
    basis: Basis::Configuration(Severity::Error),
    check: Check::Elsewhere,
    cases: &[
        Case {
            title: "a reason",
            files: "\
-- fbc.toml --
[[waivers]]
code = \"FBC203\"
reason = \"a tool of ours reads it\"
-- catalog/foo/catalog.yaml --
schema: olm.package
name: foo
defaultChannel: stable
color: red
",
            findings: &[],
        },
        Case {
            title: "no reason",
            files: "\
-- fbc.toml --
[[waivers]]
code = \"FBC203\"
-- catalog/foo/catalog.yaml --
schema: olm.package
name: foo
defaultChannel: stable
color: red
",
            findings: &["fbc.toml:2:8 the waiver of \"FBC203\" gives no reason, and does not count"],
        },
    ],
};

//! Waivers without an end, where each must have one.

use crate::finding::Severity;
use crate::rule::{Basis, Case, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG006",
    name: "waiver-without-expiry",
    since: "0.1.0",
    summary: "A waiver does not say when it expires",
    explanation: "\
The configuration asks for it: `waivers-must-expire = true`. A waiver without `expires` does not count.",
    sources: &[Source::Advice("the configuration itself asks for it with `waivers-must-expire`")],
    basis: Basis::Configuration(Severity::Error),
    check: Check::Elsewhere,
    cases: &[
        Case {
            title: "an end",
            files: "\
-- fbc.toml --
waivers-must-expire = true

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
            title: "no end",
            files: "\
-- fbc.toml --
waivers-must-expire = true

[[waivers]]
code = \"FBC203\"
reason = \"a tool of ours reads it\"
-- catalog/foo/catalog.yaml --
schema: olm.package
name: foo
defaultChannel: stable
color: red
",
            findings: &[
                "fbc.toml:4:8 the waiver of \"FBC203\" does not say when it expires, and does not count",
            ],
        },
    ],
};

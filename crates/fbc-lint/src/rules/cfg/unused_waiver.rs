//! Waivers that cover nothing.

use crate::finding::Severity;
use crate::rule::{Basis, Case, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG001",
    name: "unused-waiver",
    since: "0.1.0",
    summary: "A waiver covers no finding",
    explanation: "\
The problem that the waiver was for is gone, or the waiver names it wrongly and so does not cover it. A
waiver that stays would hide the problem when it comes back.

A waiver that names a package or a path is left alone in a run that looks at neither. A run over the
directory of the configuration file looks at everything.",
    sources: &[Source::Advice("a waiver that covers nothing would hide the problem when it comes back")],
    basis: Basis::Configuration(Severity::Warning),
    check: Check::Elsewhere,
    cases: &[
        Case {
            title: "a finding that it covers",
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
            title: "the finding is gone",
            files: "\
-- fbc.toml --
[[waivers]]
code = \"FBC203\"
reason = \"a tool of ours reads it\"
-- catalog/foo/catalog.yaml --
schema: olm.package
name: foo
defaultChannel: stable
",
            findings: &["fbc.toml:2:8 the waiver of \"FBC203\" covers no finding"],
        },
    ],
};

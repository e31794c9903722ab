//! Baselines that are behind.

use crate::finding::Severity;
use crate::rule::{Basis, Case, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CFG005",
    name: "stale-baseline",
    since: "0.1.0",
    summary: "The baseline holds findings that no longer occur",
    explanation: "\
What is in the baseline does not fail a run. Findings that are fixed should leave it, or they could come
back unseen.

Recreate the baseline with `--write-baseline`. Entries of catalogs that the run does not look at stay.",
    sources: &[Source::Advice("a finding that is fixed and still in the baseline could come back unseen")],
    basis: Basis::Configuration(Severity::Warning),
    check: Check::Elsewhere,
    cases: &[
        Case {
            title: "a finding that is still there",
            files: "\
-- fbc.toml --
baseline = \"fbc-baseline.json\"
-- fbc-baseline.json --
{
  \"version\": 1,
  \"findings\": [
    {\"code\": \"FBC203\", \"file\": \"catalog/foo/catalog.yaml\", \"package\": \"foo\", \"key\": \"/color\", \"message\": \"2446a145738ca5d0\"}
  ]
}
-- catalog/foo/catalog.yaml --
schema: olm.package
name: foo
defaultChannel: stable
color: red
",
            findings: &[],
        },
        Case {
            title: "a finding that is gone",
            files: "\
-- fbc.toml --
baseline = \"fbc-baseline.json\"
-- fbc-baseline.json --
{
  \"version\": 1,
  \"findings\": [
    {\"code\": \"FBC203\", \"file\": \"catalog/foo/catalog.yaml\", \"package\": \"foo\", \"key\": \"/color\", \"message\": \"2446a145738ca5d0\"}
  ]
}
-- catalog/foo/catalog.yaml --
schema: olm.package
name: foo
defaultChannel: stable
",
            findings: &["fbc-baseline.json:- 1 finding of the baseline no longer occurs"],
        },
    ],
};

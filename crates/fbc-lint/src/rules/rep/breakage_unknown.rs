//! A file that changed cannot be loaded, so nobody knows what the change breaks.

use super::ChangeCase;
use crate::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`]. Found by [`crate::comparison::unknown_breakage`].
pub static RULE: Rule = Rule {
    code: "REP105",
    name: "breakage-unknown",
    since: "0.1.0",
    summary: "A file that changed cannot be loaded, so what the change breaks is not known",
    explanation: "\
What a change breaks is found by comparing blobs, and blobs that cannot be loaded before or after the change
would seem to be added or removed. The packages of such a file are not compared; all others are.

Fix the file first, in a change of its own, and compare with that.",
    sources: &[Source::Advice("a blob that cannot be loaded on one side would seem to be added or removed")],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[],
};

/// Small changes with what the rule finds in them.
pub static CASES: &[ChangeCase] = &[
    ChangeCase {
        title: "a file that loads",
        old: "\
-- foo.yaml --
schema: olm.package
name: foo
defaultChannel: stable
",
        new: "\
-- foo.yaml --
schema: olm.package
name: foo
defaultChannel: fast
",
        findings: &[],
    },
    ChangeCase {
        title: "a quotation mark too few",
        old: "\
-- foo.yaml --
schema: olm.package
name: foo
defaultChannel: stable
",
        new: "\
-- foo.yaml --
schema: olm.package
name: foo
defaultChannel: \"fast
",
        findings: &[
            "\"foo.yaml\" could not be loaded now, so what the change breaks in package \"foo\" is not known",
        ],
    },
];

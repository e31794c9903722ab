//! A file that changed cannot be loaded, so nobody knows what the change breaks.

use crate::rule::{Basis, Check, Rule};

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
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[],
};

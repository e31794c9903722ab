//! A package is removed.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP001",
    name: "package-removed",
    since: "0.1.0",
    summary: "A package is removed",
    explanation: "\
Whoever has the operator installed gets no updates any more, nobody can install it, and mirrors drop its
images.

Deprecate the package first, with a message that says where to go, and keep it for the lifetime of the
OpenShift release that the catalog is for. If it only moved to another file, make sure that the file is
not left out by an `.indexignore`.",
    sources: &[Source::Statement("D-FBC-51", "4.5.2")],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("package_removed.cases"),
};

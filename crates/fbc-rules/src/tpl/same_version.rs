//! Bundles of an expansion whose order is not certain.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "TPL003",
    name: "same-version",
    since: "0.1.0",
    summary: "Bundles of the expansion have the same version",
    explanation: "\
Build metadata such as `+2` does not order versions, and semver templates and OLM v0 do not look at
releases. Of bundles with the same version nobody can say which is newer, so there is no certain upgrade
between them.

Give the rebuilt bundle a version of its own, or use a substitutes template to put it in the place of the
first.

The rule looks at what `fbc template render` makes; the place is in the template. In the examples `bundles.yaml` holds
what the images do.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/template/semver/semver.go",
        "withoutBuildMetadataConflict",
    )],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("same_version.cases"),
};

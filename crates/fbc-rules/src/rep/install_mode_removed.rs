//! A bundle no longer supports an install mode.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "REP015",
    name: "install-mode-removed",
    since: "0.1.0",
    summary: "A bundle no longer supports an install mode",
    explanation: "\
Installations in this mode fail after the update: under OLM v0 the new ClusterServiceVersion is refused
because the OperatorGroup does not fit, under OLM v1 the namespaces that it watches. Only
`olm.csv.metadata` tells.

Keep the mode, or start a new channel for the versions without it.",
    sources: &[
        Source::Code(
            "operator-framework/api:pkg/operators/v1alpha1/clusterserviceversion.go",
            "InstallModeSet.Supports",
        ),
        Source::Statement("D-EXT-2", "5.1.1"),
    ],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("install_mode_removed.cases"),
};

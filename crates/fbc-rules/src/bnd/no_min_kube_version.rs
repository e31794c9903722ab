//! Cluster service versions for any Kubernetes.

use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND208",
    name: "no-min-kube-version",
    since: "0.1.0",
    summary: "A ClusterServiceVersion does not say which Kubernetes it needs",
    explanation: "\
Without `spec.minKubeVersion` the operator may be installed on a cluster of any age, also where the APIs that it
uses do not exist. Name the oldest version that it is tested with.",
    sources: &[Source::Code(
        "operator-framework/api:pkg/validation/internal/csv.go",
        "validateMinKubeVersion",
    )],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("no_min_kube_version.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    if csv
        .spec("minKubeVersion")
        .is_some_and(|value| value.as_str().is_none_or(|text| !text.trim().is_empty()))
    {
        return;
    }
    let message = "the ClusterServiceVersion has no `minKubeVersion`";
    findings.push(context.finding(&RULE, csv.origin(), "/spec/minKubeVersion", message).help(
        "name the oldest Kubernetes that the operator is tested with, such as `minKubeVersion: 1.25.0`",
    ));
}

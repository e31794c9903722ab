//! Least versions of Kubernetes that are not versions.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::Version;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND011",
    name: "min-kube-version",
    since: "0.1.0",
    summary: "`minKubeVersion` is not a semantic version",
    explanation: "\
`spec.minKubeVersion` keeps an operator from clusters that are too old for it. It must have three numbers, such
as `1.25.0`, without a `v`.",
    sources: &[Source::Code(
        "operator-framework/api:pkg/validation/internal/csv.go",
        "validateMinKubeVersion",
    )],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("min_kube_version.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let text = csv.spec_text("minKubeVersion");
    if text.trim().is_empty() || Version::parse(text).is_ok() {
        return;
    }
    let stripped = text.trim().trim_start_matches('v');
    let whole =
        [stripped.to_owned(), format!("{stripped}.0")].into_iter().find(|text| Version::parse(text).is_ok());
    let fix = whole
        .as_ref()
        .map(|meant| Fix::safe(format!("write `{meant}`")).set(csv.origin(), "/spec/minKubeVersion", meant));
    let help =
        whole.map_or("write three numbers, such as `1.25.0`".to_owned(), |text| format!("write `{text}`"));
    let message = format!("`minKubeVersion` {} is not a semantic version", quote(text));
    findings
        .push(context.finding(&RULE, csv.origin(), "/spec/minKubeVersion", message).help(help).fix_if(fix));
}

//! Cluster service versions of an API that there is not.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND105",
    name: "csv-api-version",
    since: "0.1.0",
    summary: "The `apiVersion` of the ClusterServiceVersion is not that of OLM",
    explanation: "\
A ClusterServiceVersion is an object of `operators.coreos.com/v1alpha1`; there is no other version, and the group
belongs to it. Tools that know the object by its kind read it all the same; a cluster refuses it.",
    sources: &[
        Source::Code("operator-framework/api:pkg/operators/v1alpha1/register.go", "SchemeGroupVersion"),
        Source::Code("operator-framework/api:pkg/validation/internal/csv.go", "validateVersionKind"),
    ],
    basis: Basis::Olm,
    check: Check::Bundle(check),
    cases: include_str!("csv_api_version.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let api_version = csv.object.node.get_str("apiVersion").unwrap_or_default();
    // A missing one is BND007's.
    if api_version.is_empty() || api_version == API_VERSION {
        return;
    }
    let message = format!(
        "the `apiVersion` of the ClusterServiceVersion is {}, not {}",
        quote(api_version),
        quote(API_VERSION)
    );
    findings.push(
        context
            .finding(&RULE, csv.origin(), "/apiVersion", message)
            .help(format!("write `apiVersion: {API_VERSION}`")),
    );
}

const API_VERSION: &str = "operators.coreos.com/v1alpha1";

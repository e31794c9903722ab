//! Names of cluster service versions that Kubernetes refuses.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::names;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND009",
    name: "csv-name",
    since: "0.1.0",
    summary: "The name of a ClusterServiceVersion is not allowed",
    explanation: "\
`metadata.name` is the name of an object and becomes the value of a label on everything that belongs to the
operator. So it has at most 63 lower-case letters, digits, `-` and `.`, with a letter or digit at both ends of
each part. Build metadata of a version (`+1`) cannot be in it. The same holds for `spec.replaces`.",
    sources: &[Source::Code("operator-framework/api:pkg/validation/internal/csv.go", "parseCSVNameFormat")],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("csv_name.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    if csv.object.name.is_empty() {
        findings.push(
            context
                .finding(&RULE, csv.origin(), "/metadata/name", "the ClusterServiceVersion has no name")
                .help("write the name of the operator and its version: `name: my-operator.v1.0.0`"),
        );
    }
    let texts = [("/metadata/name", csv.object.name), ("/spec/replaces", csv.spec_text("replaces"))];
    for (pointer, name) in texts {
        if name.is_empty() {
            continue;
        }
        let Some(fault) = names::csv_name_fault(name) else { continue };
        let shown = pointer.trim_start_matches('/').replace('/', ".");
        let message = format!("`{shown}` {} is not allowed: {fault}", quote(name));
        let lower = name.to_lowercase().replace('_', "-");
        let fix = names::csv_name_fault(&lower)
            .is_none()
            .then(|| Fix::risky(format!("write {}", quote(&lower))).set(csv.origin(), pointer, &lower));
        let finding = context.finding(&RULE, csv.origin(), pointer, message).label("no name for an object");
        findings.push(finding.fix_if(fix));
    }
}

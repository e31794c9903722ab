//! Objects of APIs that newer clusters do not know.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::removed;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND213",
    name: "removed-api",
    since: "0.1.0",
    summary: "An object is of an API that newer versions of Kubernetes do not have",
    explanation: "\
Kubernetes removes versions of its APIs. The bundle installs on older clusters, and on no newer one; a cluster with
the operator may refuse its own upgrade. With `--kubernetes` or `--ocp` only what is gone on these targets is
reported, as an error (BND025).",
    sources: &[
        Source::Code(
            "operator-framework/api:pkg/validation/internal/removed_apis.go",
            "validateDeprecatedAPIS",
        ),
        Source::Code("kubernetes/website:content/en/docs/reference/using-api/deprecation-guide.md", ""),
    ],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("removed_api.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    if !context.targets.is_empty() {
        return;
    }
    for (object, removed) in removed::objects(context) {
        if !removed::targets_without(context, removed).is_empty() {
            continue;
        }
        let message = format!(
            "{} of {} is gone since Kubernetes 1.{}",
            quote(object.kind),
            quote(&format!("{}/{}", object.group, object.version)),
            removed.since
        );
        findings
            .push(context.finding(&RULE, object.origin, "/apiVersion", message).help(removed::help(removed)));
    }
}

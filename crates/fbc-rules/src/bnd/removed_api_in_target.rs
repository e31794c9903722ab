//! Objects that a target cluster does not know.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::removed;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND025",
    name: "removed-api-in-target",
    since: "0.1.0",
    summary: "An object is of an API that a target of the bundle does not have",
    explanation: "\
Kubernetes removes versions of its APIs. A bundle with an object of a removed one does not install on a cluster that
is without it. The targets are those named with `--kubernetes` and `--ocp`, and `minKubeVersion` of the
ClusterServiceVersion: an operator that needs a Kubernetes without the API cannot have an object of it.",
    sources: &[
        Source::Code(
            "operator-framework/api:pkg/validation/internal/removed_apis.go",
            "validateDeprecatedAPIS",
        ),
        Source::Code("kubernetes/website:content/en/docs/reference/using-api/deprecation-guide.md", ""),
    ],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("removed_api_in_target.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    for (object, removed) in removed::objects(context) {
        let targets = removed::targets_without(context, removed);
        if targets.is_empty() {
            continue;
        }
        let message = format!(
            "{} of {} is gone since Kubernetes 1.{}: not in {}",
            quote(object.kind),
            quote(&format!("{}/{}", object.group, object.version)),
            removed.since,
            targets.join(", ")
        );
        findings
            .push(context.finding(&RULE, object.origin, "/apiVersion", message).help(removed::help(removed)));
    }
}

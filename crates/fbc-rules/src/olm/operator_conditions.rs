//! Operators that use OperatorConditions.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "OLM005",
    name: "operator-conditions",
    since: "0.1.0",
    summary: "An operator uses the OperatorConditions API, which OLM v1 does not have",
    explanation: "\
With OperatorConditions an operator tells OLM v0 that it must not be upgraded right now. OLM v1 does not have the
API: the operator may fail when it starts, and nothing holds an upgrade back. Users have to pin the version
instead. The rule sees bundles whose manifests are in the catalog: it looks for permissions on
`operatorconditions` of `operators.coreos.com`, and for containers with the variable `OPERATOR_CONDITION_NAME`, which
is often written `OPERATOR_CONDITIONS_NAME`. OLM v1 sets neither.",
    sources: &[
        Source::Code("operator-framework/operator-controller:docs/project/olmv1_limitations.md", ""),
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/operators/operatorcondition_controller.go",
            "",
        ),
        Source::Statement("D-EXT-5", "5.1.1"),
    ],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("operator_conditions.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let description = context.manifests(item.number).and_then(|facts| facts.description.as_ref());
        let Some((description, whole)) =
            description.and_then(|description| Some((description, description.whole.as_ref()?)))
        else {
            continue;
        };
        let Some(found) = &whole.operator_conditions else { continue };
        let name = quote(&item.bundle.name);
        findings.push(
            Finding::new(&RULE, format!("bundle {name} uses OperatorConditions, which OLM v1 does not have"))
                .at(context.value(item.bundle.origin, description.place()))
                .about(item.subject())
                .label("in this manifest")
                .note(found.to_string())
                .help("let the operator start without the API, and tell users of OLM v1 to pin its version"),
        );
    }
}

//! Annotations of OLM in another case.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::bundle::pointer;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND022",
    name: "annotation-case",
    since: "0.1.0",
    summary: "An annotation of OLM is written in another case",
    explanation:
        "\
The case of annotation names counts. `olm.skiprange` has no effect, `olm.skipRange` has; without it users are
left without an upgrade. operator-sdk refuses other cases of the annotations that OLM reads or writes itself.",
    sources: &[Source::Code(
        "operator-framework/api:pkg/validation/internal/annotations.go",
        "ValidateAnnotationNames",
    )],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("annotation_case.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    for (key, _) in csv.annotations() {
        let known = CASE_SENSITIVE.iter().find(|known| known.eq_ignore_ascii_case(key) && **known != key);
        let Some(known) = known else { continue };
        let message = format!("annotation {} has no effect: its name is {}", quote(key), quote(known));
        findings.push(
            Finding::new(&RULE, message)
                .at(context.key(csv.origin(), pointer("/metadata/annotations", key)))
                .about(context.subject())
                .label("another case")
                .fix(Fix::safe(format!("write `{known}`")).rename(
                    csv.origin(),
                    pointer("/metadata/annotations", key),
                    known,
                ))
                .help(format!("write `{known}`")),
        );
    }
}

pub(super) const CASE_SENSITIVE: [&str; 5] = [
    "olm.operatorGroup",
    "olm.operatorNamespace",
    "olm.targetNamespaces",
    "olm.providedAPIs",
    "olm.skipRange",
];

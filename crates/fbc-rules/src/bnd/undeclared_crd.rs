//! Custom resource definitions that nobody owns.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::fix::{Fix, object_value};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::crd;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND014",
    name: "undeclared-crd",
    since: "0.1.0",
    summary: "A CustomResourceDefinition of the bundle is not declared as owned",
    explanation: "\
Every CustomResourceDefinition in `manifests` must be named under `spec.customresourcedefinitions.owned`, in one of
its versions at least. OLM takes care of what is owned: it finds conflicts with other operators, gives users rights
for it, and consoles show it. operator-sdk refuses a definition that is not declared; opm renders it.",
    sources: &[Source::Code("operator-framework/api:pkg/validation/internal/bundle.go", "validateOwnedCRDs")],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("undeclared_crd.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let owned: BTreeSet<(Option<&str>, &str)> =
        csv.custom_resources("owned").map(|(_, owned)| (owned.group(), owned.kind)).collect();
    let mut reported = BTreeSet::new();
    for defined in crd::defined(context) {
        let is_owned = owned.contains(&(Some(defined.group), defined.kind));
        if is_owned || !reported.insert(defined.object.origin) {
            continue;
        }
        let name = defined.object.name;
        findings.push(
            context
                .finding(
                    &RULE,
                    defined.object.origin,
                    "/metadata/name",
                    format!("{} is not declared as owned", quote(name)),
                )
                .fix(Fix::safe("declare it as owned").append(
                    csv.origin(),
                    "/spec/customresourcedefinitions/owned",
                    object_value(&[("kind", defined.kind), ("name", name), ("version", defined.version)]),
                ))
                .help(format!(
                    "add `{{name: {name}, version: {}, kind: {}}}` to `spec.customresourcedefinitions.owned`",
                    defined.version, defined.kind
                )),
        );
    }
}

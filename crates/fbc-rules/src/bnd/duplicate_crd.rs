//! Custom resources that are defined twice.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::crd;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND015",
    name: "duplicate-crd",
    since: "0.1.0",
    summary: "A bundle defines a custom resource twice",
    explanation: "\
Two CustomResourceDefinitions of one group and kind exclude each other: a cluster keeps what was applied last. It
happens when a definition is generated again under another file name, or beside its older `v1beta1` form. Keep one
of the files.",
    sources: &[
        Source::Code("operator-framework/api:pkg/validation/internal/bundle.go", "validateOwnedCRDs"),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/rukpak/render/registryv1/validators/validator.go",
            "CheckCRDResourceUniqueness",
        ),
    ],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("duplicate_crd.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let mut seen = BTreeMap::new();
    for defined in crd::defined(context) {
        let first = match seen.entry((defined.group, defined.kind, defined.version)) {
            Entry::Vacant(entry) => {
                entry.insert(context.value(defined.object.origin, defined.pointer));
                continue;
            }
            Entry::Occupied(entry) => entry.get().clone(),
        };
        let message = format!(
            "version {} of {} in {} is defined a second time",
            quote(defined.version),
            quote(defined.kind),
            quote(defined.group)
        );
        findings.push(
            context
                .finding(&RULE, defined.object.origin, defined.pointer, message)
                .label("again")
                .related(first, "defined first")
                .help("keep one of the definitions"),
        );
    }
}

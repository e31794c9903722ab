//! Annotations that look like one of OLM's.

use std::collections::BTreeMap;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::go_type;
use fbc_model::render::CSV_METADATA;

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC215",
    name: "annotation-name",
    since: "0.1.0",
    summary: "An annotation of a bundle looks like one of OLM's, but is not",
    explanation: "\
OLM reads some annotations of a ClusterServiceVersion, and their case counts: `olm.skiprange` has no
effect, `olm.skipRange` has. Nobody says so, and users are left without an upgrade.

Correct the name in the ClusterServiceVersion, build the bundle again, and render it. The annotations are
`olm.skipRange`, `olm.substitutesFor` and `olm.properties`. A package is reported once for each name.",
    sources: &[Source::Code(
        "operator-framework/api:pkg/validation/internal/annotations.go",
        "ValidateAnnotationNames",
    )],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("annotation_name.cases"),
};

/// The annotations that tools read when they make a catalog.
pub(super) const KNOWN: [&str; 3] = ["olm.skipRange", "olm.substitutesFor", "olm.properties"];

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut suspects: BTreeMap<(&str, &str), (opm::BundleInCatalog<'_, '_>, usize)> = BTreeMap::new();
    for item in opm::bundles(context) {
        for (index, value) in opm::values(item.bundle, CSV_METADATA) {
            for (key, _) in go_type::field(value, "annotations").into_iter().flat_map(|list| list.members()) {
                let is_of_olm = key.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("olm."));
                if is_of_olm && !KNOWN.contains(&key) && names::meant(key, KNOWN).is_some() {
                    suspects.entry((item.bundle.package.as_str(), key)).or_insert((item, index));
                }
            }
        }
    }
    for ((_, key), (item, index)) in suspects {
        let mut pointer = format!("/properties/{index}/value/annotations");
        go_type::push_key(&mut pointer, key);
        findings.push(
            Finding::new(&RULE, format!("annotation {} has no effect", quote(key)))
                .at(context.key(item.bundle.origin, pointer))
                .about(Subject::bundle(&item.bundle.package, &item.bundle.name))
                .label("unknown annotation")
                .help(names::did_you_mean(key, KNOWN).trim_end()),
        );
    }
}

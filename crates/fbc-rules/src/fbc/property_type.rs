//! Types of properties that look like one of OLM's.

use std::collections::BTreeMap;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::{annotation_name, opm};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC214",
    name: "unknown-property-type",
    since: "0.1.0",
    summary: "The type of a property looks like one of OLM's, but is not",
    explanation: "\
OLM does not look at properties whose type it does not know, so a misspelt `olm.gvk` or
`olm.maxOpenShiftVersion` has no effect. Case counts. All types that begin with `olm.` are reserved for
OLM; for properties of your own, use a type that begins with a domain of yours.

`olm.skipRange`, `olm.substitutesFor` and `olm.properties` are annotations of a ClusterServiceVersion, not
types of properties. A package is reported once for each type.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/property/property.go", "Parse"),
        Source::Statement("D-FBC-32", "4.1.4"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("property_type.cases"),
};

/// The types that some part of OLM looks at.
const KNOWN: [&str; 11] = [
    "olm.package",
    "olm.package.required",
    "olm.gvk",
    "olm.gvk.required",
    "olm.bundle.object",
    "olm.csv.metadata",
    "olm.channel",
    "olm.constraint",
    "olm.maxOpenShiftVersion",
    "olm.label",
    "olm.deprecated",
];

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut suspects: BTreeMap<(&str, &str), (opm::BundleInCatalog<'_, '_>, usize, usize)> = BTreeMap::new();
    for item in opm::bundles(context) {
        for (index, property) in item.bundle.properties.iter().enumerate() {
            let kind = property.kind.as_str();
            let is_of_olm = kind.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("olm."));
            if is_of_olm && !KNOWN.contains(&kind) {
                suspects.entry((item.bundle.package.as_str(), kind)).or_insert((item, index, 0)).2 += 1;
            }
        }
    }
    for ((_, kind), (item, index, count)) in suspects {
        let help = match names::meant(kind, KNOWN) {
            Some(known) => format!("did you mean {}?", quote(known)),
            None if annotation_name::KNOWN.contains(&kind) => {
                "this is an annotation of a ClusterServiceVersion; `skipRange` has its place in the entry of a channel"
                    .to_owned()
            }
            None => "for properties of your own, use a type that begins with a domain of yours".to_owned(),
        };
        let mut finding = Finding::new(&RULE, format!("{} is not a type of property of OLM", quote(kind)))
            .at(context.value(item.bundle.origin, format!("/properties/{index}/type")))
            .about(Subject::bundle(&item.bundle.package, &item.bundle.name))
            .label("unknown type")
            .help(help);
        if count > 1 {
            finding = finding.note(format!("the package has {count} such properties"));
        }
        findings.push(finding);
    }
}

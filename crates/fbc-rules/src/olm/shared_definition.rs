//! Packages that provide the same custom resource.

use std::collections::BTreeMap;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "OLM008",
    name: "shared-definition",
    since: "0.1.0",
    summary: "Two packages provide the same custom resource, so that a cluster takes only one of them",
    explanation: "\
An object of a cluster belongs to one ClusterExtension, custom resource definitions among them. Who has installed one of
the packages cannot install the other: `CustomResourceDefinition '...' already exists in namespace '...' and cannot be
managed by operator-controller`. What counts is the group and kind in the `olm.gvk` properties of any bundle.",
    sources: &[
        Source::Code("operator-framework/operator-controller:docs/concepts/single-owner-objects.md", ""),
        Source::Statement("D-ARC-11", "2.2.2.1"),
        Source::Statement("D-ARC-14", "2.2.2.3"),
    ],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("shared_definition.cases"),
};

/// The first bundle of each package, with the number of its property.
type Providers<'a, 'c> = BTreeMap<&'a str, (opm::BundleInCatalog<'a, 'c>, usize)>;

fn check(context: &Context<'_>, findings: &mut Findings) {
    // By kind and group.
    let mut providers: BTreeMap<(&str, &str), Providers<'_, '_>> = BTreeMap::new();
    for item in opm::bundles(context) {
        for (number, property) in
            item.bundle.properties.iter().enumerate().filter(|(_, one)| one.kind == "olm.gvk")
        {
            let Some(value) = property.value.as_ref().map(|value| value.node()) else { continue };
            if let (Some(kind), Some(group)) = (value.get_str("kind"), value.get_str("group")) {
                let packages = providers.entry((kind, group)).or_default();
                packages.entry(item.bundle.package.as_str()).or_insert((item, number));
            }
        }
    }
    for ((kind, group), packages) in providers {
        let mut packages = packages.into_iter();
        let Some((first, _)) = packages.next() else { continue };
        for (package, (item, number)) in packages {
            let (name, other, api) = (quote(package), quote(first), quote(&format!("{kind}.{group}")));
            let message = format!(
                "package {name} provides {api}, as package {other} does; a cluster takes only one of them"
            );
            findings.push(
                Finding::new(&RULE, message)
                    .at(context.value(item.bundle.origin, format!("/properties/{number}/value")))
                    .about(item.subject())
                    .label("provided by both")
                    .help("tell users to choose one, or give the resources groups of their own"),
            );
        }
    }
}

//! Bundles of one package with the same version.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use fbc_go::text::quote;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{Finding, Findings, Place, Subject};
use fbc_lint::names::name_list;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::{Bundle, Property};
use fbc_version::VersionRelease;

use super::opm::{leaf_order, package_leaf};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF011",
    name: "duplicate-version",
    since: "0.1.0",
    summary: "Two bundles of a package have the same version",
    explanation: "\
Updates go by version, so no two bundles of a package may have the same one, whatever channels they are in.
The release counts as part of the version. Build metadata counts too, as text: `1.0.0+a` and `1.0.0+b` are
two versions for opm, though neither is newer than the other.

opm takes an entry without a bundle for version 0.0.0.

Give the rebuilt bundle a higher version, or remove one of the two.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/model/model.go",
        "Package.validateUniqueBundleVersions",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("duplicate_version.cases"),
};

/// Other bundles of the version whose places are named.
const MOST_OTHERS: usize = 5;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        if !may_have_duplicates(view) {
            continue;
        }
        let mut bundles: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for entry in view.channels.iter().flat_map(|channel| channel.entries()) {
            if let Some(version) = version_of(view, &entry.name) {
                bundles.entry(version).or_default().insert(&entry.name);
            }
        }
        bundles.retain(|_, names| names.len() > 1);
        let groups: Vec<String> = bundles
            .iter()
            .map(|(version, names)| {
                format!("{{{version}: [{}]}}", names.iter().copied().collect::<Vec<_>>().join(", "))
            })
            .collect();
        // opm has one text for the whole package; it goes with the first.
        let mut opm = Some(package_leaf(
            package,
            leaf_order::DUPLICATE_VERSIONS,
            format!("duplicate versions found in bundles: [{}]", groups.join(" ")),
        ));
        for (version, names) in bundles {
            let mut finding = Finding::new(
                &RULE,
                format!(
                    "bundles {} of package {} have the same version, {version}",
                    name_list(names.iter().copied()),
                    quote(package)
                ),
            )
            .about(Subject::bundle(package, names.last().copied().unwrap_or_default()))
            .label("the same version")
            .help("give the newer bundle a higher version, or remove one of them");
            finding.place = place(context, view, &names);
            let others = names.iter().rev().filter_map(|name| view.bundle_by_name.get(name)).skip(1);
            for other in others.take(MOST_OTHERS) {
                finding = finding.related(version_place(context, other), quote(&other.name));
            }
            finding.opm = opm.take();
            if names.iter().any(|name| !view.bundle_by_name.contains_key(name)) {
                finding = finding.note("opm takes an entry without a bundle for version 0.0.0");
            }
            findings.push(finding);
        }
    }
}

/// The version as opm compares it; nothing where the bundle has none, which has a finding of its own.
fn version_of(view: &PackageView<'_>, bundle: &str) -> Option<String> {
    match view.graph().version_release(bundle) {
        Some(version) => Some(version.to_string()),
        None if view.bundle_by_name.contains_key(bundle) => None,
        None => Some("0.0.0".to_owned()),
    }
}

/// Whether it is worth while to write out all versions.
fn may_have_duplicates(view: &PackageView<'_>) -> bool {
    let mut seen: HashSet<&VersionRelease> = HashSet::with_capacity(view.bundle_by_name.len());
    let versions_differ = view.bundle_by_name.keys().all(|name| match view.graph().version_release(name) {
        // A release makes different values equal as text.
        Some(version) => version.release.is_empty() && seen.insert(version),
        None => true,
    });
    let entries = view.channels.iter().flat_map(|channel| channel.entries());
    !versions_differ
        || entries.into_iter().any(|entry| !view.bundle_by_name.contains_key(entry.name.as_str()))
}

/// The version of the last of the bundles; the entry where there are no bundles.
fn place(context: &Context<'_>, view: &PackageView<'_>, names: &BTreeSet<&str>) -> Option<Place> {
    if let Some(bundle) = names.iter().rev().find_map(|name| view.bundle_by_name.get(name)) {
        return Some(version_place(context, bundle));
    }
    view.channels.iter().find_map(|channel| {
        let number = channel.entries().iter().position(|entry| names.contains(entry.name.as_str()))?;
        Some(context.value(channel.origin, format!("/entries/{number}")))
    })
}

fn version_place(context: &Context<'_>, bundle: &Bundle) -> Place {
    let is_version = |property: &Property| property.kind == fbc_graph::bundle_version::PROPERTY_TYPE;
    let index = bundle.properties.iter().position(is_version).unwrap_or_default();
    context.value(bundle.origin, format!("/properties/{index}/value/version"))
}

//! What bundles require of others and a smaller catalog no longer provides.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fbc_model::{Catalog, go_type};
use fbc_version::{Version, blang};

use super::changes::{LostDependency, Requirement};
use crate::bundle_version;

/// Requirements of bundles of the smaller catalog that the larger one meets and the smaller one does not.
pub(super) fn lost(larger: &Catalog, smaller: &Catalog) -> Vec<LostDependency> {
    let mut required: BTreeMap<Requirement, Vec<(&str, &str)>> = BTreeMap::new();
    for bundle in &smaller.bundles {
        for value in bundle.property_values("olm.package.required") {
            let text = |name| go_type::text(value, name);
            let requirement = Requirement::Package { name: text("packageName"), range: text("versionRange") };
            required.entry(requirement).or_default().push((&bundle.package, &bundle.name));
        }
        for value in bundle.property_values("olm.gvk.required") {
            let text = |name| go_type::text(value, name);
            let requirement =
                Requirement::Api { group: text("group"), version: text("version"), kind: text("kind") };
            required.entry(requirement).or_default().push((&bundle.package, &bundle.name));
        }
    }
    if required.is_empty() {
        return Vec::new();
    }
    let (before, after) = (Provided::by(larger), Provided::by(smaller));
    let mut lost: Vec<LostDependency> = required
        .into_iter()
        .filter(|(requirement, _)| before.meets(requirement) && !after.meets(requirement))
        .flat_map(|(requirement, bundles)| {
            bundles.into_iter().map(move |(package, bundle)| LostDependency {
                package: package.to_owned(),
                bundle: bundle.to_owned(),
                requirement: requirement.clone(),
            })
        })
        .collect();
    lost.sort();
    lost.dedup();
    lost
}

/// What a catalog provides.
struct Provided<'c> {
    versions: HashMap<&'c str, Vec<Version>>,
    apis: BTreeSet<Requirement>,
}

impl<'c> Provided<'c> {
    fn by(catalog: &'c Catalog) -> Self {
        let mut provided = Self { versions: HashMap::new(), apis: BTreeSet::new() };
        for bundle in &catalog.bundles {
            if let Some(version) = bundle_version::find(bundle) {
                provided.versions.entry(&bundle.package).or_default().push(version.version);
            }
            for value in bundle.property_values("olm.gvk") {
                let text = |name| go_type::text(value, name);
                provided.apis.insert(Requirement::Api {
                    group: text("group"),
                    version: text("version"),
                    kind: text("kind"),
                });
            }
        }
        provided
    }

    /// Whether a requirement is met; one whose range cannot be read never is.
    fn meets(&self, requirement: &Requirement) -> bool {
        match requirement {
            Requirement::Api { .. } => self.apis.contains(requirement),
            Requirement::Package { name, range } => blang::Range::parse(range).is_ok_and(|range| {
                let versions = self.versions.get(name.as_str()).into_iter().flatten();
                versions.into_iter().any(|version| range.matches(version))
            }),
        }
    }
}

//! Whether OLM v1 of a release of OpenShift installs a bundle, and which cluster updates the installed bundle
//! holds back.
//!
//! Sources: sections 5.1.1, 5.1.5 and 5.3.5 of the product document; `openshift/cluster-olm-operator` for
//! `olm.maxOpenShiftVersion`.

mod limit;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use fbc_model::tree::Tree;
use fbc_version::{OpenShiftRelease, Target};

use crate::folder::BundleFolder;
use crate::manifests::{Bundle, CertificateProvider, Installation, render};
use crate::operator_conditions;

pub use limit::{Limit, limit_of, limit_of_bundle};

/// The newest release that is known here: at least as new as the last of `ABILITIES`.
pub const NEWEST: OpenShiftRelease = OpenShiftRelease::new(5, 0);

/// How far a feature has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Support {
    None,
    Preview,
    Full,
}

/// What OLM v1 can do since a release.
#[derive(Clone, Copy, Debug)]
struct Abilities {
    since: OpenShiftRelease,
    has_olm_v1: bool,
    target: Target,
    webhooks: Support,
    single_namespaces: Support,
}

/// What OLM v1 of a release can do.
fn abilities(release: OpenShiftRelease) -> Abilities {
    let release = release.counted();
    let known = ABILITIES.iter().rev().find(|known| known.since <= release);
    known.copied().unwrap_or(NO_OLM_V1)
}

const NO_OLM_V1: Abilities = Abilities {
    since: OpenShiftRelease::new(0, 0),
    has_olm_v1: false,
    target: Target::Ocp419,
    webhooks: Support::None,
    single_namespaces: Support::None,
};

/// Newer releases are taken to be like the last.
const ABILITIES: [Abilities; 4] = [
    Abilities { since: OpenShiftRelease::new(4, 18), has_olm_v1: true, ..NO_OLM_V1 },
    Abilities {
        since: OpenShiftRelease::new(4, 19),
        has_olm_v1: true,
        single_namespaces: Support::Preview,
        ..NO_OLM_V1
    },
    Abilities {
        since: OpenShiftRelease::new(4, 20),
        has_olm_v1: true,
        target: Target::Latest,
        webhooks: Support::Preview,
        single_namespaces: Support::Preview,
    },
    Abilities {
        since: OpenShiftRelease::new(4, 21),
        has_olm_v1: true,
        target: Target::Latest,
        webhooks: Support::Full,
        single_namespaces: Support::Full,
    },
];

/// Features that were a Technology Preview for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// Webhooks in bundles.
    Webhooks,
    /// Bundles that cannot watch all namespaces.
    SingleNamespaces,
}

/// What speaks against an installation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Issue {
    /// The release has no OLM v1.
    NoOlmV1,
    /// operator-controller refuses the bundle with that text.
    Refused(String),
    /// opm cannot render the bundle, so no catalog can hold it.
    NotRenderable(String),
    /// The bundle has properties of that type, a dependency, which OLM v1 refuses.
    Dependency(String),
    /// The feature is missing in the release.
    Missing(Feature),
    /// The feature is a Technology Preview in the release.
    Preview(Feature),
    /// The operator uses the API `OperatorCondition`, which OLM v1 does not serve; it may fail at its start or later.
    OperatorConditions,
}

/// Whether a bundle can be installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It can.
    Ready,
    /// In clusters with the feature set `TechPreviewNoUpgrade` only.
    Preview,
    /// It cannot.
    NotReady,
}

impl Issue {
    /// What the issue leads to; some only warn.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::OperatorConditions => Verdict::Ready,
            Self::Preview(_) => Verdict::Preview,
            _ => Verdict::NotReady,
        }
    }
}

/// What there is to say about a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readiness {
    /// The name of the cluster service version.
    pub name: String,
    /// What speaks against an installation in each release that was asked for.
    pub issues: BTreeMap<OpenShiftRelease, Vec<Issue>>,
    /// How far clusters may be updated while the bundle is installed.
    pub limit: Limit,
}

impl Readiness {
    /// Whether a release installs the bundle.
    #[must_use]
    pub fn verdict(&self, release: OpenShiftRelease) -> Verdict {
        let issues = self.issues.get(&release).into_iter().flatten();
        issues.map(Issue::verdict).max().unwrap_or(Verdict::Ready)
    }
}

/// Judges a bundle that was read from a tree.
#[must_use]
pub fn readiness(bundle: &Bundle, tree: &dyn Tree, releases: &BTreeSet<OpenShiftRelease>) -> Readiness {
    let general = general_issues(bundle, tree);
    let issues = releases
        .iter()
        .map(|release| {
            let mut issues = issues_of(bundle, abilities(*release));
            if !issues.contains(&Issue::NoOlmV1) {
                issues.extend(general.iter().cloned());
            }
            (*release, issues)
        })
        .collect();
    let properties = bundle.annotations.get("olm.properties").map(String::as_str);
    Readiness { name: bundle.operator().name().to_owned(), issues, limit: limit_of(properties) }
}

/// What a catalog says of a bundle whose manifests it does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// The supported install modes; none where the catalog does not say.
    pub install_modes: BTreeSet<String>,
    /// Whether it is known to have webhooks.
    pub has_webhooks: bool,
    /// The types of its properties.
    pub properties: BTreeSet<String>,
}

impl Described {
    /// What is known to speak against an installation by OLM v1 of a release. The manifests may hold more.
    #[must_use]
    pub fn issues(&self, release: OpenShiftRelease) -> Vec<Issue> {
        let abilities = abilities(release);
        if !abilities.has_olm_v1 {
            return vec![Issue::NoOlmV1];
        }
        let is_single = !self.install_modes.is_empty() && !self.install_modes.contains("AllNamespaces");
        let dependencies = DEPENDENCIES.into_iter().filter(|kind| self.properties.contains(*kind));
        let mut issues: Vec<Issue> = dependencies.map(|kind| Issue::Dependency(kind.to_owned())).collect();
        for (is_used, feature, support) in [
            (self.has_webhooks, Feature::Webhooks, abilities.webhooks),
            (is_single, Feature::SingleNamespaces, abilities.single_namespaces),
        ] {
            match support {
                Support::None if is_used => issues.push(Issue::Missing(feature)),
                Support::Preview if is_used => issues.push(Issue::Preview(feature)),
                _ => {}
            }
        }
        issues
    }
}

fn issues_of(bundle: &Bundle, abilities: Abilities) -> Vec<Issue> {
    if !abilities.has_olm_v1 {
        return vec![Issue::NoOlmV1];
    }
    // Names for the question; which they are does not matter.
    let (install, other) = ("install", "watched");
    let operator = bundle.operator();
    let modes = operator.install_modes();
    let watched =
        ["AllNamespaces", "OwnNamespace", "SingleNamespace"].into_iter().find(|mode| modes.contains(mode));
    let watch_namespaces = match watched {
        Some("OwnNamespace") => vec![install.to_owned()],
        Some("SingleNamespace") => vec![other.to_owned()],
        _ => Vec::new(),
    };
    let is_single = !watch_namespaces.is_empty();
    let installation = Installation {
        namespace: install.to_owned(),
        watch_namespaces,
        // What a release without webhooks says is known; the other reasons are of interest too.
        certificate_provider: Some(CertificateProvider::OpenShiftServiceCa),
        target: abilities.target,
        ..Installation::default()
    };
    let mut issues = Vec::new();
    if let Err(refusal) = render(bundle, &installation) {
        issues.extend(refusal.0.into_iter().map(Issue::Refused));
    }
    let has_webhooks = operator.webhooks().next().is_some();
    for (is_used, feature, support) in [
        (has_webhooks, Feature::Webhooks, abilities.webhooks),
        (is_single, Feature::SingleNamespaces, abilities.single_namespaces),
    ] {
        match support {
            // Where webhooks are missing, the refusal says so.
            Support::None if is_used && feature != Feature::Webhooks => issues.push(Issue::Missing(feature)),
            Support::Preview if is_used => issues.push(Issue::Preview(feature)),
            _ => {}
        }
    }
    issues
}

/// The types of properties that are dependencies.
const DEPENDENCIES: [&str; 3] = ["olm.constraint", "olm.gvk.required", "olm.package.required"];

/// Issues in all releases with OLM v1.
fn general_issues(bundle: &Bundle, tree: &dyn Tree) -> Vec<Issue> {
    let mut issues = Vec::new();
    match BundleFolder::read(tree).and_then(|folder| crate::render::render(&folder, None)) {
        Ok(blob) => {
            let kinds: BTreeSet<&str> =
                blob.properties.iter().map(|property| property.kind.as_str()).collect();
            let dependencies = DEPENDENCIES.into_iter().filter(|kind| kinds.contains(kind));
            issues.extend(dependencies.map(|kind| Issue::Dependency(kind.to_owned())));
        }
        Err(error) => issues.push(Issue::NotRenderable(error.to_string())),
    }
    if operator_conditions::first_use(bundle.operator().node()).is_some() {
        issues.push(Issue::OperatorConditions);
    }
    issues
}

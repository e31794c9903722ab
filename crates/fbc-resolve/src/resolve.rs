//! Resolution: the choice in each catalog, between catalogs, and the checks of the winner.

use fbc_model::Deprecation;
use fbc_version::VersionRelease;

use crate::catalog::{ClusterCatalog, Content, NAME_LABEL};
use crate::error::{ResolveError, Wish};
use crate::filters::Filters;
use crate::index::{IndexedBundle, PackageIndex};
use crate::request::Request;
use crate::rules::Rules;

/// The ClusterCatalogs of a cluster, and whose rules apply.
#[derive(Clone, Debug)]
pub struct Resolver {
    pub(crate) rules: Rules,
    /// Sorted by name: the reference walks in the order of its cache, which is undefined.
    pub(crate) catalogs: Vec<ClusterCatalog>,
}

/// Two catalogs have the same name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are two catalogs {name:?}")]
pub struct DuplicateCatalog {
    /// The name.
    pub name: String,
}

/// What would be installed.
#[derive(Clone, Debug)]
pub struct Resolution<'c> {
    /// The catalog that it comes from.
    pub catalog: &'c ClusterCatalog,
    /// The bundle.
    pub bundle: &'c IndexedBundle,
    /// Its version and release.
    pub version: &'c VersionRelease,
    /// What the cluster takes deprecations from; nothing if that catalog has none of the package.
    pub deprecations: Option<ServedDeprecations<'c>>,
}

/// Deprecations of a package.
#[derive(Clone, Copy, Debug)]
pub struct ServedDeprecations<'c> {
    /// The catalog that they come from: the last one with a candidate, which need not be that of the bundle.
    pub catalog: &'c ClusterCatalog,
    /// The blob.
    pub blob: &'c Deprecation,
}

impl Resolution<'_> {
    /// The version as `status.install.bundle.version` has it: with the release as build metadata, unless
    /// the two are kept apart.
    #[must_use]
    pub fn reported_version(&self, rules: Rules) -> String {
        if rules.bundle_release_support {
            self.version.version.to_string()
        } else {
            self.version.to_version().to_string()
        }
    }

    /// The release as `status.install.bundle.release` has it: only where it is kept apart, and there is one.
    #[must_use]
    pub fn reported_release(&self, rules: Rules) -> Option<String> {
        (rules.bundle_release_support && !self.version.release.is_empty())
            .then(|| self.version.release.to_string())
    }
}

/// The choice of one catalog.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'c> {
    pub(crate) catalog: &'c ClusterCatalog,
    pub(crate) package: &'c PackageIndex,
    pub(crate) bundle: &'c IndexedBundle,
}

impl Resolver {
    /// Puts catalogs together. Their indexes were made with the same rules.
    ///
    /// # Errors
    /// Two catalogs have the same name.
    pub fn new(
        rules: Rules,
        catalogs: impl IntoIterator<Item = ClusterCatalog>,
    ) -> Result<Self, DuplicateCatalog> {
        let mut catalogs: Vec<ClusterCatalog> = catalogs.into_iter().collect();
        catalogs.sort_by(|left, right| left.name.cmp(&right.name));
        let twice = catalogs.windows(2).find_map(|pair| match pair {
            [left, right] if left.name == right.name => Some(left.name.clone()),
            _ => None,
        });
        if let Some(name) = twice {
            return Err(DuplicateCatalog { name });
        }
        for catalog in &mut catalogs {
            catalog.labels.insert(NAME_LABEL.to_owned(), catalog.name.clone());
        }
        Ok(Self { rules, catalogs })
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The catalogs, sorted by name, with the label of their name.
    #[must_use]
    pub fn catalogs(&self) -> &[ClusterCatalog] {
        &self.catalogs
    }

    /// What a cluster would install.
    ///
    /// Source of the behaviour:
    /// `operator-framework/operator-controller:internal/operator-controller/resolve/catalog.go`.
    ///
    /// # Errors
    /// The error that the cluster would report.
    pub fn resolve(&self, request: &Request) -> Result<Resolution<'_>, ResolveError> {
        decide(self.candidates(request)?, request)
    }

    /// How many bundles of a package the catalogs have: so many are looked at for a request.
    pub fn count_bundles(&self, package: &str) -> usize {
        let count = |catalog: &ClusterCatalog| match &catalog.content {
            Content::Served(index) => index.package(package).map_or(0, |package| package.bundles().len()),
            Content::Refused(_) => 0,
        };
        self.catalogs.iter().map(count).sum()
    }

    /// Whether a catalog is one of those that a request, whose selector is sound, chooses from.
    pub(crate) fn takes_part(catalog: &ClusterCatalog, request: &Request) -> bool {
        catalog.is_available
            && request.selector.as_ref().is_none_or(|selector| selector.matches(&catalog.labels))
    }

    /// The choice of every catalog that has one, in walk order.
    pub(crate) fn candidates(&self, request: &Request) -> Result<Vec<Candidate<'_>>, ResolveError> {
        if let Some(selector) = &request.selector {
            selector.check(self.rules.target)?;
        }
        let mut filters = Filters::new(request, self.rules)?;
        let mut is_complete = false;
        let mut candidates = Vec::new();
        for catalog in self.catalogs.iter().filter(|catalog| Self::takes_part(catalog, request)) {
            let index = match &catalog.content {
                Content::Served(index) => index,
                Content::Refused(message) => {
                    return Err(ResolveError::Catalog {
                        package: request.package.clone(),
                        catalog: catalog.name.clone(),
                        message: message.clone(),
                    });
                }
            };
            let Some(package) = index.package(&request.package) else { continue };
            if !is_complete {
                filters = filters.with_installed(request, self.rules)?;
                is_complete = true;
            }
            let bundle = filters.candidate(package);
            candidates.extend(bundle.map(|bundle| Candidate { catalog, package, bundle }));
        }
        Ok(candidates)
    }
}

/// The candidates that are left when those that are deprecated make way for those that are not. The
/// reference looks at the last one that it kept only, which comes to the same: it never keeps both sorts.
pub(crate) fn keep_undeprecated<'c>(candidates: &[Candidate<'c>]) -> Vec<Candidate<'c>> {
    let is_deprecated = candidates.iter().all(|candidate| candidate.bundle.is_deprecated);
    candidates.iter().filter(|candidate| candidate.bundle.is_deprecated == is_deprecated).copied().collect()
}

/// The one of the highest priority, if no other has the same.
pub(crate) fn highest_priority<'c, 'k>(kept: &'k [Candidate<'c>]) -> Option<&'k Candidate<'c>> {
    let best = kept.iter().max_by_key(|candidate| candidate.catalog.priority)?;
    let equals = kept.iter().filter(|candidate| candidate.catalog.priority == best.catalog.priority);
    (equals.count() == 1).then_some(best)
}

fn decide<'c>(candidates: Vec<Candidate<'c>>, request: &Request) -> Result<Resolution<'c>, ResolveError> {
    let kept = keep_undeprecated(&candidates);
    let Some(&Candidate { catalog, bundle, .. }) = highest_priority(&kept) else {
        let wish = Wish {
            package: request.package.clone(),
            version: request.version.clone(),
            channels: request.channels.clone(),
            installed: request.installed.as_ref().map(|installed| installed.version.clone()),
        };
        if kept.is_empty() {
            return Err(ResolveError::NoBundle { wish });
        }
        // The walk is by name, so the names are sorted.
        let catalogs = kept.iter().map(|candidate| candidate.catalog.name.clone()).collect();
        return Err(ResolveError::Ambiguous { wish, catalogs });
    };
    let version = bundle.version.as_ref().map_err(|error| ResolveError::BundleVersion {
        bundle: bundle.blob.name.clone(),
        error: error.clone(),
    })?;
    if let Some(property) = bundle.dependency() {
        return Err(ResolveError::Dependency {
            bundle: bundle.blob.name.clone(),
            property: property.to_owned(),
        });
    }
    let deprecations = kept.last().and_then(|last| {
        let blob = last.package.deprecations()?;
        Some(ServedDeprecations { catalog: last.catalog, blob })
    });
    Ok(Resolution { catalog, bundle, version, deprecations })
}

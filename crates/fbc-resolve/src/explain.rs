//! The why-tree: every catalog, every bundle with what removed it, and how far the wanted bundle is away.
//!
//! An explanation asks the same filters as a resolution, bundle by bundle. It is data; words are made elsewhere.

use crate::catalog::{ClusterCatalog, Content};
use crate::error::ResolveError;
use crate::filters::{Edge, Filters, KeptChannels};
use crate::index::{IndexedBundle, PackageIndex};
use crate::request::Request;
use crate::resolve::{Candidate, Resolution, Resolver, highest_priority, keep_undeprecated};
use crate::route;

/// Why a request has the answer that it has.
#[derive(Debug)]
pub struct Explanation<'c> {
    /// The answer.
    pub outcome: Result<Resolution<'c>, ResolveError>,
    /// All catalogs, by name.
    pub catalogs: Vec<CatalogExplanation<'c>>,
    /// The bundle that the user is likely to ask about: the best one in the range that is not the answer, or,
    /// where the range has none, the best one there is. Nothing if no catalog has a better one.
    pub wanted: Option<Wanted<'c>>,
    /// Whether some catalog that takes part has the bundle that is installed; nothing if none is installed.
    pub installed_is_known: Option<bool>,
}

/// A catalog and what became of its bundles.
#[derive(Debug)]
pub struct CatalogExplanation<'c> {
    /// The catalog.
    pub catalog: &'c ClusterCatalog,
    /// What became of it.
    pub verdict: CatalogVerdict,
    /// Its bundles of the package in order of preference; none where it does not take part.
    pub bundles: Vec<BundleExplanation<'c>>,
}

/// What became of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CatalogVerdict {
    /// The selector does not select it.
    NotSelected {
        /// The requirement that it does not meet.
        requirement: String,
        /// Whether it has the package.
        has_package: bool,
    },
    /// It is switched off.
    Unavailable {
        /// Whether it has the package.
        has_package: bool,
    },
    /// It gives no answer.
    Refused(String),
    /// The selector, the range or the installed version is refused, so it was not looked at.
    NotAsked,
    /// It does not have the package.
    NoPackage,
    /// None of its bundles passes all filters.
    NoCandidate,
    /// Its candidate is deprecated, and that of another catalog is not.
    Deprecated,
    /// Another catalog has a higher priority.
    Outranked,
    /// Another catalog has the same priority.
    Tied,
    /// Its candidate is the answer, or would be if it were sound.
    Chosen,
}

/// A bundle and what removed it.
#[derive(Debug)]
pub struct BundleExplanation<'c> {
    /// The bundle.
    pub bundle: &'c IndexedBundle,
    /// The channels that it is in.
    pub channels: Vec<&'c str>,
    /// The filters that remove it; none for one that passes.
    pub removed_by: Vec<Filter>,
    /// The edge from what is installed, in the channels that were asked for.
    pub edge: Option<Edge<'c>>,
    /// Whether it is the first that passes: the candidate of its catalog.
    pub is_candidate: bool,
}

/// What can remove a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// It is in none of the channels.
    Channels,
    /// Its version is not in the range.
    Range,
    /// It has no version, and a range was given.
    NoVersion,
    /// No edge leads to it.
    Edges,
}

/// A bundle that is not the answer, and what is in its way.
#[derive(Debug)]
pub struct Wanted<'c> {
    /// The catalog.
    pub catalog: &'c ClusterCatalog,
    /// The package in that catalog.
    pub package: &'c PackageIndex,
    /// The bundle.
    pub bundle: &'c IndexedBundle,
    /// The filters that remove it.
    pub removed_by: Vec<Filter>,
    /// An edge that leads to it in a channel that was not asked for.
    pub edge_elsewhere: Option<Edge<'c>>,
    /// What one step reaches in the channels that were asked for, whatever the range: by descending version, without
    /// what is installed.
    pub reachable: Vec<&'c IndexedBundle>,
    /// The one of these that comes nearest: the highest below the wanted bundle, else the lowest above.
    pub nearest: Option<&'c IndexedBundle>,
    /// The shortest way over several steps in the channels that were asked for; nothing if there is none.
    pub route: Option<Vec<&'c IndexedBundle>>,
    /// The shortest way in all channels, where those that were asked for have none.
    pub route_elsewhere: Option<Vec<&'c IndexedBundle>>,
}

impl Resolver {
    /// The answer to a request, and why it is that.
    #[must_use]
    pub fn explain(&self, request: &Request) -> Explanation<'_> {
        let outcome = self.resolve(request);
        let is_refused = matches!(
            outcome,
            Err(ResolveError::Selector(_) | ResolveError::Range { .. } | ResolveError::InstalledVersion(_))
        );
        let filters = Filters::new(request, self.rules)
            .ok()
            .and_then(|filters| filters.with_installed(request, self.rules).ok())
            .filter(|_| !is_refused);
        let Some(filters) = filters else {
            let not_asked = |catalog| CatalogExplanation {
                catalog,
                verdict: CatalogVerdict::NotAsked,
                bundles: Vec::new(),
            };
            let catalogs = self.catalogs.iter().map(not_asked).collect();
            return Explanation { outcome, catalogs, wanted: None, installed_is_known: None };
        };
        let merge = Merge::from_candidates(self.candidates(request).unwrap_or_default());
        let asked: Vec<(&ClusterCatalog, &PackageIndex)> = self
            .catalogs
            .iter()
            .filter(|catalog| Self::takes_part(catalog, request))
            .filter_map(|catalog| Some((catalog, catalog.index()?.package(&request.package)?)))
            .collect();
        let catalogs =
            self.catalogs.iter().map(|catalog| explain_catalog(catalog, request, &filters, &merge)).collect();
        let wanted = wanted(&asked, &filters, outcome.as_ref().ok());
        let installed_is_known = request.installed.as_ref().map(|installed| {
            asked
                .iter()
                .any(|(_, package)| package.bundles().iter().any(|bundle| bundle.blob.name == installed.name))
        });
        Explanation { outcome, catalogs, wanted, installed_is_known }
    }
}

/// What became of the candidates.
struct Merge<'c> {
    kept: Vec<Candidate<'c>>,
    winner: Option<Candidate<'c>>,
    highest: Option<i32>,
}

impl<'c> Merge<'c> {
    fn from_candidates(candidates: Vec<Candidate<'c>>) -> Self {
        let kept = keep_undeprecated(&candidates);
        let winner = highest_priority(&kept).copied();
        let highest = kept.iter().map(|candidate| candidate.catalog.priority).max();
        Self { kept, winner, highest }
    }

    fn verdict(&self, catalog: &ClusterCatalog) -> CatalogVerdict {
        let is_it = |candidate: &Candidate<'_>| candidate.catalog.name == catalog.name;
        if self.winner.as_ref().is_some_and(is_it) {
            CatalogVerdict::Chosen
        } else if !self.kept.iter().any(is_it) {
            CatalogVerdict::Deprecated
        } else if Some(catalog.priority) == self.highest {
            CatalogVerdict::Tied
        } else {
            CatalogVerdict::Outranked
        }
    }
}

fn explain_catalog<'c>(
    catalog: &'c ClusterCatalog,
    request: &Request,
    filters: &Filters<'_>,
    merge: &Merge<'c>,
) -> CatalogExplanation<'c> {
    let package = catalog.index().and_then(|index| index.package(&request.package));
    let without_bundles = |verdict| CatalogExplanation { catalog, verdict, bundles: Vec::new() };
    let has_package = package.is_some();
    if let Some(requirement) =
        request.selector.as_ref().and_then(|selector| selector.first_unmet(&catalog.labels))
    {
        return without_bundles(CatalogVerdict::NotSelected { requirement, has_package });
    }
    if !catalog.is_available {
        return without_bundles(CatalogVerdict::Unavailable { has_package });
    }
    if let Content::Refused(message) = &catalog.content {
        return without_bundles(CatalogVerdict::Refused(message.clone()));
    }
    let Some(package) = package else { return without_bundles(CatalogVerdict::NoPackage) };
    let kept = filters.kept_channels(package);
    let mut bundles: Vec<BundleExplanation<'_>> =
        package.bundles().iter().map(|bundle| explain_bundle(package, bundle, filters, &kept)).collect();
    let verdict = match bundles.iter_mut().find(|bundle| bundle.removed_by.is_empty()) {
        Some(candidate) => {
            candidate.is_candidate = true;
            merge.verdict(catalog)
        }
        None => CatalogVerdict::NoCandidate,
    };
    CatalogExplanation { catalog, verdict, bundles }
}

fn explain_bundle<'c>(
    package: &'c PackageIndex,
    bundle: &'c IndexedBundle,
    filters: &Filters<'_>,
    kept: &KeptChannels,
) -> BundleExplanation<'c> {
    let edge = filters.installed.as_ref().and_then(|installed| installed.edge(package, bundle, kept));
    let mut removed_by = Vec::new();
    if !kept.hold(package, bundle) {
        removed_by.push(Filter::Channels);
    }
    if !filters.is_in_range(bundle) {
        let has_version = bundle.version.is_ok();
        removed_by.push(if has_version { Filter::Range } else { Filter::NoVersion });
    }
    if filters.installed.is_some() && edge.is_none() {
        removed_by.push(Filter::Edges);
    }
    let channels = package.channels_of(bundle);
    BundleExplanation { bundle, channels, removed_by, edge, is_candidate: false }
}

/// Finds the bundle that the user is likely to ask about: in the range before out of it, in the channels
/// before out of them, then by preference.
fn wanted<'c>(
    asked: &[(&'c ClusterCatalog, &'c PackageIndex)],
    filters: &Filters<'_>,
    answer: Option<&Resolution<'c>>,
) -> Option<Wanted<'c>> {
    let is_better = |bundle: &IndexedBundle| match (answer, bundle.semantic_version()) {
        (Some(answer), Some(version)) => version.compare_precedence(&answer.version.version).is_gt(),
        (Some(_), None) => false,
        (None, _) => true,
    };
    let mut best: Option<(_, Wanted<'c>)> = None;
    for &(catalog, package) in asked {
        let kept = filters.kept_channels(package);
        for bundle in package.bundles().iter().filter(|bundle| is_better(bundle)) {
            let rank = (!filters.is_in_range(bundle), !kept.hold(package, bundle), bundle.is_deprecated);
            let is_first = best.as_ref().is_none_or(|(known, wanted)| {
                rank < *known || rank == *known && is_higher(bundle, wanted.bundle)
            });
            if is_first {
                let removed_by = explain_bundle(package, bundle, filters, &kept).removed_by;
                let wanted = Wanted {
                    catalog,
                    package,
                    bundle,
                    removed_by,
                    edge_elsewhere: None,
                    reachable: Vec::new(),
                    nearest: None,
                    route: None,
                    route_elsewhere: None,
                };
                best = Some((rank, wanted));
            }
        }
    }
    let (_, mut wanted) = best?;
    wanted.look_around(filters);
    Some(wanted)
}

fn is_higher(left: &IndexedBundle, right: &IndexedBundle) -> bool {
    match (&left.version, &right.version) {
        (Ok(left), Ok(right)) => left.compare_precedence(right).is_gt(),
        (left, right) => left.is_ok() && right.is_err(),
    }
}

impl Wanted<'_> {
    /// Finds what can be reached from what is installed.
    fn look_around(&mut self, filters: &Filters<'_>) {
        let Some(installed) = &filters.installed else { return };
        let kept = filters.kept_channels(self.package);
        let edge =
            |bundle, kept| installed.edge(self.package, bundle, kept).filter(|edge| *edge != Edge::Same);
        self.edge_elsewhere = edge(self.bundle, &KeptChannels::All);
        let mut reachable: Vec<&IndexedBundle> = self
            .package
            .bundles()
            .iter()
            .filter(|bundle| kept.hold(self.package, bundle) && edge(bundle, &kept).is_some())
            .filter(|bundle| bundle.blob.name != installed.name)
            .collect();
        reachable.sort_by(|left, right| match (left.semantic_version(), right.semantic_version()) {
            (Some(left), Some(right)) => right.compare_precedence(left),
            (left, right) => left.is_none().cmp(&right.is_none()),
        });
        let is_above = |bundle: &&&IndexedBundle| is_higher(bundle, self.bundle);
        self.nearest = reachable
            .iter()
            .find(|bundle| !is_above(bundle))
            .or_else(|| reachable.iter().rev().find(is_above))
            .copied();
        self.route = route::shortest(self.package, installed, &kept, self.bundle);
        if self.route.is_none() {
            self.route_elsewhere = route::shortest(self.package, installed, &KeptChannels::All, self.bundle);
        }
        self.reachable = reachable;
    }
}

impl Explanation<'_> {
    /// For an answer that is refused for its dependency: the first bundle of the same catalog that passes all
    /// filters and has none.
    #[must_use]
    pub fn without_dependency(&self) -> Option<&IndexedBundle> {
        let Err(ResolveError::Dependency { .. }) = &self.outcome else { return None };
        let chosen = self.catalogs.iter().find(|catalog| catalog.verdict == CatalogVerdict::Chosen)?;
        let passing = chosen.bundles.iter().filter(|bundle| bundle.removed_by.is_empty());
        passing.map(|bundle| bundle.bundle).find(|bundle| bundle.dependency().is_none())
    }
}

//! Operators that must move before a cluster does: `olm.maxOpenShiftVersion` of what is installed, and APIs that go.

use fbc_bundle::readiness::{Limit, Release};
use fbc_resolve::CatalogIndex;
use fbc_version::Version;

use super::bundle_needs::BundleNeeds;
use super::route::Hop;
use crate::release::difference::LostApi;

/// The operators of a cluster, with what a catalog has of them.
#[derive(Debug, Default)]
pub struct Operators {
    operators: Vec<Operator>,
}

#[derive(Debug)]
struct Operator {
    package: String,
    version: String,
    /// All bundles of the package, oldest first.
    bundles: Vec<BundleNeeds>,
}

/// What a catalog does not have of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnknownOperator {
    /// The package.
    #[error("the catalog does not have the package")]
    Package,
    /// The version of the package.
    #[error("the catalog does not have the version")]
    Version,
}

/// What operators do before an update.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moves {
    /// Package, present version and next version.
    pub first: Vec<(String, String, String)>,
    /// Package, version, and why it cannot move.
    pub stuck: Vec<(String, String, String)>,
}

impl Operators {
    /// Adds an installed version of a package of a catalog.
    ///
    /// # Errors
    ///
    /// If the catalog does not have it.
    pub fn add(
        &mut self,
        package: &str,
        version: &str,
        catalog: &CatalogIndex,
    ) -> Result<(), UnknownOperator> {
        let found = catalog.package(package).ok_or(UnknownOperator::Package)?;
        let mut bundles: Vec<BundleNeeds> =
            found.bundles().iter().filter_map(BundleNeeds::from_bundle).collect();
        bundles.sort_by(|one, other| one.version.compare_precedence(&other.version));
        if !bundles.iter().any(|known| known.version.to_string() == version) {
            return Err(UnknownOperator::Version);
        }
        self.operators.push(Operator { package: package.to_owned(), version: version.to_owned(), bundles });
        Ok(())
    }

    /// What operators do before each update of a route: they move to the oldest version that allows the last release of the
    /// route, or else as far as they can.
    #[must_use]
    pub fn moves(&self, hops: &[Hop]) -> Vec<Moves> {
        let mut present: Vec<String> =
            self.operators.iter().map(|operator| operator.version.clone()).collect();
        let last = hops.last().and_then(|hop| release(&hop.to));
        let mut all = Vec::new();
        for hop in hops {
            let mut moves = Moves::default();
            let (Some(from), Some(to)) = (release(&hop.from), release(&hop.to)) else {
                // One for each hop, also for those whose versions say nothing.
                all.push(moves);
                continue;
            };
            for (operator, version) in self.operators.iter().zip(&mut present) {
                let limit_of = |wanted: &str| {
                    operator
                        .bundles
                        .iter()
                        .find(|one| one.version.to_string() == wanted)
                        .map(|one| &one.limit)
                };
                let Some(limit) =
                    limit_of(version).filter(|limit| from != to && limit.blocks_update_from(from))
                else {
                    continue;
                };
                let newer = || {
                    let present = Version::parse(version).ok();
                    operator.bundles.iter().filter(move |one| {
                        present
                            .as_ref()
                            .is_some_and(|present| one.version.compare_precedence(present).is_gt())
                    })
                };
                // Operators move while the cluster still has its present release.
                let oldest = |release: Release, runs: bool| {
                    newer().find(|one| one.limit.allows(release) && one.unmet(from).is_none() == runs)
                };
                match last.and_then(|last| oldest(last, true)).or_else(|| oldest(to, true)) {
                    Some(target) => {
                        let target = target.version.to_string();
                        moves.first.push((operator.package.clone(), version.clone(), target.clone()));
                        *version = target;
                    }
                    None => {
                        let why = match (limit, oldest(to, false).and_then(|one| one.unmet(from))) {
                            (_, Some(unmet)) => unmet,
                            (Limit::Until(last), None) => format!(
                                "it allows OpenShift up to {last}, and the catalog has no newer version that allows {to}"
                            ),
                            (Limit::Invalid(text), None) => text.clone(),
                            (Limit::None, None) => String::new(),
                        };
                        moves.stuck.push((operator.package.clone(), version.clone(), why));
                    }
                }
            }
            all.push(moves);
        }
        all
    }

    /// What must be done before an update, because of what installed bundles allow.
    #[must_use]
    pub fn to_do_first(&self, from: &str, to: &str) -> Vec<String> {
        let hop = Hop {
            from: from.to_owned(),
            to: to.to_owned(),
            image: String::new(),
            channels: Vec::new(),
            risks: Vec::new(),
        };
        let moves = self.moves(&[hop]).into_iter().next().unwrap_or_default();
        let updates =
            moves.first.iter().map(|(package, at, to)| format!("update {package} from {at} to {to}"));
        let stuck = moves
            .stuck
            .iter()
            .map(|(package, at, why)| format!("remove {package} {at}, or wait for a newer one: {why}"));
        updates.chain(stuck).collect()
    }

    /// Packages with the installed versions.
    #[must_use]
    pub fn versions(&self) -> Vec<(String, String)> {
        self.operators.iter().map(|one| (one.package.clone(), one.version.clone())).collect()
    }

    /// Operators that stop working on a version of the cluster, since APIs go that they need, and what helps.
    #[must_use]
    pub fn stops_working(&self, lost: &[LostApi], from: &str, to: &str) -> Vec<String> {
        let runs_now = |bundle: &BundleNeeds| release(from).is_none_or(|from| bundle.unmet(from).is_none());
        let mut texts = Vec::new();
        for operator in &self.operators {
            let gone = |bundle: &BundleNeeds| bundle.gone_in(lost, to, release(to));
            let Some(present) =
                operator.bundles.iter().find(|one| one.version.to_string() == operator.version)
            else {
                continue;
            };
            let (package, at) = (&operator.package, &operator.version);
            let newer = operator.bundles.iter().find(|one| {
                one.version.compare_precedence(&present.version).is_gt()
                    && gone(one).is_none()
                    && runs_now(one)
            });
            texts.extend(gone(present).map(|api| match newer {
                Some(newer) => format!("update {package} from {at} to {}: it needs {api}", newer.version),
                None => format!("remove {package} {at}, or wait for a newer one: it needs {api}"),
            }));
        }
        texts
    }
}

/// The release that a version is of.
fn release(version: &str) -> Option<Release> {
    let version = Version::parse(version).ok()?;
    Release::parse(&format!("{}.{}", version.major(), version.minor()))
}

//! Operators that must move before a cluster does: `olm.maxOpenShiftVersion` of what is installed, and APIs that go.

use fbc_bundle::readiness::Limit;
use fbc_resolve::CatalogIndex;
use fbc_version::OpenShiftRelease;
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

    /// What operators do before each update of a route. An operator moves only before an update that its version blocks: to
    /// the oldest version that allows the last release of the route or, if none does, the latest release that one allows.
    #[must_use]
    pub fn moves(&self, hops: &[Hop]) -> Vec<Moves> {
        self.moves_losing(&[], hops)
    }

    /// The same for clusters that lose APIs on the way.
    fn moves_losing(&self, lost: &[LostApi], hops: &[Hop]) -> Vec<Moves> {
        let mut present: Vec<Option<&BundleNeeds>> = self.operators.iter().map(Operator::installed).collect();
        let moves_before = |(number, hop): (usize, &Hop)| {
            let mut moves = Moves::default();
            // One for each hop, also for those whose versions say nothing.
            let Some(next) = MinorUpdate::new(&hop.from, &hop.to) else { return moves };
            let rest = hops.get(number..).unwrap_or_default().iter();
            let goals: Vec<MinorUpdate<'_>> =
                rest.filter_map(|later| MinorUpdate::new(&hop.from, &later.to)).collect();
            for (operator, present) in self.operators.iter().zip(&mut present) {
                let Some(bundle) = present.filter(|bundle| bundle.limit.blocks_update_from(next.from)) else {
                    continue;
                };
                let (package, version) = (operator.package.clone(), bundle.version.to_string());
                let mut targets = goals.iter().rev().filter_map(|goal| {
                    operator.newer_for(goal, bundle).find(|one| goal.obstacle(one, lost).is_none())
                });
                if let Some(target) = targets.next() {
                    moves.first.push((package, version, target.version.to_string()));
                    *present = Some(target);
                } else {
                    moves.stuck.push((package, version, operator.why_stuck(&next, bundle, lost)));
                }
            }
            moves
        };
        hops.iter().enumerate().map(moves_before).collect()
    }

    /// What must be done before an update that takes APIs away, because of what installed bundles allow.
    #[must_use]
    pub fn to_do_first(&self, lost: &[LostApi], from: &str, to: &str) -> Vec<String> {
        let hop = Hop {
            from: from.to_owned(),
            to: to.to_owned(),
            image: String::new(),
            channels: Vec::new(),
            is_early: false,
            risks: Vec::new(),
        };
        let moves = self.moves_losing(lost, &[hop]).into_iter().next().unwrap_or_default();
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
        let update = MinorUpdate::new(from, to);
        let runs_now = |bundle: &BundleNeeds| release(from).is_none_or(|from| bundle.unmet(from).is_none());
        // A version that keeps the cluster from the update does not help.
        let lets_update = |bundle: &BundleNeeds| {
            update.as_ref().is_none_or(|update| bundle.limit.allows(update.allowed_by_bundles()))
        };
        let mut texts = Vec::new();
        for operator in &self.operators {
            let gone = |bundle: &BundleNeeds| bundle.gone_in(lost, to, release(to));
            let Some(present) = operator.installed() else { continue };
            let (package, at) = (&operator.package, &operator.version);
            let newer = operator
                .newer_than(present)
                .find(|one| gone(one).is_none() && runs_now(one) && lets_update(one));
            texts.extend(gone(present).map(|api| match newer {
                Some(newer) => format!("update {package} from {at} to {}: it needs {api}", newer.version),
                None => format!("remove {package} {at}, or wait for a newer one: it needs {api}"),
            }));
        }
        texts
    }
}

impl Operator {
    fn installed(&self) -> Option<&BundleNeeds> {
        self.bundles.iter().find(|one| one.version.to_string() == self.version)
    }

    fn newer_than(&self, present: &BundleNeeds) -> impl Iterator<Item = &BundleNeeds> {
        self.bundles.iter().filter(|one| one.version.compare_precedence(&present.version).is_gt())
    }

    /// Newer versions that do not keep a cluster from an update.
    fn newer_for(
        &self,
        update: &MinorUpdate<'_>,
        present: &BundleNeeds,
    ) -> impl Iterator<Item = &BundleNeeds> {
        let release = update.allowed_by_bundles();
        self.newer_than(present).filter(move |one| one.limit.allows(release))
    }

    fn why_stuck(&self, update: &MinorUpdate<'_>, present: &BundleNeeds, lost: &[LostApi]) -> String {
        let obstacle = self.newer_for(update, present).find_map(|one| update.obstacle(one, lost));
        obstacle.unwrap_or_else(|| match &present.limit {
            Limit::Until(last) => format!(
                "it allows OpenShift up to {last}, and the catalog has no newer version that allows {}",
                update.allowed_by_bundles()
            ),
            Limit::Invalid(text) => text.clone(),
            Limit::None => String::new(),
        })
    }
}

/// An update to another minor version: bundles do not keep clusters from patches, nor from ways back.
struct MinorUpdate<'v> {
    from: OpenShiftRelease,
    to: OpenShiftRelease,
    version: &'v str,
}

impl<'v> MinorUpdate<'v> {
    fn new(from: &str, version: &'v str) -> Option<Self> {
        let (from, to) = (release(from)?, release(version)?);
        (to > from).then_some(Self { from, to, version })
    }

    /// The release that installed bundles must allow. 4.23 and 5.0 are one release, so that on 4.23 a bundle that allows
    /// 5.0 blocks every update, as one that allows 4.22 does on 4.22.
    fn allowed_by_bundles(&self) -> OpenShiftRelease {
        self.to.max(self.from.next())
    }

    /// Why an operator cannot move to a version before the update, while the cluster still has its present release, or does
    /// not work after it.
    fn obstacle(&self, bundle: &BundleNeeds, lost: &[LostApi]) -> Option<String> {
        let gone = || {
            let api = bundle.gone_in(lost, self.version, Some(self.to))?;
            Some(format!("{} needs {api}", bundle.version))
        };
        bundle.unmet(self.from).or_else(gone)
    }
}

/// The release that a version is of.
fn release(version: &str) -> Option<OpenShiftRelease> {
    let version = Version::parse(version).ok()?;
    OpenShiftRelease::parse(&format!("{}.{}", version.major(), version.minor()))
}

#[cfg(test)]
mod tests;

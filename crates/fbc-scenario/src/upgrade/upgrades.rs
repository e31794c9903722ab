//! Upgrades of the versions of a package: each on a cluster of its own, unless another went the same way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fbc_cluster::budget::SharedWork;
use fbc_model::tree::{MemoryTree, Tree};
use fbc_resolve::{CatalogIndex, ClusterCatalog, IndexedBundle, InstalledBundle, Request, Resolver, Rules};
use rayon::prelude::*;

use super::outcome::Outcome;
use super::scenario::{FOLLOW, NAMESPACE, NEW, scenario};
use super::{Installed, UpgradeError, UpgradeOptions};
use crate::extension::watch_namespace;
use crate::play::{Happening, Options, Run, play_sharing};
use crate::prepare::{Contents, Prepared};
use crate::setting::options;

/// The most versions that are upgraded before it is looked which others went the same way.
const LARGEST_ROUND: usize = 64;

/// Upgrades of versions, with what all of them share.
pub struct Upgrades {
    options: UpgradeOptions,
    /// The upgrade whose catalogs and bundles all others use again.
    first: Prepared,
    old: Arc<CatalogIndex>,
    new: Arc<CatalogIndex>,
    /// Answers from the new catalog.
    resolver: Resolver,
}

impl Upgrades {
    /// Reads what all upgrades share; `first` is one of the versions that are to be upgraded. The contents hold both catalogs
    /// as [`OLD`](super::OLD) and [`NEW`](super::NEW), indexed with the rules.
    ///
    /// # Errors
    /// If a bundle cannot be read.
    pub fn new(
        options: UpgradeOptions,
        contents: Contents,
        [old, new]: [Arc<CatalogIndex>; 2],
        rules: Rules,
        first: &Installed,
    ) -> Result<Self, UpgradeError> {
        let files: Arc<dyn Tree> = Arc::new(MemoryTree::default());
        let first = Prepared::new(scenario(&options, first, None), contents, files)
            .map_err(UpgradeError::Unprepared)?;
        let resolver = Resolver::new(rules, [ClusterCatalog::serving(NEW, Arc::clone(&new))])?;
        Ok(Self { options, first, old, new, resolver })
    }

    /// Upgrades versions of one package, of which the highest comes first.
    ///
    /// A version that comes by another one on its way ends where that one ends, and so does a version whose first step
    /// leads there. So the lowest versions begin, few at first, and those that meet them need no cluster of their own.
    ///
    /// # Errors
    /// If a cluster, or all of them together, take more than they may.
    pub fn upgrade(
        &self,
        versions: &[Installed],
        on_done: &(dyn Fn() + Sync),
    ) -> Result<Vec<Outcome>, UpgradeError> {
        let Some((package, _)) = versions.first() else { return Ok(Vec::new()) };
        let (work, most) = (SharedWork::default(), self.options.budget.work);
        let next = self.interchangeable(package);
        let mut known: BTreeMap<&str, Outcome> = BTreeMap::new();
        let mut left: Vec<&Installed> = versions.iter().rev().collect();
        let mut round = if next.is_empty() { LARGEST_ROUND } else { 1 };
        while !left.is_empty() {
            let now: Vec<&Installed> = left.drain(..round.min(left.len())).collect();
            let played: Vec<Result<(Outcome, BTreeSet<String>), UpgradeError>> = now
                .par_iter()
                .map(|version| {
                    let played = self.play(version, &work);
                    on_done();
                    played
                })
                .collect();
            // Which cluster uses up the shared budget depends on threads, so the sum is judged before any single error.
            if work.total() > most {
                return Err(UpgradeError::TooMuchWork { package: package.clone(), most });
            }
            for ((_, version), played) in now.iter().zip(played) {
                let (outcome, passed) = played?;
                let is_met = |version: &str| {
                    next.get(version).is_some_and(|next| passed.contains(version) || passed.contains(next))
                };
                for (_, other) in left.extract_if(.., |(_, version)| is_met(version)) {
                    known.insert(other, Outcome { installed: other.clone(), ..outcome.clone() });
                    on_done();
                }
                known.insert(version, outcome);
            }
            round = (round * 2).min(LARGEST_ROUND);
        }
        Ok(versions.iter().filter_map(|(_, version)| known.get(version.as_str()).cloned()).collect())
    }

    /// Upgrades a version on a cluster of its own. Answers with what became of it, and which other versions it came by.
    fn play(
        &self,
        version: &Installed,
        work: &SharedWork,
    ) -> Result<(Outcome, BTreeSet<String>), UpgradeError> {
        let scenario = scenario(&self.options, version, self.watch_namespace(version));
        let prepared = self.first.with_scenario(scenario).map_err(UpgradeError::Unprepared)?;
        let run =
            play_sharing(&prepared, Options { budget: self.options.budget, ..Options::default() }, work);
        if let Some(exhausted) = run.exhausted {
            let (package, version) = version.clone();
            return Err(UpgradeError::Exhausted { package, version, exhausted });
        }
        let outcome = Outcome::from_run(version, &run, &self.new, &self.options);
        // What fails is tried again and again, at moments of its own.
        let others = passed(&run).filter(|_| outcome.is_success).cloned().collect();
        Ok((outcome, others))
    }

    /// The namespace that a version must be told to watch, as its bundle says.
    fn watch_namespace(&self, (package, version): &Installed) -> Option<&'static str> {
        let has_version = |bundle: &&IndexedBundle| {
            bundle.semantic_version().is_some_and(|one| one.to_string() == *version)
        };
        let bundle = self.old.package(package)?.bundles().iter().find(has_version)?;
        let image = self.options.images.iter().find(|image| image.image == bundle.blob.image)?;
        let bundle = self.first.content.bundle(&image.content.text)?.bundle().ok()?;
        let modes = bundle.operator().install_modes();
        let gates = options(&self.first.scenario).gates;
        watch_namespace(|mode| modes.contains(mode), NAMESPACE, &gates)
    }

    /// The versions of a package of which it does not matter which catalog installed them: both have the same bundle,
    /// and no second one of its version. Without contents, a cluster with one of them is like any other. Each comes with
    /// the version to which its first step leads, its own if it stays.
    fn interchangeable(&self, package: &str) -> BTreeMap<String, String> {
        let (Some(old), Some(new)) = (self.old.package(package), self.new.package(package)) else {
            return BTreeMap::new();
        };
        if self.options.has_contents || self.options.keeps_runs {
            return BTreeMap::new();
        }
        let (old, new) = (unique(old.bundles()), unique(new.bundles()));
        let is_same = |one: &fbc_model::Bundle, other: &fbc_model::Bundle| {
            (&one.name, &one.image, &one.properties) == (&other.name, &other.image, &other.properties)
        };
        let both = old.into_iter().filter_map(|(version, bundle)| {
            let other = new.get(&version)?;
            let has_release = bundle.version.as_ref().is_ok_and(|version| !version.release.is_empty());
            let is_known = !has_release && is_same(&bundle.blob, &other.blob);
            is_known.then(|| (version.clone(), self.next(package, version, bundle)))
        });
        both.collect()
    }

    /// The version that the new catalog gives to whom a bundle is installed.
    fn next(&self, package: &str, version: String, bundle: &IndexedBundle) -> String {
        let request = Request {
            channels: self.options.channels.clone(),
            installed: Some(InstalledBundle {
                name: bundle.blob.name.clone(),
                version: version.clone(),
                release: None,
            }),
            ..Request::of_package(package)
        };
        let resolution = self.resolver.resolve(&request);
        resolution.map_or(version, |found| found.reported_version(self.resolver.rules()))
    }
}

/// The bundles whose versions no other bundle has, by these.
fn unique(bundles: &[IndexedBundle]) -> BTreeMap<String, &IndexedBundle> {
    let mut sorted: Vec<_> =
        bundles.iter().filter_map(|bundle| Some((bundle.semantic_version()?, bundle))).collect();
    sorted.sort_by(|(one, _), (other, _)| one.compare_precedence(other));
    let runs = sorted.chunk_by(|(one, _), (other, _)| one.compare_precedence(other).is_eq());
    let single =
        runs.filter_map(|run| if let [(version, bundle)] = run { Some((version, bundle)) } else { None });
    single.map(|(version, bundle)| (version.to_string(), *bundle)).collect()
}

/// The versions that an extension had on its way since it follows the new catalog.
fn passed(run: &Run) -> impl Iterator<Item = &String> {
    let followed = run.steps.iter().find(|step| step.name == FOLLOW).map(|step| step.before);
    run.timeline.iter().skip(followed.unwrap_or(usize::MAX)).filter_map(|entry| match &entry.what {
        Happening::Field { name, value }
            if entry.kind == "ClusterExtension" && name == "installed version" =>
        {
            Some(value)
        }
        _ => None,
    })
}

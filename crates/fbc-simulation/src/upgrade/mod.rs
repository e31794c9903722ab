//! Every installed version of a package in an old catalog, upgraded by a new one.

mod contents;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fbc_app::loading::Loader;
use fbc_app::settings::Settings;
use fbc_app::upgrade_graph::{require_channels, require_package};
use fbc_cluster::add_ons::AddOn;
use fbc_cluster::budget::Budget;
use fbc_resolve::{CatalogIndex, Rules};
use fbc_scenario::Contents;
use fbc_scenario::upgrade::{Installed, NEW, OLD, Outcome, UpgradeError, UpgradeOptions, Upgrades, versions};
use fbc_source::{Error, Session};
use fbc_version::Target;
use rayon::prelude::*;

use self::contents::bundles;
use crate::input::scenario;

/// What is to be upgraded.
pub struct Order {
    /// The catalog that the versions are installed from.
    pub old: PathBuf,
    /// The catalog that takes its place.
    pub new: PathBuf,
    /// The package; without it, every package of the old catalog.
    pub package: Option<String>,
    /// The channels that the extension follows after the installation; none are all.
    pub channels: Vec<String>,
    /// The directory with the contents of bundles.
    pub bundles: Option<PathBuf>,
    /// Additional products on the clusters.
    pub with: Vec<AddOn>,
    /// The release whose behavior applies.
    pub target: Target,
    /// The seed of all clusters.
    pub seed: u64,
    /// Whether all that happened in each run is kept.
    pub keeps_runs: bool,
    /// What a cluster may take.
    pub budget: Budget,
    /// How many packages are upgraded at most.
    pub most_packages: u64,
}

/// Upgrades versions side by side; `part` takes those that this run is about. Nothing after refusals that were told.
///
/// # Errors
/// If an input cannot be read, names what is not there, or takes more than it may.
pub fn upgrade(
    order: &Order,
    part: &dyn Fn(Vec<Installed>) -> Vec<Installed>,
    session: &Session,
    settings: &Settings,
) -> Result<Option<Vec<Outcome>>, Error> {
    let Some(old) = Loader::new(session, settings).all(std::slice::from_ref(&order.old))? else {
        return Ok(None);
    };
    let Some(new) = Loader::new(session, settings).all(std::slice::from_ref(&order.new))? else {
        return Ok(None);
    };
    if let Some(package) = &order.package {
        require_package(&old, package).map_err(|failure| failure.within(&order.old.display().to_string()))?;
    }
    // A channel that the new catalog has lost is something to simulate; one that neither has is a mistake.
    let has_channels = |catalog| {
        require_channels(catalog, &order.channels, |package| order.package.as_deref() == Some(package))
    };
    has_channels(&new).or_else(|failure| has_channels(&old).map_err(|_| failure))?;
    let mut contents = Contents::default();
    contents.catalogs.insert(OLD.to_owned(), scenario::open(&order.old, session, settings)?);
    contents.catalogs.insert(NEW.to_owned(), scenario::open(&order.new, session, settings)?);
    let images = match &order.bundles {
        Some(directory) => {
            bundles(directory, &[&old, &new], order.package.as_deref(), &mut contents, settings)?
        }
        None => Vec::new(),
    };
    if order.bundles.is_none() {
        settings.warn(
            Error::new("bundles are taken as empty: only resolution and OLM's decisions are simulated")
                .help("--bundles DIR gives their contents"),
        );
    }
    let rules = Rules::from_target(order.target);
    // Catalogs and bundles are read once, and shared by all runs.
    let [old, new] = [(OLD, old), (NEW, new)].map(|(name, catalog)| {
        let index = Arc::new(CatalogIndex::new(catalog, rules));
        contents.loaded.insert(name.to_owned(), Arc::clone(&index));
        index
    });
    let versions = versions(&old, order.package.as_deref());
    let Some(first) = versions.first() else {
        return Err(match &order.package {
            Some(package) => Error::refusal(format!("package {package:?} has no version to install"))
                .help("its bundles are in no channel, or have no version; `fbc validate` says more"),
            None => Error::refusal(format!("{} holds no version to install", order.old.display())).help(
                "name the directory or file of the catalog that clusters follow now; `fbc validate` says what it holds",
            ),
        });
    };
    let options = UpgradeOptions {
        target: order.target,
        with: order.with.clone(),
        seed: order.seed,
        channels: order.channels.clone(),
        images,
        has_contents: order.bundles.is_some(),
        keeps_runs: order.keeps_runs,
        budget: order.budget,
    };
    let upgrades = Upgrades::new(options, contents, [old, new], rules, first).map_err(failure)?;
    let part = part(versions);
    let progress = settings.host.begin("upgrading installed versions", part.len());
    let packages: Vec<&[Installed]> = part.chunk_by(|one, other| one.0 == other.0).collect();
    let most = order.most_packages;
    if packages.len() as u64 > most {
        let text = format!("there are versions of more than {most} packages to upgrade");
        return Err(Error::budget("upgrade-packages", text)
            .help("`--package` upgrades one of them, `--shard K/N` a part"));
    }
    // The first package in order that fails is told, whichever fails first; what lies behind it need not be tried any more.
    let failed = AtomicUsize::new(usize::MAX);
    let outcomes: Vec<Result<Vec<Outcome>, UpgradeError>> = packages
        .par_iter()
        .enumerate()
        .map(|(index, versions)| {
            if index > failed.load(Ordering::Relaxed) {
                return Ok(Vec::new());
            }
            let outcomes = upgrades.upgrade(versions, &|| progress.advance());
            if outcomes.is_err() {
                failed.fetch_min(index, Ordering::Relaxed);
            }
            outcomes
        })
        .collect();
    drop(progress);
    let outcomes = outcomes.into_iter().collect::<Result<Vec<_>, _>>().map_err(failure)?.concat();
    Ok(Some(outcomes))
}

fn failure(error: UpgradeError) -> Error {
    match error {
        UpgradeError::TooMuchWork { .. } => Error::budget("upgrade-work", error),
        UpgradeError::Exhausted { package, version, exhausted } => {
            crate::budget::failure(exhausted).within(&format!("{package} {version}"))
        }
        UpgradeError::Unprepared(_) | UpgradeError::Catalogs(_) => Error::new(error.to_string()),
    }
}

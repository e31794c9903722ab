//! `fbc simulate upgrade`: every installed version of a package in an old catalog, upgraded by a new one.

mod contents;
mod report;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::{Args, ValueHint};
use fbc_cluster::add_ons::AddOn;
use fbc_cluster::budget::Budget;
use fbc_resolve::{CatalogIndex, Rules};
use fbc_scenario::Contents;
use fbc_scenario::upgrade::{Installed, NEW, OLD, Outcome, UpgradeError, UpgradeOptions, Upgrades, versions};
use fbc_version::Target;
use rayon::prelude::*;

use self::contents::bundles;
use self::report::tell;
use super::{ClustersArguments, Format, add_ons, destinations};
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::graph_arguments::{require_channels, require_package};
use crate::input;
use crate::limits;
use crate::loading;
use crate::progress::Counter;
use crate::registry::ImageArguments;
use crate::settings::Settings;

/// Upgrade every installed version of a package, or of all packages, from one catalog to another
///
/// Each version that the old catalog can install is installed from it, on a cluster of its own; then the new catalog
/// takes the old one's place, and the extension follows it. Without the contents of bundles (--bundles), only
/// resolution and OLM's decisions are simulated: bundles install nothing but a record of their version. An operator that
/// cannot watch all namespaces is told to watch its own, where the release permits that. Each row says where a version
/// ends, and what keeps it there if the new catalog has a newer one.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 every version comes to the newest and runs, 1 some do not, 2 could not run."
)]
pub(super) struct Arguments {
    /// The catalog that the versions are installed from: a directory, a file, an image or `REV:PATH`
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    old: PathBuf,
    /// The catalog that takes its place
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    new: PathBuf,
    /// The package; without it, every package of the old catalog
    #[arg(short, long, value_name = "PACKAGE")]
    package: Option<String>,
    /// The channel that the extension follows after the installation; without any, all of them
    #[arg(short, long = "channel", value_name = "CHANNEL", requires = "package")]
    channels: Vec<String>,
    /// The contents of bundles: a directory with bundle directories below it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    bundles: Option<PathBuf>,
    /// Additional products on the clusters: stand-ins that issue certificates and accept monitors
    #[arg(long, value_name = "ADD-ON", value_delimiter = ',', value_parser = AddOn::NAMES, requires = "bundles")]
    with: Vec<String>,
    /// The release whose behavior applies
    #[arg(long, default_value = "latest", value_name = "TARGET", value_parser = Target::NAMES)]
    target: String,
    #[command(flatten)]
    clusters: ClustersArguments,
    /// With `-o json`, also write all that happened in each run, which is a lot
    #[arg(long)]
    runs: bool,
    /// Write a page for browsers with the runs; of whole catalogs with those of versions that something is wrong with, unless
    /// --verbose is given
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    report: Option<PathBuf>,
    #[command(flatten)]
    images: ImageArguments,
}

impl Arguments {
    /// Whether all that happened in each run is written.
    fn shows_runs(&self) -> bool {
        self.report.is_some() || self.runs
    }
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    if arguments.runs && arguments.clusters.output != Format::Json {
        return Err(Failure::new("--runs needs -o json").help("`--report FILE` writes a page with all runs"));
    }
    let session = arguments.images.session([&arguments.old, &arguments.new], settings);
    if [&arguments.old, &arguments.new].iter().all(|catalog| catalog.as_os_str() == "-") {
        return Err(Failure::new("both catalogs are `-`, and standard input holds only one")
            .help("name a directory, a file, a revision or an image for one of them"));
    }
    destinations::check(
        &[
            ("--report", arguments.report.as_deref()),
            ("--output-file", arguments.clusters.output_file.as_deref()),
        ],
        [arguments.old.as_path(), arguments.new.as_path()].into_iter(),
    )?;
    let target: Target = arguments.target.parse().map_err(|error| Failure::new(format!("{error}")))?;
    let Some(old) = loading::load(std::slice::from_ref(&arguments.old), None, &session)? else {
        return Ok(FINDINGS);
    };
    let Some(new) = loading::load(std::slice::from_ref(&arguments.new), None, &session)? else {
        return Ok(FINDINGS);
    };
    if let Some(package) = &arguments.package {
        require_package(&old, package)
            .map_err(|failure| failure.within(&arguments.old.display().to_string()))?;
    }
    // A channel that the new catalog has lost is something to simulate; one that neither has is a mistake.
    let has_channels = |catalog| {
        require_channels(catalog, &arguments.channels, |package| {
            arguments.package.as_deref() == Some(package)
        })
    };
    has_channels(&new).or_else(|failure| has_channels(&old).map_err(|_| failure))?;
    let mut contents = Contents::default();
    contents.catalogs.insert(OLD.to_owned(), input::scenario::open(&arguments.old, &session)?);
    contents.catalogs.insert(NEW.to_owned(), input::scenario::open(&arguments.new, &session)?);
    let images = match &arguments.bundles {
        Some(directory) => {
            bundles(directory, &[&old, &new], arguments.package.as_deref(), &mut contents, settings)?
        }
        None => Vec::new(),
    };
    if arguments.bundles.is_none() {
        Failure::new("bundles are taken as empty: only resolution and OLM's decisions are simulated")
            .help("--bundles DIR gives their contents")
            .warn();
    }
    let rules = Rules::from_target(target);
    // Catalogs and bundles are read once, and shared by all runs.
    let [old, new] = [(OLD, old), (NEW, new)].map(|(name, catalog)| {
        let index = Arc::new(CatalogIndex::new(catalog, rules));
        contents.loaded.insert(name.to_owned(), Arc::clone(&index));
        index
    });
    let versions = versions(&old, arguments.package.as_deref());
    let Some(first) = versions.first() else {
        return Err(match &arguments.package {
            Some(package) => Failure::refusal(format!("package {package:?} has no version to install"))
                .help("its bundles are in no channel, or have no version; `fbc validate` says more"),
            None => Failure::refusal(format!("{} holds no version to install", arguments.old.display())).help(
                "name the directory or file of the catalog that clusters follow now; `fbc validate` says what it holds",
            ),
        });
    };
    let options = UpgradeOptions {
        target,
        with: add_ons(&arguments.with)?,
        seed: arguments.clusters.seed,
        channels: arguments.channels.clone(),
        images,
        has_contents: arguments.bundles.is_some(),
        keeps_runs: arguments.shows_runs(),
        budget: Budget { work: settings.budgets.most("upgrade-work"), ..settings.budgets.cluster() },
    };
    let upgrades = Upgrades::new(options, contents, [old, new], rules, first).map_err(failure)?;
    let part = arguments.clusters.shard.part(versions);
    let progress = Counter::new("upgrading installed versions", part.len(), settings.quiet);
    let packages: Vec<&[Installed]> = part.chunk_by(|one, other| one.0 == other.0).collect();
    let most = settings.budgets.most("upgrade-packages");
    if packages.len() as u64 > most {
        let text = format!("there are versions of more than {most} packages to upgrade");
        return Err(limits::failure("upgrade-packages", text)
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
            let outcomes = upgrades.upgrade(versions, &|| progress.step());
            if outcomes.is_err() {
                failed.fetch_min(index, Ordering::Relaxed);
            }
            outcomes
        })
        .collect();
    drop(progress);
    let outcomes = outcomes.into_iter().collect::<Result<Vec<_>, _>>().map_err(failure)?.concat();
    tell(&outcomes, arguments, settings)?;
    Ok(if outcomes.iter().all(Outcome::is_fine) { CLEAN } else { FINDINGS })
}

fn failure(error: UpgradeError) -> Failure {
    match error {
        UpgradeError::TooMuchWork { .. } => limits::failure("upgrade-work", error),
        UpgradeError::Exhausted { package, version, exhausted } => {
            limits::cluster::failure(exhausted).within(&format!("{package} {version}"))
        }
        UpgradeError::Unprepared(_) | UpgradeError::Catalogs(_) => Failure::new(error.to_string()),
    }
}

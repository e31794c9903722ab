//! `fbc simulate upgrade`: every installed version of a package in an old catalog, upgraded by a new one.

mod contents;
mod outcome;
mod report;
mod scenario;
mod stage;
mod stranded;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueHint};
use fbc_model::tree::{MemoryTree, Tree};
use fbc_resolve::{CatalogIndex, ClusterCatalog, IndexedBundle, Resolver, Rules};
use fbc_scenario::{Contents, Prepared};
use fbc_version::Target;
use rayon::prelude::*;

use self::contents::bundles;
use self::outcome::Outcome;
use self::report::tell;
use self::scenario::{NEW, OLD, scenario};
use self::stage::{Stage, unprepared};
use super::{ClustersArguments, Format, destinations, verdict};
use crate::arguments::Global;
use crate::command::graph::{require_channels, require_package};
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::limits;
use crate::loading;
use crate::progress::Counter;
use crate::registry::ImageArguments;
use crate::scenario_input;

/// Upgrade every installed version of a package, or of all packages, from one catalog to another
///
/// Each version that the old catalog can install is installed from it, on a cluster of its own; then the new catalog
/// takes the old one's place, and the extension follows it. Without the contents of bundles (--bundles), only
/// resolution and OLM's decisions are simulated: bundles install nothing but a record of their version. Each row says
/// where a version ends, and what keeps it there if the new catalog has a newer one.
#[derive(Args, Debug)]
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
    /// A directory with a bundle in each of its directories
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    bundles: Option<PathBuf>,
    /// Whose behavior counts
    #[arg(long, default_value = "latest", value_name = "TARGET", value_parser = Target::NAMES)]
    target: String,
    #[command(flatten)]
    clusters: ClustersArguments,
    /// Write a page for browsers with all runs
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    report: Option<PathBuf>,
    #[command(flatten)]
    images: ImageArguments,
}

impl Arguments {
    /// Whether all that happened in each run is written.
    fn shows_runs(&self) -> bool {
        self.report.is_some() || self.clusters.output == Format::Json
    }
}

pub(super) fn run(arguments: &Arguments, global: Global) -> Result<u8, Failure> {
    let session = arguments.images.session([&arguments.old, &arguments.new]);
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
        require_package(&old, package)?;
    }
    // A channel that the new catalog has lost is something to simulate; one that neither has is a mistake.
    let has_channels = |catalog| {
        require_channels(catalog, &arguments.channels, |package| {
            arguments.package.as_deref() == Some(package)
        })
    };
    has_channels(&new).or_else(|failure| has_channels(&old).map_err(|_| failure))?;
    let mut contents = Contents::default();
    contents.catalogs.insert(OLD.to_owned(), scenario_input::open(&arguments.old, &session)?);
    contents.catalogs.insert(NEW.to_owned(), scenario_input::open(&arguments.new, &session)?);
    let images = match &arguments.bundles {
        Some(directory) => bundles(directory, &[&old, &new], arguments.package.as_deref(), &mut contents)?,
        None => Vec::new(),
    };
    if arguments.bundles.is_none() {
        Failure::new("bundles are taken as empty: only resolution and OLM's decisions are simulated")
            .help("--bundles DIR gives their contents")
            .warn();
    }
    let rules = Rules::of(target);
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
    let files: Arc<dyn Tree> = Arc::new(MemoryTree::default());
    let first = scenario(arguments, target, first, &images);
    let first = Prepared::new(first, contents, files).map_err(unprepared)?;
    let part = arguments.clusters.shard.part(versions);
    let resolver = Resolver::new(rules, [ClusterCatalog::serving(NEW, Arc::clone(&new))])
        .map_err(|error| Failure::new(error.to_string()))?;
    let stage = Stage {
        arguments,
        target,
        images,
        first,
        old,
        new,
        resolver,
        progress: Counter::new("upgrading installed versions", part.len()),
    };
    let packages: Vec<&[Installed]> = part.chunk_by(|one, other| one.0 == other.0).collect();
    let most = limits::most("upgrade-packages");
    if packages.len() as u64 > most {
        let text = format!("there are versions of more than {most} packages to upgrade");
        return Err(limits::failure("upgrade-packages", text)
            .help("`--package` upgrades one of them, `--shard K/N` a part"));
    }
    let outcomes: Vec<Vec<Outcome>> =
        packages.par_iter().map(|versions| stage.upgrade(versions)).collect::<Result<_, Failure>>()?;
    drop(stage);
    let outcomes = outcomes.concat();
    let exit = if outcomes.iter().all(Outcome::is_fine) { CLEAN } else { FINDINGS };
    verdict(tell(&outcomes, arguments, global), exit)
}

/// A package and a version of it.
type Installed = (String, String);

/// The versions of a package, or of all, that are in a channel; the highest of a package first.
fn versions(index: &CatalogIndex, package: Option<&str>) -> Vec<Installed> {
    let names = index.package_names().filter(|name| package.is_none_or(|package| package == *name));
    let mut all = Vec::new();
    for name in names {
        let Some(package) = index.package(name) else { continue };
        let members = package.bundles().iter().filter(|bundle| !package.channels_of(bundle).is_empty());
        let mut versions: Vec<_> = members.filter_map(IndexedBundle::semantic_version).collect();
        versions.sort_by(|a, b| b.compare_precedence(a));
        all.extend(versions.iter().map(|version| (name.to_owned(), version.to_string())));
    }
    all
}

//! `fbc simulate upgrade`: every installed version of a package in an old catalog, upgraded by a new one.

mod report;

use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::output::destinations;
use fbc_cluster::add_ons::AddOn;
use fbc_cluster::budget::Budget;
use fbc_scenario::upgrade::Outcome;
use fbc_simulation::upgrade::{Order, upgrade};
use fbc_version::Target;

use self::report::tell;
use super::{ClustersArguments, Format, add_ons};
use crate::failure::{CLEAN, FINDINGS, Failure};
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
    let order = Order {
        old: arguments.old.clone(),
        new: arguments.new.clone(),
        package: arguments.package.clone(),
        channels: arguments.channels.clone(),
        bundles: arguments.bundles.clone(),
        with: add_ons(&arguments.with)?,
        target,
        seed: arguments.clusters.seed,
        keeps_runs: arguments.shows_runs(),
        budget: Budget { work: settings.limits.most("upgrade-work"), ..settings.limits.cluster() },
        most_packages: settings.limits.most("upgrade-packages"),
    };
    let shard = arguments.clusters.shard;
    let Some(outcomes) = upgrade(&order, &|versions| shard.part(versions), &session, settings)? else {
        return Ok(FINDINGS);
    };
    tell(&outcomes, arguments, settings)?;
    Ok(if outcomes.iter().all(Outcome::is_fine) { CLEAN } else { FINDINGS })
}

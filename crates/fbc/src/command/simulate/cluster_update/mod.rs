//! `fbc simulate cluster-update`: will a cluster get through an update, how long does it take, what stops it, and what is
//! to be done first.

mod text;

use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::output::destinations;
use fbc_simulation::cluster_update::{Clusters, Order, Outcome, page, update};
use serde_json::json;

use super::{ClustersArguments, Format, write_json};
use crate::arguments::parse_virtual_duration;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::write_output;
use crate::registry::ImageArguments;
use crate::settings::Settings;

/// Update a whole cluster: control plane, operators and nodes
///
/// The payloads are applied by the Cluster Version Operator, cluster operators take their time, and the Machine Config
/// Operator drains and reboots the nodes. If the payload of the present release is not given, that of the wanted one takes
/// its place under the present version.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 all clusters get through with their operators, 1 one does not, or an operator needs something first, 2 could not run."
)]
pub(super) struct Arguments {
    /// The present version
    #[arg(long, value_name = "VERSION", required_unless_present = "fleet")]
    from: Option<String>,
    /// The wanted version
    #[arg(long, value_name = "VERSION")]
    to: String,
    /// A payload: a directory with `manifests` and `release-manifests`, or a release image; can be repeated
    #[arg(long = "payload", value_name = "PAYLOAD", value_hint = ValueHint::AnyPath, required = true)]
    payloads: Vec<PathBuf>,
    /// The catalog that the operators were installed from
    #[arg(long, value_name = "CATALOG", value_hint = ValueHint::AnyPath)]
    catalog: Option<PathBuf>,
    /// The catalog that takes its place in a new minor version; without it, the content stays
    #[arg(long, value_name = "CATALOG", value_hint = ValueHint::AnyPath, requires = "catalog")]
    new_catalog: Option<PathBuf>,
    /// An operator that the cluster has, by package and version, to which its ClusterExtension is pinned; may be given more
    /// than once. `fbc simulate upgrade` shows where an operator goes that is not pinned
    #[arg(long = "operator", value_name = "PACKAGE=VERSION", requires = "catalog", conflicts_with = "fleet")]
    operators: Vec<String>,
    /// A pool and its number of nodes, with how many may be unavailable at once; pools that are not named keep
    /// their default [default: master=3, worker=3]
    #[arg(long = "pool", value_name = "NAME=NODES[:MAX]", conflicts_with = "fleet")]
    pools: Vec<String>,
    /// How operators and nodes behave: a file with `operators` and `nodes`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    behaviour: Option<PathBuf>,
    /// Many clusters: a file with a list of `name`, `from`, `operators`, `pools`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "from")]
    fleet: Option<PathBuf>,
    /// Update although a precondition fails
    #[arg(long)]
    force: bool,
    /// Stop waiting for the update after this much virtual time
    #[arg(long, value_name = "DURATION", value_parser = parse_virtual_duration, default_value = "12h")]
    give_up_after: u64,
    #[command(flatten)]
    clusters: ClustersArguments,
    /// Write a page for browsers with the timeline; it needs no network
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    report: Option<PathBuf>,
    #[command(flatten)]
    images: ImageArguments,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    destinations::check(
        &[
            ("--report", arguments.report.as_deref()),
            ("--output-file", arguments.clusters.output_file.as_deref()),
        ],
        arguments.payloads.iter().map(PathBuf::as_path),
    )?;
    if arguments.clusters.shard.shard.is_some() && arguments.fleet.is_none() {
        return Err(Failure::new("--shard splits a fleet, and there is one cluster")
            .help("leave out --shard, or add --fleet FILE"));
    }
    let session = arguments
        .images
        .session(arguments.payloads.iter().chain(&arguments.catalog).chain(&arguments.new_catalog), settings);
    let clusters = match (&arguments.fleet, &arguments.from) {
        (Some(file), _) => Clusters::Fleet(file.clone()),
        (None, from) => Clusters::One {
            from: from.clone().unwrap_or_default(),
            operators: arguments.operators.clone(),
            pools: arguments.pools.clone(),
        },
    };
    let order = Order {
        to: arguments.to.clone(),
        payloads: arguments.payloads.clone(),
        catalog: arguments.catalog.clone(),
        new_catalog: arguments.new_catalog.clone(),
        behaviour: arguments.behaviour.clone(),
        clusters,
        is_forced: arguments.force,
        limit: arguments.give_up_after,
        seed: arguments.clusters.seed,
    };
    let shard = arguments.clusters.shard;
    let outcomes = update(&order, &|clusters| shard.part(clusters), &session, settings)?;
    if let Some(path) = &arguments.report {
        let page = page::draw(&outcomes);
        write_output(settings, Some(path), |out| Ok(out.write_all(page.as_bytes())?))?;
    }
    write_output(settings, arguments.clusters.output_file.as_deref(), |out| {
        match arguments.clusters.output {
            Format::Json => {
                let report = json!({"clusters": outcomes.iter().map(Outcome::to_json).collect::<Vec<_>>()});
                write_json(report, arguments.clusters.shard, out)?;
            }
            Format::Text if arguments.fleet.is_some() => text::table(&outcomes, out)?,
            Format::Text => text::story(&outcomes, out)?,
        }
        Ok(())
    })?;
    Ok(if outcomes.iter().all(Outcome::is_fine) { CLEAN } else { FINDINGS })
}

//! `fbc cluster`: simulated clusters behind a Kubernetes API, for kubectl, helm, controllers and tests.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueHint};
use fbc_app::invalid_value::InvalidValue;
use fbc_openshift::cluster_update::MOST_NODES;
use fbc_scenario::Generations;
use fbc_simulation::server::{
    self as cluster, Additions, Header, Pace, Plan, RegistryPlan, Running, prepared,
};
use fbc_version::Target;

use crate::failure::Failure;
use crate::registry::ImageArguments;
use crate::serve::HostArguments;
use crate::settings::Settings;

mod advance;
mod run;
mod up;

/// Where the address of the cluster's registry is told.
const REGISTRY_VARIABLE: &str = "FBC_REGISTRY";

/// Serve a simulated cluster with OLM as a Kubernetes API
///
/// kubectl, helm, client libraries and controllers work with it as with any cluster. Nothing runs in its pods: the
/// API server, the controllers of Kubernetes and OLM are real in what they answer and write; nodes and containers are
/// simulated. Time is virtual: it stands still while nothing is due, unless `--time` says otherwise.
#[derive(Args, Debug)]
#[command(after_help = "docs/guides/cluster.md leads from nothing to an installed operator.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Up(up::Arguments),
    Run(run::Arguments),
    Advance(advance::Arguments),
}

/// What a cluster is made of, and how it is served.
#[derive(Args, Debug)]
struct ClusterArguments {
    /// Serve a catalog under a name: a directory, a file or an image
    #[arg(long = "catalog", value_name = "NAME=REF")]
    catalogs: Vec<String>,
    /// The release whose behavior applies [default: that of the scenario, or the latest OLM v1]
    #[arg(long, value_name = "TARGET", value_parser = parse_target)]
    target: Option<Target>,
    /// The generations of OLM in the cluster: `v0`, `v1` or `both` [default: those that the scenario needs, or v1]
    #[arg(long, value_name = "GENERATION", value_parser = parse_generations)]
    olm: Option<Generations>,
    /// Add this many nodes [default: 1 without a scenario, else none]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(MOST_NODES)))]
    nodes: Option<u32>,
    /// Let bundles of the catalogs whose images no scenario gives install a record of their version, and pull none of them
    #[arg(long)]
    empty_bundles: bool,
    /// The address to listen at; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    #[command(flatten)]
    hosts: HostArguments,
    /// Where to write the kubeconfig [default: a temporary file]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    kubeconfig: Option<PathBuf>,
    /// What time does: `still` while nothing is due, `paused` until `fbc cluster advance`, `real`, or `fast=60` for a
    /// minute a second
    #[arg(long, value_name = "MODE", default_value = "still", value_parser = Pace::parse)]
    time: Pace,
    /// Leave a part out, such as `operator-controller`, `catalogd`, `olm-v0`, `scheduler` or `kubelet`
    #[arg(long, value_name = "PART")]
    without: Vec<String>,
    /// Accept clients without credentials, as `system:anonymous`
    #[arg(long)]
    anonymous: bool,
    /// Use this seed instead of the scenario's
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Write every request that changes something and every image that is pulled, a JSON object a line; `fbc simulate
    /// --replay-trace` plays it again. What Secrets hold is replaced by placeholders
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    trace: Option<PathBuf>,
    /// With --trace: write what Secrets and token reviews hold, too
    #[arg(long, requires = "trace")]
    trace_secrets: bool,
    /// Serve a registry beside the cluster, for images that are pushed and then pulled by it, also under the name
    /// registry.cluster.local
    #[arg(long)]
    registry: bool,
    /// The address that the registry listens at; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", requires = "registry")]
    registry_listen: SocketAddr,
    /// Keep the images of the registry in an OCI layout [default: a temporary directory, removed when the
    /// cluster ends]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "registry")]
    registry_storage: Option<PathBuf>,
    /// Call admission webhooks at URLs on another host; those on this machine are called anyway
    #[arg(long = "webhook-host", value_name = "HOST")]
    webhook_hosts: Vec<String>,
    #[command(flatten)]
    images: ImageArguments,
}

fn parse_target(text: &str) -> Result<Target, InvalidValue> {
    text.parse().map_err(|error: fbc_version::UnknownName| error.to_string().into())
}

fn parse_generations(text: &str) -> Result<Generations, InvalidValue> {
    let names = Generations::NAMES.join(", ");
    Generations::of_name(text).ok_or_else(|| format!("the generations of OLM are {names}").into())
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    match &arguments.command {
        Command::Up(arguments) => up::run(arguments, settings),
        Command::Run(arguments) => run::run(arguments, settings),
        Command::Advance(arguments) => advance::run(arguments, settings),
    }
}

impl ClusterArguments {
    /// Starts the cluster, and warns of addresses that other machines can reach.
    fn start(&self, scenario: Option<&Path>, settings: &Settings) -> Result<Running, Failure> {
        let running = cluster::start(self.plan(scenario, settings)?, settings)?;
        let key = "the certificate in the kubeconfig grants full access; keep that file to yourself";
        let open = "the registry takes images from everybody who reaches it";
        for (address, help) in [(Some(running.address), key), (running.registry, open)] {
            let public = address.filter(|address| !address.ip().is_loopback() && !settings.quiet);
            if let Some(address) = public {
                Failure::new(format!("{address} can be reached from other machines")).help(help).warn();
            }
        }
        Ok(running)
    }

    fn plan(&self, scenario: Option<&Path>, settings: &Settings) -> Result<Plan, Failure> {
        let session = self.images.session(fbc_simulation::input::scenario::named(&self.catalogs), settings);
        let catalogs =
            fbc_simulation::input::scenario::catalogs_of_flags(&self.catalogs, &session, settings)?;
        let nodes = self.nodes.unwrap_or(u32::from(scenario.is_none()));
        let additions = Additions { nodes, olm: self.olm, empty_bundles: self.empty_bundles };
        Ok(Plan {
            prepared: prepared(scenario, &catalogs, self.target, additions, &session, settings)?,
            listen: self.listen,
            hosts: self.hosts.names.clone(),
            kubeconfig: self.kubeconfig.clone(),
            anonymous: self.anonymous,
            trace: self.trace.clone(),
            trace_secrets: self.trace_secrets,
            // Controllers try again by themselves, and clients wait meanwhile.
            session: self
                .images
                .with_retries(1)
                .session(fbc_simulation::input::scenario::named(&self.catalogs), settings),
            registry: self.registry.then(|| RegistryPlan {
                listen: self.registry_listen,
                storage: self.registry_storage.clone(),
                bytes: settings.limits.most("registry-bytes"),
            }),
            webhook_hosts: self.webhook_hosts.clone(),
            header: Header {
                scenario: scenario.map(Path::to_owned),
                catalogs: self.catalogs.clone(),
                target: self.target,
                additions,
                seed: self.seed,
                without: self.without.clone(),
                pace: self.time,
                registry: self.registry,
                budget: Some(settings.limits.cluster()),
            },
        })
    }
}

//! `fbc release`: release payloads of OpenShift.

mod diff;
mod extract;
mod graph;
mod info;
mod verify;

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use fbc_openshift::release::inclusion::DEFAULT_PROFILE;
use fbc_openshift::release::{Inclusion, Payload};
use fbc_simulation::input::payload::PayloadSource;
use fbc_source::Session;

use crate::failure::Failure;
use crate::registry::ImageArguments;
use crate::settings::Settings;

/// Look into release payloads of OpenShift
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Graph(graph::Arguments),
    Verify(verify::Arguments),
    Extract(extract::Arguments),
    Info(info::Arguments),
    Diff(diff::Arguments),
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    match &arguments.what {
        What::Graph(arguments) => graph::run(arguments, settings),
        What::Verify(arguments) => verify::run(arguments, settings),
        What::Extract(arguments) => extract::run(arguments, settings),
        What::Info(arguments) => info::run(arguments, settings),
        What::Diff(arguments) => diff::run(arguments, settings),
    }
}

/// The formats of what is said about payloads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// The payload that a command is about.
#[derive(Args, Debug)]
struct PayloadArguments {
    /// A directory with `manifests` and `release-manifests`, or a release image
    #[arg(value_name = "PAYLOAD", value_hint = ValueHint::AnyPath)]
    payload: PathBuf,
    #[command(flatten)]
    images: ImageArguments,
}

impl PayloadArguments {
    /// How images are reached.
    fn session(&self, settings: &Settings) -> Session {
        self.images.session([&self.payload], settings)
    }

    /// Opens the payload.
    fn open(&self, settings: &Settings) -> Result<PayloadSource, Failure> {
        Ok(PayloadSource::open(&self.payload, &self.session(settings))?)
    }
}

/// What the cluster is like that a payload is for.
#[derive(Args, Debug)]
struct ClusterArguments {
    /// The cluster profile, one that manifests name by include.release.openshift.io/PROFILE: "true"
    #[arg(long, default_value = DEFAULT_PROFILE, value_name = "PROFILE")]
    profile: String,
    /// The feature set
    #[arg(long, default_value = "Default", value_name = "SET",
          value_parser = ["Default", "TechPreviewNoUpgrade", "DevPreviewNoUpgrade", "CustomNoUpgrade", "OKD"])]
    feature_set: String,
    /// A feature gate that is on, can be repeated
    #[arg(long = "feature-gate", value_name = "GATE")]
    feature_gates: Vec<String>,
    /// Leave out manifests with exclude.release.openshift.io/IDENTIFIER: "true"
    #[arg(long, default_value = "", value_name = "IDENTIFIER", hide_default_value = true)]
    exclude: String,
}

impl ClusterArguments {
    fn inclusion(&self) -> Inclusion {
        Inclusion {
            profile: self.profile.clone(),
            feature_set: self.feature_set.clone(),
            gates: self.feature_gates.iter().cloned().collect(),
            exclude: self.exclude.clone(),
            ..Inclusion::default()
        }
    }

    /// Refuses a profile that no manifest is for, of which there would be nothing to say. Payloads of which no manifest
    /// names a profile are left to the checks.
    fn check_profile<'p>(&self, payloads: impl IntoIterator<Item = &'p Payload>) -> Result<(), Failure> {
        let known: BTreeSet<&str> = payloads.into_iter().flat_map(Payload::profiles).collect();
        if known.is_empty() || known.contains(self.profile.as_str()) {
            return Ok(());
        }
        let known: Vec<&str> = known.into_iter().collect();
        Err(Failure::new(format!("no manifest is for the cluster profile {:?}", self.profile))
            .help(format!("manifests are for {}", known.join(", "))))
    }
}

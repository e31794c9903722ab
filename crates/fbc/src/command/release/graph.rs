//! `fbc release graph`: the order in which a cluster applies a payload.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_openshift::release::{Mode, TaskGraph, drawing};

use super::{ClusterArguments, PayloadArguments};
use crate::failure::{CLEAN, Failure};
use crate::output::file::write_output;
use crate::settings::Settings;

/// Show the order in which a cluster applies a payload
///
/// Manifests of a node are applied one after another; nodes that do not wait for each other go side by side.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    cluster: ClusterArguments,
    /// What the cluster is at
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    mode: ModeName,
    /// How often in a row it failed before; changes the order while reconciling
    #[arg(long, default_value_t, value_name = "N")]
    attempt: u64,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    payload: PayloadArguments,
}

/// What a cluster is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ModeName {
    /// An update: runlevels in order, components of a runlevel side by side
    #[default]
    Updating,
    /// An installation: everything side by side
    Initializing,
    /// Keeping things as they are: in another order each time
    Reconciling,
}

/// The formats of graphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Steps with their manifests
    #[default]
    Text,
    /// Nodes with their edges, as a JSON object
    Json,
    /// The language of graphviz
    Dot,
    /// A picture
    Svg,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let payload = arguments.payload.open(settings)?.load(&arguments.cluster.inclusion())?;
    arguments.cluster.check_profile([&payload])?;
    let mode = match arguments.mode {
        ModeName::Updating => Mode::Updating,
        ModeName::Initializing => Mode::Initializing,
        ModeName::Reconciling => Mode::Reconciling { attempt: arguments.attempt },
    };
    let manifests = &payload.manifests;
    let graph = TaskGraph::new(manifests, mode);
    let text = match arguments.output {
        Format::Text => drawing::text(&graph, manifests),
        Format::Json => {
            format!("{}\n", fbc_app::output::json_document::text(&drawing::json(&graph, manifests))?)
        }
        Format::Dot => drawing::dot(&graph, manifests),
        Format::Svg => drawing::svg(&graph, manifests),
    };
    write_output(settings, arguments.output_file.as_deref(), |out| Ok(out.write_all(text.as_bytes())?))?;
    Ok(CLEAN)
}

//! `fbc paths`: which installed version reaches what, in how many updates, and which edge is missing where it does not.

mod text;

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_app::loading::Loader;
use fbc_app::paths::answer::Answer;
use fbc_app::paths::version_choice;
use fbc_app::upgrade_graph::{require_channels, require_package, require_upgrade_graph};
use fbc_graph::PackageGraph;

use crate::arguments::CATALOG;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::graph_arguments::Semantics;
use crate::output::file::write_output;
use crate::package_argument::{PackageArgument, hint_if_swapped};
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::terminal;

/// Show which installed version updates to what, and what is missing where it is stuck
///
/// For each channel (in OLM v1: for all channels together, as if none were named) and each version that may be
/// installed: the next update, how many updates a cluster really takes to the head, and how few would do. For who
/// does not get there, the smallest edit that would help; every edit that is proposed has been tried, and makes nothing
/// worse that opm checks. Exit code 1 says that a version of the catalog does not reach its goal.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 every version reaches the head or the goal, 1 some do not, 2 could not run.",
    override_usage = "fbc paths [OPTIONS] REF PACKAGE\n       fbc paths [OPTIONS] REF --package PACKAGE"
)]
pub(crate) struct Arguments {
    #[arg(help = CATALOG, value_name = "REF", value_hint = ValueHint::AnyPath)]
    reference: PathBuf,
    #[command(flatten)]
    package: PackageArgument,
    /// Only this installed version (or bundle), with its route; the catalog need not know it
    #[arg(long, value_name = "VERSION")]
    from: Option<String>,
    /// The goal, instead of the head
    #[arg(long, value_name = "VERSION")]
    to: Option<String>,
    /// Only clusters that follow this channel; can be repeated, which in OLM v1 means any of them
    #[arg(short, long = "channel", value_name = "CHANNEL")]
    channels: Vec<String>,
    /// Which OLM reads the edges
    #[arg(long, value_enum, default_value_t, value_name = "OLM", alias = "semantics")]
    olm: Semantics,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: PathsFormat,
    #[command(flatten)]
    images: ImageArguments,
}

/// The formats of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PathsFormat {
    /// Tables
    #[default]
    Text,
    /// A JSON document; `fbc schema output/paths` describes it
    Json,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let (reference, package) = (&arguments.reference, arguments.package.name());
    let references = std::slice::from_ref(reference);
    let swapped = ["paths", package, &reference.to_string_lossy()];
    let loaded = Loader::new(&arguments.images.session(references, settings), settings)
        .all(references)
        .map_err(|error| hint_if_swapped(error.into(), reference, package, &swapped))?;
    let Some(catalog) = loaded else { return Ok(FINDINGS) };
    require_upgrade_graph(&catalog)?;
    require_package(&catalog, package)?;
    require_channels(&catalog, &arguments.channels, |name| name == package)?;
    let graph = PackageGraph::from_catalog(&catalog, package);
    let to = arguments.to.as_deref().map(|text| version_choice::known(&graph, text)).transpose()?;
    let to = to.map(|node| graph.node_name(node).to_owned());
    let (graph, from) = match arguments.from.as_deref() {
        None => (graph, None),
        Some(text) => match version_choice::find(&graph, text) {
            Some(node) => (graph, Some(node)),
            None => {
                let supposed = version_choice::supposed(&graph, text)?;
                let name = supposed.0.clone();
                let graph = PackageGraph::with_supposed(&catalog, package, &[supposed]);
                let node = graph.node_by_name(&name);
                (graph, node)
            }
        },
    };
    let to = to.and_then(|name| graph.node_by_name(&name));
    let answer = Answer::new(&graph, &arguments.channels, arguments.olm.into(), from, to);
    write_output(settings, None, |out| match arguments.output {
        PathsFormat::Text => Ok(text::write(&answer, &mut terminal::text_to(out, None))?),
        PathsFormat::Json => Ok(fbc_app::output::json_document::write(out, &answer)?),
    })?;
    Ok(if answer.is_clean() { CLEAN } else { FINDINGS })
}

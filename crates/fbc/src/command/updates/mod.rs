//! `fbc updates`: what an update service offers, and the shortest safe route.

mod text;

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_simulation::updates::{Question, answer};

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::write_output;
use crate::registry::ImageArguments;
use crate::settings::Settings;

/// Show which updates of OpenShift a cluster is offered, and the shortest safe route
///
/// The graph is the answer of an update service, or a directory of graph data together with the releases (--releases).
/// Without --from, the graph is checked. Risks are judged by the facts about the cluster (--facts): metrics in Prometheus'
/// text format, such as `cluster_infrastructure_provider{type="AWS"} 1`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 the updates are recommended, 1 there is no safe route or the graph has faults, 2 could not run."
)]
pub(crate) struct Arguments {
    /// The graph: a JSON file, or a directory of graph data
    #[arg(value_name = "GRAPH", value_hint = ValueHint::AnyPath)]
    graph: PathBuf,
    /// The releases of a directory of graph data: a file with a list of their metadata, each with `image`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    releases: Option<PathBuf>,
    /// The architecture of a directory of graph data [default: amd64]
    #[arg(long, value_name = "ARCHITECTURE")]
    architecture: Option<String>,
    /// The version of the cluster
    #[arg(long, value_name = "VERSION")]
    from: Option<String>,
    /// Only updates of this channel
    #[arg(short, long, value_name = "CHANNEL")]
    channel: Option<String>,
    /// Show the shortest safe route to this version
    #[arg(long, value_name = "VERSION", requires = "from")]
    to: Option<String>,
    /// Metrics of the cluster, to judge risks by
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    facts: Option<PathBuf>,
    /// A catalog with the next versions of installed operators
    #[arg(long, value_name = "CATALOG", value_hint = ValueHint::AnyPath, requires_all = ["operators", "to"])]
    catalog: Option<PathBuf>,
    /// An operator that the cluster has, by package and version; can be repeated
    #[arg(long = "operator", value_name = "PACKAGE=VERSION", requires = "catalog")]
    operators: Vec<String>,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    images: ImageArguments,
}

/// The formats of updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Updates, risks and the route in words
    #[default]
    Text,
    /// The same as one JSON object
    Json,
    /// The graph itself, as an update service answers
    Graph,
    /// The graph in the language of graphviz; updates with risks are dashed
    Dot,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    if arguments.from.is_some() && matches!(arguments.output, Format::Graph | Format::Dot) {
        return Err(Failure::new("this --output shows the whole graph, and --from asks about one release")
            .help("leave out --from, or give --output text or json"));
    }
    let question = Question {
        graph: &arguments.graph,
        releases: arguments.releases.as_deref(),
        architecture: arguments.architecture.as_deref(),
        channel: arguments.channel.as_deref(),
        facts: arguments.facts.as_deref(),
        from: arguments.from.as_deref(),
        to: arguments.to.as_deref(),
        catalog: arguments.catalog.as_ref(),
        operators: &arguments.operators,
    };
    let session = |catalog: &PathBuf| arguments.images.session([catalog], settings);
    let answer = answer(&question, &session, settings)?;
    let exit = if answer.is_fine() { CLEAN } else { FINDINGS };
    write_output(settings, arguments.output_file.as_deref(), |out| {
        match arguments.output {
            Format::Text => text::write(&answer, out)?,
            Format::Json => fbc_app::output::json_document::write(&mut *out, &answer.to_value())?,
            Format::Graph => writeln!(out, "{:#}", answer.graph.to_value())?,
            Format::Dot => out.write_all(answer.graph.dot().as_bytes())?,
        }
        Ok(())
    })?;
    Ok(exit)
}

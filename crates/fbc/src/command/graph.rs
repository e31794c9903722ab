//! `fbc graph`: the upgrade graph as a drawing.

use std::borrow::Cow;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_app::loading::Loader;
use fbc_app::upgrade_graph::{objection, require_channels, require_package, require_upgrade_graph};
use fbc_graph::mermaid::{MermaidError, MermaidOptions};
use fbc_graph::{PackageGraph, document, dot, mermaid, page, svg};
use fbc_model::Catalog;
use serde_json::json;

use crate::arguments::CATALOGS;
use crate::failure::{CLEAN, FINDINGS, Failure, closest};
use crate::graph_arguments::Semantics;
use crate::limits;
use crate::output::destination::{Destination, OutputParser, OutputValue};
use crate::output::file::write_output;
use crate::registry::ImageArguments;
use crate::settings::Settings;

/// Draw the upgrade graph
///
/// The mermaid text equals that of `opm alpha render-graph`. Nothing is validated beyond what drawing needs: a channel
/// that opm refuses is drawn as it is, and marked. Of a catalog that cannot be loaded nothing is drawn.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[arg(help = CATALOGS, value_name = "REF", required = true, value_hint = ValueHint::AnyPath)]
    references: Vec<PathBuf>,
    /// Draw this package only
    #[arg(short, long, value_name = "PACKAGE")]
    package: Option<String>,
    /// Draw this channel only; can be repeated
    #[arg(short, long = "channel", value_name = "CHANNEL")]
    channels: Vec<String>,
    /// Leave out what is older than this bundle (mermaid only)
    #[arg(long, value_name = "BUNDLE")]
    minimum_edge: Option<String>,
    /// The format to write; FORMAT=FILE writes to a file, and can be repeated [default: mermaid]
    #[arg(short, long, alias = "format", value_parser = OutputParser::<GraphFormat>::new(), value_name = "FORMAT[=FILE]")]
    output: Vec<OutputValue<GraphFormat>>,
    /// Which OLM reads the edges that are drawn
    #[arg(long, value_enum, default_value_t, value_name = "OLM", alias = "semantics")]
    olm: Semantics,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    images: ImageArguments,
}

impl Arguments {
    /// What is drawn where.
    fn destinations(&self) -> Vec<Destination<'_, GraphFormat>> {
        OutputValue::destinations(&self.output, self.output_file.as_ref())
    }
}

/// The formats of drawings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    /// The text of a mermaid flow chart
    #[default]
    Mermaid,
    /// The language of graphviz
    Dot,
    /// A picture of one package: versions downwards, channels side by side
    Svg,
    /// A page for browsers with search, details and a switch between OLM v0 and v1; needs no network
    Html,
    /// Nodes, edges and updates for other tools; `fbc schema output/graph` describes it
    Json,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.images.session(&arguments.references, settings);
    let destinations = arguments.destinations();
    let is_chart = |one: &Destination<'_, GraphFormat>| one.format == GraphFormat::Mermaid;
    if arguments.minimum_edge.is_some() && !destinations.iter().all(is_chart) {
        return Err(Failure::new("--minimum-edge is for mermaid charts only")
            .help("leave it out, or draw with `-o mermaid`"));
    }
    let Some(catalog) = Loader::new(&session, settings).all(&arguments.references)? else {
        return Ok(FINDINGS);
    };
    require_upgrade_graph(&catalog)?;
    if let Some(name) = arguments.package.as_deref() {
        require_package(&catalog, name)?;
    }
    let is_drawn = |package: &str| arguments.package.as_deref().is_none_or(|wanted| wanted == package);
    require_channels(&catalog, &arguments.channels, is_drawn)?;
    let graphs = || {
        let mut graphs = PackageGraph::all(&catalog, is_drawn);
        graphs.retain(|graph| arguments.channels.is_empty() || !wanted_channels(graph, arguments).is_empty());
        graphs
    };
    if !destinations.iter().all(is_chart) {
        warn(&graphs(), arguments);
    }
    for Destination { format, file } in destinations {
        let text = match format {
            GraphFormat::Mermaid => chart(&catalog, arguments, settings)?,
            format => draw(graphs(), format, arguments)?,
        };
        write_output(settings, file, |out| Ok(out.write_all(text.as_bytes())?))?;
    }
    Ok(CLEAN)
}

fn wanted_channels(graph: &PackageGraph<'_>, arguments: &Arguments) -> Vec<usize> {
    let is_wanted = |name: &String| arguments.channels.is_empty() || arguments.channels.contains(name);
    (0..graph.channels.len())
        .filter(|&place| graph.channels.get(place).is_some_and(|channel| is_wanted(&channel.name)))
        .collect()
}

fn draw(
    mut graphs: Vec<PackageGraph<'_>>,
    format: GraphFormat,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let semantics = arguments.olm.into();
    Ok(match format {
        GraphFormat::Svg => {
            let [graph] = graphs.as_slice() else { return Err(not_one_package(&graphs)) };
            svg::draw(graph, &wanted_channels(graph, arguments), semantics)
        }
        GraphFormat::Html => {
            if graphs.is_empty() {
                return Err(not_one_package(&graphs));
            }
            let with_channels = graphs.into_iter().map(|graph| {
                let channels = wanted_channels(&graph, arguments);
                (graph, channels)
            });
            page::draw(&with_channels.collect::<Vec<_>>(), semantics)
        }
        GraphFormat::Dot | GraphFormat::Json | GraphFormat::Mermaid => {
            for graph in &mut graphs {
                let is_wanted =
                    |name: &String| arguments.channels.is_empty() || arguments.channels.contains(name);
                graph.channels.retain(|channel| is_wanted(&channel.name));
            }
            if format == GraphFormat::Dot {
                dot::draw(&graphs, semantics)
            } else {
                let packages: Vec<_> =
                    graphs.iter().map(|graph| document::describe(graph, &[semantics])).collect();
                format!("{}\n", fbc_app::output::json_document::text(&json!({ "packages": packages }))?)
            }
        }
    })
}

fn not_one_package(graphs: &[PackageGraph<'_>]) -> Failure {
    match graphs {
        [] => Failure::refusal("there is no package to draw")
            .help("the catalog is empty; `fbc validate` says more"),
        [first, ..] => Failure::new(format!("a picture shows one package, and there are {}", graphs.len()))
            .help(format!("name one, such as `--package {}`; `-o html` takes them all", first.name)),
    }
}

/// Tells on standard error what opm refuses in what is drawn all the same.
fn warn(graphs: &[PackageGraph<'_>], arguments: &Arguments) {
    for graph in graphs {
        for channel in
            wanted_channels(graph, arguments).into_iter().filter_map(|place| graph.channels.get(place))
        {
            let of = format!("channel {:?} of package {:?}", channel.name, graph.name);
            if let Some(objection) = objection(graph, channel) {
                Failure::new(format!("{of} is drawn, but opm refuses it: {objection}"))
                    .help("`fbc validate` shows the place")
                    .warn();
            }
            for (entry, edges) in channel.entries.iter().zip(&channel.edges) {
                if let Some(error) = &edges.range_error {
                    Failure::new(format!("{of}: the skipRange of {:?} is invalid: {error}", entry.name))
                        .help("the edges of this range are left out")
                        .warn();
                }
            }
        }
    }
}

/// The text of a mermaid chart.
fn chart(catalog: &Catalog, arguments: &Arguments, settings: &Settings) -> Result<String, Failure> {
    let mut catalog = Cow::Borrowed(catalog);
    if !arguments.channels.is_empty() {
        catalog.to_mut().channels.retain(|channel| arguments.channels.contains(&channel.name));
    }
    let options = MermaidOptions {
        minimum_edge: arguments.minimum_edge.clone().unwrap_or_default(),
        package: arguments.package.clone().unwrap_or_default(),
        draw_v0_semantics: arguments.olm == Semantics::V0,
        most_bytes: settings.limits.most("chart-bytes"),
        confines_names: true,
    };
    let chart = mermaid::draw(&catalog, &options).map_err(|error| failure(&catalog, error))?;
    for warning in &chart.warnings {
        Failure::new(warning.to_string()).help("the edges of this range are left out").warn();
    }
    // Node lines have no arrow.
    let edges = chart.text.lines().filter(|line| line.contains("-->")).count();
    if edges > MANY_EDGES {
        Failure::new(format!("the chart has {edges} edges, more than mermaid draws"))
            .help("`-o html` shows as many; --package and --channel draw less")
            .warn();
    }
    Ok(chart.text)
}

/// From so many edges on a mermaid chart is not likely to be of use.
const MANY_EDGES: usize = 20_000;

fn failure(catalog: &Catalog, error: MermaidError) -> Failure {
    match error {
        MermaidError::Version(error) => Failure::refusal(format!("the graph cannot be drawn: {error}"))
            .help("every bundle needs a version for it; `fbc validate` shows the place"),
        MermaidError::TooLarge(_) => limits::failure(
            "chart-bytes",
            format!("the graph cannot be drawn: {error}"),
        )
        .help(
            "`--format html` and `--format svg` draw ranges as they are; --package and --channel draw less",
        ),
        MermaidError::UnknownMinimumEdge(name) => {
            let failure = Failure::refusal(format!("there is no bundle {name:?} to begin with"));
            match closest(&name, catalog.bundles.iter().map(|bundle| bundle.name.as_str())) {
                Some(known) => failure.help(format!("did you mean {known:?}?")),
                None => failure.help("`fbc list bundles` shows what there is"),
            }
        }
    }
}

//! `fbc graph`: the upgrade graph as a drawing.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_graph::mermaid::{MermaidError, MermaidOptions, draw};
use fbc_model::Catalog;
use fbc_model::writer::package_names;

use super::render;
use crate::failure::{CLEAN, FINDINGS, Failure, HELP, WARNING, closest};
use crate::output_file::write_output;

/// Draw the upgrade graph
///
/// The mermaid text equals that of `opm alpha render-graph`. Nothing is validated beyond what drawing needs.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Catalogs: folders, single files, or `-` for standard input
    #[arg(value_name = "REF", required = true, value_hint = ValueHint::AnyPath)]
    references: Vec<PathBuf>,
    /// Draw this package only
    #[arg(short, long, value_name = "PACKAGE")]
    package: Option<String>,
    /// Leave out what is older than this bundle
    #[arg(long, value_name = "BUNDLE")]
    minimum_edge: Option<String>,
    /// The format to write
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: GraphFormat,
    /// Whose understanding of skipped bundles to draw
    #[arg(long, value_enum, default_value_t, value_name = "SEMANTICS")]
    semantics: Semantics,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
}

/// The formats of drawings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    /// The text of a mermaid flow chart
    #[default]
    Mermaid,
}

/// Whose understanding of the edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Semantics {
    /// OLM v0: bundles that are skipped cannot be upgraded to, and are marked
    V0,
    /// OLM v1: every edge counts
    #[default]
    V1,
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let GraphFormat::Mermaid = arguments.format;
    let Some(catalog) = render::load(&arguments.references, None)? else { return Ok(FINDINGS) };
    if let Some(name) = arguments.package.as_deref() {
        let known = package_names(&catalog);
        if !known.contains(name) {
            let failure = Failure::refusal(format!("there is no package {name:?} to draw"));
            return Err(match closest(name, known) {
                Some(known) => failure.help(format!("did you mean {known:?}?")),
                None => failure.help("`fbc list packages` shows what there is"),
            });
        }
    }
    let options = MermaidOptions {
        minimum_edge: arguments.minimum_edge.clone().unwrap_or_default(),
        package: arguments.package.clone().unwrap_or_default(),
        draw_v0_semantics: arguments.semantics == Semantics::V0,
    };
    let chart = draw(&catalog, &options).map_err(|error| failure(&catalog, error))?;
    let mut err = anstream::stderr().lock();
    for warning in &chart.warnings {
        // A hint is not worth failing for.
        let _ = writeln!(
            err,
            "{WARNING}warning{WARNING:#}: {warning}\n  {HELP}help{HELP:#}: the edges of this range are left out"
        );
    }
    write_output(arguments.output.as_deref(), |out| Ok(out.write_all(chart.text.as_bytes())?))?;
    Ok(CLEAN)
}

fn failure(catalog: &Catalog, error: MermaidError) -> Failure {
    match error {
        MermaidError::Version(error) => Failure::refusal(format!("the graph cannot be drawn: {error}"))
            .help("every bundle needs a version for it; `fbc validate` shows the place"),
        MermaidError::UnknownMinimumEdge(name) => {
            let failure = Failure::refusal(format!("there is no bundle {name:?} to begin with"));
            match closest(&name, catalog.bundles.iter().map(|bundle| bundle.name.as_str())) {
                Some(known) => failure.help(format!("did you mean {known:?}?")),
                None => failure.help("`fbc list bundles` shows what there is"),
            }
        }
    }
}

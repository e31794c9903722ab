//! `fbc render`: catalogs as one stream of blobs, byte for byte as opm writes them.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::failure::Failure;
use crate::rendering::{RenderingArguments, render};
use crate::settings::Settings;

/// Write catalogs as one stream of blobs
///
/// The output equals that of `opm render`. Nothing is validated beyond what loading needs.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Catalogs (directories, single files, `-` for standard input), bundle directories, and images of both, put
    /// together in this order
    /// [default: the catalogs of the repository here, with --ocp]
    #[arg(value_name = "REF", required_unless_present = "ocp", value_hint = ValueHint::AnyPath)]
    references: Vec<PathBuf>,
    #[command(flatten)]
    rendering: RenderingArguments,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let references = arguments.rendering.expanded(&arguments.references, settings)?;
    let session = arguments.rendering.session(&references, settings);
    render(&references, &arguments.rendering, &session, settings)
}

//! `fbc template convert`: a template from a catalog.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_template::ConversionTarget;

use super::super::render::OutputFormat;
use super::{read, refusal};
use crate::failure::{CLEAN, Failure};
use crate::output_file::write_output;

/// Turn a catalog into a template
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The type of template
    #[arg(value_name = "TYPE", value_enum)]
    target: Target,
    /// The catalog: a file, or `-` for standard input
    #[arg(value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    catalog: PathBuf,
    /// The format to write
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: OutputFormat,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// Bundles as images, everything else as it is
    Basic,
    /// The catalog, and an empty list of substitutions
    Substitutes,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let text = read(&arguments.catalog)?;
    let target = match arguments.target {
        Target::Basic => ConversionTarget::Basic,
        Target::Substitutes => ConversionTarget::Substitutes,
    };
    let converted = fbc_template::convert(target, &text, arguments.output.into())
        .map_err(|error| refusal(&arguments.catalog, &text, &error))?;
    write_output(arguments.output_file.as_deref(), |out| Ok(out.write_all(converted.as_bytes())?))?;
    Ok(CLEAN)
}

//! `fbc template convert`: a template from a catalog.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use fbc_model::writer::Format;
use fbc_template::{ConversionTarget, DetectionFault, TemplateFault};

use super::super::render::{self, OutputFormat};
use super::{read, refusal};
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output_file::write_output;
use crate::registry::Session;

/// Turn a catalog into a template
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The type of template
    #[arg(value_name = "TYPE", value_enum)]
    target: Target,
    /// The catalog: a file, a directory, or `-` for standard input
    #[arg(value_name = "FILE", default_value = "-", value_hint = ValueHint::AnyPath)]
    catalog: PathBuf,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
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
    let text = if arguments.catalog.is_dir() {
        let Some(catalog) =
            render::load(std::slice::from_ref(&arguments.catalog), None, &Session::default())?
        else {
            return Ok(FINDINGS);
        };
        let mut text = Vec::new();
        render::write(&catalog, Format::Json, &mut text)?;
        text
    } else {
        read(&arguments.catalog)?
    };
    check_catalog(&arguments.catalog, &text)?;
    let target = match arguments.target {
        Target::Basic => ConversionTarget::Basic,
        Target::Substitutes => ConversionTarget::Substitutes,
    };
    let converted = fbc_template::convert(target, &text, arguments.output.into())
        .map_err(|error| refusal(&arguments.catalog, &text, &error))?;
    write_output(arguments.output_file.as_deref(), |out| Ok(out.write_all(converted.as_bytes())?))?;
    Ok(CLEAN)
}

/// Refuses what holds no blobs, and what is a template already.
fn check_catalog(path: &Path, text: &[u8]) -> Result<(), Failure> {
    let shown =
        if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() };
    let is_filling = |line: &[u8]| {
        let line = line.trim_ascii();
        line.is_empty() || line.starts_with(b"#") || line == b"---"
    };
    if text.split(|&byte| byte == b'\n').all(is_filling) {
        return Err(Failure::refusal(format!("{shown} holds no blobs"))
            .help("name the file or directory of a catalog; its blobs become the template"));
    }
    let command = match fbc_template::detect(text) {
        Ok(_) => "fbc template render",
        Err(error) => match error.fault.as_ref() {
            TemplateFault::Detection(DetectionFault::UnknownSchema(schema))
                if schema.starts_with("olm.composite") =>
            {
                "fbc template composite"
            }
            _ => return Ok(()),
        },
    };
    Err(Failure::refusal(format!("{shown} is a template already, and no catalog"))
        .help(format!("`{command}` makes the catalog of it")))
}

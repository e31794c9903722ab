//! `fbc template convert`: a template from a catalog.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_app::loading::Loader;
use fbc_model::writer::Format;
use fbc_source::template_error::refusal;
use fbc_template::{ConversionTarget, DetectionFault, TemplateFault};

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::input::file::read_or_standard_input;
use crate::output;
use crate::output::catalog::OutputFormat;
use crate::output::file::write_output;
use crate::settings::Settings;

/// Turn a catalog into a template
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The type of template: basic (bundles as images, everything else as it is; also without a type) or substitutes (the
    /// catalog and an empty list of substitutions); then the catalog: a file, a directory, or `-` for standard input
    #[arg(value_name = "[TYPE] FILE", required = true, value_hint = ValueHint::AnyPath)]
    words: Vec<PathBuf>,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: OutputFormat,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
}

impl Arguments {
    /// The type, and the catalog.
    fn meant(&self) -> Result<(ConversionTarget, &Path), Failure> {
        let target = |word: &Path| match word.to_str() {
            Some("basic") => Some(ConversionTarget::Basic),
            Some("substitutes") => Some(ConversionTarget::Substitutes),
            _ => None,
        };
        match self.words.as_slice() {
            [only] => Ok(match target(only) {
                // As in opm: a type alone reads standard input.
                Some(target) => (target, Path::new("-")),
                None => (ConversionTarget::Basic, only.as_path()),
            }),
            [name, catalog] => match target(name) {
                Some(target) => Ok((target, catalog.as_path())),
                None if name.exists() => Err(one_at_a_time()),
                None => {
                    Err(Failure::new(format!("there is no template type {:?}", name.display().to_string()))
                        .help("a catalog becomes a template of the type `basic` or `substitutes`"))
                }
            },
            _ => Err(one_at_a_time()),
        }
    }
}

fn one_at_a_time() -> Failure {
    Failure::new("one catalog is converted at a time").help("call `fbc template convert` for each")
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let (target, reference) = arguments.meant()?;
    let text = if reference.is_dir() {
        let Some(catalog) = Loader::new(&settings.session(), settings).all(&[reference.to_path_buf()])?
        else {
            return Ok(FINDINGS);
        };
        let mut text = Vec::new();
        output::catalog::write(&catalog, Format::Json, &mut text, settings)?;
        text
    } else {
        read_or_standard_input(reference)?
    };
    check_catalog(reference, &text)?;
    let converted = fbc_template::convert(target, &text, arguments.output.into())
        .map_err(|error| refusal(reference, &text, &error))?;
    write_output(settings, arguments.output_file.as_deref(), |out| Ok(out.write_all(converted.as_bytes())?))?;
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
    Err(Failure::refusal(format!("{shown} is a template, not a catalog"))
        .help(format!("`{command}` makes the catalog of it")))
}

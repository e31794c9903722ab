//! Catalogs as text: their formats, the levels that they are brought up to, and why they cannot be written.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use fbc_model::Catalog;
use fbc_model::render::{MigrateError, MigrateLevel};
use fbc_model::writer;
use fbc_source::Error;

use crate::failure::Failure;
use crate::settings::Settings;

/// The formats of catalogs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Indented JSON documents, one after another
    #[default]
    Json,
    /// YAML documents
    Yaml,
}

/// What help says of the format where the name of a file may say it.
pub(crate) const FORMAT_HELP: &str =
    "The format to write [default: yaml for a file named .yaml or .yml, else json]";

impl OutputFormat {
    /// The format that is asked for, or that the name of the file says.
    pub(crate) fn of(asked_for: Option<Self>, file: Option<&Path>) -> Self {
        let is_yaml = |end: &OsStr| end == "yaml" || end == "yml";
        let named = file.and_then(Path::extension).filter(|end| is_yaml(end)).map(|_| Self::Yaml);
        asked_for.or(named).unwrap_or_default()
    }
}

impl From<OutputFormat> for writer::Format {
    fn from(format: OutputFormat) -> Self {
        match format {
            OutputFormat::Json => Self::Json,
            OutputFormat::Yaml => Self::Yaml,
        }
    }
}

/// The levels of migration, as flags have them.
pub(crate) fn levels() -> impl clap::builder::TypedValueParser<Value = MigrateLevel> {
    PossibleValuesParser::new(MigrateLevel::NAMES)
        .map(|name| MigrateLevel::from_name(&name).unwrap_or_default())
}

/// Writes a catalog.
pub(crate) fn write(
    catalog: &Catalog,
    format: writer::Format,
    out: &mut dyn Write,
    settings: &Settings,
) -> Result<(), Failure> {
    writer::write_within(catalog, format, settings.budgets.layout_bytes, out).map_err(write_failure)
}

/// Why a catalog cannot be written.
pub(crate) fn write_failure(error: writer::WriteError) -> Failure {
    match error {
        writer::WriteError::Output(error) => Failure::from(error),
        error => Error::from(error).into(),
    }
}

/// Why a catalog cannot be brought up to date.
pub(crate) fn migration_failure(error: &MigrateError) -> Failure {
    Failure::refusal(format!("bundle {:?} cannot be migrated: {}", error.bundle, error.error))
        .help("fix its cluster service version, or go without migration")
}

//! Catalogs as text: their formats, the levels that they are brought up to, and why they cannot be written.

use std::io::Write;

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
    writer::write_within(catalog, format, settings.budgets.most("layout-bytes"), out).map_err(write_failure)
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

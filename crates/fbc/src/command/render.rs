//! `fbc render`: catalogs as one stream of blobs, byte for byte as opm writes them.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, ValueEnum, ValueHint};
use fbc_bundle::folder::is_bundle;
use fbc_bundle::{BundleError, BundleFolder, ImageTemplate};
use fbc_lint::Profile;
use fbc_lint::finding::OpmText;
use fbc_model::load::load_tree;
use fbc_model::render::{MigrateLevel, prepare};
use fbc_model::writer;
use fbc_model::{Bundle, Catalog};
use rayon::prelude::*;

use super::validate;
use crate::catalog_source::CatalogSource;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output_file::write_output;
use crate::report::report_on_stderr;

/// Write catalogs as one stream of blobs
///
/// The output equals that of `opm render`. Nothing is validated beyond what loading needs.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Catalogs (folders, single files, `-` for standard input) and bundle folders, put together in this
    /// order
    #[arg(value_name = "REF", required = true, value_hint = ValueHint::AnyPath)]
    references: Vec<PathBuf>,
    #[command(flatten)]
    rendering: RenderingArguments,
}

/// What becomes of blobs, and where they go.
#[derive(Args, Debug)]
pub(crate) struct RenderingArguments {
    /// The format to write
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: OutputFormat,
    /// Bring blobs up to date, up to this level
    #[arg(long, value_name = "LEVEL", value_parser = levels(), conflicts_with = "migrate")]
    migrate_level: Option<MigrateLevel>,
    /// Bring blobs up to date as far as possible
    #[arg(long)]
    migrate: bool,
    /// Name the images of bundle folders, such as `quay.io/me/{{.Package}}:v{{.Version}}`; also {{.Name}}
    #[arg(long, value_name = "TEMPLATE", alias = "alpha-image-ref-template", value_parser = ImageTemplate::parse)]
    image_ref_template: Option<ImageTemplate>,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
}

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

fn levels() -> impl clap::builder::TypedValueParser<Value = MigrateLevel> {
    PossibleValuesParser::new(MigrateLevel::NAMES)
        .map(|name| MigrateLevel::from_name(&name).unwrap_or_default())
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    render(&arguments.references, &arguments.rendering)
}

/// Writes catalogs and bundles as one stream of blobs.
pub(crate) fn render(references: &[PathBuf], arguments: &RenderingArguments) -> Result<u8, Failure> {
    let level =
        if arguments.migrate { MigrateLevel::ALL } else { arguments.migrate_level.unwrap_or_default() };
    let Some(mut catalog) = load(references, arguments.image_ref_template.as_ref())? else {
        return Ok(FINDINGS);
    };
    prepare(&mut catalog, level).map_err(|error| {
        Failure::refusal(format!("bundle {:?} cannot be migrated: {}", error.bundle, error.error))
            .help("mend its cluster service version, or render without migration")
    })?;
    write_output(arguments.output_file.as_deref(), |out| write(&catalog, arguments.output.into(), out))?;
    Ok(CLEAN)
}

/// Writes a catalog.
pub(crate) fn write(catalog: &Catalog, format: writer::Format, out: &mut dyn Write) -> Result<(), Failure> {
    writer::write(catalog, format, out).map_err(|error| match error {
        writer::WriteError::Output(error) => Failure::from(error),
        writer::WriteError::Blob { .. } => Failure::refusal(error.to_string())
            .help("YAML cannot hold this text; render as JSON, or mend the blob"),
    })
}

/// Loads several catalogs and bundles as one catalog. Whatever cannot be loaded is told on standard
/// error, all of it; then there is no catalog.
pub(crate) fn load(
    references: &[PathBuf],
    template: Option<&ImageTemplate>,
) -> Result<Option<Catalog>, Failure> {
    let sources: Vec<CatalogSource> =
        references.iter().map(|reference| CatalogSource::open(reference)).collect::<Result<_, _>>()?;
    // Bundle folders are small and many: they are read side by side. A catalog is read in parallel itself.
    let bundles: Vec<Option<Result<Bundle, BundleError>>> = sources
        .par_iter()
        .map(|source| {
            let tree = source.tree.as_ref();
            let render =
                || BundleFolder::read(tree).and_then(|folder| fbc_bundle::render::render(&folder, template));
            is_bundle(tree).then(render)
        })
        .collect();
    let mut all = Catalog::default();
    let mut is_whole = true;
    for ((reference, source), bundle) in references.iter().zip(sources).zip(bundles) {
        let catalog = match bundle {
            Some(Ok(bundle)) => Catalog { bundles: vec![bundle], ..Catalog::default() },
            Some(Err(error)) => {
                is_whole = false;
                Failure::refusal(format!("{}: {error}", reference.display())).report();
                continue;
            }
            None => load_tree(source.tree.as_ref()),
        };
        if catalog.faults.is_empty() {
            all.append(catalog);
        } else {
            is_whole = false;
            tell(reference, source, &catalog)?;
        }
    }
    Ok(is_whole.then_some(all))
}

/// Tells on standard error what could not be loaded, as findings with their places.
fn tell(reference: &Path, source: CatalogSource, catalog: &Catalog) -> Result<(), Failure> {
    let mut checked = validate::check_loaded(reference, source, catalog, Profile::Opm);
    checked.report.findings.retain(|located| matches!(located.finding.opm, Some(OpmText::Load(_))));
    report_on_stderr(&[checked])
}

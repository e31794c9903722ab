//! `fbc render`: catalogs as one stream of blobs, byte for byte as opm writes them.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, ValueEnum, ValueHint};
use fbc_bundle::folder::is_bundle;
use fbc_bundle::{BundleFolder, ImageTemplate};
use fbc_lint::Profile;
use fbc_lint::finding::OpmText;
use fbc_lint::policy::OcpVersion;
use fbc_model::Catalog;
use fbc_model::catalog::CatalogFile;
use fbc_model::render::{MigrateError, MigrateLevel, prepare};
use fbc_model::writer;
use fbc_repository::matrix::migrate_level;
use rayon::prelude::*;

use super::validate;
use crate::catalog_source::CatalogSource;
use crate::configuration::ocp_version;
use crate::expansion::Manifests;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::image_map::{ImageMap, ImageMapArguments, render_bundle_image};
use crate::layout;
use crate::limits;
use crate::loading::load_tree;
use crate::other_input::{refuse_repository, refuse_without_blobs};
use crate::output_file::write_output;
use crate::registry::{ImageArguments, Session};
use crate::report::report_on_stderr;

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

/// What becomes of blobs, and where they go.
#[derive(Args, Debug)]
pub(crate) struct RenderingArguments {
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: OutputFormat,
    /// Bring blobs up to date, up to this level
    #[arg(long, value_name = "LEVEL", value_parser = levels(), conflicts_with = "migrate")]
    migrate_level: Option<MigrateLevel>,
    /// Bring blobs up to date as far as possible
    #[arg(long)]
    migrate: bool,
    /// Bring blobs up to the level that this version of OpenShift wants: `olm.csv.metadata` from 4.17 on; of a repository,
    /// take the catalogs for this version
    #[arg(long, value_name = "VERSION", value_parser = ocp_version, conflicts_with_all = ["migrate", "migrate_level"])]
    ocp: Option<OcpVersion>,
    /// Name the images of bundle directories, such as `quay.io/me/{{.Package}}:v{{.Version}}`; also {{.Name}}
    #[arg(long, value_name = "TEMPLATE", alias = "alpha-image-ref-template", value_parser = ImageTemplate::parse)]
    image_ref_template: Option<ImageTemplate>,
    #[command(flatten)]
    image_map: ImageMapArguments,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    images: ImageArguments,
}

impl RenderingArguments {
    /// The level that the flags ask for.
    fn level(&self) -> MigrateLevel {
        match (self.migrate, self.ocp) {
            (true, _) => MigrateLevel::ALL,
            (false, Some(release)) => migrate_level(Some(release)),
            (false, None) => self.migrate_level.unwrap_or_default(),
        }
    }

    /// The references, with the catalogs of a release in the places of repositories.
    fn expanded(&self, references: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
        let Some(release) = self.ocp else { return Ok(references.to_vec()) };
        let here = [PathBuf::from(".")];
        let references = if references.is_empty() { &here[..] } else { references };
        let mut expanded = Vec::new();
        for reference in references {
            match layout::catalogs_in(reference) {
                Some(_) => {
                    let catalogs = layout::select(reference, &[release])?;
                    expanded.extend(catalogs.into_iter().map(|catalog| catalog.path));
                }
                None => expanded.push(reference.clone()),
            }
        }
        Ok(expanded)
    }
    /// How a command with these references gets images.
    pub(crate) fn session(&self, references: &[PathBuf]) -> Session {
        self.images.session(references)
    }
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

/// The levels of migration, as flags have them.
pub(crate) fn levels() -> impl clap::builder::TypedValueParser<Value = MigrateLevel> {
    PossibleValuesParser::new(MigrateLevel::NAMES)
        .map(|name| MigrateLevel::from_name(&name).unwrap_or_default())
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let references = arguments.rendering.expanded(&arguments.references)?;
    let session = arguments.rendering.session(&references);
    render(&references, &arguments.rendering, &session)
}

/// Writes catalogs and bundles as one stream of blobs.
pub(crate) fn render(
    references: &[PathBuf],
    arguments: &RenderingArguments,
    session: &Session,
) -> Result<u8, Failure> {
    let level = arguments.level();
    let images = arguments.image_map.read()?;
    // Without a release, a bundle is good as it is.
    let wanted = arguments.ocp.map_or(Manifests::Preferred, |_| Manifests::of(level));
    let loaded = load_mapped(references, &images, arguments.image_ref_template.as_ref(), session, wanted)?;
    let Some(mut catalog) = loaded else {
        return Ok(FINDINGS);
    };
    prepare(&mut catalog, level).map_err(|error| migration_failure(&error))?;
    write_output(arguments.output_file.as_deref(), |out| write(&catalog, arguments.output.into(), out))?;
    Ok(CLEAN)
}

/// Writes a catalog.
pub(crate) fn write(catalog: &Catalog, format: writer::Format, out: &mut dyn Write) -> Result<(), Failure> {
    writer::write_within(catalog, format, limits::most("layout-bytes"), out).map_err(write_failure)
}

/// Why a catalog cannot be written.
pub(crate) fn write_failure(error: writer::WriteError) -> Failure {
    match error {
        writer::WriteError::Output(error) => Failure::from(error),
        writer::WriteError::Layout { .. } => limits::failure("layout-bytes", error),
        writer::WriteError::Blob { .. } => Failure::refusal(error.to_string())
            .help("YAML cannot hold this text; render as JSON, or fix the blob"),
    }
}

/// Why a catalog cannot be brought up to date.
pub(crate) fn migration_failure(error: &MigrateError) -> Failure {
    Failure::refusal(format!("bundle {:?} cannot be migrated: {}", error.bundle, error.error))
        .help("fix its cluster service version, or go without migration")
}

/// The annotation of a bundle that names its package.
const PACKAGE_ANNOTATION: &str = "operators.operatorframework.io.bundle.package.v1";

/// What a reference names, loaded.
pub(crate) struct Loaded {
    /// Where it lies: the reference itself, or the directory that stands for an image.
    pub(crate) path: PathBuf,
    source: CatalogSource,
    /// The catalog; of a bundle the one blob. It may have faults.
    pub(crate) catalog: Catalog,
}

impl Loaded {
    /// Loads a catalog, a bundle directory, or an image for which a directory stands.
    pub(crate) fn new(
        reference: &Path,
        images: &ImageMap,
        template: Option<&ImageTemplate>,
        session: &Session,
        wanted: Manifests,
    ) -> Result<Self, Failure> {
        let image = reference.to_str().filter(|_| !reference.exists());
        let image = image.map(|image| image.strip_prefix("docker://").unwrap_or(image));
        let mapped = match image {
            Some(image) => images.existing_folder(image).map_err(Failure::new)?.map(|folder| (image, folder)),
            None => None,
        };
        let path = mapped.map_or(reference, |(_, folder)| folder).to_path_buf();
        let expanded = if path.is_file() { CatalogSource::template(&path, session, wanted)? } else { None };
        let source = match expanded {
            Some(expanded) => expanded,
            None => CatalogSource::open_as_one(&path, session)?,
        };
        refuse_repository(&source, &path)?;
        let tree = source.tree.as_ref();
        if !is_bundle(tree) {
            let catalog = load_tree(tree)?;
            return Ok(Self { path, source, catalog });
        }
        let bundle = match mapped {
            Some((image, folder)) => render_bundle_image(image, tree, folder),
            None if source.registry_name().is_some() => {
                render_bundle_image(source.registry_name().unwrap_or_default(), tree, reference)
            }
            None => BundleFolder::read(tree)
                .and_then(|folder| fbc_bundle::render::render(&folder, template))
                .map_err(|error| format!("{}: {error}", reference.display())),
        };
        let files = vec![CatalogFile { path: PathBuf::new(), documents: Vec::new() }];
        // A blob without a package is written nowhere.
        let named = bundle.and_then(|bundle| match bundle.package.as_str() {
            "" => Err(format!("{}: the annotation {PACKAGE_ANNOTATION} is missing or empty", path.display())),
            _ => Ok(bundle),
        });
        let bundles = vec![named.map_err(|error| {
            let shown = path.display();
            Failure::refusal(error)
                .help(format!("`fbc bundle validate {shown}` shows all that is wrong with it"))
        })?];
        let catalog = Catalog { bundles, files, ..Catalog::default() };
        Ok(Self { path, source, catalog })
    }

    /// Tells on standard error what could not be loaded, as findings with their places.
    pub(crate) fn tell_faults(self) -> Result<(), Failure> {
        tell_faults(&self.path, self.source, &self.catalog)
    }
}

/// Loads several catalogs and bundles as one catalog, with the image map of the environment. Whatever
/// cannot be loaded is told on standard error, all of it; then there is no catalog. What holds something else than a
/// catalog is refused.
pub(crate) fn load(
    references: &[PathBuf],
    template: Option<&ImageTemplate>,
    session: &Session,
) -> Result<Option<Catalog>, Failure> {
    let images = ImageMap::from_environment()?;
    let load = |reference: &PathBuf| {
        let loaded = Loaded::new(reference, &images, template, session, Manifests::Preferred)?;
        refuse_without_blobs(&loaded.source, &loaded.catalog, &loaded.path)?;
        Ok(loaded)
    };
    join(references.par_iter().map(load).collect())
}

/// As [`load`], whatever the schemas of the blobs.
pub(crate) fn load_any(references: &[PathBuf], session: &Session) -> Result<Option<Catalog>, Failure> {
    load_mapped(references, &ImageMap::from_environment()?, None, session, Manifests::Preferred)
}

fn load_mapped(
    references: &[PathBuf],
    images: &ImageMap,
    template: Option<&ImageTemplate>,
    session: &Session,
    wanted: Manifests,
) -> Result<Option<Catalog>, Failure> {
    let load = |reference: &PathBuf| Loaded::new(reference, images, template, session, wanted);
    join(references.par_iter().map(load).collect())
}

/// Puts catalogs together, or tells what could not be loaded.
fn join(loaded: Vec<Result<Loaded, Failure>>) -> Result<Option<Catalog>, Failure> {
    let mut all = Catalog::default();
    let mut is_whole = true;
    for loaded in loaded {
        match loaded {
            Ok(Loaded { source, mut catalog, .. }) if catalog.faults.is_empty() => {
                // Where several are put together, only paths from where the command runs tell files apart.
                catalog.files.iter_mut().for_each(|file| file.path = source.shown(&file.path));
                all.append(catalog);
            }
            Ok(loaded) => {
                is_whole = false;
                loaded.tell_faults()?;
            }
            Err(failure) if failure.exit() == FINDINGS => {
                is_whole = false;
                failure.report();
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(is_whole.then_some(all))
}

/// Tells on standard error what of a catalog could not be loaded, as findings with their places.
pub(crate) fn tell_faults(reference: &Path, source: CatalogSource, catalog: &Catalog) -> Result<(), Failure> {
    let mut checked = validate::check_loaded(reference, source, catalog, Profile::Opm);
    checked.report.findings.retain(|located| matches!(located.finding.opm, Some(OpmText::Load(_))));
    report_on_stderr(&[checked])
}

//! Catalogs and bundles as one stream of blobs, byte for byte as opm writes them.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::layout;
use fbc_app::loading::Loader;
use fbc_bundle::ImageTemplate;
use fbc_model::render::{MigrateLevel, prepare};
use fbc_repository::matrix::migrate_level;
use fbc_source::Session;
use fbc_source::expansion::Manifests;
use fbc_version::OpenShiftRelease;

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::image_map::ImageMapArguments;
use crate::output::catalog::{FORMAT_HELP, OutputFormat, levels, migration_failure, write};
use crate::output::file::write_output;
use crate::policy_arguments::ocp_version;
use crate::registry::ImageArguments;
use crate::settings::Settings;

/// What becomes of blobs, and where they go.
#[derive(Args, Debug)]
pub(crate) struct RenderingArguments {
    #[arg(short, long, alias = "format", value_enum, value_name = "FORMAT", help = FORMAT_HELP)]
    output: Option<OutputFormat>,
    /// Bring blobs up to date, up to this level
    #[arg(long, value_name = "LEVEL", value_parser = levels(), conflicts_with = "migrate")]
    migrate_level: Option<MigrateLevel>,
    /// Bring blobs up to date as far as possible
    #[arg(long)]
    migrate: bool,
    /// Bring blobs up to the level that this version of OpenShift wants: `olm.csv.metadata` from 4.17 on; of a repository,
    /// take the catalogs for this version
    #[arg(long, value_name = "VERSION", value_parser = ocp_version, conflicts_with_all = ["migrate", "migrate_level"])]
    ocp: Option<OpenShiftRelease>,
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
    pub(crate) fn expanded(
        &self,
        references: &[PathBuf],
        settings: &Settings,
    ) -> Result<Vec<PathBuf>, Failure> {
        let Some(release) = self.ocp else { return Ok(references.to_vec()) };
        let here = [PathBuf::from(".")];
        let references = if references.is_empty() { &here[..] } else { references };
        let mut expanded = Vec::new();
        for reference in references {
            match layout::catalogs_in(reference, &settings.reading())? {
                Some(_) => {
                    let catalogs = layout::select(reference, &[release], &settings.reading())?;
                    expanded.extend(catalogs.into_iter().map(|catalog| catalog.path));
                }
                None => expanded.push(reference.clone()),
            }
        }
        Ok(expanded)
    }

    /// How a command with these references gets images.
    pub(crate) fn session(&self, references: &[PathBuf], settings: &Settings) -> Session {
        self.images.session(references, settings)
    }
}

/// Writes catalogs and bundles as one stream of blobs.
pub(crate) fn render(
    references: &[PathBuf],
    arguments: &RenderingArguments,
    session: &Session,
    settings: &Settings,
) -> Result<u8, Failure> {
    let level = arguments.level();
    let images = arguments.image_map.read()?;
    // Without a release, a bundle is good as it is.
    let wanted = arguments.ocp.map_or(Manifests::Preferred, |_| Manifests::from_level(level));
    let loaded = Loader::new(session, settings)
        .with_images(&images)
        .naming_images(arguments.image_ref_template.as_ref())
        .wanting(wanted)
        .of_any_schema()
        .all(references)?;
    let Some(mut catalog) = loaded else {
        return Ok(FINDINGS);
    };
    prepare(&mut catalog, level).map_err(|error| migration_failure(&error))?;
    let file = arguments.output_file.as_deref();
    write_output(settings, file, |out| {
        write(&catalog, OutputFormat::of(arguments.output, file).into(), out, settings)
    })?;
    Ok(CLEAN)
}

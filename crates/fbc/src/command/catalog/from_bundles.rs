//! `fbc catalog from-bundles`: a catalog of bundle images, as `opm index add` made indexes.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use fbc_app::bundle_of_image::annotated;
use fbc_app::checked;
use fbc_app::image_build::attestation::Attestations;
use fbc_app::image_build::{Base, ImageRequest, Programs};
use fbc_app::invalid_value::InvalidValue;
use fbc_app::output::directory::{Existing, check_free, write_folder};
use fbc_bundle::ImageTemplate;
use fbc_image::build::Format;
use fbc_image::layer::Compression;
use fbc_model::Catalog;
use fbc_model::render::{MigrateLevel, prepare};
use fbc_model::writer;
use fbc_source::image_source::{ImageName, parse_reference, parse_tag};
use fbc_template::{EdgeMode, FromBundles, from_bundles};

use crate::build_arguments::BuildTime;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::image_map::ImageMapArguments;
use crate::output::catalog::{OutputFormat, levels, migration_failure, write, write_failure};
use crate::output::file::write_digest;
use crate::output::file::write_output;
use crate::registry::{CopyLogins, Named, TransferArguments};
use crate::scratch;
use crate::settings::Settings;

/// Make a catalog of bundles, as `opm index add` made indexes
///
/// Channels and the default channel come from the annotations of the bundles, edges from `replaces`, `skips` and
/// `olm.skipRange` of their manifests: the highest version that lists a channel is its head, and what one comes to
/// from there is in the channel. The catalog is validated before it is written.
///
/// It goes to standard output, to a file or directory, or with --tag and --push (or --to) into an image.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Bundle images, and bundle directories with --image-ref-template; commas may stand between them
    #[arg(value_name = "BUNDLE", required = true, value_delimiter = ',', value_hint = ValueHint::AnyPath)]
    bundles: Vec<PathBuf>,
    /// Where the edges come from
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    mode: Mode,
    /// Name the images of bundle directories, such as `quay.io/me/{{.Package}}:v{{.Version}}`; also {{.Name}}
    #[arg(long, value_name = "TEMPLATE", value_parser = parse_template)]
    image_ref_template: Option<ImageTemplate>,
    #[command(flatten)]
    image_map: ImageMapArguments,
    /// Bring bundles up to date, up to this level
    #[arg(long, value_name = "LEVEL", value_parser = levels())]
    migrate_level: Option<MigrateLevel>,
    /// The format to write [default: yaml in a directory or image and for a file named .yaml or .yml, else json]
    #[arg(short, long, alias = "format", value_enum, value_name = "FORMAT", hide_possible_values = true)]
    output: Option<OutputFormat>,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    /// Write a directory for each package into this directory, which must be empty or absent
    #[arg(long, alias = "output-folder", value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "output_file")]
    output_dir: Option<PathBuf>,
    /// The name of the image; can be repeated with --push
    #[arg(short, long, value_name = "REF", value_parser = parse_tag,
          conflicts_with_all = ["output_file", "output_dir"])]
    tag: Vec<String>,
    /// Push the image to where --tag says
    #[arg(long, requires = "tag")]
    push: bool,
    /// Put the image here: oci:PATH[:NAME], oci-archive:FILE[:NAME] or docker-archive:FILE[:NAME]
    #[arg(long, value_name = "TARGET", value_parser = parse_reference,
          conflicts_with_all = ["output_file", "output_dir"])]
    to: Option<fbc_image::LocalReference>,
    #[command(flatten)]
    transfer: TransferArguments,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// From the manifests
    #[default]
    Replaces,
    /// From the versions: each bundle replaces the next lower one of its channel
    Semver,
}

fn parse_template(text: &str) -> Result<ImageTemplate, InvalidValue> {
    ImageTemplate::parse(text).map_err(|error| error.to_string().into())
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    if !arguments.tag.is_empty() && !arguments.push && arguments.to.is_none() {
        return Err(Failure::new("--tag names an image, and nothing says where it goes")
            .help("give --push, or --to oci:PATH for an image on disk"));
    }
    let tags: &[String] = if arguments.push { &arguments.tag } else { &[] };
    let named = Named::paths(&arguments.bundles).and_destinations(tags);
    let session = arguments.transfer.session(named, &CopyLogins::default(), settings);
    if let Some(folder) = &arguments.output_dir {
        check_free(folder, Existing::Keep)?;
    }
    let images = arguments.image_map.read()?;
    let mut bundles = Vec::new();
    for reference in &arguments.bundles {
        let shown = reference.display().to_string();
        let template = arguments.image_ref_template.as_ref();
        let bundle = annotated(reference, &images, template, &session);
        bundles.push(bundle.map_err(|error| Failure::from(error).within(&shown))?);
    }
    let mode = match arguments.mode {
        Mode::Replaces => EdgeMode::Replaces,
        Mode::Semver => EdgeMode::Semver,
    };
    let FromBundles { mut catalog, left_out } = from_bundles(&bundles, mode)
        .map_err(|error| Failure::refusal(error.to_string()).help(error.help(mode)))?;
    if !left_out.is_empty() && !settings.quiet {
        // What is said here is not worth failing for.
        let _ = writeln!(
            crate::terminal::stderr(),
            "no channel leads to {}, so the catalog does not have {}",
            left_out.join(", "),
            if left_out.len() == 1 { "it" } else { "them" }
        );
    }
    prepare(&mut catalog, arguments.migrate_level.unwrap_or_default())
        .map_err(|error| migration_failure(&error))?;
    let format = |usual| writer::Format::from(arguments.output.unwrap_or(usual));
    let files = files(&catalog, format(OutputFormat::Yaml))?;
    if !checked::opm_takes_files(Path::new("the catalog of the bundles"), &files, settings)? {
        return Ok(FINDINGS);
    }
    if arguments.push || arguments.to.is_some() {
        return build(arguments, &files, settings);
    }
    match &arguments.output_dir {
        Some(folder) => write_folder(folder, &files, Existing::Keep, settings)?,
        None => write_output(settings, arguments.output_file.as_deref(), |out| {
            write(
                &catalog,
                OutputFormat::of(arguments.output, arguments.output_file.as_deref()).into(),
                out,
                settings,
            )
        })?,
    }
    Ok(CLEAN)
}

type Files = Vec<(PathBuf, Vec<u8>)>;

/// A file for each package, in a directory of its own.
fn files(catalog: &Catalog, format: writer::Format) -> Result<Files, Failure> {
    let name = if format == writer::Format::Yaml { "catalog.yaml" } else { "catalog.json" };
    let parts = writer::parts(catalog).into_iter().map(|part| {
        let mut bytes = Vec::new();
        part.write(format, &mut bytes).map_err(write_failure)?;
        Ok((Path::new(part.package).join(name), bytes))
    });
    parts.collect()
}

/// Builds the image, as `fbc build` does.
fn build(arguments: &Arguments, files: &Files, settings: &Settings) -> Result<u8, Failure> {
    let work = scratch::directory()?;
    let folder = work.path().join("configs");
    write_folder(&folder, files, Existing::Keep, settings)?;
    let tags: &[String] = if arguments.push { &arguments.tag } else { &[] };
    let named = Named::images(None::<ImageName>).and_destinations(tags);
    let session = arguments.transfer.session(named, &CopyLogins::default(), settings);
    let request = ImageRequest {
        folder: &folder,
        release: None,
        tags: &arguments.tag,
        to: arguments.to.as_ref(),
        push: arguments.push,
        platforms: &[],
        base: &Base::Scratch,
        keeps_base_catalog: false,
        format: Format::Oci,
        labels: &[],
        annotations: &[],
        compression: Compression::Gzip,
        programs: &Programs::None,
        is_bundle: false,
        skips_validation: true,
        verify_reproducible: false,
        time: BuildTime::from_environment()?.seconds(),
        digest_file: None,
        metadata_file: None,
        attestations: Attestations::default(),
    };
    let digest = request.build(&session, settings)?;
    write_digest(None, &digest, settings)?;
    Ok(CLEAN)
}

//! `fbc generate catalog`: a catalog put together from others, as its configuration file says.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_app::checked::opm_takes_files;
use fbc_app::composition::{Configuration, Reference};
use fbc_app::dockerfile::{CONFIGS, Dockerfile, OPM_IMAGE, place};
use fbc_app::loading::Loader;
use fbc_app::output::directory::{Existing, check_apart, check_free, write_folder};
use fbc_model::render::{MigrateLevel, prepare};
use fbc_source::Session;
use fbc_source::confinement::{confining_directory, leads_out};
use fbc_source::image_map::ImageMap;
use rayon::prelude::*;

use super::dockerfile;
use crate::failure::{CLEAN, COULD_NOT_RUN, FINDINGS, Failure};
use crate::image_map::ImageMapArguments;
use crate::output::catalog::{OutputFormat, levels, migration_failure, write};
use crate::output::file::write_output;
use crate::registry::ImageArguments;
use crate::settings::Settings;

/// Put a catalog together from others, as a configuration file says
///
/// The file has `name`, `repo`, `tag`, and `references` with `name` and `image` each. Each reference is a
/// catalog or a bundle, and becomes a directory of its own in the directory of the catalog.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The configuration file
    #[arg(value_name = "CONFIG", value_hint = ValueHint::FilePath)]
    configuration: PathBuf,
    #[command(flatten)]
    image_map: ImageMapArguments,
    /// The directory to write [default: the name of the catalog]
    #[arg(long, alias = "output-folder", value_name = "DIR", value_hint = ValueHint::DirPath)]
    output_dir: Option<PathBuf>,
    /// Replace the directory and the Dockerfile if they are there; a directory with other files than this command
    /// writes is left alone
    #[arg(long)]
    force: bool,
    /// The format of the catalog files
    #[arg(short, long, alias = "format", value_enum, default_value_t = OutputFormat::Yaml, value_name = "FORMAT")]
    output: OutputFormat,
    /// Bring blobs up to date, up to this level
    #[arg(long, value_name = "LEVEL", value_parser = levels())]
    migrate_level: Option<MigrateLevel>,
    /// Write the catalog even if opm would refuse it
    #[arg(long)]
    no_validate: bool,
    /// Write a Dockerfile beside the directory as well
    #[arg(long)]
    dockerfile: bool,
    #[command(flatten)]
    images: ImageArguments,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.images.session_for_files(settings)?;
    let path = arguments.configuration.as_path();
    let configuration = match Configuration::read(path) {
        Ok(configuration) => configuration,
        Err(failures) => {
            for failure in failures {
                let _ = Failure::from(failure).report();
            }
            return Ok(COULD_NOT_RUN);
        }
    };
    let folder = match &arguments.output_dir {
        Some(folder) => folder.clone(),
        None => PathBuf::from(&configuration.name),
    };
    let existing = if arguments.force { Existing::Replace { is_ours } } else { Existing::Keep };
    check_free(&folder, existing)?;
    let (dockerfile_path, folder_name) = place(&folder);
    if arguments.dockerfile && !arguments.force && dockerfile_path.exists() {
        return Err(Failure::new(format!("{} is there already", dockerfile_path.display()))
            .help("remove it first, or give --force to replace it"));
    }
    let (base_image, builder_image) = (OPM_IMAGE, OPM_IMAGE);
    let labels = std::collections::BTreeMap::new();
    let dockerfile = Dockerfile { base_image, builder_image, folder: &folder_name, target: CONFIGS, labels };
    if arguments.dockerfile {
        dockerfile.check()?;
    }
    let images = arguments.image_map.read()?;
    let reach = confining_directory(path.parent().unwrap_or(Path::new("")));
    if arguments.force {
        let working_directory = [("the working directory", Path::new("."))];
        let files = [("the configuration", Some(path)), ("the image map", arguments.image_map.path())];
        let files = files.into_iter().filter_map(|(what, path)| Some((what, path?)));
        let parts = configuration.references.iter().map(|reference| {
            let image = reference.image.as_str();
            ("a reference", images.folder(image).unwrap_or(Path::new(image)))
        });
        check_apart(&folder, working_directory.into_iter().chain(files).chain(parts))?;
    }
    let parts: Vec<Result<Vec<u8>, Failure>> = configuration
        .references
        .par_iter()
        .map(|reference| part(reference, &images, &reach, arguments, &session, settings))
        .collect();
    let mut files = Vec::new();
    let mut code = CLEAN;
    for (reference, part) in configuration.references.iter().zip(parts) {
        let (line, column) = reference.place;
        match part {
            Ok(bytes) => files.push((file_of(reference, arguments.output), bytes)),
            Err(failure) => {
                code = code.max(failure.exit());
                let name = &reference.name;
                failure.within(&format!("{}:{line}:{column}: reference {name:?}", path.display())).report();
            }
        }
    }
    if code != CLEAN {
        return Ok(code);
    }
    if !arguments.no_validate && !is_valid(&folder, &files, settings)? {
        return Ok(FINDINGS);
    }
    write_folder(&folder, &files, existing, settings)?;
    if arguments.dockerfile {
        if arguments.force {
            write_output(settings, Some(&dockerfile_path), |out| {
                Ok(out.write_all(dockerfile.text().as_bytes())?)
            })?;
        } else {
            dockerfile::write(&dockerfile_path, &dockerfile, settings)?;
        }
    }
    // A hint is not worth failing for.
    let _ = writeln!(
        crate::terminal::stderr(),
        "{} is ready to become {}",
        folder.display(),
        configuration.image()
    );
    Ok(CLEAN)
}

/// Whether a path is such as [`file_of`] gives.
fn is_ours(path: &Path) -> bool {
    let is_index = path.file_name().is_some_and(|name| name == "index.json" || name == "index.yaml");
    is_index && path.components().count() == 2
}

fn file_of(reference: &Reference, output: OutputFormat) -> PathBuf {
    Path::new(&reference.name).join(match output {
        OutputFormat::Json => "index.json",
        OutputFormat::Yaml => "index.yaml",
    })
}

/// Renders what a reference names to the text of a catalog file. What cannot be loaded is told on standard
/// error.
fn part(
    reference: &Reference,
    images: &ImageMap,
    reach: &Path,
    arguments: &Arguments,
    session: &Session,
    settings: &Settings,
) -> Result<Vec<u8>, Failure> {
    let image = &reference.image;
    if !settings.follows_links && images.folder(image).is_none() && leads_out(reach, image) {
        return Err(Failure::refusal(format!("{image:?} leads out of {}", reach.display())).help(
            "put the catalog there, or name a directory for it with an image map; `--follow-links` reads what \
             configurations that you trust name elsewhere",
        ));
    }
    let loaded =
        Loader::new(session, settings).with_images(images).with_faults(Path::new(&reference.image))?;
    let path = loaded.path.display().to_string();
    if !loaded.catalog.faults.is_empty() {
        loaded.tell_faults(settings);
        return Err(Failure::refusal(format!("the catalog {path} cannot be loaded"))
            .help("fix what is named above; `fbc validate` shows all that is wrong with it"));
    }
    let mut catalog = loaded.catalog;
    prepare(&mut catalog, arguments.migrate_level.unwrap_or_default())
        .map_err(|error| migration_failure(&error))?;
    let mut bytes = Vec::new();
    write(&catalog, arguments.output.into(), &mut bytes, settings)?;
    if bytes.is_empty() {
        return Err(Failure::refusal(format!("{path} holds no blobs")).help("is it the right directory?"));
    }
    Ok(bytes)
}

/// Whether opm takes the composed catalog. What it objects to is told on standard error.
fn is_valid(folder: &Path, files: &[(PathBuf, Vec<u8>)], settings: &Settings) -> Result<bool, Failure> {
    if opm_takes_files(folder, files, settings)? {
        return Ok(true);
    }
    Failure::refusal("opm would refuse the composed catalog, so nothing is written")
        .help("fix the parts, or give --no-validate to write it all the same")
        .report();
    Ok(false)
}

//! `fbc generate dockerfile`: the Dockerfile of a catalog image, as opm writes it.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_app::dockerfile::{CONFIGS, Dockerfile, OPM_IMAGE, labels, place};
use fbc_app::output::file::write_new_file;

use crate::failure::{CLEAN, Failure};
use crate::output::file::report_written;
use crate::settings::Settings;

/// Generate a Dockerfile for a catalog, beside its directory
///
/// It is the one that `opm generate dockerfile` writes, called `<DIR>.Dockerfile`.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The directory of the catalog
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// The image that the catalog is added to; `scratch` for an image without a server
    #[arg(short = 'i', long, value_name = "IMAGE", default_value = OPM_IMAGE)]
    base_image: String,
    /// The image whose opm fills the cache
    #[arg(short, long, value_name = "IMAGE", default_value = OPM_IMAGE)]
    builder_image: String,
    /// A label, as key=value; can be repeated
    #[arg(short = 'l', long = "extra-labels", value_name = "LABEL", value_delimiter = ',')]
    labels: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let labels = labels(&arguments.labels)
        .map_err(|error| Failure::new(error.to_string()).help("write labels as key=value"))?;
    if arguments.builder_image == "scratch" {
        return Err(Failure::new("the builder image cannot be `scratch`")
            .help("it must hold /bin/opm; only the base image may be `scratch`"));
    }
    for (flag, image) in
        [("--base-image", &arguments.base_image), ("--builder-image", &arguments.builder_image)]
    {
        if image.is_empty() {
            return Err(Failure::new(format!("{flag} is empty")).help("name an image, or leave the flag out"));
        }
    }
    let metadata = std::fs::metadata(&arguments.folder)
        .map_err(|error| Failure::io("open", &arguments.folder, &error))?;
    if !metadata.is_dir() {
        return Err(Failure::new(format!("{} is not a directory", arguments.folder.display()))
            .help("name the directory that holds the catalog"));
    }
    let (path, folder) = place(&arguments.folder);
    let dockerfile = Dockerfile {
        base_image: &arguments.base_image,
        builder_image: &arguments.builder_image,
        folder: &folder,
        target: CONFIGS,
        labels,
    };
    dockerfile.check()?;
    write(&path, &dockerfile, settings)?;
    Ok(CLEAN)
}

/// Writes a Dockerfile that is not there yet.
pub(super) fn write(path: &Path, dockerfile: &Dockerfile<'_>, settings: &Settings) -> Result<(), Failure> {
    write_new_file(path, dockerfile.text().as_bytes(), "remove it first")?;
    report_written(path, settings);
    Ok(())
}

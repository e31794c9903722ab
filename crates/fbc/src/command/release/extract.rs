//! `fbc release extract`: the payload of a release image.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::output::directory::{Existing, check_free};
use fbc_image::image::PlatformName;
use fbc_simulation::input::payload::unpack;
use fbc_source::image_source::ImageName;
use fbc_staging::{Root, StagedDirectory};

use crate::failure::{CLEAN, Failure};
use crate::registry::{Named, RegistryArguments};
use crate::settings::Settings;
use crate::terminal;

/// Extract the payload of a release image
///
/// The directory gets `manifests` and `release-manifests` as they are in the image; the other commands of `fbc release`
/// read it.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The release image: HOST/REPOSITORY[:TAG][@DIGEST], or oci:PATH[:NAME], oci-archive:FILE[:NAME],
    /// docker-archive:FILE[:NAME]
    #[arg(value_name = "IMAGE", value_parser = ImageName::parse)]
    image: ImageName,
    /// The directory, which must be empty or absent
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    directory: PathBuf,
    /// The platform, such as linux/arm64 [default: linux/amd64, else the first]
    #[arg(long, value_name = "OS/ARCH")]
    platform: Option<PlatformName>,
    #[command(flatten)]
    registry: RegistryArguments,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.registry.session(Named::images([arguments.image.clone()]), settings);
    let directory = &arguments.directory;
    check_free(directory, Existing::Keep)?;
    let opened = arguments.image.open(arguments.platform.as_ref(), &session)?;
    let failure = |error: std::io::Error| Failure::io("write", directory, &error);
    Root::create_around(directory).map_err(failure)?;
    let work = StagedDirectory::beside(directory).map_err(failure)?;
    unpack(&arguments.image, &opened, &work, &session)?;
    work.publish(directory).map_err(failure)?;
    let image = &opened.image;
    let created = image.raw_configuration.get("created").and_then(serde_json::Value::as_str);
    let mut out = terminal::stdout();
    let created = created.unwrap_or("an unknown time");
    writeln!(
        out,
        "Extracted release payload from digest {} created at {created}",
        image.descriptor.digest()
    )?;
    out.flush()?;
    Ok(CLEAN)
}

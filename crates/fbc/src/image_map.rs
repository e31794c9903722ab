//! The file that says which directories stand for images, by a flag or by the environment.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_source::Error;
use fbc_source::image_map::ImageMap;

/// The environment variable that names an image map, also for opm's command line.
const VARIABLE: &str = "FBC_IMAGE_MAP";

/// Where the image map is.
#[derive(Args, Debug, Default)]
pub(crate) struct ImageMapArguments {
    /// A YAML or JSON file that maps image references to directories, relative to the file or the working directory
    #[arg(long, value_name = "FILE", env = VARIABLE, value_hint = ValueHint::FilePath)]
    image_map: Option<PathBuf>,
}

impl ImageMapArguments {
    /// The file, if one is named.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.image_map.as_deref()
    }

    /// Reads the image map; an empty one if none is named.
    pub(crate) fn read(&self) -> Result<ImageMap, Error> {
        self.image_map.as_deref().map_or_else(|| Ok(ImageMap::default()), ImageMap::read)
    }
}

/// The file that the environment names.
pub(crate) fn path_of_environment() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The image map that the environment names.
pub(crate) fn of_environment() -> Result<ImageMap, Error> {
    path_of_environment().map_or_else(|| Ok(ImageMap::default()), |path| ImageMap::read(&path))
}

//! A session of a program that was built without the feature `registry`.

use fbc_image::image::{PlatformChoice, PlatformName};
use fbc_image::{FolderImage, Image};

use super::Session;
use crate::error::Error;
use crate::reading::Reading;

impl Session {
    /// A session; images for several platforms are taken for the one that is named.
    #[must_use]
    pub fn new(reading: Reading, platform: Option<PlatformName>) -> Self {
        Self { reading, platform }
    }

    /// Refuses: nobody can be asked.
    pub(crate) fn documents(
        &self,
        text: &str,
        _wish: &PlatformChoice,
    ) -> Result<(NoReference, FolderImage), Error> {
        Err(no_registries(&format!("cannot pull {text}")))
    }

    /// Cannot be called: there is no image to bring layers of.
    pub(crate) fn layers(&self, pinned: &NoReference, _image: &Image) -> Result<(), Error> {
        match *pinned {}
    }
}

/// The name of an image in a registry, of which there is none.
pub(crate) enum NoReference {}

/// Says that registries are left out, behind what that prevents.
pub(crate) fn no_registries(what: &str) -> Error {
    Error::new(format!("{what}: this fbc is built without the feature `registry`")).help(
        "build it with the feature, as `cargo install --locked --path crates/fbc` does, or name an image in a file or directory, \
         such as oci:PATH",
    )
}

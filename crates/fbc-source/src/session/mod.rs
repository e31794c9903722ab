//! What a whole command shares where it meets catalogs and images: how they are read, and one client, one runtime and one cache
//! for registries, where the program is built with them.

#[cfg(feature = "registry")]
mod open;
#[cfg(not(feature = "registry"))]
mod without_registries;

use fbc_image::image::PlatformName;

use crate::error::Error;
use crate::image_map::ImageMap;
use crate::reading::Reading;

#[cfg(feature = "registry")]
pub(crate) use fbc_registry::Reference as PinnedReference;
#[cfg(feature = "registry")]
pub use open::{Connect, Connection, OpenSession};
#[cfg(not(feature = "registry"))]
pub(crate) use without_registries::{NoReference as PinnedReference, no_registries};

/// How images are got. Whoever may meet the name of an image is passed one, so that connections, tokens and the cache are
/// shared. Nothing is read or asked before an image of a registry is needed.
pub struct Session {
    reading: Reading,
    platform: Option<PlatformName>,
    #[cfg(feature = "registry")]
    registries: open::Registries,
}

impl Session {
    /// How catalogs are read.
    #[must_use]
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// The platform of images that are read, if one is named.
    #[must_use]
    pub fn platform(&self) -> Option<&PlatformName> {
        self.platform.as_ref()
    }

    /// The directories that stand for images, where no flag names them.
    ///
    /// # Errors
    /// If the file that says so cannot be read.
    pub fn image_map(&self) -> Result<ImageMap, Error> {
        self.reading.image_map.as_deref().map_or_else(|| Ok(ImageMap::default()), ImageMap::read)
    }
}

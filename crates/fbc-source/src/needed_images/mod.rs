//! The images that a catalog needs on a cluster, and what registries say of them.

#[cfg(feature = "registry")]
mod digests;
mod needs;
#[cfg(not(feature = "registry"))]
mod without_registries;

use std::collections::BTreeMap;

#[cfg(feature = "registry")]
pub use digests::{find_all, is_absent, is_known_absent, only_in_mirrors};
pub use needs::{Needs, Role, UnlistedImage, Use};
#[cfg(not(feature = "registry"))]
pub use without_registries::{find_all, is_known_absent, only_in_mirrors};

/// Why a registry does not say what an image is.
#[cfg(feature = "registry")]
pub type AskError = Box<fbc_registry::RegistryError>;
/// Why a registry does not say what an image is: none is asked.
#[cfg(not(feature = "registry"))]
pub type AskError = crate::Error;

/// An image in a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundImage {
    /// The digest of what the reference means.
    pub digest: String,
    /// Platforms with the digests of their manifests; empty for an image that is not for several.
    pub platforms: Vec<(String, String)>,
}

/// Each reference with what was found, or why not.
pub type Found = BTreeMap<String, Result<FoundImage, AskError>>;

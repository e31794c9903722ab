//! The images that a catalog needs on a cluster, and what registries say of them.

#[cfg(feature = "registry")]
mod digests;
mod needs;

#[cfg(feature = "registry")]
pub use digests::{Found, FoundImage, find_all, is_absent, only_in_mirrors};
pub use needs::{Needs, Role, UnlistedImage, Use};

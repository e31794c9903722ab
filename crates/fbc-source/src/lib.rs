//! What references to catalogs and images name: a directory, a file, a template, a revision of a repository, an image in a
//! registry or in a file; and how what they name is read.
//!
//! [`CatalogSource::open`] finds what a reference names. Images come through a [`Session`], which is passed to whatever may
//! meet the name of one. Arguments, words and bars on a terminal belong to whoever uses this crate: how a client for
//! registries is made comes in as [`session::Connect`], and who watches as [`progress::Progress`].

pub mod catalog_source;
pub mod confinement;
pub mod document_reader;
mod error;
pub mod expansion;
pub mod git;
pub mod git_tree;
pub mod image_evidence;
pub mod image_map;
pub mod image_source;
pub mod input_file;
#[cfg(feature = "registry")]
mod lookaside;
mod nearby;
pub mod needed_images;
pub mod package_files;
#[cfg(feature = "registry")]
pub mod progress;
pub mod reading;
#[cfg(feature = "registry")]
mod registry_error;
pub mod session;
#[cfg(feature = "registry")]
pub mod signature_policy;
#[cfg(feature = "registry")]
pub mod signatures;
pub mod template_bundles;
pub mod template_error;

pub use catalog_source::CatalogSource;
pub use error::{Error, ErrorKind, Parts, system_words};
pub use reading::Reading;
#[cfg(feature = "registry")]
pub use session::OpenSession;
pub use session::Session;

//! Repositories of catalogs: which directories are catalogs, for which releases of OpenShift they are, which Dockerfiles
//! make images of them, and which templates they come from.
//!
//! [`find()`] looks at a tree and takes what its Dockerfiles, `ci.yaml` files and the names of its directories say. A
//! `fbc.toml` with `[[catalogs]]` says it all instead ([`matrix`]), and [`declaration`] writes one from what was found.
//!
//! The crate reads through [`fbc_model::tree::Tree`] only, so that a repository may lie on disk or in a revision.

pub mod adjust;
mod blob;
pub mod ci_file;
pub mod declaration;
mod directories;
pub mod dockerfile;
mod find;
pub mod images;
pub mod matrix;
pub mod merge;
pub mod next_release;
pub mod pins;
mod pipelines;
mod place;
pub mod release;
pub mod release_config;
pub mod split;
mod survey;
mod templates;
mod too_large;

pub use directories::{is_blob_file, output_of, unreadable_part};
pub use find::{find, find_within};
pub use place::{CatalogPlace, FoundBy, ImageFile, MOST_NOTES, Note, Repository, TemplateUse};
pub use survey::looks_like_repository;
pub use too_large::{LargePart, RepositoryTooLarge};

/// The name of the configuration file of a repository.
pub const CONFIGURATION: &str = "fbc.toml";

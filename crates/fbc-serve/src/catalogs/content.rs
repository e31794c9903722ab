//! The lines of catalogs, and the files that they are kept in.

use std::fs::File;
use std::time::SystemTime;

use fbc_model::load::load_with_documents;
use fbc_model::tree::Tree;

use super::store::{Storage, Store};
use super::{SchemaFault, packages};

/// The lines of a catalog that was accepted already.
///
/// # Errors
/// A blob cannot be stored.
pub fn store(tree: &dyn Tree, modified: SystemTime) -> Result<Store, SchemaFault> {
    let (catalog, documents) = load_with_documents(tree);
    let packages = packages::summaries(&catalog);
    drop(catalog);
    Store::new(documents, Storage { modified, file: unnamed_file(), graphql: false, packages })
}

/// A file for the lines of a catalog, which ends with this process.
#[must_use]
pub fn unnamed_file() -> Option<File> {
    // Such as in a container whose files cannot be written to.
    let explain =
        |error: &std::io::Error| tracing::info!(%error, "no temporary file; the catalog stays in memory");
    tempfile::tempfile().inspect_err(explain).ok()
}

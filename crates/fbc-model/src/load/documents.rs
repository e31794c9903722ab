//! A catalog, and its documents beside it.

use std::sync::Arc;

use fbc_yaml::Document;
use fbc_yaml::limits::Meter;

use super::load_metered;
use crate::catalog::Catalog;
use crate::meta::Meta;
use crate::tree::Tree;

/// A blob as it is written, with the fields that opm's types do not have.
#[derive(Clone, Debug)]
pub struct BlobDocument {
    /// What it is.
    pub meta: Meta,
    /// The document, which values in the catalog share.
    pub document: Arc<Document>,
}

/// As [`load_tree`](super::load_tree), and gives the documents of all blobs that opm's types take: a list for each file, in
/// the order of the walk.
#[must_use]
pub fn load_with_documents(tree: &dyn Tree) -> (Catalog, Vec<Vec<BlobDocument>>) {
    load_metered(tree, &Meter::default(), &|document, meta| {
        (false, BlobDocument { meta: meta.clone(), document: Arc::clone(document) })
    })
}

//! ClusterCatalogs as the resolver sees them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::index::CatalogIndex;

/// The label that every ClusterCatalog carries: its own name.
pub const NAME_LABEL: &str = "olm.operatorframework.io/metadata.name";

/// A ClusterCatalog with its content.
#[derive(Clone, Debug)]
pub struct ClusterCatalog {
    /// The name.
    pub name: String,
    /// The labels. [`NAME_LABEL`] need not be among them; a cluster adds it, and so does the resolver.
    pub labels: BTreeMap<String, String>,
    /// `spec.priority`; the higher one wins.
    pub priority: i32,
    /// Whether `spec.availabilityMode` is `Available`.
    pub is_available: bool,
    /// What it serves.
    pub content: Content,
}

/// What a catalog answers when it is asked for a package.
#[derive(Clone, Debug)]
pub enum Content {
    /// The blobs.
    Served(Arc<CatalogIndex>),
    /// An error, such as `catalog "a" is not being served`. It ends every resolution that selects the
    /// catalog, whatever the package.
    Refused(String),
}

impl ClusterCatalog {
    /// An available catalog without labels, of priority 0.
    #[must_use]
    pub fn serving(name: impl Into<String>, index: Arc<CatalogIndex>) -> Self {
        Self {
            name: name.into(),
            labels: BTreeMap::new(),
            priority: 0,
            is_available: true,
            content: Content::Served(index),
        }
    }

    /// The index, if there is content.
    #[must_use]
    pub fn index(&self) -> Option<&CatalogIndex> {
        match &self.content {
            Content::Served(index) => Some(index),
            Content::Refused(_) => None,
        }
    }
}

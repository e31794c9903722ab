//! An object of a cluster.

use std::sync::Arc;

use fbc_kubernetes::types::Named;
use fbc_yaml::{Document, Node};
use serde_json::Value;

use crate::kubernetes::{KeyOrder, convert};

/// An object: what identifies it, and the whole of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The API version, group and version in one text; empty where the manifest has none.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// The namespace; empty for objects without.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The object, members sorted by key. Manifests that pass unchanged share it with their bundle.
    pub value: Arc<Document>,
}

impl Object {
    /// The object that a document holds.
    #[must_use]
    pub fn new(value: Arc<Document>) -> Self {
        let root = value.root();
        let text = |node: Option<Node<'_>>, key: &str| {
            node.and_then(|node| node.get_str(key)).unwrap_or_default().to_owned()
        };
        let metadata = root.get("metadata");
        Self {
            api_version: text(Some(root), "apiVersion"),
            kind: text(Some(root), "kind"),
            namespace: text(metadata, "namespace"),
            name: text(metadata, "name"),
            value,
        }
    }

    /// The API group; empty for the core group.
    #[must_use]
    pub fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }

    /// The version in the group.
    #[must_use]
    pub fn version(&self) -> &str {
        self.api_version.split_once('/').map_or(self.api_version.as_str(), |(_, version)| version)
    }

    /// The object that Go makes of a sparse value: what the type adds is added. What does not fit the
    /// type cannot come from a generator; it would stay as it is.
    pub(super) fn typed(value: &Value, of: Named) -> Self {
        let sparse = Document::from_json(value);
        let whole = convert(sparse.root(), of, KeyOrder::Sorted);
        Self::new(Arc::new(whole.unwrap_or(sparse)))
    }

    /// An object without a Go type of its own here.
    pub(super) fn untyped(value: &Value) -> Self {
        Self::new(Arc::new(Document::from_json(value)))
    }
}

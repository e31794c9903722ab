//! What a path means: a kind that is served, and the part of it or the object that the path names.

use std::sync::Arc;

use fbc_cluster::kind::{Kind, KindId};
use fbc_cluster::object::ObjectName;

use crate::request::Resource;

/// A kind, and the place in a path that means it.
#[derive(Debug, Clone)]
pub(crate) struct ServedResource {
    /// Under which its objects are stored.
    pub(crate) id: KindId,
    pub(crate) kind: Arc<Kind>,
    pub(crate) place: Resource,
}

impl ServedResource {
    /// Namespace and name; objects of the whole cluster have no namespace, whatever the path says.
    pub(crate) fn name(&self) -> ObjectName {
        let namespace = if self.kind.namespaced { self.place.namespace.as_str() } else { "" };
        ObjectName::namespaced(namespace, self.place.name.as_str())
    }

    /// `apps/v1`, or `v1` in the core group.
    pub(crate) fn api_version(&self) -> String {
        let Resource { group, version, .. } = &self.place;
        if group.is_empty() { version.clone() } else { format!("{group}/{version}") }
    }
}

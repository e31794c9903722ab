//! Requests with the rights of the account that an extension is installed with.

use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, DeleteOptions, Patch, Subresource, WriteOptions, no_match};
use fbc_cluster::error::ApiError;
use fbc_cluster::kind::{GroupVersionKind, Kind, KindId};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::Value;

use super::error::HelmError;

/// A client.
pub(super) struct Client<'c> {
    pub(super) api: &'c mut ApiServer,
    pub(super) caller: &'c Caller,
    /// The namespace of namespaced objects that name none.
    pub(super) namespace: &'c str,
}

impl Client<'_> {
    fn kind(&self, object: &Object) -> Result<(KindId, &Kind), ApiError> {
        let name = GroupVersionKind::of(object.api_version(), object.kind());
        self.api.registry().served(&name).ok_or_else(|| no_match(&name))
    }

    /// Namespace and name under which an object is found.
    pub(super) fn name_of(&self, object: &Object) -> ObjectName {
        let is_namespaced =
            self.kind(object).map_or(!object.namespace().is_empty(), |(_, kind)| kind.namespaced);
        match (is_namespaced, object.namespace()) {
            (false, _) => ObjectName::cluster(object.name()),
            (true, "") => ObjectName::namespaced(self.namespace, object.name()),
            (true, namespace) => ObjectName::namespaced(namespace, object.name()),
        }
    }

    /// Looks the kinds of all objects up.
    ///
    /// Source: `kubernetes/cli-runtime:pkg/resource/mapper.go`, `builder.go`.
    pub(super) fn map(&self, objects: &[Value]) -> Result<(), HelmError> {
        let unknown: Vec<String> = objects
            .iter()
            .filter_map(|object| {
                let error = self.kind(object).err()?;
                Some(format!(
                    "resource mapping not found for name: {:?} namespace: {:?} from \"\": {error}\nensure CRDs are \
                     installed first",
                    object.name(),
                    object.namespace()
                ))
            })
            .collect();
        if unknown.is_empty() { Ok(()) } else { Err(HelmError::Unmapped(unknown)) }
    }

    /// The object on the cluster, if it is there.
    pub(super) fn get(&self, object: &Object) -> Result<Option<Arc<Object>>, ApiError> {
        let (id, _) = self.kind(object)?;
        match self.api.get(self.caller, id, &self.name_of(object)) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Makes an object.
    pub(super) fn create(&mut self, object: &Object) -> Result<(), ApiError> {
        let name = self.name_of(object);
        let mut object = object.clone();
        if !name.namespace.is_empty() {
            object.set(&["metadata", "namespace"], name.namespace);
        }
        self.api.create(self.caller, object, WriteOptions::default()).map(drop)
    }

    /// Changes an object.
    pub(super) fn patch(&mut self, object: &Object, patch: &Patch) -> Result<(), ApiError> {
        let (id, _) = self.kind(object)?;
        let name = self.name_of(object);
        self.api.patch(self.caller, id, &name, patch, Subresource::None, WriteOptions::default()).map(drop)
    }

    /// Deletes an object; what it owns follows.
    pub(super) fn delete(&mut self, object: &Object) -> Result<(), ApiError> {
        let (id, _) = self.kind(object)?;
        let name = self.name_of(object);
        self.api.delete(self.caller, id, &name, &DeleteOptions::default()).map(drop)
    }
}

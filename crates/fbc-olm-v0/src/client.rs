//! Reads and writes of a program under one identity.

use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, DeleteOptions, Patch, Propagation, Subresource, WriteOptions};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

/// An API server as a program sees it.
pub struct Client<'c> {
    /// The server.
    pub api: &'c mut ApiServer,
    /// Who writes.
    pub caller: &'c Caller,
}

impl<'c> Client<'c> {
    /// The server, for this caller.
    pub fn new(api: &'c mut ApiServer, caller: &'c Caller) -> Self {
        Self { api, caller }
    }

    /// An object in a namespace, which is empty for those of the whole cluster.
    pub fn get(&self, group: &str, kind: &str, namespace: &str, name: &str) -> Option<Arc<Object>> {
        self.api.find(group, kind, &ObjectName::namespaced(namespace, name)).cloned()
    }

    /// Creates an object.
    pub fn create(&mut self, object: Object) -> Result<Arc<Object>, ApiError> {
        self.api.create(self.caller, object, WriteOptions::default())
    }

    /// Replaces an object but for its status.
    pub fn update(&mut self, object: Object) -> Result<Arc<Object>, ApiError> {
        self.api.update(self.caller, object, Subresource::None, WriteOptions::default())
    }

    /// Replaces an object whatever it is like now, or creates it.
    pub fn replace(&mut self, mut object: Object) -> Result<Arc<Object>, ApiError> {
        object.remove(&["metadata", "resourceVersion"]);
        match self.api.create(self.caller, object.clone(), WriteOptions::default()) {
            Err(error) if error.is_already_exists() => self.update(object),
            created => created,
        }
    }

    /// Replaces the status of an object.
    pub fn update_status(&mut self, object: &Object, status: Value) -> Result<Arc<Object>, ApiError> {
        // What such a write cannot change need not be copied to be sent.
        let mut sent = json!({"metadata": object["metadata"], "status": status});
        for field in ["apiVersion", "kind"] {
            sent.set(&[field], object.text(&[field]));
        }
        self.api.update(self.caller, sent, Subresource::Status, WriteOptions::default())
    }

    /// Changes an object by a merge patch.
    pub fn merge(&mut self, object: &Object, patch: Value) -> Result<Arc<Object>, ApiError> {
        let (id, _) = self.api.kind_of(object)?;
        let (name, patch) = (object.object_name(), Patch::Merge(patch));
        self.api.patch(self.caller, id, &name, &patch, Subresource::None, WriteOptions::default())
    }

    /// Applies an object as another field manager of the same identity.
    pub fn apply(&mut self, manager: &str, configuration: Value) -> Result<Arc<Object>, ApiError> {
        let (id, _) = self.api.kind_of(&configuration)?;
        let name = configuration.object_name();
        let caller = Caller { manager: manager.to_owned(), ..self.caller.clone() };
        let patch = Patch::Apply { configuration, force: true };
        self.api.patch(&caller, id, &name, &patch, Subresource::None, WriteOptions::default())
    }

    /// Deletes an object; one that is gone already is as good.
    pub fn delete(&mut self, object: &Object, propagation: Propagation) -> Result<(), ApiError> {
        let (id, _) = self.api.kind_of(object)?;
        let options = DeleteOptions { propagation, ..DeleteOptions::default() };
        match self.api.delete(self.caller, id, &object.object_name(), &options) {
            Err(error) if !error.is_not_found() => Err(error),
            _ => Ok(()),
        }
    }
}
